// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writing a set as kdump-compressed files.
 *
 * kdump_export_open() finds the pages of the core in the set, and kdump_export_filter() chooses those
 * that are kept.  kdump_export_begin() writes headers, bitmaps and ragged pages.  A walk then delivers
 * each record to kdump_deliver_record() with the export's writer.  kdump_export_end() completes the
 * files.
 *
 * Memory of each thread: two chunks of the walk, one record and 1 MiB in the range reader, the
 * pages of one record, a packer.  In addition, the headers and notes are in memory once while they
 * are written.
 *
 * Damage ends an export.  With --salvage the set is walked twice, because the position of each
 * descriptor depends on all pages before it.  The second walk decompresses all blocks, as the first
 * one did, so that it finds the same damage.
 *
 * A plain file (set/plain.h) is walked once.  If a page cannot be read, the walk ends with
 * STATUS_MISSING; after a walk that finds all of them, and kdump_export_find_pages(),
 * kdump_export_restart() lets the export begin again.
 */
#ifndef NSPLIT_EXPORT_KDUMP_EXPORT_H
#define NSPLIT_EXPORT_KDUMP_EXPORT_H

#include "export/kdump_file.h"
#include "export/set_absent.h"
#include "export/set_core.h"
#include "set/read/range.h"
#include "set/read/walk.h"

/*
 * Writing the pages of a set to kdump-compressed files, on several threads.
 *
 * A page that is exactly one block, compressed as the format allows, is copied without decompression,
 * unless all are to be packed again.  Any other page is decompressed, and compressed again with the
 * codec of the export.
 */

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

/* Callbacks of a walk over the same set on as many threads; arg is the struct kdump_writer. */
enum status kdump_deliver_record(void *arg, unsigned worker, const struct record_reader *r,
				 const struct extent *x, const uint8_t *blocks,
				 struct error *e);
bool kdump_needs_blocks(void *arg, const struct record_reader *r);
/* For wants_record: does a page begin there that is kept? */
bool kdump_wants_record(void *arg, uint64_t offset, uint64_t length);

/* Must not be moved once it is open: the writer points into it. */
struct kdump_export {
	const struct set *set;		/* borrowed; has no streams */
	struct set_core source;
	struct vmcoreinfo info;
	struct pages pages;
	struct page_filter filter;	/* all zero: every page is kept */
	struct kdump form;
	struct kdump_writer writer;
};

/*
 * Finds the pages; absent is as for pages_find_but().  STATUS_USAGE: the set is not the core of a
 * Linux kernel.  STATUS_DAMAGED: its headers are inconsistent, or describe far more memory than the
 * members hold.  Otherwise what reading returns.  Call kdump_export_free() in any case.
 */
enum status kdump_export_open(struct kdump_export *x, const struct set *set,
			      const struct absent *absent, struct error *e);
void kdump_export_free(struct kdump_export *x);

/* Finds the pages again, after more of the set was found to be missing. */
enum status kdump_export_find_pages(struct kdump_export *x, const struct absent *absent,
				    struct error *e);

/*
 * Empties the outputs of kdump_export_begin(), which is then called again: after pages were found to
 * be missing that were thought to be present.
 */
enum status kdump_export_restart(struct kdump_export *x, struct error *e);

/*
 * Leaves out classes of pages, after the pages were found the last time.  x->filter says which it has
 * left out.  What the capture has left out stays so.
 */
enum status kdump_export_filter(struct kdump_export *x, unsigned threads, unsigned classes,
				struct error *e);

/* The codec with which the set was packed, and its level, if the form has it; otherwise NULL. */
const struct codec *kdump_codec_of_set(const struct set *set, int *level);

struct kdump_settings {
	struct output_file *outputs;	/* borrowed; open and seekable */
	size_t outputs_count;		/* more than one: a split set */
	const struct codec *codec;	/* for pages that cannot be copied; kdump_flag() knows it */
	int level;
	bool repack;			/* no page is copied as it is packed */
	unsigned threads;
	/* Called before anything is written if the space may be too small; NULL: not called. */
	void (*warn)(void *arg, const struct error *e);
	void *arg;
};

/*
 * STATUS_USAGE: there are more outputs than possible parts.  STATUS_SYSTEM, before anything is
 * written, if headers, bitmaps and descriptors certainly do not fit.
 */
enum status kdump_export_begin(struct kdump_export *x, const struct kdump_settings *settings,
			       struct error *e);

/*
 * After the walk: syncs all outputs, then gives each file its name.  If that fails, no new file
 * keeps its name.  STATUS_DAMAGED: fewer pages were delivered than were counted.
 */
enum status kdump_export_end(struct kdump_export *x, struct error *e);

#endif
