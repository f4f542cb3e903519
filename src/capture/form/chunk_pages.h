// SPDX-License-Identifier: GPL-2.0-or-later
/* Goes through the pages of a chunk that are in a dump. */
#ifndef NSPLIT_CAPTURE_FORM_CHUNK_PAGES_H
#define NSPLIT_CAPTURE_FORM_CHUNK_PAGES_H

#include "capture/fill/chunk.h"
#include "capture/form/dump_layout.h"
#include "format/runs.h"

struct chunk_pages {
	const struct dump_layout *layout;	/* these two are borrowed */
	const struct chunk *chunk;
	struct run_cursor cursor;
	struct run_place place;		/* the run of the chunk that they are in: its kind says what they are */
	uint64_t next;			/* offset in the source */
	uint32_t block, payload;	/* the next block, and where it is in the payload */
};

struct chunk_pages chunk_pages_begin(const struct dump_layout *layout, const struct chunk *chunk);

/*
 * The next pages, all of them stored, zeros, or unreadable: c->place.run.kind.  For each page of those that are
 * stored, call chunk_pages_block() before the next call.  False: there are no more.
 */
bool chunk_pages_next(struct chunk_pages *c, struct dump_pages *pages);

/* The block of a page. */
struct page_block {
	enum block_kind kind;		/* not BLOCK_SAME: see struct packer, for_dump */
	uint32_t at, length;		/* in the payload */
};

struct page_block chunk_pages_block(struct chunk_pages *c);

#endif
