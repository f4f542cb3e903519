/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The memory behind the file: the slots of the pattern's pool, each filled once and used for all
 * blocks with its contents, and separate pages for the ELF headers and for a last page that the
 * file fills only in part.  Nothing changes after pool_make(), so no lock is needed.
 *
 * Pages of the file have the kernel's page size and are counted from the start of the file.
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
	struct page **pages;	/* of the slots, in slot order */
	unsigned long count;	/* of pages; no more than the file needs */
	struct page *head;	/* contiguous pages with the ELF headers */
	struct page *tail;	/* last page, zero after the end; NULL if the file fills it */
};

/*
 * Returns 0, -ENOMEM, or -EINTR if a signal arrived before the pool was filled.  After an error
 * there is nothing to free.
 */
int pool_make(struct pool *pool, const struct settings *settings);
void pool_free(struct pool *pool);

u64 pool_file_pages(const struct pool *pool);

/*
 * Returns the memory of a page of the file.  *count is the number of pages of the file, at most
 * `most`, that are contiguous in physical memory from there on.
 */
struct page *pool_range(const struct pool *pool, u64 page, u64 most, unsigned long *count);

#endif
