// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writing the pages of a set to kdump-compressed files, on several threads.
 *
 * A page that is exactly one block, compressed as the format allows, is copied without decompression,
 * unless all are to be packed again.  Any other page is decompressed, and compressed again with the
 * codec of the export.
 */
#ifndef NSPLIT_EXPORT_KDUMP_WRITER_H
#define NSPLIT_EXPORT_KDUMP_WRITER_H

#include "export/kdump_file.h"
#include "set/read/range.h"
#include "set/read/walk.h"

/* The state of one thread. */
struct kdump_worker {
	struct range_reader rest;	/* for pages that continue in another record */
	struct kdump_batch batch;
	uint8_t *page;			/* buffer for a page; owned */
};

struct kdump_writer {
	const struct set *set;		/* these three are borrowed */
	const struct core *core;
	const struct pages *pages;
	struct kdump_file *files;	/* in the order of their pages; owned */
	size_t files_count;
	struct kdump_worker *workers;	/* owned */
	unsigned workers_count;
	bool repack;			/* no page is copied as it is packed */
	/* Any thread: */
	atomic_ullong written;		/* pages */
};

/*
 * Allocates the workers.  Before, the set, the core and the pages are set, and all else is zero.
 * codec and level are for pages that cannot be copied.  Call kdump_writer_free() in any case.
 */
enum status kdump_writer_init(struct kdump_writer *w, unsigned threads, const struct codec *codec,
			      int level, struct error *e);
void kdump_writer_free(struct kdump_writer *w);

/*
 * Writes the pages of which no segment has all bytes, before the walk: at most two of each segment.
 */
enum status kdump_write_ragged(struct kdump_writer *w, struct error *e);

/* Callbacks of a walk over the same set on as many threads; arg is the struct kdump_writer. */
enum status kdump_deliver_record(void *arg, unsigned worker, const struct record_reader *r,
				 const struct extent *x, const uint8_t *blocks,
				 struct error *e);
bool kdump_needs_blocks(void *arg, const struct record_reader *r);
/* For wants_record: does a page begin there that is kept? */
bool kdump_wants_record(void *arg, uint64_t offset, uint64_t length);

#endif
