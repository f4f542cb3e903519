// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writing a set as kdump-compressed files.
 *
 * kdump_export_open() finds the pages of the core in the set, and kdump_export_filter() chooses those
 * that are kept.  kdump_export_begin() writes headers, bitmaps and ragged pages.  A walk then delivers
 * each record, as kdump_export_walk() sets it up.  kdump_export_end() completes the files.
 *
 * A worker gathers the pages of a record: a page that is exactly one block, compressed as the format allows, is
 * copied without decompression, unless all are to be packed again; any other page is decompressed, and compressed
 * with the codec of the export.  It reserves space at the end of the file for them, and writes their descriptors at
 * the positions given by their ranks.  So threads never wait for each other, unless the output is a stream: that is
 * flattened, and its descriptors are gathered, as in a capture.  Nothing is written to it twice.
 *
 * Each page that is kept has a bit and a descriptor.  What turns out to be unreadable, and with past_damage what is
 * damaged, is taken from another segment of the core, if one has the same page; otherwise its descriptor says that the
 * page is absent, and the file that it is incomplete.  Pages that no member holds, as far as that is known
 * before the export begins, have no bit.
 *
 * Memory of each thread: two chunks of the walk, one record and 1 MiB in the range reader, the
 * pages of one record, a packer.  A stream has a buffer of 1 to 16 MiB and 3 MiB of descriptors.  In addition, the headers and notes are in memory once while they are written.
 */
#ifndef NSPLIT_EXPORT_KDUMP_EXPORT_H
#define NSPLIT_EXPORT_KDUMP_EXPORT_H

#include <pthread.h>
#include <stdatomic.h>

#include "export/kdump.h"
#include "export/output_file.h"
#include "export/set_core.h"
#include "format/descriptors.h"
#include "format/flattened.h"
#include "set/read/range.h"
#include "set/read/walk.h"

/* What a stream needs besides: it is flattened. */
struct kdump_stream {
	pthread_mutex_t lock;		/* while the threads of the walk run, of all that follows */
	struct flattened flat;
	struct descriptors pending;	/* of pages that were written */
};

/* One of the files. */
struct kdump_file {
	struct output_file *output;	/* borrowed */
	struct kdump_stream *stream;	/* NULL: it is seekable; owned */
	struct kdump_part part;
	uint64_t first_rank, count;	/* of its pages */
	uint64_t descriptors, zero_page;	/* offsets in the file; the page of zeros comes behind the descriptors */
	/* Any thread: */
	atomic_ullong end;		/* offset of the next pages */
};

/* The state of one thread. */
struct kdump_worker {
	struct range_reader rest;	/* for pages that continue in another record */
	void *packer;			/* owned */
	uint8_t *page;			/* buffer for a page; owned */
	uint32_t page_size;
	uint64_t tried;			/* the offset of a page that cannot be read there */
	/* Pages of consecutive ranks in one file, gathered to be written together: */
	uint8_t *data;			/* owned */
	struct kdump_descriptor *descriptors;	/* owned */
	size_t filled;			/* bytes of data */
	uint32_t count, capacity;	/* pages */
	uint32_t absent;		/* of them */
	uint8_t same[8];		/* the value that the latest page of one value repeats */
	uint32_t same_at;		/* which of the gathered pages it is; UINT32_MAX: none */
};

struct kdump_settings {
	struct output_file *outputs;	/* borrowed; open */
	size_t outputs_count;		/* more than one: a split set */
	const struct codec *codec;	/* for pages that cannot be copied; kdump_flag() knows it; NULL: that of the set */
	int level;			/* of codec */
	bool repack;			/* no page is copied as it is packed */
	bool past_damage;		/* damaged pages are absent; otherwise they end the export */
	unsigned threads;
	/*
	 * Called before anything is written if the space may be too small, and before pages are read that may stop the
	 * machine; NULL: not called.
	 */
	void (*warn)(const struct error *e);
};

/* Must not be moved once it is open: its parts point to each other. */
struct kdump_export {
	const struct set *set;		/* borrowed */
	struct set_core source;
	struct vmcoreinfo info;
	struct pages pages;
	struct page_filter filter;	/* all zero: every page is kept */
	/* Without pages that may stop the machine when they are read, but are kept: they are read last.  count 0: there are none. */
	struct pages first;
	struct kdump form;
	uint32_t flags;			/* of the header of a complete dump */
	struct kdump_settings settings;
	struct kdump_file *files;	/* in the order of their pages; owned */
	size_t files_count;
	struct kdump_worker *workers;	/* owned */
	unsigned workers_count;
	/* Any thread: */
	atomic_ullong written, absent;	/* pages; written includes those that are absent */
};

/*
 * Finds the pages; absent is as for pages_find().  STATUS_USAGE: the set is not the core of a
 * Linux kernel.  STATUS_DAMAGED: its headers are inconsistent, or describe far more memory than the
 * members hold.  Otherwise what reading returns.  Call kdump_export_free() in any case.
 */
enum status kdump_export_open(struct kdump_export *x, const struct set *set,
			      const struct absent *absent, struct error *e);
void kdump_export_free(struct kdump_export *x);

/*
 * Leaves out classes of pages, and of /proc/vmcore those that may stop the machine when they are read.  x->filter says
 * which it has left out.  What the capture has left out stays so.
 */
enum status kdump_export_filter(struct kdump_export *x, unsigned threads, unsigned classes,
				struct error *e);
/* Is the set /proc/vmcore? */
bool kdump_export_is_guarded(const struct kdump_export *x);
/* For the set while it is walked: only what is kept is read. */
struct plain_wishes kdump_export_wishes(const struct kdump_export *x);

/*
 * STATUS_USAGE: there are more outputs than possible parts.  STATUS_SYSTEM, before anything is
 * written, if headers, bitmaps and descriptors certainly do not fit.
 */
enum status kdump_export_begin(struct kdump_export *x, const struct kdump_settings *settings,
			       struct error *e);

/* What a walk over the same set on as many threads delivers, and how it goes on after damage. */
void kdump_export_walk(struct kdump_export *x, struct walk_settings *settings);

/*
 * After that walk: syncs all outputs, then gives each file its name.  If that fails, no new file
 * keeps its name.  STATUS_DAMAGED: fewer pages were delivered than were counted.
 */
enum status kdump_export_end(struct kdump_export *x, const struct walk *walk, struct error *e);

/* The pages of memory that are missing, whether they have a bit or not. */
uint64_t kdump_export_missing(const struct kdump_export *x);

#endif
