// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writing one kdump-compressed file.
 *
 * Headers, bitmaps and the positions of the descriptors are known before any page.  A page of zeros
 * follows the descriptors; all zero pages share it.  After it come the pages, in the order in which
 * they are written: a thread reserves the bytes for its pages at the end of the file, writes them,
 * and writes their descriptors at the positions given by their ranks.  So threads never wait for
 * each other.
 */
#ifndef NSPLIT_EXPORT_KDUMP_FILE_H
#define NSPLIT_EXPORT_KDUMP_FILE_H

#include <stdatomic.h>

#include "export/kdump.h"
#include "export/output_file.h"

struct kdump_file {
	struct output_file *output;	/* borrowed; open and seekable */
	const struct kdump *form;	/* borrowed */
	struct kdump_part part;
	uint64_t first_rank, count;	/* of its pages */
	uint64_t descriptors, zero_page;	/* their offsets in the file */
	uint64_t least;			/* bytes that it stores even without pages */
	/* Any thread: */
	atomic_ullong end;		/* offset of the next pages */
};

/* How many of the first end bytes of both bitmaps a file stores even if it is sparse. */
uint64_t kdump_bitmaps_stored(const struct kdump *k, uint64_t end);

/* Writes nothing. */
void kdump_file_init(struct kdump_file *f, const struct kdump *k, struct output_file *output,
		     const struct kdump_part *part);

/* Writes everything except pages and descriptors.  flags are for the header. */
enum status kdump_file_begin(const struct kdump_file *f, uint32_t flags, struct error *e);

/* Pages of consecutive ranks, gathered to be written together; belongs to one thread. */
struct kdump_batch {
	uint32_t page_size;
	const struct codec *codec;	/* for pages that are compressed here */
	void *packer;			/* owned */
	uint8_t *data, *descriptors;	/* owned */
	size_t filled;			/* bytes of data */
	uint32_t count, capacity;	/* pages */
};

/* For at most capacity pages.  Call kdump_batch_free() in any case. */
enum status kdump_batch_init(struct kdump_batch *b, const struct codec *codec, int level,
			     uint32_t page_size, uint32_t capacity, struct error *e);
void kdump_batch_free(struct kdump_batch *b);

/*
 * Add the next page: zeros; bytes as they are, which are compressed as flags says or, with flags 0,
 * not compressed; a page to be compressed here.
 */
void kdump_batch_add_zeros(struct kdump_batch *b);
void kdump_batch_copy(struct kdump_batch *b, const uint8_t *bytes, uint32_t length, uint32_t flags);
void kdump_batch_add(struct kdump_batch *b, const uint8_t *page);

/*
 * Writes the batch and empties it.  first: the number of its first page, counted within the file.
 */
enum status kdump_batch_put(struct kdump_batch *b, struct kdump_file *f, uint64_t first,
			    struct error *e);

#endif
