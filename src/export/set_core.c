// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/kinds/page_class.h"
#include "export/set_core.h"
#include "io/source.h"
#include "set/dump.h"

/* --- the core in a set --------------------------------------------------- */

/* VMCOREINFO and erase information become notes, with headers. */
static const struct core_limits dump_limits = {
	.headers = DUMP_HEADERS_MAX, .notes = 2 * KDUMP_NOTES_MAX + 4096, .physical_only = true,
};

static enum status read_set(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	struct set_core *s = arg;

	return range_read(&s->reader, offset, len, dst, e);
}

/* A reader of its own for the core; bytes are what is read through it. */
static enum status open_reader(struct set_core *s, const struct set *set, struct core_bytes *bytes,
			       struct error *e)
{
	const struct core_bytes all = { .size = set->source_size, .read = read_set, .arg = s };
	enum status status;

	*bytes = all;
	s->core = (struct core){ 0 };
	s->small = (struct small_reads){ 0 };
	status = range_reader_init(&s->reader, set, e);
	return status ? status : small_reads_open(&s->small, &all, SMALL_READS_PIECE, bytes, e);
}

enum status set_core_open(struct set_core *s, const struct set *set, struct error *e)
{
	struct core_bytes bytes;
	enum status status = open_reader(s, set, &bytes, e);

	if (!status && set_is_dump(set))
		status = dump_check_pages(set, e);
	if (status)
		return status;
	/* The headers of a dump are made here, one for each sequence of pages; notes were read before. */
	if (set_is_dump(set))
		return core_open_within(&s->core, &bytes, &dump_limits, e);
	return core_open(&s->core, &bytes, e);
}

enum status set_core_page_size(const struct set *set, const struct core *core, const struct vmcoreinfo *info, uint32_t *size,
			       struct error *e)
{
	*size = PAGE_SIZE_ASSUMED;
	if (!set_is_dump(set))
		return core_page_size(core, info, size, e);
	*size = set->members[0].dump->page_size;
	return STATUS_OK;
}

bool set_core_uts(const struct set *set, struct uts *uts)
{
	_Static_assert(sizeof(*uts) == KDUMP_UTS_LENGTH, "the same six texts");

	if (!set_is_dump(set) || !set->members[0].dump->uts.release[0])
		return false;
	*uts = set->members[0].dump->uts;
	return true;
}

uint64_t set_core_stored(const struct set *set)
{
	const struct source *file = set->members[0].plain;
	uint64_t bytes = 0;

	if (file)
		return file->sparse ? file->stored : file->size;
	if (set_is_dump(set))
		return dump_stored(set->members[0].dump);
	for (size_t i = 0; i < set->locations; i++)
		bytes += set->map[i]->entry.record_length;
	return bytes;
}

void set_core_free_reader(struct set_core *s)
{
	small_reads_close(&s->small);
	range_reader_free(&s->reader);
	s->core.bytes = (struct core_bytes){ .size = s->core.bytes.size };
}

void set_core_close(struct set_core *s)
{
	core_close(&s->core);
	small_reads_close(&s->small);
	range_reader_free(&s->reader);
}

/* --- a set without the pages that are left out --------------------------- */

/* The core as one thread reads it.  Must not be moved: the parts point to each other. */
struct thread_core {
	struct set_core source;
	struct virt virt;
};

/* All threads share the headers and notes. */
static enum status share(struct thread_core *t, const struct set_core *source, const struct vmcoreinfo *info,
			 struct error *e)
{
	struct core_bytes bytes;
	enum status status = open_reader(&t->source, source->reader.set, &bytes, e);

	t->source.core = source->core;
	t->source.core.bytes = bytes;
	if (!status)
		virt_init(&t->virt, &t->source.core, info);
	return status;
}

enum status set_filter_apply(struct page_filter *filter, struct pages *pages,
			     const struct set_core *source, const struct vmcoreinfo *info,
			     unsigned threads, unsigned asked, struct error *e)
{
	struct thread_core *cores = calloc(threads, sizeof(*cores));
	const struct virt **virts = calloc(threads, sizeof(*virts));
	enum status status = cores && virts ? STATUS_OK : error_system(e, ENOMEM, "%u threads", threads);
	unsigned count = 0;

	for (; count < threads && !status; count++) {
		virts[count] = &cores[count].virt;
		status = share(&cores[count], source, info, e);
	}
	if (!status)
		status = page_filter_apply(filter, pages, virts, threads, asked, e);
	while (count)
		set_core_free_reader(&cores[--count].source);
	free(cores);
	free(virts);
	return status;
}

/* --- what a set does not hold --------------------------------------------- */

enum status set_absent_find(struct set_absent *a, const struct set *set,
			    const struct contents_watch *watch, struct error *e)
{
	const struct contents_watch silent = { 0 };
	enum status status;

	*a = (struct set_absent){ 0 };
	status = contents_find(&a->contents, set, watch ? watch : &silent, e);
	if (!status && set_is_dump(set))
		status = dump_absent_find(set->members[0].dump, &a->contents.unreadable, e);
	if (!status && !contents_not_there(&a->contents, &a->missing))
		status = error_system(e, ENOMEM, "list of missing ranges");
	for (uint32_t i = 0; i < set->second.count && !status; i++)
		if (!range_list_add(&a->second, set->second.list[i].offset, set->second.list[i].length))
			status = error_system(e, ENOMEM, "list of second places");
	return status;
}

void set_absent_free(struct set_absent *a)
{
	range_list_free(&a->missing);
	range_list_free(&a->second);
	contents_free(&a->contents);
	*a = (struct set_absent){ 0 };
}

static bool next_left_out(const void *arg, uint64_t *offset, uint64_t *length)
{
	return contents_next_left_out(arg, offset, length);
}

struct absent set_absent_view(const struct set_absent *a)
{
	return (struct absent){
		.missing = a->missing.ranges,
		.missing_count = a->missing.count,
		.elsewhere = a->second.ranges,
		.elsewhere_count = a->second.count,
		.next_left_out = next_left_out,
		.arg = &a->contents,
	};
}

struct absent set_absent_holes(const struct set_absent *a)
{
	struct absent absent = set_absent_view(a);

	absent.missing = a->contents.missing.ranges;
	absent.missing_count = a->contents.missing.count;
	return absent;
}

unsigned set_absent_classes(const struct set *set)
{
	return set_is_dump(set) ? dump_level_classes(set->members[0].dump->level) : page_classes_left_out(&set->classes);
}

bool set_absent_next_missing(const struct set *set, const struct set_absent *absent, uint64_t *offset,
			     uint64_t *length)
{
	const struct range_list *missing = &absent->contents.missing;
	size_t i = ranges_find(missing->ranges, missing->count, *offset);
	uint64_t end;

	if (!set_has_layers(set))
		return set_hole(set, offset, length);
	if (i == missing->count)
		return false;
	end = missing->ranges[i].offset + missing->ranges[i].length;
	*offset = max_u64(*offset, missing->ranges[i].offset);
	*length = end - *offset;
	return true;
}

uint64_t set_absent_unreadable(const struct set *set, const struct set_absent *absent)
{
	uint64_t blocks = 0;

	if (set_has_layers(set))
		return divide_up(absent->contents.totals.memory.unreadable, GRANULE);
	for (size_t i = 0; i < set->locations; i++)
		if (!set->map[i]->follows)
			blocks += set->map[i]->entry.unreadable;
	return blocks;
}
