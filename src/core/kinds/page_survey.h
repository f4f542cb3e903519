// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A pass over the whole memory map, on several threads, which finds the kind of every page.
 */
#ifndef NSPLIT_CORE_KINDS_PAGE_SURVEY_H
#define NSPLIT_CORE_KINDS_PAGE_SURVEY_H

#include "core/kinds/page_range.h"

enum { PAGE_SURVEY_FRAMES = 4096 };	/* at once */

/*
 * Finds the kinds of count frames and adds what is noticed to evidence, unless it is NULL.  sampled: also
 * looks at the mappings of some pages.  Only failures that end the whole operation are returned.
 */
enum status page_survey_part(struct page_cursor *c, uint64_t pfn, size_t count, bool sampled,
			     uint8_t *kinds, struct page_evidence *evidence, struct error *e);

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

#endif
