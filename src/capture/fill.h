// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Filling a chunk: reads one range of the source and packs it, whatever kind of source it is.  A
 * page that cannot be read is marked as unreadable and affects no other page.
 */
#ifndef NSPLIT_CAPTURE_FILL_H
#define NSPLIT_CAPTURE_FILL_H

#include "capture/guide.h"
#include "capture/pack.h"
#include "io/source.h"

struct gatherer;

/* The step that a filler begins. */
enum fill_activity {
	FILL_READING,		/* the next piece of the source */
	FILL_PACKING,		/* a piece; or no data: it completes the record */
	FILL_CAREFULLY,		/* it fills the chunk again, page by page */
	FILL_OTHER,
};

/* Called with each activity, in the filler's thread; see capture/auto_codec.h. */
struct fill_observer {
	/*
	 * data and len: with FILL_PACKING what is packed, whole blocks unless the source ends; else
	 * NULL and 0.  Looking at the data may raise SIGBUS, which ends this call by siglongjmp().
	 */
	void (*starts)(void *arg, enum fill_activity activity, const uint8_t *data, size_t len);
	void *arg;
};

/* The state of a worker that fills chunks; belongs to one thread. */
struct filler {
	struct packers packers;
	struct source_reader reader;
	uint32_t block_size;
	uint32_t chunk_size;
	uint32_t hole_block_size;	/* of a record that is all hole; see fill.c */
	unsigned preset;		/* the packer for the next chunk; set before it is filled */
	struct fill_observer observer;	/* starts is NULL: none */
	struct error why;		/* what the source reported for the last unreadable page */
	struct gatherer *gatherer;	/* with layers: gather.h; owned */
};

/* Bytes that must be free in the heap for one filler at work, with all others at work as well. */
size_t filler_heap(const struct packers *packers);

/* Bytes of memory of one filler, without the chunk that it fills. */
size_t filler_memory(const struct source *source, const struct packers *packers,
		     uint32_t block_size, uint32_t chunk_size);
enum status filler_init(struct filler *f, struct source *source, const struct presets *presets,
			uint32_t block_size, uint32_t chunk_size, const struct capture_id *id,
			struct error *e);
void filler_free(struct filler *f);

/* Fills the chunk with range chunk->index of a positioned source.  Cannot fail: see unreadable. */
void fill_from_position(struct filler *f, struct chunk *chunk);

/* --- for gather.c ---------------------------------------------------------- */

/* The packer of the next chunk; is the current codec raw? */
struct packer *filler_packer(struct filler *f);
bool filler_is_raw(struct filler *f);
/* Tells the observer. */
void filler_begins(const struct filler *f, enum fill_activity activity, const uint8_t *data,
		   size_t len);
/* Sets where the reader puts the next bytes of the chunk. */
void filler_choose_destination(struct filler *f, struct chunk *chunk);
/* Packs what was read. */
void filler_pack(struct filler *f, struct chunk *chunk, const uint8_t *data, size_t len);
/* Completes the record. */
void filler_end_record(const struct filler *f, struct chunk *chunk);

/* --------------------------------------------------------------------------- */

/* Fills the chunk with what a stream gives next, and sets its index; returns as source_take(). */
enum status fill_from_stream(struct filler *f, struct chunk *chunk, struct error *e);

#endif
