// SPDX-License-Identifier: GPL-2.0-or-later
/* njoin --info: describes a set or a dump.  --list prints some of the same parts. */
#include "config.h"

#include <inttypes.h>
#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/json.h"
#include "base/text.h"
#include "cmd/common/left_out.h"
#include "cmd/njoin/njoin.h"
#include "core/elf.h"
#include "set/dump.h"

void show_text(const struct json *json, const char *format, ...)
{
	char text[2 * PATH_MAX];
	bool ends = format[strlen(format) - 1] == '\n';
	va_list arguments;

	if (json->file)
		return;
	va_start(arguments, format);
	vsnprintf(text, sizeof(text), format, arguments);
	va_end(arguments);
	if (ends && strlen(text) < sizeof(text) - 1)
		text[strlen(text) - 1] = '\0';
	printf("%s%s", text_make_printable(text), ends ? "\n" : "");
}

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

/* Returns what separates it from the next amount. */
static const char *show_amount(const struct json *json, const char *separator, uint64_t bytes, const char *word)
{
	char size[SIZE_TEXT_LENGTH];

	if (!bytes)
		return separator;
	show_text(json, "%s %s %s", separator, size_format(bytes, size), word);
	return ",";
}

static void show_class(struct json *json, const struct set *set, const struct class_totals *t, unsigned number)
{
	unsigned layer = class_layer(&set->classes, number);
	char state[STATE_TEXT_LENGTH], label[CLASS_LABEL_LENGTH];
	const char *separator;

	show_text(json, "captured: %s:", class_label(number, label));
	separator = show_amount(json, "", t->kept[number], "kept");
	separator = show_amount(json, separator, t->left_out[number], "left out");
	show_amount(json, separator, t->missing[number], "missing");
	show_text(json, "%s (%s)\n", is_there(t, number) ? "" : " nothing", describe_state(set, number, state));
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

void show_captured(struct json *json, const struct set *set, const struct layer_totals *t)
{
	/* If only records are left, nobody knows where the source ends. */
	unsigned complete = set->assumed ? 0 : layer_totals_complete(t, &set->classes);
	const char *reason = reason_of(set);
	char size[SIZE_TEXT_LENGTH];

	show_text(json, "layers: %u complete\n", complete);
	json_object(json, "captured");
	json_number(json, "layers_complete", complete);
	json_array(json, "classes");
	for (unsigned i = 0; i < CLASSES; i++)
		if (is_shown(set, t, i))
			show_class(json, set, &t->memory, i);
	json_close_array(json);
	if (layer_totals_second(t))
		show_text(json, "captured: second places: %s that the source has twice, counted once\n",
			  size_format(layer_totals_second(t), size));
	json_number(json, "second_place_bytes", layer_totals_second(t));
	json_number(json, "second_place_left_out", layer_totals_sum(t->second.left_out));
	if (t->memory.unknown)
		show_text(json, "captured: of unknown class: %s missing\n", size_format(t->memory.unknown, size));
	json_number(json, "missing_of_unknown_class", t->memory.unknown);
	if (t->memory.unreadable)
		show_text(json, "captured: unreadable: %s\n", size_format(t->memory.unreadable, size));
	json_number(json, "unreadable", t->memory.unreadable);
	if (reason) {
		show_text(json, "captured: reason: %s\n", reason);
		json_text(json, "reason", reason);
	}
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

void show_erased(struct json *json, const struct core *core, bool all)
{
	char *text = copy_erased(core), *rest = NULL;
	unsigned count = 0, limit = all ? UINT_MAX : RANGES_SHOWN;

	json_array(json, "erased");
	for (char *line = text ? strtok_r(text, "\n", &rest) : NULL; line; line = strtok_r(NULL, "\n", &rest)) {
		json_text(json, NULL, line);
		if (count++ < limit)
			show_text(json, "erased by makedumpfile: %s\n", line);
	}
	json_close_array(json);
	if (count > limit)
		show_text(json, "erased by makedumpfile: %u more line%s; -v lists all of them\n", count - limit,
			  plural(count - limit));
	free(text);
}

static void show_file(struct json *json, const struct dump *d, const struct dump_part *p)
{
	char size[SIZE_TEXT_LENGTH];

	show_text(json, "file: %s, %" PRIu64 " bytes (%s)", p->file.name, p->file.file_size,
		  size_format(p->file.file_size, size));
	if (p->unusable)
		show_text(json, ", unusable");
	else if (p->first_page == p->end_page)
		show_text(json, ", no pages");
	else if (d->split)
		show_text(json, ", physical 0x%" PRIx64 " to 0x%" PRIx64, p->first_page * d->block_size,
			  p->end_page * d->block_size - 1);
	show_text(json, "%s%s\n", p->file.flattened ? ", flattened" : "",
		  p->file.damage ? ", not readable to its end" : p->file.cut ? ", cut short" : "");
	json_object(json, NULL);
	json_text(json, "name", p->file.name);
	json_number(json, "bytes", p->file.file_size);
	json_bool(json, "flattened", p->file.flattened);
	json_bool(json, "cut", p->file.cut);
	json_close_object(json);
}

void show_dump(struct json *json, const struct dump *d)
{
	show_text(json, "dump: kdump-compressed, version %" PRIu32 "%s, %s, level %" PRIu32 "%s%s%s\n", d->version,
		  d->split ? ", split" : "", dump_codec_name(d), d->level,
		  d->flags & KDUMP_NO_VMEMMAP ? ", without unused parts of the memory map" : "",
		  d->erased_lost ? ", with data that was erased" : "",
		  d->flags & KDUMP_INCOMPLETE ? ", marked as incomplete" : "");
	if (d->block_size != d->page_size)
		show_text(json, "blocks: of %" PRIu32 " bytes; a page of the kernel has %" PRIu32 "\n", d->block_size,
			  d->page_size);
	json_text(json, "form", "kdump-compressed");
	json_number(json, "version", d->version);
	json_bool(json, "split", d->split);
	json_text(json, "codec", dump_codec_name(d));
	json_number(json, "level", d->level);
	json_bool(json, "marked_incomplete", d->flags & KDUMP_INCOMPLETE);
	json_number(json, "block_size", d->block_size);
	json_bool(json, "excluded_vmemmap", d->flags & KDUMP_NO_VMEMMAP);
	json_bool(json, "erased_told", !d->erased_lost);
	json_array(json, "files");
	for (size_t i = 0; i < d->count; i++)
		show_file(json, d, &d->parts[i]);
	json_close_array(json);
}

/* Blocks of the dump as pages of the kernel. */
static uint64_t pages_in(const struct dump *d, uint64_t blocks)
{
	return divide_up(blocks * d->block_size, d->page_size);
}

static bool show_dump_info(struct json *json, const struct dump *d, const struct set_absent *absent, bool all)
{
	uint64_t missing = divide_up(range_list_length(&absent->missing), d->page_size), pages = pages_in(d, d->pages);

	show_dump(json, d);
	show_erased(json, &d->notes, all);
	show_text(json, "pages: %" PRIu64 " of %" PRIu32 " bytes, %" PRIu64 " of them missing\n", pages, d->page_size,
		  missing);
	show_text(json, "memory: %" PRIu64 " pages, %" PRIu64 " of them not in the dump\n", pages_in(d, d->memory),
		  pages_in(d, d->memory - d->pages));
	show_text(json, "pages: not unpacked; njoin --verify does that\n");
	json_number(json, "page_size", d->page_size);
	json_number(json, "pages", pages);
	json_number(json, "missing_pages", missing);
	json_number(json, "memory_pages", pages_in(d, d->memory));
	json_bool(json, "pages_checked", false);
	return !missing && dump_is_intact(d);
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

static void show_member(struct json *json, const struct member *m)
{
	char size[SIZE_TEXT_LENGTH], root[DIGEST_TEXT_LENGTH + 1];
	bool known = m->superblock.number != MEMBER_NUMBER_UNKNOWN;

	json_object(json, NULL);
	json_text(json, "name", m->name);
	if (known) {
		show_text(json, "member %" PRIu32 ": ", m->superblock.number);
		json_number(json, "number", m->superblock.number);
	} else {
		show_text(json, "member with unknown number: ");
	}
	show_text(json, "%s, %" PRIu64 " bytes (%s), %zu record%s%s\n", m->name, member_length(m),
		  size_format(member_length(m), size), m->count, plural(m->count), m->has_footer ? "" : ", no footer");
	json_number(json, "bytes", member_length(m));
	json_number(json, "records", m->count);
	json_bool(json, "footer", m->has_footer);
	if (member_has_root(m)) {
		hex_format(m->footer.root, DIGEST_LENGTH, root);
		show_text(json, "  root: %s\n", root);
		json_text(json, "root", root);
	}
	json_close_object(json);
}

static void show_members(struct json *json, const struct set *set)
{
	json_array(json, "members");
	for (unsigned i = 0; i < set->count; i++)
		show_member(json, &set->members[i]);
	json_close_array(json);
	for (uint32_t number = 0; number < set->expected; number++)
		if (!set_has_member(set, number) && !set_has_unknown_member(set))
			show_text(json, "member %" PRIu32 ": not given%s\n", number, set_is_fallback(set, number) ?
				  "; it is a fallback and may not have been needed" : "");
}

static void show_holes(struct json *json, const struct set *set, const struct set_absent *absent, bool all,
		       const struct totals *t)
{
	unsigned count = 0, limit = all ? UINT_MAX : RANGES_SHOWN;
	uint64_t offset = 0, length, rest = 0;
	char size[SIZE_TEXT_LENGTH];

	json_array(json, "missing");
	for (; set_absent_next_missing(set, absent, &offset, &length); offset += length) {
		if (count++ < limit)
			show_text(json, "missing: bytes %" PRIu64 " to %" PRIu64 " (%s)\n", offset,
				  offset + length - 1, size_format(length, size));
		else
			rest += length;
		json_object(json, NULL);
		json_number(json, "offset", offset);
		json_number(json, "length", length);
		json_close_object(json);
	}
	json_close_array(json);
	if (count > limit)
		show_text(json, "missing: %u more range%s, %s; -v lists all of them\n", count - limit,
			  plural(count - limit), size_format(rest, size));
	if (count)
		show_text(json, "missing: %s in total\n", size_format(t->missing, size));
}

/* If only records are left, nothing is known of a set but its UUID. */
static void show_capture(struct json *json, const struct set *set)
{
	const struct superblock *sb = &set->members[0].superblock;
	char uuid[UUID_TEXT_LENGTH + 1], created[TIME_TEXT_LENGTH], size[SIZE_TEXT_LENGTH];

	uuid_format(&set->id.uuid, uuid);
	json_text(json, "uuid", uuid);
	if (set->assumed) {
		show_text(json, "set: %s; nothing else is known, since only records are left\n", uuid);
		return;
	}
	time_format(sb->created, created);
	show_text(json, "set: %s, made by %s at %s\n", uuid, sb->creator, created);
	show_text(json, "source: %s, %" PRIu64 " byte%s (%s)\n", sb->source, set->source_size, plural(set->source_size),
		  size_format(set->source_size, size));
	show_text(json, "codec: %s, blocks of %" PRIu32 " bytes, chunks of %" PRIu32 "\n", sb->codec, set->block_size,
		  set->chunk_size);
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

/* Only footers count them. */
static void show_blocks(struct json *json, const struct set *set, const struct totals *t)
{
	if (!t->footers) {
		show_text(json, "blocks: not counted, since no member has a footer\n");
		return;
	}
	show_text(json, "blocks:");
	json_object(json, "blocks");
	for (int kind = 0; kind < BLOCK_KINDS; kind++) {
		show_text(json, " %" PRIu64 " %s,", t->blocks[kind], block_kind_name(kind));
		json_number(json, block_kind_name(kind), t->blocks[kind]);
	}
	show_text(json, " %" PRIu64 " unreadable%s\n", t->not_stored,
		  t->footers < set->count ? ", without members that have no footer" : "");
	json_number(json, "unreadable", t->not_stored);
	json_close_object(json);
}

static bool show_set(struct json *json, const struct set *set, const struct set_absent *absent, bool all)
{
	struct totals t = add_up(set, absent);
	/* The compression ratio, as capture_ratio() has it: of what the members hold. */
	double ratio = t.used_bytes ? (double)t.stored / (double)t.used_bytes : 0;

	show_capture(json, set);
	show_members(json, set);
	json_number(json, "bytes", t.member_bytes);
	json_number(json, "records", t.records);
	show_blocks(json, set, &t);
	show_text(json, "ratio: %.2f\n", ratio);
	json_real(json, "ratio", ratio);
	if (set_has_layers(set))
		show_captured(json, set, &absent->contents.totals);
	show_holes(json, set, absent, all, &t);
	json_number(json, "unreadable_blocks", t.unreadable);
	show_checks(json, set);
	return !t.missing && !t.unreadable && !set->stopped;
}

/* --- both -------------------------------------------------------------------------------- */

void show_checks(struct json *json, const struct set *set)
{
	if (set->stopped)
		show_text(json, "stopped: the capture ended before the end of the source\n");
	json_bool(json, "stopped", set->stopped);
	if (set->stopped_at_marked) {
		show_text(json, "stopped: the machine stopped while pages that may not be touched were read\n");
		json_bool(json, "stopped_at_marked", true);
	}
	if (!set_is_made(set))
		show_text(json, "records: not checked; njoin --verify checks them\n");
	json_bool(json, "records_checked", false);
}

void show_end(struct json *json, bool complete)
{
	show_text(json, "complete: %s\n", complete ? "yes" : "no");
	json_bool(json, "complete", complete);
	json_end(json);
}

bool info_print(const struct njoin_options *o, const struct set *set, const struct set_absent *absent)
{
	struct json json;
	bool complete;

	json_begin(&json, o->json ? stdout : NULL);
	complete = set_is_dump(set) ? show_dump_info(&json, set->members[0].dump, absent, o->verbose) :
				      show_set(&json, set, absent, o->verbose);
	show_end(&json, complete);
	return complete;
}
