// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A census of page frames: how many there are of each class, from /proc/kpageflags.  On a large machine,
 * only a sample is looked at: windows of consecutive frames, in an order of which any beginning is spread
 * over all memory.  So the census can be ended at any time.
 */
#ifndef NSPLIT_ESTIMATE_CENSUS_H
#define NSPLIT_ESTIMATE_CENSUS_H

#include "base/error.h"
#include "base/range.h"
#include "estimate/page_word.h"

/* Frames, which a chunk of 1 MiB has, too, if a page has 4 KiB. */
enum { CENSUS_WINDOW = 256 };

/* Frames from pfn on, within CENSUS_WINDOW frames that begin at a multiple of it. */
struct census_window {
	uint64_t pfn;
	unsigned count;
	uint8_t words[CENSUS_WINDOW];		/* enum page_word */
	uint8_t classes[CENSUS_WINDOW];		/* enum layer_class */
};

struct census_settings {
	const char *root;			/* /proc is below it; "" for this machine */
	const struct range_list *ram;		/* bytes of memory, sorted and merged */
	uint32_t page_size;
	const struct range_list *map;		/* frames of the memory map, sorted and merged; NULL: unknown */
	uint64_t pages_max;			/* to look at; at least one window is */
	double seconds_max;
};

/* Sums over windows of the frames of a class: x, and n frames in all. */
struct census_sums {
	double x, xx, xn;
};

struct census {
	uint64_t pages;				/* in the memory */
	uint64_t windows;			/* of all memory */
	uint64_t pages_seen, windows_seen;
	struct census_sums of[CLASSES];
	double nn;
	uint64_t words[WORDS];			/* of the pages that were seen */
};

/* STATUS_SYSTEM: the file cannot be read; the error begins with its name. */
enum status census_take(struct census *census, const struct census_settings *settings, struct error *e);

/*
 * Looks at the windows of a census once more, in the same order, for up to this many seconds or until look()
 * returns false.
 */
enum status census_visit(const struct census *census, const struct census_settings *settings, double seconds_max,
			 bool (*look)(void *arg, const struct census_window *window), void *arg, struct error *e);

/* An estimate of the pages of a class in all of the memory. */
uint64_t census_pages(const struct census *census, enum layer_class class);

/* In 19 of 20 samples, the number of pages differs by less than this; 0 if all pages were seen. */
uint64_t census_margin(const struct census *census, enum layer_class class);

#endif
