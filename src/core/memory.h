// SPDX-License-Identifier: GPL-2.0-or-later
/* The memory of the crashed machine, by physical address; and a cache of small reads. */
#ifndef NSPLIT_CORE_MEMORY_H
#define NSPLIT_CORE_MEMORY_H

#include "core/elf.h"

/*
 * Reads len bytes at a physical address.  Segments with the same address hold the same bytes: if
 * they cannot be read from one segment, another is used.  Memory that no segment has in the file
 * reads as zeros.  STATUS_MISSING: some bytes are in no segment, or missing.  Otherwise returns as
 * bytes.read().
 */
enum status memory_read(const struct core *core, uint64_t paddr, size_t len, uint8_t *dst,
			struct error *e);

/* Reads a page in the same way, but bytes in no segment read as zeros. */
enum status memory_read_page(const struct core *core, uint64_t paddr, uint32_t size, uint8_t *dst,
			     struct error *e);

/*
 * A cache of small reads from a core, such as entries of page tables: a reader of compressed records
 * keeps one of them (set/read/range.h), and entries are in others than the memory that they lead to.
 *
 * Upper page tables of 1 TiB of memory map have 20 pages.  Many small pieces do not take the places of each
 * other as often as few of a page would.  A piece has SMALL_READS_WAYS places and takes the one that was used
 * least recently, so that the root table, in use all the time, stays.
 */
enum { SMALL_READS_PIECES = 64, SMALL_READS_WAYS = 4, SMALL_READS_PIECE = 1024 };

/*
 * Pieces of this size for arrays that are read forward and in turn, such as those of the kernel log: each would unpack a
 * record for a small piece.
 */
enum { LARGE_READS_PIECE = 32768 };

/* A place of the cache. */
struct small_piece {
	uint64_t number;		/* of the piece; UINT64_MAX: none */
	uint64_t used;			/* when it was used last, in reads */
};

/* Belongs to one thread, and must not be moved once it is in use. */
struct small_reads {
	struct core_bytes below;	/* where the bytes come from; borrowed */
	size_t piece;			/* bytes of each */
	uint8_t *bytes;			/* of all pieces; owned */
	uint64_t reads;
	struct small_piece pieces[SMALL_READS_PIECES];
};

/*
 * Makes bytes that are read through the cache.  Pieces that cannot be read completely are not kept,
 * so each read fails as it would without a cache.  Call small_reads_close() in any case.
 */
enum status small_reads_open(struct small_reads *s, const struct core_bytes *below, size_t piece,
			     struct core_bytes *bytes, struct error *e);
void small_reads_close(struct small_reads *s);

#endif
