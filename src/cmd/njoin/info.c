// SPDX-License-Identifier: GPL-2.0-or-later
/* njoin --info: describes a set or a dump.  --list prints some of the same parts. */
#include "config.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "base/text.h"
#include "cmd/common/left_out.h"
#include "cmd/njoin/njoin.h"
#include "core/elf.h"
#include "core/kinds/page_class.h"
#include "set/dump.h"

/* --- the pages that a capture with layers kept and left out ------------------------------ */

enum { STATE_TEXT_LENGTH = 32 };

/* In JSON. */
static const char *const state_words[CLASS_STATES] = {
	[CLASS_SAVED] = "saved",
	[CLASS_PLANNED_OUT] = "undecided",
	[CLASS_LEFT_OUT] = "left_out",
	[CLASS_SAVED_AFTER_ALL] = "saved_after_all",
	[CLASS_TWICE] = "stored_once",
};

static const char *describe_state(const struct set *set, unsigned number, char text[STATE_TEXT_LENGTH])
{
	unsigned layer = class_layer(&set->classes, number);

	switch (class_state(&set->classes, number)) {
	case CLASS_PLANNED_OUT:
		return "not decided";
	case CLASS_LEFT_OUT:
		return "no layer";
	case CLASS_SAVED_AFTER_ALL:
		snprintf(text, STATE_TEXT_LENGTH, "layer %u, after all", layer);
		break;
	case CLASS_TWICE:
		return "stored once";
	default:
		snprintf(text, STATE_TEXT_LENGTH, "layer %u", layer);
	}
	return text;
}

/* Layers up to this one are complete.  If only records are left, nobody knows where the source ends. */
static unsigned complete_layers(const struct set *set, const struct layer_totals *t)
{
	return set->assumed ? 0 : layer_totals_complete(t, &set->classes);
}

/* Why classes were saved after all; NULL: unknown. */
static const char *reason_of(const struct set *set)
{
	for (unsigned i = 0; i < set->count; i++)
		if (set->members[i].footer.reason[0])
			return set->members[i].footer.reason;
	return NULL;
}

static bool is_there(const struct class_totals *t, unsigned number)
{
	return t->kept[number] || t->left_out[number] || t->missing[number];
}

static bool is_shown(const struct set *set, const struct layer_totals *t, unsigned number)
{
	enum class_state state = class_state(&set->classes, number);

	return is_there(&t->memory, number) || (state != CLASS_SAVED && state != CLASS_TWICE);
}

/* text ------------------------------------------------------------------------------ */

/* Returns what separates it from the next amount. */
static const char *print_amount(const char *separator, uint64_t bytes, const char *word)
{
	char size[SIZE_TEXT_LENGTH];

	if (!bytes)
		return separator;
	printf("%s %s %s", separator, size_format(bytes, size), word);
	return ",";
}

static void print_class(const struct set *set, const struct class_totals *t, unsigned number)
{
	char state[STATE_TEXT_LENGTH], label[CLASS_LABEL_LENGTH];
	const char *separator;

	printf("captured: %s:", class_label(number, label));
	separator = print_amount("", t->kept[number], "kept");
	separator = print_amount(separator, t->left_out[number], "left out");
	print_amount(separator, t->missing[number], "missing");
	printf("%s (%s)\n", is_there(t, number) ? "" : " nothing", describe_state(set, number, state));
}

void captured_print(const struct set *set, const struct layer_totals *t)
{
	char size[SIZE_TEXT_LENGTH], reason[REASON_TEXT_LENGTH + 1];

	printf("layers: %u complete\n", complete_layers(set, t));
	for (unsigned i = 0; i < CLASSES; i++)
		if (is_shown(set, t, i))
			print_class(set, &t->memory, i);
	if (layer_totals_second(t))
		printf("captured: second places: %s that the source has twice, counted once\n",
		       size_format(layer_totals_second(t), size));
	if (t->memory.unknown)
		printf("captured: of unknown class: %s missing\n", size_format(t->memory.unknown, size));
	if (t->memory.unreadable)
		printf("captured: unreadable: %s\n", size_format(t->memory.unreadable, size));
	if (!reason_of(set))
		return;
	snprintf(reason, sizeof(reason), "%s", reason_of(set));
	printf("captured: reason: %s\n", text_make_printable(reason));
}

