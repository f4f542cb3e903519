// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "export/set_core.h"
#include "set/dump.h"

/* --- a set without the pages that are left out --------------------------- */

/* The core as one thread reads it.  Must not be moved: the parts point to each other. */
struct thread_core {
	struct set_core source;
	struct virt virt;
};

struct thread_cores {
	struct thread_core *cores;	/* owned */
	const struct virt **virts;	/* one for each of them; owned */
	unsigned count;
};

/* thread_cores_free() must be called in any case. */
static enum status thread_cores_open(struct thread_cores *all, const struct set_core *source,
				     const struct vmcoreinfo *info, unsigned threads,
				     struct error *e)
{
	enum status status = STATUS_OK;

	*all = (struct thread_cores){
		.cores = calloc(threads, sizeof(*all->cores)),
		.virts = calloc(threads, sizeof(*all->virts)),
	};
	if (!all->cores || !all->virts)
		return error_system(e, ENOMEM, "%u threads", threads);
	while (all->count < threads && !status) {
		struct thread_core *t = &all->cores[all->count];

		all->virts[all->count++] = &t->virt;
		status = set_core_share(&t->source, source, e);
		if (!status)
			virt_init(&t->virt, &t->source.core, info);
	}
	return status;
}

static void thread_cores_free(struct thread_cores *all)
{
	for (unsigned i = 0; i < all->count; i++)
		set_core_free_reader(&all->cores[i].source);
	free(all->cores);
	free(all->virts);
}

enum status set_filter_apply(struct page_filter *filter, struct pages *pages,
			     const struct set_core *source, const struct vmcoreinfo *info,
			     unsigned threads, unsigned asked, struct error *e)
{
	struct thread_cores all;
	enum status status = thread_cores_open(&all, source, info, threads, e);

	if (!status)
		status = page_filter_apply(filter, pages, all.virts, threads, asked, e);
	thread_cores_free(&all);
	return status;
}

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
	return status ? status : small_reads_open(&s->small, &all, bytes, e);
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

enum status set_core_share(struct set_core *s, const struct set_core *opened, struct error *e)
{
	struct core_bytes bytes;
	enum status status = open_reader(s, opened->reader.set, &bytes, e);

	s->core = opened->core;
	s->core.bytes = bytes;
	return status;
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
