// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Chooses the pages of a core that a dump of some level keeps: finds the kinds of all pages, and judges
 * whether they can be believed.
 */
#ifndef NSPLIT_CORE_KINDS_PAGE_FILTER_H
#define NSPLIT_CORE_KINDS_PAGE_FILTER_H

#include "core/kinds/page_class.h"
#include "core/kinds/page_trust.h"
#include "core/pages.h"

enum { PAGE_SURVEY_FRAMES = 4096 };	/* at once */

/* A pass over the whole memory map, which finds the kind of every page. */
struct page_survey_settings {
	const struct page_map *map;
	/*
	 * One for each thread, of the same core and VMCOREINFO as that of the map: reading from
	 * core->bytes need not be possible for two threads at once.
	 */
	const struct virt *const *virts;
	unsigned threads;
	/* Called by any thread for each part of the map once; parts begin at multiples of their size. */
	void (*deliver)(void *arg, uint64_t pfn, size_t count, const uint8_t *kinds);
	void *arg;
};

/*
 * Frames without a struct page are not delivered.  evidence: what all threads found, for
 * page_trust_judge().  Only failures that end the whole operation are returned.  Memory: 48 KiB for
 * each thread, mostly on its stack.
 */
enum status page_survey_run(const struct page_survey_settings *settings,
			    struct page_evidence *evidence, struct error *e);

struct page_filter {
	/* Pages of the core by kind; what has no struct page is PAGE_UNKNOWN. */
	uint64_t of_kind[PAGE_KINDS];
	char no_kinds[768];		/* why no kind is known, as one sentence; empty: they are */
	char off[PAGE_TESTS][96];	/* why some are not: page_keys.h */
	struct page_trust trust;
	unsigned asked, classes;	/* sets of classes: asked for, and left out */
	/* Sets of kinds, 1U << kind, that are marked (class_is_marked()): left out for that, and not left out, since they are doubted. */
	unsigned marked, doubted;
};

/* In what is asked for, besides classes: */
enum {
	ASK_MARKED = 1U << 8,		/* kinds that are marked, if they are believed; whatever class they belong to */
	ASK_DOUBTED = 1U << 9,		/* these kinds alone, also if they are not */
};

/*
 * virts is as in struct page_survey_settings.  What is asked for and can be
 * believed is left out of pages (pages_leave_out_begin()), which must not be used by other threads
 * meanwhile.  With asked 0, only counts and judges.  What cannot be known or believed is no failure:
 * it is kept.  Only failures that end the whole operation are returned.
 */
enum status page_filter_apply(struct page_filter *f, struct pages *pages,
			      const struct virt *const *virts, unsigned threads, unsigned asked,
			      struct error *e);

/* The number of pages of a class; with ASK_MARKED, without marked ones. */
uint64_t page_filter_count(const struct page_filter *f, enum page_class c);

#endif
