/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory behind the file: the slots of the pattern's pool, each made once
 * and handed out for all the blocks that have it, and apart from them the
 * few pages that are not plain pattern, those under the ELF head and one that
 * the file ends inside of.  Nothing changes once it is made, so it needs no lock.
 *
 * Pages of the file are of the kernel's size and counted from its first byte.
 */
#ifndef FAKEVMCORE_POOL_H
#define FAKEVMCORE_POOL_H

#include <linux/mm_types.h>
#include <linux/types.h>

#include "params.h"
#include "pattern.h"

struct pool {
	struct pattern pattern;
	u64 size;		/* bytes in the file */
	struct page **pages;	/* of the slots, one slot after another */
	unsigned long count;	/* of pages; no more than the file needs */
	struct page *head;	/* as many in a row as the ELF head takes */
	struct page *tail;	/* zero behind the end; NULL if no page is cut */
};

/*
 * 0, -ENOMEM, or -EINTR for a signal that came while the pool was filled.  After
 * an error, nothing is left to free.
 */
int pool_make(struct pool *pool, const struct settings *settings);
void pool_free(struct pool *pool);

u64 pool_file_pages(const struct pool *pool);

/*
 * What lies at a page of the file: returns its first page, and in count how many
 * pages of the file, most at the most, follow each other in physical memory from there.
 */
struct page *pool_run(const struct pool *pool, u64 page, u64 most, unsigned long *count);

#endif
