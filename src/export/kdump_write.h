// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A set written as kdump-compressed files.
 *
 * kdump_export_open: what the set's core has is found out → kdump_export_begin: headers, bitmaps,
 * and pages that no segment has whole → a walk delivers each record with kdump_deliver_record →
 * kdump_export_end.
 *
 * A page that is one block, packed as the form knows it, is moved as it is.  Any other is
 * unpacked, and packed with the codec that was asked for.
 */
#ifndef NSPLIT_EXPORT_KDUMP_WRITE_H
#define NSPLIT_EXPORT_KDUMP_WRITE_H

#include "export/kdump_file.h"
#include "export/set_core.h"

/* Of one thread. */
struct kdump_worker {
	struct range_reader rest;	/* of pages that go on in another record */
	struct kdump_batch batch;
	uint8_t *page;			/* room for one; owned */
};

/* Stays where it is once it is opened. */
struct kdump_export {
	const struct set *set;		/* borrowed; without streams */
	struct set_core source;
	struct vmcoreinfo info;
	struct pages pages;
	struct kdump form;
	struct kdump_file *files;	/* owned */
	size_t files_count;
	struct kdump_worker *workers;	/* owned */
	unsigned workers_count;
	/* Any thread: */
	atomic_ullong written;		/* pages */
};

/*
 * missing as for pages_find().  STATUS_USAGE: the set is of no core of a dead kernel; STATUS_DAMAGED:
 * its headers contradict themselves, or tell of far more memory than the members hold; or as reading
 * returns.  kdump_export_free() is due in any case.
 */
enum status kdump_export_open(struct kdump_export *x, const struct set *set,
			      const struct range *missing, size_t missing_count, struct error *e);
void kdump_export_free(struct kdump_export *x);

/* Finds its pages again, of which more are missing than was known when it was opened. */
enum status kdump_export_find_pages(struct kdump_export *x, const struct range *missing,
				    size_t missing_count, struct error *e);

struct kdump_settings {
	struct output_file *outputs;		/* borrowed: probed and open, all of them seekable */
	size_t outputs_count;		/* several: a split set */
	const struct codec *codec;	/* of pages that cannot be moved; kdump_flag() knows it */
	int level;
	unsigned threads;
};

/* STATUS_USAGE: there are more outputs than parts. */
enum status kdump_export_begin(struct kdump_export *x, const struct kdump_settings *settings,
			       struct error *e);

/* For a walk over the same set, of as many threads, with x for its deliver_arg. */
enum status kdump_deliver_record(void *x, unsigned worker, const struct record_reader *r,
				 const uint8_t *blocks, struct error *e);
bool kdump_needs_blocks(void *x, const struct record_reader *r);

/*
 * After the walk: all outputs are safe, and known by their names; if it fails, no new file is.
 * STATUS_DAMAGED: pages did not come that had been there.
 */
enum status kdump_export_end(struct kdump_export *x, struct error *e);

#endif