/* JSON ------------------------------------------------------------------------------ */

static void json_class(struct json *json, const struct set *set, const struct class_totals *t,
		       unsigned number)
{
	unsigned layer = class_layer(&set->classes, number);

	json_object(json, NULL);
	json_number(json, "number", number);
	json_text(json, "name", layer_class_name(number));
	json_text(json, "state", state_words[class_state(&set->classes, number)]);
	if (layer)
		json_number(json, "layer", layer);
	json_number(json, "kept", t->kept[number]);
	json_number(json, "left_out", t->left_out[number]);
	json_number(json, "missing", t->missing[number]);
	json_close_object(json);
}

void captured_json(struct json *json, const struct set *set, const struct layer_totals *t)
{
	json_object(json, "captured");
	json_number(json, "layers_complete", complete_layers(set, t));
	json_array(json, "classes");
	for (unsigned i = 0; i < CLASSES; i++)
		if (is_shown(set, t, i))
			json_class(json, set, &t->memory, i);
	json_close_array(json);
	json_number(json, "second_place_bytes", layer_totals_second(t));
	json_number(json, "second_place_left_out", layer_totals_sum(t->second.left_out));
	json_number(json, "missing_of_unknown_class", t->memory.unknown);
	json_number(json, "unreadable", t->memory.unreadable);
	if (reason_of(set))
		json_text(json, "reason", reason_of(set));
	json_close_object(json);
}

/* --- a dump ------------------------------------------------------------------------------ */

/* The text with a zero byte at its end; NULL: there is none, or no memory for it. */
static char *copy_erased(const struct core *core)
{
	size_t size = core_erased(core, NULL);
	char *text = size ? malloc(size + 1) : NULL;

	if (text)
		text[core_erased(core, text)] = '\0';
	return text;
}

void erased_print(const struct core *core, unsigned limit)
{
	char *text = copy_erased(core), *rest = NULL;
	unsigned count = 0;

	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
		if (count++ < limit)
			printf("erased by makedumpfile: %s\n", text_make_printable(line));
	if (count > limit)
		printf("erased by makedumpfile: %u more line%s; -v lists all of them\n", count - limit,
		       plural(count - limit));
	free(text);
}

void erased_json(struct json *json, const struct core *core)
{
	char *text = copy_erased(core), *rest = NULL;

	json_array(json, "erased");
	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest))
		json_text(json, NULL, text_make_printable(line));
	json_close_array(json);
	free(text);
}

static void print_file(const struct dump *d, const struct dump_part *p)
{
	char size[SIZE_TEXT_LENGTH], name[PATH_MAX];

	snprintf(name, sizeof(name), "%s", p->file.name);
	printf("file: %s, %" PRIu64 " bytes (%s)", text_make_printable(name), p->file.file_size,
	       size_format(p->file.file_size, size));
	if (p->unusable)
		printf(", unusable");
	else if (p->first_page == p->end_page)
		printf(", no pages");
	else if (d->split)
		printf(", physical 0x%" PRIx64 " to 0x%" PRIx64, p->first_page * d->block_size,
		       p->end_page * d->block_size - 1);
	printf("%s%s\n", p->file.flattened ? ", flattened" : "",
	       p->file.damage ? ", not readable to its end" : p->file.cut ? ", cut short" : "");
}

