// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bytes of a source for core/, which reads a core through struct core_bytes.  A failure to read
 * means that these bytes are missing, whatever its cause: it never ends a capture.
 */
#ifndef NSPLIT_FILTER_SOURCE_BYTES_H
#define NSPLIT_FILTER_SOURCE_BYTES_H

#include <stdatomic.h>

#include "base/unit.h"
#include "core/small_reads.h"
#include "io/source.h"

/* Belongs to one thread, and must not be moved. */
struct source_bytes {
	struct source_reader reader;
	/* Of a mapped source, the bytes that were mapped last: from begin on; held 0: none. */
	const uint8_t *mapped;
	uint64_t begin;
	size_t held;
	uint8_t page[UNIT];		/* for those that cannot be mapped */
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
