// SPDX-License-Identifier: GPL-2.0-or-later
/* njoin --info: describes a set. */
#include "config.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/json.h"
#include "base/size.h"
#include "base/text.h"
#include "cmd/njoin/describe.h"
#include "cmd/njoin/report.h"

/* Sums over all members. */
struct totals {
	uint64_t member_bytes;
	uint64_t used_bytes;		/* without what follows the last record of a killed capture */
	uint64_t records;
	uint64_t blocks[BLOCK_KINDS];
	uint64_t not_stored;		/* granules that were unreadable, as footers count them */
	unsigned footers;
	uint64_t stored;		/* bytes of the source that the members hold */
	uint64_t missing;		/* bytes */
	uint64_t unreadable;		/* blocks; without duplicates */
};

/* A member may be shorter than the device that it is on. */
static uint64_t member_length(const struct member *m)
{
	return m->has_footer ? m->footer.offset + FOOTER_LENGTH : m->size;
}

static uint64_t records_end(const struct member *m)
{
	uint64_t end = 0;

	for (size_t i = 0; i < m->count; i++) {
		const struct index_entry *entry = &m->locations[i].entry;

		end = max_u64(end, entry->member_offset + entry->record_length);
	}
	return end;
}

static struct totals add_up(const struct set *set, const struct set_absent *absent)
{
	const struct layer_totals *layers = &absent->contents.totals;
	struct totals t = { 0 };
	uint64_t offset = 0, length;

	for (unsigned i = 0; i < set->count; i++) {
		const struct member *m = &set->members[i];

		t.member_bytes += member_length(m);
		t.used_bytes += m->has_footer ? member_length(m) : records_end(m);
		t.records += m->count;
		t.footers += m->has_footer;
		if (m->has_footer)
			t.not_stored += divide_up(m->footer.figures.unreadable, GRANULE);
		for (int kind = 0; kind < BLOCK_KINDS && m->has_footer; kind++)
			t.blocks[kind] += m->footer.blocks[kind];
	}
	t.unreadable = set_absent_unreadable(set, absent);
	for (; set_absent_next_missing(set, absent, &offset, &length); offset += length)
		t.missing += length;
	t.stored = set_has_layers(set) ? layer_totals_sum(layers->memory.kept) :
					 set->source_size - min_u64(t.missing, set->source_size);
	return t;
}

/* The compression ratio, as capture_ratio() has it: of what the members hold. */
static double ratio_of(const struct totals *t)
{
	return t->used_bytes ? (double)t->stored / (double)t->used_bytes : 0;
}

static bool is_complete(const struct set *set, const struct totals *t)
{
	return !t->missing && !t->unreadable && !set->stopped;
}

static void print_member(const struct member *m)
{
	char size[SIZE_TEXT_LENGTH], name[PATH_MAX], root[DIGEST_TEXT_LENGTH + 1];

	if (m->superblock.number == MEMBER_NUMBER_UNKNOWN)
		printf("member with unknown number: ");
	else
		printf("member %" PRIu32 ": ", m->superblock.number);
	snprintf(name, sizeof(name), "%s", m->name);
	printf("%s, %" PRIu64 " bytes (%s), %zu record%s%s\n", text_make_printable(name), member_length(m),
	       size_format(member_length(m), size), m->count, plural(m->count),
	       m->has_footer ? "" : ", no footer");
	if (member_has_root(m)) {
		digest_format(m->footer.root, root);
		printf("  root: %s\n", root);
	}
}

static void print_missing_members(const struct set *set)
{
	for (uint32_t number = 0; number < set->expected; number++)
		if (!set_has_member(set, number) && !set_has_unknown_member(set))
			printf("member %" PRIu32 ": not given%s\n", number,
			       set_is_fallback(set, number) ?
			       "; it is a fallback and may not have been needed" : "");
}

static void print_holes(const struct set *set, const struct set_absent *absent, unsigned limit,
			const struct totals *t)
{
	unsigned count = 0;
	uint64_t offset = 0, length, rest = 0;
	char size[SIZE_TEXT_LENGTH];

	for (; set_absent_next_missing(set, absent, &offset, &length); offset += length) {
		if (count++ < limit)
			printf("missing: bytes %" PRIu64 " to %" PRIu64 " (%s)\n", offset,
			       offset + length - 1, size_format(length, size));
		else
			rest += length;
	}
	if (count > limit)
		printf("missing: %u more range%s, %s; -v lists all of them\n", count - limit,
		       plural(count - limit), size_format(rest, size));
	if (count)
		printf("missing: %s in total\n", size_format(t->missing, size));
}

/* If only records are left, nothing is known of a set but its UUID. */
static void print_capture(const struct set *set)
{
	struct superblock sb = set->members[0].superblock;
	char uuid[UUID_TEXT_LENGTH + 1], created[TIME_TEXT_LENGTH], size[SIZE_TEXT_LENGTH];

	uuid_format(&set->id.uuid, uuid);
	if (set->assumed) {
		printf("set: %s; nothing else is known, since only records are left\n", uuid);
		return;
	}
	time_format(sb.created, created);
	printf("set: %s, made by %s at %s\n", uuid, text_make_printable(sb.creator), created);
	printf("source: %s, %" PRIu64 " byte%s (%s)\n", text_make_printable(sb.source), set->source_size,
	       plural(set->source_size), size_format(set->source_size, size));
	printf("codec: %s, blocks of %" PRIu32 " bytes, chunks of %" PRIu32 "\n",
	       text_make_printable(sb.codec), set->block_size, set->chunk_size);
}

