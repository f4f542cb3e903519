/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pages that cannot be read: a list of pages and page ranges such as "3,10-19,7", in any
 * order.  Pages have the kernel's page size and are counted from the start of the file.
 */
#ifndef FAKEVMCORE_BAD_H
#define FAKEVMCORE_BAD_H

#include <linux/types.h>

enum { BAD_WHY = 256 };

struct bad_range {
	u64 first;
	u64 last;		/* inclusive */
};

struct bad_list {
	struct bad_range *ranges;	/* sorted, neither overlapping nor adjacent */
	size_t count;
};

/*
 * Checks that the text is a list of pages of a file with this many pages.  If not, returns false,
 * and why holds one sentence that quotes the invalid part.
 */
bool bad_check(const char *text, u64 pages, char why[BAD_WHY]);

/* Makes the list from a text that passed bad_check(); returns 0 or -ENOMEM. */
int bad_make(struct bad_list *list, const char *text);
void bad_free(struct bad_list *list);

/* Returns the first range that ends at or after this page; NULL if there is none. */
const struct bad_range *bad_find(const struct bad_list *list, u64 page);

#endif
