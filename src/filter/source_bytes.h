// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bytes of a source for core/, which reads a core through struct core_bytes.  A failure to read
 * means that these bytes are missing, whatever its cause: it never ends a capture.
 */
#ifndef NSPLIT_FILTER_SOURCE_BYTES_H
#define NSPLIT_FILTER_SOURCE_BYTES_H

#include <stdatomic.h>

#include "base/bytes.h"
#include "core/memory.h"
#include "io/source.h"

/*
 * Enough for the page tables and struct pages that are read in turn.  The memory map of 256 MiB is in
 * all of them.
 */
enum { SOURCE_BYTES_PIECES = 16 };

/* Bytes of a source that are mapped, from begin on; held 0: none. */
struct mapped_piece {
	struct source_reader reader;	/* a mapping is valid until the next one of the same reader */
	const uint8_t *mapped;
	uint64_t begin;
	size_t held;
	uint64_t used;			/* when it was read last, in reads */
};

/* Belongs to one thread, and must not be moved. */
struct source_bytes {
	struct source_reader reader;
	/* Of a mapped source: */
	struct mapped_piece pieces[SOURCE_BYTES_PIECES];
	struct mapped_piece *last;	/* that was read last */
	uint64_t reads;
	uint8_t page[ALIGNMENT];		/* of what cannot be mapped */
	uint64_t page_begin;
	size_t page_held;
	struct small_reads small;	/* page tables are read in 8 bytes at a time */
	/* NULL: reads are not stopped.  Otherwise they fail with STATUS_STOPPED once this is true; borrowed. */
	const atomic_bool *stop;
	double looked;			/* when source->interrupted() was called for that */
};

/* Bytes of memory that source_bytes_open() takes. */
size_t source_bytes_memory(const struct source *source);

/* Of a positioned source.  source_bytes_close() must be called in any case. */
enum status source_bytes_open(struct source_bytes *s, struct source *source,
			      struct core_bytes *bytes, struct error *e);
void source_bytes_close(struct source_bytes *s);

#endif
