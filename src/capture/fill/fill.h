// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Filling a chunk: plans which granules of a range of the source its record stores, reads them, and packs them,
 * whatever kind of source it is.
 *
 * The plan is the run list of the record.  The policy knows the classes of granules, and the source its holes; of a
 * plain capture, everything else is stored.  Units are added to the plan until the next one does not fit the chunk.
 * Then the list is written, and behind it the blocks are packed as they are read.  If a granule turns out to be unreadable, the list is written again and the blocks are moved: a page that
 * cannot be read affects no other page.
 */
#ifndef NSPLIT_CAPTURE_FILL_FILL_H
#define NSPLIT_CAPTURE_FILL_FILL_H

#include "capture/settings.h"
#include "capture/fill/pack.h"
#include "format/record.h"
#include "io/source.h"

/* The step that a filler begins. */
enum fill_activity {
	FILL_READING,		/* the next piece of the source */
	FILL_PACKING,		/* a piece; or no data: it completes the record */
	FILL_CAREFULLY,		/* it fills the chunk again, page by page */
	FILL_OTHER,
};

/* Called with each activity, in the filler's thread; see capture/auto/auto_codec.h. */
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
	const struct layer_policy *policy;	/* borrowed */
	unsigned worker;		/* its number, for the policy */
	uint32_t block_size;
	uint32_t columns_size;		/* of blocks that are packed as columns */
	uint32_t chunk_size;		/* and the size of a unit */
	uint32_t cell_size;
	bool follow_holes;		/* runs of zeros depend on where the file system has holes */
	struct fill_observer observer;	/* starts is NULL: none */
	/* Set before a chunk is filled: */
	unsigned preset;		/* its packer */
	unsigned layer;
	struct class_table classes;	/* in force */
	/* What the record of the chunk is, set when it is begun: */
	struct packer *packer;
	bool raw;			/* the packer's codec */
	bool columns;			/* it stores rows of a map, packed as columns */
	uint32_t packed_size;		/* of its blocks */
	uint32_t gap;			/* granules that are not wanted, but are read between others */
	uint32_t span;			/* granules that are read at once, at most */
	/* Of the chunk: */
	struct runs found;		/* the classes of a unit; owned */
	struct run_list list;		/* the plan; its runs are owned */
	uint8_t *block;			/* of a block that is larger than a granule; or NULL; owned */
	uint32_t in_block;		/* bytes */
	struct error why;		/* what the source reported for the last unreadable page */
};

/*
 * The size of the largest blocks: those of columns are larger than others, since there is more to find in them, but not
 * larger than a chunk.
 */
uint32_t fill_block_size_max(const struct layer_policy *policy, uint32_t block_size, uint32_t chunk_size);

/* Of a capture with chunks of this size: the cell size, and the most runs of a record. */
uint32_t fill_cell_size(const struct layer_policy *policy, uint32_t chunk_size);
uint32_t fill_runs_max(const struct layer_policy *policy, uint32_t chunk_size);

/* Bytes that must be free in the heap for one filler at work, with all others at work as well. */
size_t filler_heap(const struct packers *packers);
/* Bytes of memory of one filler, without the chunk that it fills. */
size_t filler_memory(const struct capture_settings *settings, const struct source *source,
		     const struct packers *packers);
/* filler_free() must be called in any case. */
enum status filler_init(struct filler *f, const struct capture_settings *settings, struct source *source,
			unsigned worker, struct error *e);
void filler_free(struct filler *f);

/*
 * Chooses the units of chunk->run that fit the chunk, and moves the others to chunk->rest.  What comes next
 * takes longer, so these can be given to other workers.
 */
void fill_begin(struct filler *f, struct chunk *chunk);
/* Fills the chunk.  Cannot fail, but units may turn out not to fit, and then are in chunk->rest. */
void fill_units(struct filler *f, struct chunk *chunk);

/* Fills the chunk with what a stream gives next, and sets its index; returns as source_take(). */
enum status fill_from_stream(struct filler *f, struct chunk *chunk, struct error *e);

#endif