void dump_print(const struct dump *d)
{
	printf("dump: kdump-compressed, version %" PRIu32 "%s, %s, level %" PRIu32 "%s%s%s\n", d->version,
	       d->split ? ", split" : "", dump_codec_name(d), d->level,
	       d->flags & KDUMP_NO_VMEMMAP ? ", without unused parts of the memory map" : "",
	       d->erased_lost ? ", with data that was erased" : "",
	       d->flags & KDUMP_INCOMPLETE ? ", marked as incomplete" : "");
	if (d->block_size != d->page_size)
		printf("blocks: of %" PRIu32 " bytes; a page of the kernel has %" PRIu32 "\n", d->block_size,
		       d->page_size);
	for (size_t i = 0; i < d->count; i++)
		print_file(d, &d->parts[i]);
}

static void json_files(struct json *json, const struct dump *d)
{
	json_array(json, "files");
	for (size_t i = 0; i < d->count; i++) {
		json_object(json, NULL);
		json_text(json, "name", d->parts[i].file.name);
		json_number(json, "bytes", d->parts[i].file.file_size);
		json_bool(json, "flattened", d->parts[i].file.flattened);
		json_bool(json, "cut", d->parts[i].file.cut);
		json_close_object(json);
	}
	json_close_array(json);
}

void dump_json(struct json *json, const struct dump *d)
{
	json_text(json, "form", "kdump-compressed");
	json_number(json, "version", d->version);
	json_bool(json, "split", d->split);
	json_text(json, "codec", dump_codec_name(d));
	json_number(json, "level", d->level);
	json_bool(json, "marked_incomplete", d->flags & KDUMP_INCOMPLETE);
	json_number(json, "block_size", d->block_size);
	json_bool(json, "excluded_vmemmap", d->flags & KDUMP_NO_VMEMMAP);
	json_bool(json, "erased_told", !d->erased_lost);
	json_files(json, d);
}

static const char pages_not_checked[] = "pages: not unpacked; njoin --verify does that";

static uint64_t count_missing(const struct dump *d, const struct set_absent *absent)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < absent->missing_count; i++)
		bytes += absent->missing[i].length;
	return divide_up(bytes, d->page_size);
}

/* Blocks of the dump as pages of the kernel. */
static uint64_t pages_in(const struct dump *d, uint64_t blocks)
{
	return divide_up(blocks * d->block_size, d->page_size);
}

static void info_text(const struct dump *d, uint64_t missing, bool complete, bool all)
{
	dump_print(d);
	erased_print(&d->notes, all ? UINT_MAX : RANGES_SHOWN);
	printf("pages: %" PRIu64 " of %" PRIu32 " bytes, %" PRIu64 " of them missing\n", pages_in(d, d->pages),
	       d->page_size, missing);
	printf("memory: %" PRIu64 " pages, %" PRIu64 " of them not in the dump\n", pages_in(d, d->memory),
	       pages_in(d, d->memory - d->pages));
	printf("%s\n", pages_not_checked);
	printf("complete: %s\n", complete ? "yes" : "no");
}

static void info_json(const struct dump *d, uint64_t missing, bool complete)
{
	struct json json;

	json_begin(&json, stdout);
	dump_json(&json, d);
	erased_json(&json, &d->notes);
	json_number(&json, "page_size", d->page_size);
	json_number(&json, "pages", pages_in(d, d->pages));
	json_number(&json, "missing_pages", missing);
	json_number(&json, "memory_pages", pages_in(d, d->memory));
	json_bool(&json, "pages_checked", false);
	json_bool(&json, "complete", complete);
	json_end(&json);
}

bool dump_info_print(const struct njoin_options *o, const struct set *set, const struct set_absent *absent)
{
	const struct dump *d = set->members[0].dump;
	uint64_t missing = count_missing(d, absent);
	bool complete = !missing && dump_is_intact(d);

	if (o->json)
		info_json(d, missing, complete);
	else
		info_text(d, missing, complete, o->verbose);
	return complete;
}

/* --- a set ------------------------------------------------------------------------------- */

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
