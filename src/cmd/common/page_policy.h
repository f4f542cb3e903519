// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How --dump-level and --exclude become layers and classes of a capture: connects the filter, which knows the
 * crashed kernel, with the engine, which does not.  It also makes the engine store the kernel image once.
 */
#ifndef NSPLIT_CMD_COMMON_PAGE_POLICY_H
#define NSPLIT_CMD_COMMON_PAGE_POLICY_H

#include "capture/engine/capture.h"
#include "filter/filter.h"

struct page_policy {
	bool wanted;			/* page_policy_open() or another of these functions was called */
	struct filter_wishes wishes;
	struct source *source;		/* borrowed */
	struct filter *filter;		/* NULL: there are no layers */
	struct layer_policy policy;	/* of this filter */
	struct error why;		/* why nothing is left out, if something was to be */
};

/*
 * The block size of a capture that leaves pages out and compresses the others.  What a kernel keeps for itself
 * takes 5 to 9 % less in such blocks than page by page.  The data of users, which is most of it where nothing is
 * left out, gains little.
 */
enum { PAGE_POLICY_BLOCK = 16 << 10 };
/*
 * The block size of a capture that leaves out these classes, if the user has given none: block_size, or
 * PAGE_POLICY_BLOCK, or less than that in small chunks.
 */
uint32_t page_policy_block_size(unsigned classes, const struct presets *presets, uint32_t block_size,
				uint32_t chunk_size);
/*
 * Opens the filter of a positioned source.  Returns the policy for the engine, which is good for one capture; NULL:
 * there can be no layers, and *e is a sentence that says why.  *p, which is all zero if none of these functions is
 * called, must not be moved afterwards.  Call page_policy_close() in any case.
 */
const struct layer_policy *page_policy_try(struct page_policy *p, struct source *source,
					   const struct filter_wishes *wishes, struct error *e);
/*
 * The same, but a failure is given up as page_policy_give_up() says.  Of what the kernel made, the policy then has one
 * layer, without the second places of memory.
 */
const struct layer_policy *page_policy_open(struct page_policy *p, struct source *source,
					    const struct filter_wishes *wishes);
/* The same for a source that need not exist yet.  The policy is good for capture_plan() only. */
const struct layer_policy *page_policy_expect(struct page_policy *p, struct source *source,
					      const struct filter_wishes *wishes);
/*
 * Everything is captured after all, without layers, for this reason.  A message says so if something was to be left
 * out, or was not to be read.
 */
void page_policy_give_up(struct page_policy *p, const char *why);
void page_policy_close(struct page_policy *p);

#endif
