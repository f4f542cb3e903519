// SPDX-License-Identifier: GPL-2.0-or-later
/* The state that the files of filter/ share.  For filter/ only. */
#ifndef NSPLIT_FILTER_FILTER_STATE_H
#define NSPLIT_FILTER_FILTER_STATE_H

#include <stdatomic.h>

#include "core/kinds/page_range.h"
#include "core/kinds/page_trust.h"
#include "filter/filter.h"
#include "filter/places.h"
#include "filter/source_bytes.h"

enum { FILTER_FRAMES = 4096 };		/* whose kinds are found at once */

/* The state with which one thread reads the source.  Must not be moved once it is open. */
struct filter_thread {
	struct source_bytes bytes;
	struct core core;		/* that of the filter, with these bytes */
	struct virt virt;
	struct page_cursor cursor;
	struct page_evidence evidence;
	uint8_t kinds[FILTER_FRAMES + 1];
	bool samples;			/* mappings of this unit are looked at */
};

struct filter {
	/* Constant once it is open. */
	struct source *source;		/* borrowed */
	struct core core;		/* its headers: each thread has its own bytes */
	struct vmcoreinfo info;
	struct virt virt;
	struct page_keys keys;
	struct page_map map;
	struct places places;
	bool classes;			/* are looked for; otherwise there is nothing but places and core */
	/* Constant once it is started. */
	struct filter_thread *threads;	/* owned */
	unsigned threads_count;
	uint32_t unit_size;
	uint64_t sample_every;		/* units, of which one has its mappings looked at */
	/*
	 * Counted by the thread that classifies the first unit, while others go on with the next: while
	 * the filter judges, they wait.
	 */
	struct page_vote vote;
	enum status vote_status;
	struct error vote_error;
	atomic_bool stopped;		/* by any thread */
	/* A bit for each unit that was classified: facts about it are counted once.  Owned. */
	atomic_uchar *seen;
	/*
	 * Four bits for each granule of these units, so that later passes need not find its class again; NULL:
	 * that would take too much memory.  A unit is classified by one thread at a time.  Owned.
	 */
	uint8_t *known;
};


#endif
