// SPDX-License-Identifier: GPL-2.0-or-later
/* njoin --list: describes a core. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/json.h"
#include "base/text.h"
#include "cmd/common/left_out.h"
#include "cmd/njoin/njoin.h"
#include "core/kinds/page_filter.h"
#include "core/uts.h"
#include "export/set_core.h"
#include "set/dump.h"
#include "set/plain.h"

/* --- the summary, collected before anything is printed ----------------------------------- */

enum { NOTE_KINDS_MAX = 64, NOTE_NAME_LENGTH = 32 };

/* Notes of the same name and type. */
struct note_kind {
	char name[NOTE_NAME_LENGTH];	/* printable, and cut short */
	uint32_t type;
	uint64_t count, bytes;		/* of their descriptions */
};

/* What the source has of a segment. */
struct stored_segment {
	uint64_t offset, length;	/* first, for spans_find() */
	size_t number;			/* of the segment in the core */
};

struct core_summary {
	const struct set *set;		/* borrowed, like the next one */
	const struct set_absent *absent;
	struct set_core source;
	bool has_info;			/* the core has VMCOREINFO */
	bool has_kernel;		/* its release and version are known */
	bool has_page_size;		/* else PAGE_SIZE_ASSUMED is used */
	struct uts uts;
	bool has_crash_time;
	uint64_t crash_time;		/* seconds since 1970 */
	uint64_t cpus;			/* notes with the registers of a CPU */
	struct note_kind notes[NOTE_KINDS_MAX];	/* more kinds are left out */
	size_t note_kinds;
	struct pages pages;
	struct page_filter filter;	/* of has_info: nothing is left out, but kinds are counted */
	struct stored_segment *by_offset;	/* sorted, no two overlap; owned */
	size_t by_offset_count;
};

static void name_of(const struct note *note, char name[NOTE_NAME_LENGTH])
{
	size_t len = min_u64(note->name_size, NOTE_NAME_LENGTH - 1);

	memcpy(name, note->name, len);
	name[len] = '\0';
	text_make_printable(name);
}

static void count_note(struct core_summary *l, const struct note *note)
{
	struct note_kind kind = { .type = note->type };
	size_t i = 0;

	name_of(note, kind.name);
	while (i < l->note_kinds && (l->notes[i].type != kind.type ||
				     strcmp(l->notes[i].name, kind.name) != 0))
		i++;
	if (i == NOTE_KINDS_MAX)
		return;
	if (i == l->note_kinds)
		l->notes[l->note_kinds++] = kind;
	l->notes[i].count++;
	l->notes[i].bytes += note->desc_size;
}

static void count_notes(struct core_summary *l)
{
	struct note note;
	size_t at = 0;

	while (core_next_note(&l->source.core, &at, &note))
		count_note(l, &note);
	l->cpus = core_count_cpus(&l->source.core);
}

/* Without VMCOREINFO, the machine is known from the ELF header, and more from the header of a dump. */
static uint32_t read_kernel(struct core_summary *l, struct vmcoreinfo *info)
{
	uint32_t page_size;
	struct error ignored;
	struct virt virt;

	l->has_info = !vmcoreinfo_find(&l->source.core, info, &ignored);
	l->has_page_size = set_is_dump(l->set) || !vmcoreinfo_page_size(info, &page_size, &ignored);
	set_core_page_size(l->set, &l->source.core, info, &page_size, &ignored);
	l->has_crash_time = vmcoreinfo_number(info, "CRASHTIME", &l->crash_time) && l->crash_time <= INT64_MAX;
	virt_init(&virt, &l->source.core, info);
	l->uts = uts_find(&virt);
	l->has_kernel = set_core_uts(l->set, &l->uts) || l->has_info;
	return page_size;
}

/* Of segments that share bytes of the file, which no writer makes, the first stays. */
static enum status sort_segments(struct core_summary *l, struct error *e)
{
	const struct core *core = &l->source.core;
	uint64_t end = 0;
	size_t count = 0;

