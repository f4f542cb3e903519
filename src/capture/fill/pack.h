// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Packing: turns bytes of the source into the record of a chunk.
 *
 * pack_begin() comes first, then any number of calls of pack_add(), then pack_end().  The codec writes
 * each block directly to its location in the record.  A stored block is copied unless it is at its
 * location already.
 */
#ifndef NSPLIT_CAPTURE_FILL_PACK_H
#define NSPLIT_CAPTURE_FILL_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "capture/fill/ledger.h"
#include "codec/codec.h"
#include "format/record.h"

/* --- chunks ---------------------------------------------------------------- */

/*
 * Chunks, the unit of work, and the pool that they come from.
 *
 * A chunk is a record under construction: its bytes are the record as it will be written to a
 * member.  The pool is allocated at the start and bounds the memory of a capture: when no chunk is
 * free, workers wait.
 */

/* What a record adds to the figures of its output.  In bytes, unless noted. */
struct record_figures {
	/* Of layer 1: stored, or named if another layer stores the class; of others: stored. */
	uint32_t of_class[CLASSES];
	uint32_t stored;		/* all of them; or zeros */
	uint32_t unreadable;
	uint16_t blocks[BLOCK_KINDS];	/* their number */
	uint16_t preset;		/* by which the blocks were packed */
};

struct chunk {
	struct chunk *next;		/* in a list, and covered by the list's lock */
	uint64_t index;			/* its number in the source */
	uint8_t *bytes;			/* aligned to ALIGNMENT, chunk_capacity() bytes, of the pool */
	struct record record;		/* the header of the record in bytes */
	uint32_t filled;		/* bytes of the source packed so far */
	uint32_t row;			/* of blocks that are packed as columns; 0: they are not */
	struct record_figures figures;
	struct unit_run run;		/* the units that it holds */
	struct unit_run rest;		/* what was claimed as well, and did not fit */
	/* Of layer 1: a bit for each class that is named in unit run.first + i. */
	uint16_t named[LEDGER_CELL];
};

/* Copies a packed chunk to another one of the same pool. */
void chunk_copy(struct chunk *to, const struct chunk *from);

/* First in, first out.  Its lock is named where the list is declared. */
struct chunk_list {
	struct chunk *first;
	struct chunk **end;
};

void chunk_list_init(struct chunk_list *list);
void chunk_list_append(struct chunk_list *list, struct chunk *chunk);
void chunk_list_prepend(struct chunk_list *list, struct chunk *chunk);
/* Removes and returns the chunk that *link points to; link is in the list. */
struct chunk *chunk_list_remove(struct chunk_list *list, struct chunk **link);

struct chunk_pool {
	struct chunk *chunks;
	uint8_t *memory;
	size_t memory_size;
	unsigned count;
};

/*
 * Bytes of memory that a chunk needs: the longest record of up to this number of runs, and space behind it
 * for a block that grows to block_bound when it is packed.
 */
size_t chunk_capacity(size_t block_bound, uint32_t block_size, uint32_t chunk_size, uint32_t runs);

/* Allocates count chunks and puts them on the list. */
enum status chunk_pool_init(struct chunk_pool *pool, unsigned count, size_t capacity,
			    struct chunk_list *list, struct error *e);
void chunk_pool_free(struct chunk_pool *pool);

/*
 * When a block is stored without an attempt to pack it.
 *
 * In data that cannot be compressed, the attempts are most of the work.  So after a long sequence
 * of stored blocks, some are stored untried before the next attempt: 1 / INCOMPRESSIBLE_PART of the
 * bytes of the sequence, and INCOMPRESSIBLE_SKIP_MAX at most.  That is also what is missed when
 * compressible data follows.  Single compressible blocks among others may be missed too, but if one
 * block in INCOMPRESSIBLE_PART is compressible, an attempt soon meets one and ends the sequence.
 *
 * Rejected: to guess from some bytes of each block.  This is work for each block, and mistakes
 * repeated noise for noise.
 */

