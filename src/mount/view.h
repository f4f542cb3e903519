// SPDX-License-Identifier: GPL-2.0-or-later
/* Views: the files in a mount.  Their bytes are computed when they are read. */
#ifndef NSPLIT_MOUNT_VIEW_H
#define NSPLIT_MOUNT_VIEW_H

#include "export/kdump.h"
#include "export/set_core.h"
#include "mount/cache.h"

struct view {
	const char *name;
	uint64_t size;
	/*
	 * Reads len bytes at offset, which are within size.
	 * STATUS_MISSING: some are in no record that can be used, left out or unreadable.  STATUS_SYSTEM,
	 * STATUS_CUT: a record cannot be read now.  After an error, dst is undefined.  May be
	 * called by any thread, with buffers of its own.
	 */
	enum status (*read)(const struct view *view, struct buffers *buffers, uint64_t offset, size_t len,
			    uint8_t *dst, struct error *e);
};

/* The source as it was captured. */
struct source_view {
	struct view view;
	const struct set *set;		/* this and the next one are borrowed */
	struct cache *cache;
	bool zero_holes;		/* bytes that are missing, left out or damaged read as zeros, */
	bool zero_left_out;		/* or only those that were left out */
};

/* Sets the first field; the others are already set. */
void source_view_init(struct source_view *v);

/*
 * The kdump-compressed form of the core in the source.  Each page is stored uncompressed at a
 * position that depends only on its rank, so every byte can be computed from the page ranges.
 * Opening the view reads what determines them: the headers, and if pages are left out, the kernel's
 * memory map.
 */
struct kdump_view {
	struct view view;
	const struct source_view *source;	/* borrowed */
	struct set_core core;
	struct vmcoreinfo info;
	struct pages pages;
	struct page_filter filter;	/* all zero: every page is kept */
	struct kdump form;
	uint8_t *head;			/* everything before the bitmaps; owned */
	uint64_t data;			/* offset of the first page */
};

/*
 * absent is what set_absent_find() has found; left_out: a set of classes, whose pages the threads find.  STATUS_USAGE: the
 * source is not the core of a Linux kernel.  The view must not be moved.  Call kdump_view_close() in any case.
 */
enum status kdump_view_open(struct kdump_view *v, const struct source_view *source, const struct set_absent *absent,
			    unsigned left_out, unsigned threads, struct error *e);
void kdump_view_close(struct kdump_view *v);

#endif
