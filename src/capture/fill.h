// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Filling a chunk: one range of the source, read and packed, whatever the
 * source is like.  A page that cannot be read is marked and costs nothing but itself.
 */
#ifndef NSPLIT_CAPTURE_FILL_H
#define NSPLIT_CAPTURE_FILL_H

#include "capture/choice.h"
#include "capture/pack.h"
#include "io/source.h"

/* What a worker brings along; belongs to one thread. */
struct filler {
	struct packers packers;		/* one a rung */
	struct estimator estimator;
	struct source_reader reader;
	uint32_t block_size;
	uint32_t chunk_size;
	uint32_t hole_block_size;	/* of records that are holes as a whole; see fill.c */
	unsigned preset;			/* for the next chunk; set by who has it filled */
	double worked;			/* seconds, if there are several rungs */
	/* Of the last chunk: what it was like, if there are several rungs, and, */
	struct fill_figures figures;
	/* if it has an unreadable page, what the source said. */
	struct error why;
};

/* What must be free in the heap for one filler at work, with all others at work as well. */
size_t filler_heap(const struct packers *packers);

/* Memory of one filler beyond the chunk that it fills. */
size_t filler_memory(const struct source *source, const struct packers *packers,
		     uint32_t block_size, uint32_t chunk_size);
enum status filler_init(struct filler *f, struct source *source, const struct presets *presets,
			uint32_t block_size, uint32_t chunk_size, const struct capture_id *id,
			struct error *e);
void filler_free(struct filler *f);

/* The range of chunk->index of a positioned source.  Cannot fail: see unreadable. */
void fill_from_position(struct filler *f, struct chunk *chunk);

/* The next chunk of a stream; as source_take() returns. */
enum status fill_from_stream(struct filler *f, struct chunk *chunk, struct error *e);

#endif
