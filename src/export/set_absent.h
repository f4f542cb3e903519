// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The parts of a source that a set does not hold, because they were lost or left out; found without reading
 * payloads.
 */
#ifndef NSPLIT_EXPORT_SET_ABSENT_H
#define NSPLIT_EXPORT_SET_ABSENT_H

#include "core/pages.h"
#include "set/read/contents.h"

struct set_absent {
	struct range *missing;		/* sorted and merged: holes, and what could not be read; owned */
	size_t missing_count;
	struct contents contents;
};

/*
 * The set has no streams.  damaged() is called for each record whose head is damaged.  watch may be NULL.
 * Call set_absent_free() in any case.
 */
enum status set_absent_find(struct set_absent *a, const struct set *set,
			    const struct contents_watch *watch, struct error *e);
void set_absent_free(struct set_absent *a);

/* For pages_find_but(); borrows from a. */
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
