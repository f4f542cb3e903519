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

struct core_summary {
	const struct set *set;		/* borrowed, like the next one */
	const struct set_absent *absent;
	struct set_core source;
	bool has_info;			/* the core has VMCOREINFO */
	bool has_kernel;		/* its release and version are known */
	bool has_page_size;		/* else PAGE_SIZE_ASSUMED is used */
	struct uts uts;			/* printable */
	bool has_crash_time;
	int64_t crash_time;		/* seconds since 1970 */
	uint64_t cpus;			/* notes with the registers of a CPU */
	struct note_kind notes[NOTE_KINDS_MAX];	/* more kinds are left out */
	size_t note_kinds;
	struct pages pages;
	struct page_filter filter;	/* of has_info: nothing is left out, but kinds are counted */
	/* Missing ranges of the source; last, what segments have beyond its end.  Owned. */
	struct range *missing;
	size_t missing_count;
	const struct segment **by_offset;	/* sorted, no two overlap; owned */
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

static void make_printable(struct uts *uts)
{
	text_make_printable(uts->sysname);
	text_make_printable(uts->nodename);
	text_make_printable(uts->release);
	text_make_printable(uts->version);
	text_make_printable(uts->machine);
	text_make_printable(uts->domainname);
}

static bool read_crash_time(const struct vmcoreinfo *info, int64_t *seconds)
{
	char text[32], *end;

	if (!vmcoreinfo_text(info, "CRASHTIME", text, sizeof(text)))
		return false;
	errno = 0;
	*seconds = strtoll(text, &end, 10);
	return end != text && !*end && !errno;
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
	l->has_crash_time = read_crash_time(info, &l->crash_time);
	virt_init(&virt, &l->source.core, info);
	l->uts = uts_find(&virt);
	l->has_kernel = set_core_uts(l->set, &l->uts) || l->has_info;
	make_printable(&l->uts);
	return page_size;
}

static int by_offset(const void *a, const void *b)
{
	const struct segment *x = *(const struct segment *const *)a;
	const struct segment *y = *(const struct segment *const *)b;

	return x->offset < y->offset ? -1 : x->offset > y->offset;
}

/* Of segments that share bytes of the file, which no writer makes, the first stays. */
static enum status sort_segments(struct core_summary *l, struct error *e)
{
	const struct core *core = &l->source.core;
	uint64_t end = 0;
	size_t kept = 0;

	l->by_offset = calloc(core->segments_count, sizeof(*l->by_offset));
	if (!l->by_offset)
		return error_system(e, ENOMEM, "%zu segments", core->segments_count);
	for (size_t i = 0; i < core->segments_count; i++)
		l->by_offset[i] = &core->segments[i];
	qsort(l->by_offset, core->segments_count, sizeof(*l->by_offset), by_offset);
	for (size_t i = 0; i < core->segments_count; i++) {
		const struct segment *s = l->by_offset[i];

		if (!s->filesz || s->offset < end)
			continue;
		end = s->offset + s->filesz;
		l->by_offset[kept++] = s;
	}
	l->by_offset_count = kept;
	return STATUS_OK;
}

/* A core that was cut short before it was captured. */
static void add_cut(struct core_summary *l)
{
	const struct core *core = &l->source.core;
	uint64_t size = core->bytes.size, end = core_segments_end(core);

	if (end > size)
		l->missing[l->missing_count++] = (struct range){ size, end - size };
}

/* With space for what add_cut() adds. */
static enum status copy_missing(struct core_summary *l, const struct set_absent *absent,
				struct error *e)
{
	l->missing = calloc(absent->missing_count + 1, sizeof(*l->missing));
	if (!l->missing)
		return error_system(e, ENOMEM, "list of missing ranges");
	if (absent->missing_count)
		memcpy(l->missing, absent->missing, absent->missing_count * sizeof(*l->missing));
	l->missing_count = absent->missing_count;
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
		status = copy_missing(l, absent, e);
	if (!status)
		status = pages_find(&l->pages, &l->source.core, page_size, &gone, e);
	if (!status && l->has_info)
		status = set_filter_apply(&l->filter, &l->pages, &l->source, &info, threads, 0, e);
	if (!status)
		add_cut(l);
	return status;
}

static void core_summary_free(struct core_summary *l)
{
	set_core_close(&l->source);
	pages_free(&l->pages);
	free(l->missing);
	free(l->by_offset);
}

struct sought {
	const struct core_summary *summary;
	uint64_t offset;
};

static bool ends_before(const void *arg, size_t i)
{
	const struct sought *s = arg;
	const struct segment *segment = s->summary->by_offset[i];

	return segment->offset + segment->filesz <= s->offset;
}

/* The first segment that ends after an offset. */
static size_t find_segment(const struct core_summary *l, uint64_t offset)
{
	const struct sought sought = { .summary = l, .offset = offset };

	return search_first(l->by_offset_count, ends_before, &sought);
}

/* Memory whose contents are in a missing range. */
struct lost_memory {
	uint64_t paddr, length;
	size_t segment;			/* its number in the core */
};

/*
 * The next part of a missing range, at or after offset *at of the source, that holds memory; *at
 * moves to its end.  False: the rest of the range holds only headers or notes, or is between
 * segments.
 */
static bool core_summary_lost(const struct core_summary *l, const struct range *missing, uint64_t *at,
		       struct lost_memory *lost)
{
	uint64_t from = max_u64(*at, missing->offset), to = missing->offset + missing->length;
	size_t i = find_segment(l, from);
	const struct segment *s;

