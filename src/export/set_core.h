// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The core that is the source of a set, read from the members, a plain core (set/plain.h) or a dump
 * (set/dump.h); and the parts of a source that the set does not hold, because they were lost or left out.
 */
#ifndef NSPLIT_EXPORT_SET_CORE_H
#define NSPLIT_EXPORT_SET_CORE_H

#include "core/elf.h"
#include "core/kinds/page_filter.h"
#include "core/memory.h"
#include "core/uts.h"
#include "set/read/contents.h"
#include "set/read/range.h"

/* Belongs to one thread, and must not be moved: core.bytes points to it. */
struct set_core {
	struct range_reader reader;
	struct small_reads small;
	struct core core;
};

/*
 * Returns what core_open() does.  The set is borrowed.  Call set_core_close() in any case.
 */
enum status set_core_open(struct set_core *s, const struct set *set, struct error *e);
void set_core_close(struct set_core *s);

/*
 * The size of a page: that of VMCOREINFO, or of a dump without it, that of its blocks.  STATUS_DAMAGED: it is not
 * known; PAGE_SIZE_ASSUMED then.
 */
enum { PAGE_SIZE_ASSUMED = 4096 };
enum status set_core_page_size(const struct set *set, const struct core *core, const struct vmcoreinfo *info, uint32_t *size,
			       struct error *e);

/* Replaces the names of the machine by those that the header of a dump has.  False: it has none. */
bool set_core_uts(const struct set *set, struct uts *uts);

/* The bytes that the members, the plain file or the dump take on their disks. */
uint64_t set_core_stored(const struct set *set);

/* Frees the reader, which holds a record; core.bytes must not be used any more. */
void set_core_free_reader(struct set_core *s);

/* --- a set without the pages that are left out --------------------------- */

/*
 * Applies a filter to the pages of a core that is open, as page_filter_apply() does.  info is that
 * of the core.  Memory of each thread while it runs: that of a struct set_core without the headers
 * and notes, which all threads share: a record, a block, and 256 KiB.
 */
enum status set_filter_apply(struct page_filter *filter, struct pages *pages,
			     const struct set_core *source, const struct vmcoreinfo *info,
			     unsigned threads, unsigned asked, struct error *e);

/* --- what a set does not hold, found without reading payloads ------------ */

struct set_absent {
	struct range_list missing;	/* sorted and merged: holes, and what could not be read; owned */
	struct range_list second;	/* second places of the set; owned */
	struct contents contents;
};

/*
 * damaged() is called for each record whose head is damaged.  watch may be NULL.
 * Call set_absent_free() in any case.
 */
enum status set_absent_find(struct set_absent *a, const struct set *set,
			    const struct contents_watch *watch, struct error *e);
void set_absent_free(struct set_absent *a);

/* For pages_find(); borrows from a. */
struct absent set_absent_view(const struct set_absent *a);
/* The same without what could not be read, whose pages are there, but absent. */
struct absent set_absent_holes(const struct set_absent *a);

/* The classes of dump levels (core/kinds/page_class.h) of which the capture has left out pages. */
unsigned set_absent_classes(const struct set *set);

/*
 * Without layers, set_absent_find() need not have been called for these: the next range at or after *offset
 * that no member holds, false if there is none; and the blocks, or with layers granules, that could not be
 * read when they were captured.
 */
bool set_absent_next_missing(const struct set *set, const struct set_absent *absent, uint64_t *offset,
			     uint64_t *length);
uint64_t set_absent_unreadable(const struct set *set, const struct set_absent *absent);

#endif