	l->by_offset = calloc(core->segments_count, sizeof(*l->by_offset));
	if (!l->by_offset)
		return error_system(e, ENOMEM, "%zu segments", core->segments_count);
	for (size_t i = 0; i < core->segments_count; i++)
		if (core->segments[i].filesz)
			l->by_offset[count++] = (struct stored_segment){ core->segments[i].offset,
									 core->segments[i].filesz, i };
	values_sort(l->by_offset, sizeof(*l->by_offset), count);
	for (size_t i = 0; i < count; i++) {
		struct stored_segment s = l->by_offset[i];

		if (s.offset < end)
			continue;
		end = s.offset + s.length;
		l->by_offset[l->by_offset_count++] = s;
	}
	return STATUS_OK;
}

/* The summary must not be moved.  Call core_summary_free() in any case. */
static enum status core_summary_make(struct core_summary *l, const struct set *set,
			      const struct set_absent *absent, unsigned threads, struct error *e)
{
	const struct absent gone = set_absent_view(absent);
	struct vmcoreinfo info;
	uint32_t page_size;
	enum status status;

	*l = (struct core_summary){ .set = set, .absent = absent };
	status = set_core_open(&l->source, set, e);
	if (status)
		return status;
	page_size = read_kernel(l, &info);
	count_notes(l);
	status = sort_segments(l, e);
	if (!status)
		status = pages_find(&l->pages, &l->source.core, page_size, &gone, e);
	if (!status && l->has_info)
		status = set_filter_apply(&l->filter, &l->pages, &l->source, &info, threads, 0, e);
	return status;
}

static void core_summary_free(struct core_summary *l)
{
	set_core_close(&l->source);
	pages_free(&l->pages);
	free(l->by_offset);
}

/* --- the pages of a core by kind and by class -------------------------------------------- */

/* The kinds that are unavailable when a test is disabled. */
static const char *const kinds_of_test[PAGE_TESTS] = {
	[PAGE_TEST_TAIL] = "pages of several frames",
	[PAGE_TEST_SLAB] = "slab",
	[PAGE_TEST_FREE] = "free and unaccepted",
	[PAGE_TEST_CACHE] = "cache",
	[PAGE_TEST_USER] = "anonymous and hugetlb",
	[PAGE_TEST_OFFLINE] = "offline",
	[PAGE_TEST_POISONED] = "poisoned",
};

static uint64_t all_pages(const struct page_filter *filter)
{
	uint64_t all = 0;

	for (enum page_kind kind = 0; kind < PAGE_KINDS; kind++)
		all += filter->of_kind[kind];
	return all;
}

/* The pages that a dump of this level would have. */
static uint64_t kept_by_level(const struct page_filter *filter, unsigned level)
{
	unsigned classes = dump_level_classes(level) & page_trust_classes(&filter->trust);
	uint64_t kept = all_pages(filter);

	for (enum page_class c = 0; c < PAGE_CLASSES; c++)
		if (classes & PAGE_CLASS_BIT(c))
			kept -= page_filter_count(filter, c);
	return kept;
}

static void show_count(const struct json *json, const struct page_filter *filter, uint64_t count, uint32_t page_size)
{
	uint64_t all = all_pages(filter);
	const double mib = 1 << 20;

	show_text(json, "  %12" PRIu64 "  %12.1f MiB  %5.1f %%\n", count, (double)count * page_size / mib,
		  all ? 100 * (double)count / (double)all : 0);
}

