// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/size.h"
#include "base/text.h"
#include "cmd/njoin/core.h"
#include "cmd/njoin/dump.h"
#include "cmd/njoin/report.h"
#include "core/elf.h"
#include "core/kinds/page_class.h"
#include "set/dump.h"

enum status njoin_check_dump(const struct set *set, struct njoin_options *o, struct error *e)
{
	unsigned absent = set_absent_classes(set), gone = absent & ~o->left_out.classes;
	const struct member *m = set->members;
	const char *other = m->dump->other_machine;

	if (o->mode == NJOIN_WRITE && !o->format_given)
		o->format = NJOIN_KDUMP;
	if (*other)
		message("%s: the header names the machine '%s', which njoin does not know; %s is assumed", m->name, other,
			machine_name(m->dump->machine));
	else if (m->dump->machine_assumed)
		message("%s: nothing in the dump says of which machine it is; %s is assumed", m->name,
			machine_name(m->dump->machine));
	for (size_t i = 0; i < m->dump->findings.count; i++)
		message("%s", m->dump->findings.names[i]);
	if (o->mode != NJOIN_INFO && dump_check_pages(set, e))
		return e->status;
	if (o->range_given && o->format == NJOIN_KDUMP)
		return error_set(e, STATUS_USAGE, "%s: is a dump, of which --range requires --format=elf", m->name);
	if (o->mode == NJOIN_WRITE && o->format == NJOIN_ELF && m->dump->runs >= CORE_HEADERS_MAX)
		return error_set(e, STATUS_USAGE, "%s: an ELF core of it would have %zu program headers, and one with more "
				 "than %d cannot be read; leave out --format=elf", m->name, m->dump->runs + 1,
				 CORE_HEADERS_MAX);
	if (!o->left_out.given || !gone)
		return STATUS_OK;
	if (o->raises_level) {
		o->left_out.classes |= absent;
		message("%s: was made with dump level %" PRIu32 ", which the new dump has, too", m->name, m->dump->level);
		return STATUS_OK;
	}
	return error_set(e, STATUS_USAGE, "%s: was made with dump level %" PRIu32 ", so pages that are asked for "
			 "are not there; use a level that leaves them out, too, such as %u", m->name, m->dump->level,
			 dump_level_of_classes(absent | o->left_out.classes));
}

/* --- what is missing --------------------------------------------------------------- */

bool njoin_report_file(const struct dump_file *f)
{
	if (f->damage)
		message("%s", f->damage);
	else if (f->cut)
		message("%s: cut short: the flattened dump has no end", f->name);
	for (size_t i = 0; i < f->findings.count; i++)
		message("%s", f->findings.names[i]);
	return dump_file_is_cut(f) || f->findings.count;
}

void njoin_report_dump(const struct njoin_findings *f)
{
	const struct dump *d = f->dump;

	if (f->dump_pages)
		message("missing: %" PRIu64 " page%s of %" PRIu32 " bytes", f->dump_pages,
			plural(f->dump_pages), d->page_size);
	for (size_t i = 0; i < d->count; i++) {
		if (d->parts[i].unusable)
			message("%s", d->parts[i].unusable);
		else
			njoin_report_file(&d->parts[i].file);
	}
	if (d->erased_lost)
		message("%s: the list of what makedumpfile erased from the dump cannot be read", d->parts[0].file.name);
	if (dump_lacks_files(d))
		message("%s: belongs to a split dump; not all of its files were given", d->parts[0].file.name);
	for (size_t i = 0; i < d->count; i++)
		if (d->parts[i].flags & KDUMP_INCOMPLETE)
			message("%s: is marked as incomplete by the program that wrote it", d->parts[i].file.name);
}

/* --- describing it ------------------------------------------------------------------ */

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

/* --- --info ------------------------------------------------------------------------- */

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
