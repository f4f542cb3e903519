// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A kdump-compressed file in the making: what is known before any page, and pages as they come.
 *
 * Behind the headers, bitmaps and descriptors lies a page of zeros, which all zero pages share, and
 * behind that the pages in the order in which they came: who has some takes as much room
 * as they need, writes them, and writes their descriptors where their ranks say.  So
 * many threads write at once, and none waits.
 */
#ifndef NSPLIT_EXPORT_KDUMP_FILE_H
#define NSPLIT_EXPORT_KDUMP_FILE_H

#include <stdatomic.h>

#include "export/kdump.h"
#include "export/output_file.h"

struct kdump_file {
	struct output_file *output;		/* borrowed, open, seekable */
	struct kdump_part part;
	uint64_t first_rank, count;	/* of its pages */
	uint64_t descriptors, zero_page;	/* where they are in the file */
	/* Any thread: */
	atomic_ullong end;		/* where the next pages go */
};

/*
 * Writes all but pages and descriptors.  status: flags for the header.  STATUS_SYSTEM, before anything
 * is written: they do not fit.
 */
enum status kdump_file_begin(struct kdump_file *f, const struct kdump *k, struct output_file *output,
			     const struct kdump_part *part, uint32_t status, struct error *e);

/* Pages whose ranks follow one another, gathered for a file; belongs to one thread. */
struct kdump_batch {
	uint32_t page_size;
	const struct codec *codec;	/* of what is packed here */
	void *packer;			/* owned */
	uint8_t *data, *descriptors;	/* owned */
	size_t filled;			/* bytes of data */
	uint32_t count, room;		/* pages */
};

/* For room pages.  kdump_batch_free() is due in any case. */
enum status kdump_batch_init(struct kdump_batch *b, const struct codec *codec, int level,
			     uint32_t page_size, uint32_t room, struct error *e);
void kdump_batch_free(struct kdump_batch *b);

/*
 * The next page: zeros; packed or, with flags 0, plain, and moved as it is; bytes that are packed
 * here.
 */
void kdump_batch_add_zeros(struct kdump_batch *b);
void kdump_batch_move(struct kdump_batch *b, const uint8_t *bytes, uint32_t length, uint32_t flags);
void kdump_batch_add(struct kdump_batch *b, const uint8_t *page);

/* Writes all of it; the first page is number place of the file.  The batch is empty then. */
enum status kdump_batch_put(struct kdump_batch *b, struct kdump_file *f, uint64_t place,
			    struct error *e);

#endif