	if (from >= to || i == l->by_offset_count || l->by_offset[i]->offset >= to)
		return false;
	s = l->by_offset[i];
	from = max_u64(from, s->offset);
	*at = min_u64(to, s->offset + s->filesz);
	*lost = (struct lost_memory){
		.paddr = s->paddr + (from - s->offset),
		.length = *at - from,
		.segment = (size_t)(s - l->source.core.segments),
	};
	return true;
}

/* --- the pages of a core by kind and by class -------------------------------------------- */

/* The kinds that are unavailable when a test is disabled. */
static const char *const kinds_of_test[PAGE_TESTS] = {
	[PAGE_TEST_TAIL] = "pages of several frames",
	[PAGE_TEST_SLAB] = "slab",
	[PAGE_TEST_FREE] = "free and unaccepted",
	[PAGE_TEST_CACHE] = "cache",
	[PAGE_TEST_USER] = "anonymous and hugetlb",
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

/* --- text ------------------------------------------------------------------------------ */

static void print_count(const struct page_filter *filter, uint64_t count, uint32_t page_size)
{
	uint64_t all = all_pages(filter);
	const double mib = 1 << 20;

	printf("  %12" PRIu64 "  %12.1f MiB  %5.1f %%\n", count, (double)count * page_size / mib,
	       all ? 100 * (double)count / (double)all : 0);
}

/* The kinds of the kernel have names of their own. */
static const char *kind_label(enum page_kind kind, char text[CLASS_LABEL_LENGTH])
{
	unsigned captured = page_kind_classes[kind].captured;

	return captured == CLASS_KERNEL ? page_kind_name(kind) : class_label(captured, text);
}

static void print_kinds(const struct page_filter *filter, uint32_t page_size)
{
	char text[CLASS_LABEL_LENGTH];

	for (enum page_kind kind = 0; kind < PAGE_KINDS; kind++) {
		if (!filter->of_kind[kind])
			continue;
		printf("pages: %-17s", kind_label(kind, text));
		print_count(filter, filter->of_kind[kind], page_size);
	}
	for (enum page_test test = 0; test < PAGE_TESTS; test++)
		if (filter->off[test][0])
			printf("pages: not recognised: %s: %s\n", kinds_of_test[test], filter->off[test]);
}

static void print_classes(const struct page_filter *filter, uint32_t page_size)
{
	for (enum page_class c = 0; c < PAGE_CLASSES; c++) {
		printf("class: %-17s", page_class_name(c));
		print_count(filter, page_filter_count(filter, c), page_size);
	}
	for (enum page_class c = 0; c < PAGE_CLASSES; c++)
		if (filter->trust.why[c][0])
			printf("class: %s: kept by every dump level: %s\n", page_class_name(c),
			       filter->trust.why[c]);
}

/* Those that are used most; --json has all of them. */
static void print_levels(const struct page_filter *filter, unsigned absent, uint32_t page_size)
{
	static const unsigned levels[] = { 1, 17, 23, 25, 31 };

	for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
		if (absent & ~dump_level_classes(levels[i]))
			continue;
		printf("kept: level %-11u", levels[i]);
		print_count(filter, kept_by_level(filter, levels[i]), page_size);
	}
}

/* absent: classes of which no dump can have all pages.  Levels that keep one of them are not listed. */
static void pages_print(const struct page_filter *filter, unsigned absent, uint32_t page_size)
{
	if (filter->no_kinds[0]) {
		printf("pages: kinds unknown: %s\n", filter->no_kinds);
		return;
	}
	print_kinds(filter, page_size);
	print_classes(filter, page_size);
	print_levels(filter, absent, page_size);
}

/* --- JSON ------------------------------------------------------------------------------ */

static void json_kinds(struct json *json, const struct page_filter *filter)
{
	json_object(json, "page_kinds");
	json_bool(json, "known", !filter->no_kinds[0]);
	if (filter->no_kinds[0])
		json_text(json, "why", filter->no_kinds);
	else
		for (enum page_kind kind = 0; kind < PAGE_KINDS; kind++)
			json_number(json, page_kind_name(kind), filter->of_kind[kind]);
	json_close_object(json);
	json_array(json, "not_recognised");
	for (enum page_test test = 0; test < PAGE_TESTS; test++)
		if (filter->off[test][0]) {
			json_object(json, NULL);
			json_text(json, "kinds", kinds_of_test[test]);
			json_text(json, "why", filter->off[test]);
			json_close_object(json);
		}
	json_close_array(json);
}

static void json_classes(struct json *json, const struct page_filter *filter)
{
	json_array(json, "page_classes");
	for (enum page_class c = 0; c < PAGE_CLASSES; c++) {
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
}

static void json_levels(struct json *json, const struct page_filter *filter)
{
	json_array(json, "kept_by_level");
	for (unsigned level = 0; level <= DUMP_LEVEL_ALL; level++)
		json_number(json, NULL, kept_by_level(filter, level));
	json_close_array(json);
}

/* As members of the object that is open. */
static void pages_json(struct json *json, const struct page_filter *filter)
{
	json_kinds(json, filter);
	if (filter->no_kinds[0])
		return;
	json_classes(json, filter);
	json_levels(json, filter);
}

enum { ADDRESS_TEXT_LENGTH = 20 };	/* "0xffffffff81000000" */

static uint64_t pages_of_memory(const struct core_summary *l)
{
	uint64_t count = 0;

	for (size_t i = 0; i < l->pages.ram.count; i++)
		count += l->pages.ram.ranges[i].length;
	return count;
}

static bool is_complete(const struct core_summary *l)
{
	const struct dump_file *flat = set_flat_core(l->set);

	if (set_is_dump(l->set) && !dump_is_intact(l->set->members[0].dump))
		return false;
	if (flat && (dump_file_is_cut(flat) || flat->findings.count))
		return false;
	return !l->missing_count && !l->pages.lost && !l->set->stopped;
}

static bool machine_is_assumed(const struct core_summary *l)
{
	return set_is_dump(l->set) && l->set->members[0].dump->machine_assumed;
}

/* --- text ------------------------------------------------------------------- */

static void print_kernel(const struct core_summary *l)
{
	char time[TIME_TEXT_LENGTH];

	if (!l->has_kernel)
		printf("kernel: unknown, since the core has no VMCOREINFO\n");
	else
		printf("kernel: %s %s\n", l->uts.release, l->uts.version);
	if (l->uts.nodename[0])
		printf("host: %s\n", l->uts.nodename);
	if (l->has_crash_time) {
		time_format(l->crash_time, time);
		printf("crashed: %s\n", time);
	}
	printf("CPUs: %" PRIu64 "\n", l->cpus);
	printf("page size: %" PRIu32 " bytes%s\n", l->pages.page_size,
	       l->has_page_size ? "" : ", assumed, since the core does not contain it");
}

static void print_notes(const struct core_summary *l)
{
	for (size_t i = 0; i < l->note_kinds; i++) {
		const struct note_kind *n = &l->notes[i];

		printf("notes: %s, type %" PRIu32 ": %" PRIu64 ", %" PRIu64 " byte%s in total\n", n->name,
		       n->type, n->count, n->bytes, plural(n->bytes));
	}
}

static void print_segments(const struct core_summary *l)
{
	const struct core *core = &l->source.core;

	/* Those of a dump are made of its bitmaps, and can be millions. */
	if (set_is_dump(l->set))
		return;
	printf("%8s  %-18s  %-18s  %-18s  %18s  %18s  %18s\n", "segment", "physical", "to", "virtual",
	       "offset", "bytes in file", "bytes in memory");
	for (size_t i = 0; i < core->segments_count; i++) {
		const struct segment *s = &core->segments[i];

		printf("%8zu  0x%-16" PRIx64 "  0x%-16" PRIx64 "  0x%-16" PRIx64 "  %18" PRIu64
		       "  %18" PRIu64 "  %18" PRIu64 "\n", i, s->paddr, s->paddr + s->memsz - 1,
		       s->vaddr, s->offset, s->filesz, s->memsz);
	}
}

static void print_missing(const struct core_summary *l)
{
	for (size_t i = 0; i < l->missing_count; i++) {
		const struct range *m = &l->missing[i];
		struct lost_memory lost;
		uint64_t at = 0;

		printf("missing: bytes %" PRIu64 " to %" PRIu64 "%s\n", m->offset,
		       m->offset + m->length - 1,
		       m->offset < l->source.core.bytes.size ? "" : ", beyond the end of the source");
		while (core_summary_lost(l, m, &at, &lost))
			printf("missing: physical 0x%" PRIx64 " to 0x%" PRIx64 ", segment %zu\n",
			       lost.paddr, lost.paddr + lost.length - 1, lost.segment);
	}
}

/* njoin_check_dump() refuses levels that keep one of these.  Those of a capture are added to any level. */
static unsigned classes_refused(const struct core_summary *l)
{
	return set_is_dump(l->set) ? set_absent_classes(l->set) : 0;
}

static void print_text(const struct core_summary *l, bool verbose)
{
	const struct core *core = &l->source.core;
	char size[SIZE_TEXT_LENGTH];

	if (set_is_dump(l->set))
		dump_print(l->set->members[0].dump);
	printf("core: %s%s, %" PRIu64 " byte%s (%s), %zu segment%s\n", l->uts.machine,
	       machine_is_assumed(l) ? ", assumed" : "", core->bytes.size, plural(core->bytes.size),
	       size_format(core->bytes.size, size), core->segments_count, plural(core->segments_count));
	print_kernel(l);
	print_notes(l);
	erased_print(core, verbose ? UINT_MAX : RANGES_SHOWN);
	print_segments(l);
	printf("memory: %" PRIu64 " page%s, %" PRIu64 " of them in the core\n", pages_of_memory(l),
	       plural(pages_of_memory(l)), l->pages.count);
	printf("missing: %" PRIu64 " page%s\n", l->pages.lost, plural(l->pages.lost));
	if (l->has_info)
		pages_print(&l->filter, classes_refused(l), l->pages.page_size);
	if (set_has_layers(l->set))
		captured_print(l->set, &l->absent->contents.totals);
	print_missing(l);
	if (l->set->stopped)
		printf("stopped: the capture ended before the end of the source\n");
	if (!set_is_made(l->set))
		printf("%s\n", records_not_checked);
	printf("complete: %s\n", is_complete(l) ? "yes" : "no");
}

/* --- JSON -------------------------------------------------------------------- */

/* Addresses are strings: many JSON readers store numbers as doubles, which have 53 bits. */
static void json_address(struct json *json, const char *name, uint64_t address)
{
	char text[ADDRESS_TEXT_LENGTH];

	snprintf(text, sizeof(text), "0x%" PRIx64, address);
	json_text(json, name, text);
}

static void json_kernel(struct json *json, const struct core_summary *l)
{
	char time[TIME_TEXT_LENGTH];

	json_bool(json, "vmcoreinfo", l->has_info);
	if (l->has_kernel) {
		json_text(json, "release", l->uts.release);
		json_text(json, "version", l->uts.version);
		json_text(json, "host", l->uts.nodename);
	}
	if (l->has_crash_time) {
		time_format(l->crash_time, time);
		json_text(json, "crashed", time);
	}
	json_number(json, "cpus", l->cpus);
	json_number(json, "page_size", l->pages.page_size);
	json_bool(json, "page_size_told", l->has_page_size);
}

static void json_notes(struct json *json, const struct core_summary *l)
{
	json_array(json, "notes");
	for (size_t i = 0; i < l->note_kinds; i++) {
		json_object(json, NULL);
		json_text(json, "name", l->notes[i].name);
		json_number(json, "type", l->notes[i].type);
		json_number(json, "count", l->notes[i].count);
		json_number(json, "bytes", l->notes[i].bytes);
		json_close_object(json);
	}
	json_close_array(json);
}

static void json_segments(struct json *json, const struct core_summary *l)
{
	const struct core *core = &l->source.core;

	json_array(json, "segments");
	for (size_t i = 0; i < core->segments_count && !set_is_dump(l->set); i++) {
		const struct segment *s = &core->segments[i];

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

static void json_lost(struct json *json, const struct core_summary *l, const struct range *missing)
{
	struct lost_memory lost;
	uint64_t at = 0;

	json_array(json, "memory");
	while (core_summary_lost(l, missing, &at, &lost)) {
		json_object(json, NULL);
		json_address(json, "physical", lost.paddr);
		json_number(json, "length", lost.length);
		json_number(json, "segment", lost.segment);
		json_close_object(json);
	}
	json_close_array(json);
}

static void json_missing(struct json *json, const struct core_summary *l)
{
	json_array(json, "missing");
	for (size_t i = 0; i < l->missing_count; i++) {
		json_object(json, NULL);
		json_number(json, "offset", l->missing[i].offset);
		json_number(json, "length", l->missing[i].length);
		json_lost(json, l, &l->missing[i]);
		json_close_object(json);
	}
	json_close_array(json);
}

static void print_json(const struct core_summary *l)
{
	struct json json;

	json_begin(&json, stdout);
	if (set_is_dump(l->set)) {
		json_object(&json, "dump");
		dump_json(&json, l->set->members[0].dump);
		json_close_object(&json);
	}
	json_text(&json, "machine", l->uts.machine);
	json_bool(&json, "machine_told", !machine_is_assumed(l));
	json_number(&json, "source_size", l->source.core.bytes.size);
	json_kernel(&json, l);
	json_notes(&json, l);
	erased_json(&json, &l->source.core);
	json_segments(&json, l);
	json_object(&json, "pages");
	json_number(&json, "memory", pages_of_memory(l));
	json_number(&json, "present", l->pages.count);
	json_number(&json, "lost", l->pages.lost);
	json_close_object(&json);
	if (l->has_info)
		pages_json(&json, &l->filter);
	if (set_has_layers(l->set))
		captured_json(&json, l->set, &l->absent->contents.totals);
	json_missing(&json, l);
	json_bool(&json, "stopped", l->set->stopped);
	json_bool(&json, "records_checked", false);
	json_bool(&json, "complete", is_complete(l));
	json_end(&json);
}

enum status list_print(const struct njoin_options *o, const struct set *set,
		       const struct set_absent *absent, bool *complete, struct error *e)
{
	struct core_summary *l = calloc(1, sizeof(*l));
	enum status status;

	if (!l)
		return error_system(e, ENOMEM, "summary of the core");
	status = core_summary_make(l, set, absent, o->threads, e);
	if (!status && o->json)
		print_json(l);
	else if (!status)
		print_text(l, o->verbose);
	*complete = !status && is_complete(l);
	core_summary_free(l);
	free(l);
	return status;
}
