// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the pages of a dump that are not there, without reading any. */
#include "config.h"

#include <errno.h>

#include "set/dump_page.h"

/* Adds the pages from rank on.  False: out of memory. */
static bool add_pages(const struct dump *d, struct range_list *list, uint64_t rank, uint64_t count)
{
	return range_list_extend(list, d->head_size + rank * d->block_size, count * d->block_size);
}

static bool add_batch(const struct dump *d, struct range_list *list, uint64_t rank, const struct dump_batch *b)
{
	bool good = true;

	if (!b->descriptors)
		return add_pages(d, list, rank, b->count);
	for (uint64_t i = 0; i < b->count && good; i++)
		if (!dump_page_is_there(d, b->part, &b->descriptors[i]))
			good = add_pages(d, list, rank + i, 1);
	return good;
}

enum status dump_absent_find(const struct dump *d, struct range_list *list, struct error *e)
{
	struct dump_batch b;

	*list = (struct range_list){ 0 };
	for (uint64_t rank = 0; rank < d->pages; rank += b.count) {
		dump_batch_read(&b, d, rank, d->pages);
		if (!add_batch(d, list, rank, &b))
			return error_system(e, ENOMEM, "list of missing ranges");
	}
	return STATUS_OK;
}