static void show_kinds(struct json *json, const struct page_filter *filter, uint32_t page_size)
{
	char text[CLASS_LABEL_LENGTH];

	json_object(json, "page_kinds");
	json_bool(json, "known", !filter->no_kinds[0]);
	if (filter->no_kinds[0]) {
		show_text(json, "pages: kinds unknown: %s\n", filter->no_kinds);
		json_text(json, "why", filter->no_kinds);
	}
	for (enum page_kind kind = 0; kind < PAGE_KINDS && !filter->no_kinds[0]; kind++) {
		uint64_t count = filter->of_kind[kind];
		unsigned captured = page_kind_classes[kind].captured;

		json_number(json, page_kind_name(kind), count);
		if (!count)
			continue;
		/* The kinds of the kernel have names of their own. */
		show_text(json, "pages: %-17s", captured == CLASS_KERNEL ? page_kind_name(kind) :
								     class_label(captured, text));
		show_count(json, filter, count, page_size);
	}
	json_close_object(json);
	json_array(json, "not_recognised");
	for (enum page_test test = 0; test < PAGE_TESTS; test++) {
		if (!filter->off[test][0])
			continue;
		if (!filter->no_kinds[0])
			show_text(json, "pages: not recognised: %s: %s\n", kinds_of_test[test], filter->off[test]);
		json_object(json, NULL);
		json_text(json, "kinds", kinds_of_test[test]);
		json_text(json, "why", filter->off[test]);
		json_close_object(json);
	}
	json_close_array(json);
}

static void show_classes(struct json *json, const struct page_filter *filter, uint32_t page_size)
{
	json_array(json, "page_classes");
	for (enum page_class c = 0; c < PAGE_CLASSES; c++) {
		show_text(json, "class: %-17s", page_class_name(c));
		show_count(json, filter, page_filter_count(filter, c), page_size);
		json_object(json, NULL);
		json_text(json, "name", page_class_name(c));
		json_number(json, "level", dump_level_of_classes(PAGE_CLASS_BIT(c)));
		json_number(json, "pages", page_filter_count(filter, c));
		json_bool(json, "trusted", !filter->trust.why[c][0]);
		if (filter->trust.why[c][0])
			json_text(json, "why", filter->trust.why[c]);
		json_close_object(json);
	}
	json_close_array(json);
	for (enum page_class c = 0; c < PAGE_CLASSES; c++)
		if (filter->trust.why[c][0])
			show_text(json, "class: %s: kept by every dump level: %s\n", page_class_name(c),
				  filter->trust.why[c]);
}

/*
 * As text, those that are used most, without levels that keep one of these classes, of which no dump can have all
 * pages.
 */
static void show_levels(struct json *json, const struct page_filter *filter, unsigned absent, uint32_t page_size)
{
	static const unsigned used = 1U << 1 | 1U << 17 | 1U << 23 | 1U << 25 | 1U << 31;

	json_array(json, "kept_by_level");
	for (unsigned level = 0; level <= DUMP_LEVEL_ALL; level++) {
		json_number(json, NULL, kept_by_level(filter, level));
		if (!(used & 1U << level) || absent & ~dump_level_classes(level))
			continue;
		show_text(json, "kept: level %-11u", level);
		show_count(json, filter, kept_by_level(filter, level), page_size);
	}
	json_close_array(json);
}

/* --- the core ---------------------------------------------------------------------------- */

enum { ADDRESS_TEXT_LENGTH = 20 };	/* "0xffffffff81000000" */

/* In JSON, addresses are strings: many readers store numbers as doubles, which have 53 bits. */
static void json_address(struct json *json, const char *name, uint64_t address)
{
	char text[ADDRESS_TEXT_LENGTH];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	json_text(json, name, text);
}

