// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Decides what a capture may leave out: the class of each granule of the source, found while it is captured.
 *
 * A filter is opened before the capture, which takes some reads, and started with the number of its
 * threads.  Each thread then asks for the classes of the ranges that it takes, which reads the struct
 * pages of these ranges only.  When every range was asked for, the whole memory map has been seen,
 * and filter_judge() says which classes can be believed (doc/pages.md, "Trust").
 *
 * Nothing here ends a capture.  If the filter cannot be opened, everything is captured; what cannot
 * be read or is not understood is the kernel's; what is not believed is captured after all.  Time and
 * memory are limited, whatever the source contains.
 *
 * Classes are those of doc/format.md, section 7.  This directory knows no records.
 */
#ifndef NSPLIT_FILTER_FILTER_H
#define NSPLIT_FILTER_FILTER_H

#include <stdatomic.h>

#include "base/array.h"
#include "base/runs.h"
#include "format/format.h"
#include "format/superblock.h"
#include "io/source.h"

struct filter;
struct pages;

enum { FILTER_REASON_LENGTH = 256 };

/* What a capture is to do. */
struct filter_wishes {
	unsigned classes;		/* of dump levels, to be left out */
	bool by_value;			/* everything is wanted, but the most valuable first */
	bool read_all;			/* marked pages (format/format.h) are wanted, too */
};

/*
 * Reads the headers of a positioned source and finds its memory map.  After a failure, *e is a
 * sentence that says why nothing can be left out.  The source is borrowed.
 * wishes: NULL for a capture in one layer: finds only which memory is in the source twice, by the headers.  Every class
 * is CLASS_KERNEL then, and filter_judge() must not be called.
 */
enum status filter_open(struct filter **filter, struct source *source, const struct filter_wishes *wishes,
			struct error *e);
/* filter may be NULL. */
void filter_close(struct filter *f);

/*
 * Bytes of memory of a filter for this source, which need not exist yet: for each thread, and
 * besides, with units of this size.  remembers: see filter_start().
 */
size_t filter_thread_memory(const struct source *source);
size_t filter_memory(const struct source *source, uint32_t unit_size, bool remembers);

/*
 * Before the first use by any thread, which are numbered from 0; may be called again before that.
 * unit_size: filter_classify() is called for ranges of this size, which begin at multiples of it.
 * remembers: keeps the classes of all granules, unless the source is very large, so that each is found once.
 */
enum status filter_start(struct filter *f, unsigned threads, uint32_t unit_size, bool remembers, struct error *e);

/* Bytes of an entry of the memory map, if it can be a row of columns (format/record.h); otherwise 0. */
uint32_t filter_map_row(const struct filter *f);

/*
 * The plan of a capture: sets the class table, and returns the number of layers, which are in the order of value.  If
 * there are several, the last of them is for marked pages; and, if others may be left out, the one before it for those of
 * them that are kept after all.  Without any wishes, marked pages are left out of what the kernel made.  NULL, as for
 * filter_open(): no class is looked for, and there is one layer.
 */
unsigned filter_plan(const struct source *source, const struct filter_wishes *wishes, struct class_table *plan);

/*
 * Adds the classes, as enum layer_class, of the granules from offset on to an empty list: of a whole unit, except at
 * the end of the source.
 */
void filter_classify(struct filter *f, unsigned thread, uint64_t offset, uint32_t granules, struct runs *classes);

/* Bytes of whole granules of the source, and of its end, that are not in segments: headers and notes. */
uint64_t filter_beside_memory(const struct filter *f);

/* Where memory is in the source a second time: CLASS_SECOND.  Constant once the filter is open. */
const struct second_places *filter_second_places(const struct filter *f);

/*
 * What is of CLASS_FIRST unless it is not to be read (filter/first.h), of which the first ranges are urgent.  Constant
 * once the filter is open.
 */
const struct range *filter_first(const struct filter *f, size_t *count, size_t *urgent);

/*
 * Requests a stop, from any thread: filter_judge(), and the call of filter_classify() for one of the units, which
 * reads the kernel image and the page tables, return soon.  Then no class is believed.
 */
void filter_stop(struct filter *f);

/*
 * After every unit was classified, and while no thread does so for the first time: decides what
 * becomes of the classes that were to be left out, which are changed in the table.  after_all is the
 * layer for those that are not believed, and the next one for marked ones; reason says why, or is empty.
 */
void filter_judge(struct filter *f, unsigned thread, unsigned after_all, struct class_table *table,
		  char reason[FILTER_REASON_LENGTH]);

/* --- the pages of a dump, before any of them is captured -------------------- */

/* How the pages are chosen, and what was decided. */
struct filter_choice {
	/* In: */
	struct filter *filter;		/* borrowed, like pages, as long as they are used */
	struct pages *pages;		/* of the same core */
	unsigned threads;		/* of the filter, from number first_thread on, which nobody else uses meanwhile */
	unsigned first_thread;
	unsigned after_all;		/* as for filter_judge() */
	/*
	 * Pages in a part (core/kinds/page_choice.h).  0: there is a bit for each page.  Otherwise *this stays where it is,
	 * with its threads, as long as the pages are used.
	 */
	uint64_t part;
	/* A part is lost, with this number of pages to be kept, at physical addresses from begin to end - 1. */
	void (*lost)(void *arg, uint64_t begin, uint64_t end, uint64_t kept);
	void *arg;
	/* In and out: the plan of filter_plan(); afterwards, what was decided. */
	struct class_table table;
	/* Out: */
	char reason[FILTER_REASON_LENGTH];	/* as for filter_judge() */
	atomic_ullong of_class[CLASSES];	/* granules, as often as they are in the source */
	/* Private: */
	struct value_run *classes;	/* of a unit, for each thread; owned */
};

/*
 * Finds the classes of the whole source, decides which of them can be believed, and leaves out of pages those of the
 * others.  Call filter_choice_free() in any case; the pages are then not to be used any more, if there are parts.
 */
enum status filter_choose_pages(struct filter_choice *c, struct error *e);
/* The same again, after the caller has changed the table. */
enum status filter_choose_again(struct filter_choice *c, struct error *e);
void filter_choice_free(struct filter_choice *c);

#endif
