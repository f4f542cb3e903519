// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Gathering: fills a chunk with those granules of some units that a layer stores (doc/format.md,
 * section 14).
 *
 * First comes the plan, a byte for each granule, which says what its run will be.  It is made of
 * classes, and what may be an alias is compared with its target.  Units are added to it until the next
 * one does not fit the chunk.  Then the run list is written, and behind it the blocks are packed as
 * they are read.  If a granule turns out to be unreadable, the list is written again and the blocks
 * are moved.
 */
#ifndef NSPLIT_CAPTURE_GATHER_H
#define NSPLIT_CAPTURE_GATHER_H

#include "capture/fill.h"
#include "format/runs.h"

/*
 * Bytes of each of two places that are compared at once, if they are read, and if they are mapped: each
 * mapping takes longer than to compare many pages.
 */
enum { GATHER_COMPARED = 16 * 1024, GATHER_WINDOW = 1 << 20 };

/* Belongs to one worker. */
struct gatherer {
	const struct guide *guide;	/* borrowed */
	unsigned worker;
	uint32_t unit_size, cell_size;	/* bytes */
	/* The plan: kind << 4 | class for each granule of a cell; owned. */
	uint8_t *plan;
	uint32_t granules;		/* in the plan */
	struct run_list list;		/* its runs are owned */
	/* For comparing: a reader, and a buffer for what it reads, for each of two places. */
	struct source_reader reader, target_reader;
	uint8_t *compared;		/* owned */
	uint8_t *block;			/* of a block that is larger than a granule; or NULL; owned */
	uint32_t in_block;		/* bytes */
	/* Set before a chunk is filled: */
	unsigned layer;
	struct class_table classes;	/* in force */
};

/*
 * Of a capture with chunks of this size: the cell size, the most runs of a record, and bytes of memory
 * of one gatherer.
 */
uint32_t gather_cell_size(uint32_t chunk_size);
uint32_t gather_runs_max(uint32_t chunk_size);
size_t gather_memory(const struct guide *guide, const struct source *source, uint32_t block_size,
		     uint32_t chunk_size);

/* Sets f->gatherer; gatherer_free() must be called in any case, and may be called without it. */
enum status gatherer_init(struct filler *f, const struct guide *guide, unsigned worker,
			  struct error *e);
void gatherer_free(struct filler *f);

/*
 * Chooses the units of chunk->layer.run that fit the chunk, and moves the others to chunk->layer.rest.
 * What comes next takes longer, so these can be given to other workers.  Aliases are compared here,
 * since they take no space: a record has all units of a cell that consist of them.
 */
void gather_begin(struct filler *f, struct chunk *chunk);
/* Fills the chunk.  Cannot fail, but units may turn out not to fit, and then are in chunk->layer.rest. */
void gather_units(struct filler *f, struct chunk *chunk);

/* --- for gather*.c ---------------------------------------------------------- */

static inline enum run_kind plan_kind(const struct gatherer *g, uint32_t i)
{
	return (enum run_kind)(g->plan[i] >> 4);
}

static inline unsigned plan_class(const struct gatherer *g, uint32_t i)
{
	return g->plan[i] & 15;
}

static inline void plan_set(struct gatherer *g, uint32_t i, enum run_kind kind, unsigned class)
{
	g->plan[i] = (uint8_t)((unsigned)kind << 4 | class);
}

/* Pages that are not read even by the way: that may stop a virtual machine, or this one. */
static inline bool class_is_forbidden(unsigned class)
{
	return class == CLASS_OFFLINE || class == CLASS_POISONED;
}

/* Makes the plan of the record; sets range and units of the chunk. */
void gather_plan(struct filler *f, struct chunk *chunk);
/*
 * Compares aliases with their targets: those that differ are to be stored.  Here and below: granules at
 * to end - 1 of the plan of a record that begins at this offset of the source.
 */
void gather_compare(struct gatherer *g, uint64_t begin, uint32_t at, uint32_t end);
/*
 * Adds granules to the list.  Aliases that the record may not have are to be stored.  False: there is no
 * space for so many runs; there always is for the first unit, and for a list that was made before.
 */
bool gather_list_add(struct gatherer *g, uint64_t begin, uint32_t at, uint32_t end);
void gather_list_clear(struct gatherer *g);
/* Writes the run list by the plan; again: after the blocks, some of which are not there. */
void gather_list(struct filler *f, struct chunk *chunk);
void gather_list_again(struct filler *f, struct chunk *chunk);
/* Reads and packs what is to be stored. */
void gather_read(struct filler *f, struct chunk *chunk);

#endif
