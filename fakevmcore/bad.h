/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pages that cannot be read: a list of ranges, "3,10-19,7", in any order.
 * Pages are of the kernel's size and counted from the first byte of the file.
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
	struct bad_range *ranges;	/* sorted, with good pages between any two */
	size_t count;
};

/*
 * Whether the text is a list of pages of a file that has so many.  If not, why
 * holds one sentence that names the piece.
 */
bool bad_check(const char *text, u64 pages, char why[BAD_WHY]);

/* From a text that passed bad_check(); 0 or -ENOMEM.  bad_free() gives it back. */
int bad_make(struct bad_list *list, const char *text);
void bad_free(struct bad_list *list);

/* The first range that ends at this page or behind it; NULL if none does. */
const struct bad_range *bad_find(const struct bad_list *list, u64 page);

#endif
