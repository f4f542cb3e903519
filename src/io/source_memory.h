// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A source that lies in memory, and is shown where it lies: what a capture costs without any
 * reading.
 */
#ifndef NSPLIT_IO_SOURCE_MEMORY_H
#define NSPLIT_IO_SOURCE_MEMORY_H

#include "io/source.h"

struct source_memory {
	/*
	 * Where the bytes from offset on lie, which is within the source, and how many follow
	 * there; they are whole blocks of any size, unless the source ends.  Any thread.
	 */
	const uint8_t *(*find)(void *arg, uint64_t offset, uint64_t *length);
	void (*release)(void *arg);	/* when the source is closed */
	void *arg;
};

/* Takes arg over, whatever it returns. */
enum status source_from_memory(struct source **source, const char *name, uint64_t size,
			       const struct source_memory *memory, struct error *e);

#endif
