// SPDX-License-Identifier: GPL-2.0-or-later
/* A source that is in memory and is not copied: measures a capture without reading. */
#ifndef NSPLIT_IO_SOURCE_MEMORY_H
#define NSPLIT_IO_SOURCE_MEMORY_H

#include "io/source.h"

struct source_memory {
	/*
	 * Returns the address of the byte at offset, which is less than the size, and the number of
	 * bytes from there on: whole blocks of any block size, except at the end of the source.
	 * Called by any thread.
	 */
	const uint8_t *(*find)(void *arg, uint64_t offset, uint64_t *length);
	void (*release)(void *arg);	/* called when the source is closed */
	void *arg;
};

/* Copies *memory.  arg is released by source_close(), or here after a failure. */
enum status source_from_memory(struct source **source, const char *name, uint64_t size,
			       const struct source_memory *memory, struct error *e);

#endif