static void show_kernel(struct json *json, const struct core_summary *l)
{
	char time[TIME_TEXT_LENGTH];

	json_bool(json, "vmcoreinfo", l->has_info);
	if (l->has_kernel) {
		show_text(json, "kernel: %s %s\n", l->uts.release, l->uts.version);
		json_text(json, "release", l->uts.release);
		json_text(json, "version", l->uts.version);
		json_text(json, "host", l->uts.nodename);
	} else {
		show_text(json, "kernel: unknown, since the core has no VMCOREINFO\n");
	}
	if (l->uts.nodename[0])
		show_text(json, "host: %s\n", l->uts.nodename);
	if (l->has_crash_time) {
		time_format((int64_t)l->crash_time, time);
		show_text(json, "crashed: %s\n", time);
		json_text(json, "crashed", time);
	}
	show_text(json, "CPUs: %" PRIu64 "\n", l->cpus);
	json_number(json, "cpus", l->cpus);
	show_text(json, "page size: %" PRIu32 " bytes%s\n", l->pages.page_size,
		  l->has_page_size ? "" : ", assumed, since the core does not contain it");
	json_number(json, "page_size", l->pages.page_size);
	json_bool(json, "page_size_told", l->has_page_size);
}

static void show_notes(struct json *json, const struct core_summary *l)
{
	json_array(json, "notes");
	for (size_t i = 0; i < l->note_kinds; i++) {
		const struct note_kind *n = &l->notes[i];

		show_text(json, "notes: %s, type %" PRIu32 ": %" PRIu64 ", %" PRIu64 " byte%s in total\n", n->name,
			  n->type, n->count, n->bytes, plural(n->bytes));
		json_object(json, NULL);
		json_text(json, "name", n->name);
		json_number(json, "type", n->type);
		json_number(json, "count", n->count);
		json_number(json, "bytes", n->bytes);
		json_close_object(json);
	}
	json_close_array(json);
}

/* Not those of a dump, which are made of its bitmaps, and can be millions. */
static void show_segments(struct json *json, const struct core_summary *l)
{
	const struct core *core = &l->source.core;
	bool shown = !set_is_dump(l->set);

	if (shown)
		show_text(json, "%8s  %-18s  %-18s  %-18s  %18s  %18s  %18s\n", "segment", "physical", "to", "virtual",
			  "offset", "bytes in file", "bytes in memory");
	json_array(json, "segments");
	for (size_t i = 0; shown && i < core->segments_count; i++) {
		const struct segment *s = &core->segments[i];

		show_text(json, "%8zu  0x%-16" PRIx64 "  0x%-16" PRIx64 "  0x%-16" PRIx64 "  %18" PRIu64
			  "  %18" PRIu64 "  %18" PRIu64 "\n", i, s->paddr, s->paddr + s->memsz - 1,
			  s->vaddr, s->offset, s->filesz, s->memsz);
		json_object(json, NULL);
		json_address(json, "physical", s->paddr);
		json_address(json, "virtual", s->vaddr);
		json_number(json, "offset", s->offset);
		json_number(json, "bytes_in_file", s->filesz);
		json_number(json, "bytes_in_memory", s->memsz);
		json_close_object(json);
	}
	json_close_array(json);
}

/* Pages of memory, and those of them that are there, and lost. */
static void show_pages(struct json *json, const struct core_summary *l)
{
	const struct pages *pages = &l->pages;
	uint64_t memory = range_list_length(&pages->ram);

	show_text(json, "memory: %" PRIu64 " page%s, %" PRIu64 " of them in the core\n", memory, plural(memory),
		  pages->count);
	show_text(json, "missing: %" PRIu64 " page%s\n", pages->lost, plural(pages->lost));
	json_object(json, "pages");
	json_number(json, "memory", memory);
	json_number(json, "present", pages->count);
	json_number(json, "lost", pages->lost);
	json_close_object(json);
}

