// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Views: the files that a mount shows of a set.  Their bytes are worked out when they are read.
 */
#ifndef NSPLIT_MOUNT_VIEW_H
#define NSPLIT_MOUNT_VIEW_H

#include "export/kdump.h"
#include "export/set_core.h"
#include "mount/readahead.h"

struct view {
	const char *name;
	uint64_t size;
	/*
	 * Reads len bytes at offset, which lie within size, for a stream of this view.
	 * STATUS_MISSING: some are in a hole, or unreadable; STATUS_DAMAGED: a record cannot be
	 * used; STATUS_SYSTEM: one cannot be read now.
	 * What dst holds then is not told.  Any thread, each with a hand of its own.
	 */
	enum status (*read)(const struct view *view, struct buffers *buffers, struct stream *stream,
			    uint64_t offset, size_t len, uint8_t *dst, struct error *e);
};

/* The source as it was. */
struct source_view {
	struct view view;
	const struct set *set;		/* borrowed, as are those below */
	struct cache *cache;
	struct ahead *ahead;		/* NULL: nothing is read ahead; set before the first read */
	bool zero_holes;		/* what is known to be missing or damaged reads as zeros */
};

/* Completes a view whose fields below the first are set. */
void source_view_init(struct source_view *v);

/*
 * The kdump-compressed form of the core that the source is, each page stored as it is at the place
 * of its rank: so every byte is worked out from the runs of pages.  What is read beforehand is what
 * tells of these: the headers, and the records that have unreadable blocks.
 */
struct kdump_view {
	struct view view;
	const struct source_view *source;	/* borrowed */
	struct set_core core;
	struct vmcoreinfo info;
	struct pages pages;
	struct kdump form;
	uint8_t *head;			/* up to the bitmaps; owned */
	uint64_t data;			/* where the first page is */
};

/*
 * STATUS_USAGE: the source is no core, or not of a Linux kernel.  It stays where it is.  A damaged
 * record with unreadable blocks is told to the source's cache, and left out.
 * kdump_view_close() is due in any case.
 */
enum status kdump_view_open(struct kdump_view *v, const struct source_view *source,
			    struct error *e);
void kdump_view_close(struct kdump_view *v);

#endif