/* Only footers count them. */
static void print_blocks(const struct set *set, const struct totals *t)
{
	if (!t->footers) {
		printf("blocks: not counted, since no member has a footer\n");
		return;
	}
	printf("blocks:");
	for (int kind = 0; kind < BLOCK_KINDS; kind++)
		printf(" %" PRIu64 " %s,", t->blocks[kind], block_kind_name(kind));
	printf(" %" PRIu64 " unreadable%s\n", t->not_stored, t->footers < set->count ? ", without members that have no footer" : "");
}

static void print_text(const struct set *set, const struct set_absent *absent, unsigned limit,
		       const struct totals *t)
{
	print_capture(set);
	for (unsigned i = 0; i < set->count; i++)
		print_member(&set->members[i]);
	print_missing_members(set);
	print_blocks(set, t);
	printf("ratio: %.2f\n", ratio_of(t));
	if (set_has_layers(set))
		captured_print(set, &absent->contents.totals);
	print_holes(set, absent, limit, t);
	if (set->stopped)
		printf("stopped: the capture ended before the end of the source\n");
	printf("%s\n", records_not_checked);
	printf("complete: %s\n", is_complete(set, t) ? "yes" : "no");
}

static void json_members(struct json *json, const struct set *set)
{
	char root[DIGEST_TEXT_LENGTH + 1];

	json_array(json, "members");
	for (unsigned i = 0; i < set->count; i++) {
		const struct member *m = &set->members[i];

		json_object(json, NULL);
		json_text(json, "name", m->name);
		if (m->superblock.number != MEMBER_NUMBER_UNKNOWN)
			json_number(json, "number", m->superblock.number);
		json_number(json, "bytes", member_length(m));
		json_number(json, "records", m->count);
		json_bool(json, "footer", m->has_footer);
		if (member_has_root(m)) {
			digest_format(m->footer.root, root);
			json_text(json, "root", root);
		}
		json_close_object(json);
	}
	json_close_array(json);
}

static void json_holes(struct json *json, const struct set *set, const struct set_absent *absent)
{
	uint64_t offset = 0, length;

	json_array(json, "missing");
	for (; set_absent_next_missing(set, absent, &offset, &length); offset += length) {
		json_object(json, NULL);
		json_number(json, "offset", offset);
		json_number(json, "length", length);
		json_close_object(json);
	}
	json_close_array(json);
}

static void json_capture(struct json *json, const struct set *set)
{
	const struct superblock *sb = &set->members[0].superblock;
	char uuid[UUID_TEXT_LENGTH + 1], created[TIME_TEXT_LENGTH];

	uuid_format(&set->id.uuid, uuid);
	json_text(json, "uuid", uuid);
	if (set->assumed)
		return;
	time_format(sb->created, created);
	json_text(json, "creator", sb->creator);
	json_text(json, "created", created);
	json_text(json, "source", sb->source);
	json_number(json, "source_size", set->source_size);
	json_text(json, "codec", sb->codec);
	json_number(json, "block_size", set->block_size);
	json_number(json, "chunk_size", set->chunk_size);
	json_number(json, "members_expected", set->expected);
	json_number(json, "fallbacks", set->fallbacks);
}

static void json_blocks(struct json *json, const struct totals *t)
{
	json_object(json, "blocks");
	for (int kind = 0; kind < BLOCK_KINDS; kind++)
		json_number(json, block_kind_name(kind), t->blocks[kind]);
	json_number(json, "unreadable", t->not_stored);
	json_close_object(json);
}

static void print_json(const struct set *set, const struct set_absent *absent, const struct totals *t)
{
	struct json json;

	json_begin(&json, stdout);
	json_capture(&json, set);
	json_members(&json, set);
	json_number(&json, "bytes", t->member_bytes);
	json_number(&json, "records", t->records);
	if (t->footers)
		json_blocks(&json, t);
	json_real(&json, "ratio", ratio_of(t));
	if (set_has_layers(set))
		captured_json(&json, set, &absent->contents.totals);
	json_holes(&json, set, absent);
	json_number(&json, "unreadable_blocks", t->unreadable);
	json_bool(&json, "stopped", set->stopped);
	json_bool(&json, "records_checked", false);
	json_bool(&json, "complete", is_complete(set, t));
	json_end(&json);
}

bool info_print(const struct njoin_options *o, const struct set *set, const struct set_absent *absent)
{
	struct totals t = add_up(set, absent);

	if (o->json)
		print_json(set, absent, &t);
	else
		print_text(set, absent, o->verbose ? UINT_MAX : RANGES_SHOWN, &t);
	return is_complete(set, &t);
}
