// SPDX-License-Identifier: GPL-2.0-or-later
/* The pages of a core by kind, for njoin --list. */
#ifndef NSPLIT_CMD_NJOIN_PAGES_H
#define NSPLIT_CMD_NJOIN_PAGES_H

#include "base/json.h"
#include "core/page_kind.h"
#include "core/pages.h"
#include "core/virt.h"

struct page_counts {
	uint64_t all;
	uint64_t of_kind[PAGE_KINDS];
	char why[768];			/* why no kind is known; empty: they are */
	char off[PAGE_TESTS][96];	/* why some are not: page_keys.h */
};

/*
 * Counts all memory of the core's segments.  What is not known is no failure: then counts->why says
 * why.  Only failures that end the whole operation are returned.
 */
enum status page_counts_make(struct page_counts *counts, const struct virt *virt,
			     const struct pages *pages, struct error *e);

void page_counts_print(const struct page_counts *counts, uint32_t page_size);
void page_counts_json(struct json *json, const struct page_counts *counts);

#endif