/* A missing range of the source, and the memory in it: what remains is headers, notes, and gaps between segments. */
static void show_range(struct json *json, const struct core_summary *l, uint64_t offset, uint64_t length)
{
	const struct stored_segment *s = l->by_offset, *last = s + l->by_offset_count;
	uint64_t end = offset + length;

	show_text(json, "missing: bytes %" PRIu64 " to %" PRIu64 "%s\n", offset, end - 1,
		  offset < l->source.core.bytes.size ? "" : ", beyond the end of the source");
	json_object(json, NULL);
	json_number(json, "offset", offset);
	json_number(json, "length", length);
	json_array(json, "memory");
	for (s += spans_find(s, sizeof(*s), l->by_offset_count, offset); s < last && s->offset < end; s++) {
		uint64_t from = max_u64(s->offset, offset), some = min_u64(s->offset + s->length, end) - from;
		uint64_t paddr = l->source.core.segments[s->number].paddr + (from - s->offset);

		show_text(json, "missing: physical 0x%" PRIx64 " to 0x%" PRIx64 ", segment %zu\n", paddr,
			  paddr + some - 1, s->number);
		json_object(json, NULL);
		json_address(json, "physical", paddr);
		json_number(json, "length", some);
		json_number(json, "segment", s->number);
		json_close_object(json);
	}
	json_close_array(json);
	json_close_object(json);
}

/* Returns whether nothing is missing. */
static bool show_missing(struct json *json, const struct core_summary *l)
{
	const struct set_absent *absent = l->absent;
	uint64_t size = l->source.core.bytes.size, end = core_segments_end(&l->source.core);

	json_array(json, "missing");
	for (size_t i = 0; i < absent->missing.count; i++)
		show_range(json, l, absent->missing.ranges[i].offset, absent->missing.ranges[i].length);
	/* A core that was cut short before it was captured. */
	if (end > size)
		show_range(json, l, size, end - size);
	json_close_array(json);
	return !absent->missing.count && end <= size;
}

/* Returns whether the core is complete. */
static bool show_core(struct json *json, const struct core_summary *l, bool verbose)
{
	const struct core *core = &l->source.core;
	const struct dump *dump = l->set->members[0].dump;
	const struct dump_file *flat = set_flat_core(l->set);
	bool assumed = dump && dump->machine_assumed, complete;
	char size[SIZE_TEXT_LENGTH];

	if (dump) {
		json_object(json, "dump");
		show_dump(json, dump);
		json_close_object(json);
	}
	show_text(json, "core: %s%s, %" PRIu64 " byte%s (%s), %zu segment%s\n", l->uts.machine,
		  assumed ? ", assumed" : "", core->bytes.size, plural(core->bytes.size),
		  size_format(core->bytes.size, size), core->segments_count, plural(core->segments_count));
	json_text(json, "machine", l->uts.machine);
	json_bool(json, "machine_told", !assumed);
	json_number(json, "source_size", core->bytes.size);
	show_kernel(json, l);
	show_notes(json, l);
	show_erased(json, core, verbose);
	show_segments(json, l);
	show_pages(json, l);
	if (l->has_info)
		show_kinds(json, &l->filter, l->pages.page_size);
	if (l->has_info && !l->filter.no_kinds[0]) {
		show_classes(json, &l->filter, l->pages.page_size);
		/* check_dump() in njoin.c refuses levels that keep one of these.  Those of a capture are added to any level. */
		show_levels(json, &l->filter, dump ? set_absent_classes(l->set) : 0, l->pages.page_size);
	}
	if (set_has_layers(l->set))
		show_captured(json, l->set, &l->absent->contents.totals);
	complete = show_missing(json, l) && !l->pages.lost && !l->set->stopped;
	show_checks(json, l->set);
	return complete && (!dump || dump_is_intact(dump)) && (!flat || (!dump_file_is_cut(flat) && !flat->findings.count));
}

enum status list_print(const struct njoin_options *o, const struct set *set,
		       const struct set_absent *absent, bool *complete, struct error *e)
{
	struct core_summary *l = calloc(1, sizeof(*l));
	struct json json;
	enum status status;

	if (!l)
		return error_system(e, ENOMEM, "summary of the core");
	status = core_summary_make(l, set, absent, o->threads, e);
	if (!status) {
		json_begin(&json, o->json ? stdout : NULL);
		*complete = show_core(&json, l, o->verbose);
		show_end(&json, *complete);
	}
	core_summary_free(l);
	free(l);
	return status;
}