enum { INCOMPRESSIBLE_PART = 128, INCOMPRESSIBLE_SKIP_MAX = 4 << 20 };

/* Belongs to a packer; all zero at first. */
struct incompressible {
	uint64_t bytes;			/* stored since a block was packed */
	uint64_t skip;			/* bytes still to be stored untried */
	/*
	 * Every block is tried.  For --stripe: otherwise a member would depend on which worker
	 * packed which chunks before.
	 */
	bool tries_all;
};

/* Is the next block, of len bytes, to be stored untried?  If so, it is counted as stored. */
bool incompressible_skips(struct incompressible *i, size_t len);

/*
 * An attempt to pack a block of len bytes gave packed bytes; 0: it failed.  Returns packed if that
 * is a gain, and 0 if the block is to be stored.
 */
size_t incompressible_tried(struct incompressible *i, size_t len, size_t packed);

/* Belongs to one worker. */
struct packer {
	const struct codec *codec;
	void *state;			/* of the codec, owned */
	size_t call_memory;		/* as of the codec, 0: none */
	uint8_t *input;			/* a copy of each block; see packers_init(); owned */
	uint8_t *columns;		/* a block as columns; of struct packers */
	struct capture_id id;		/* of the records */
	/*
	 * For a dump that other programs open: each block stands alone, so one that repeats a value is packed
	 * unless that is zero; the payload begins at a multiple of ALIGNMENT; pack_end() is not called.
	 */
	bool for_dump;
	struct incompressible incompressible;
};

enum status packer_init(struct packer *p, const struct codec *codec, int level,
			uint32_t block_size, const struct capture_id *id, struct error *e);
void packer_free(struct packer *p);

/* One packer for each preset. */
struct packers {
	struct packer of[PRESETS_MAX];
	unsigned count;
	uint8_t *columns;		/* owned */
	/* Bytes: what they hold together; and the most that one of them allocates during a call, and writes for a block. */
	size_t memory, call_memory, bound;
	size_t copies;			/* bytes of all copies that they need of a source that is mapped */
};

/*
 * copies: the source is mapped, so its bytes may raise SIGBUS and may change.  A library that allocates
 * memory during a call must not be left by siglongjmp(), or that memory is lost, and a library that
 * reads its input twice must read the same bytes twice.  So these are given a copy of each block.
 * columns: blocks may be packed as columns (pack_as_columns()).
 */
enum status packers_init(struct packers *p, const struct presets *presets, uint32_t block_size,
			 const struct capture_id *id, bool copies, bool columns, struct error *e);
void packers_free(struct packers *p);
/* After sigbus_survive() has returned false. */
void packers_reset(struct packers *p);

/* Packs a block with the codec.  Returns the packed length, or 0 if the block cannot be packed. */
size_t packer_try(struct packer *p, const uint8_t *data, size_t len, uint8_t *dst);

/* Does the block repeat one 8-byte value? */
bool pack_same_filled(const uint8_t *data, size_t len);

/*
 * Begins the blocks of a record, behind its run list: chunk->record has what run_list_encode() sets, id,
 * and range.  Discards what the chunk held.
 */
void pack_begin(struct packer *p, struct chunk *chunk, uint32_t block_size);
/*
 * After pack_begin(): the blocks are rows of this many bytes (format/record.h), of a source that may change.  Not
 * with codec_raw.
 */
void pack_as_columns(struct chunk *chunk, uint32_t row);
/*
 * Adds the next len bytes: whole blocks, except at the end of the chunk.  With codec_raw they may
 * already be in the chunk, at record_end(&chunk->record) or behind it.
 */
void pack_add(struct packer *p, struct chunk *chunk, const uint8_t *data, size_t len);
/* Completes the record, record_length(&chunk->record) bytes: header, checksums and padding. */
void pack_end(struct chunk *chunk);

#endif
