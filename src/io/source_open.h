// SPDX-License-Identifier: GPL-2.0-or-later
/* From the name of a source to one that can be read. */
#ifndef NSPLIT_IO_SOURCE_OPEN_H
#define NSPLIT_IO_SOURCE_OPEN_H

#include "io/source.h"

enum mmap_mode {
	MMAP_AUTO,		/* files of /proc are mapped, others are read */
	MMAP_ALWAYS,
	MMAP_NEVER,
};

/* Opens a file, device or "-".  The caller closes *source with source_close(). */
enum status source_open(struct source **source, const char *name, enum mmap_mode mmap,
			struct error *e);

/*
 * Stands for a file of /proc of that size which does not exist yet, so that a memory plan can be
 * made.  It cannot be read.
 */
enum status source_expect(struct source **source, const char *name, uint64_t size,
			  enum mmap_mode mmap, struct error *e);

#endif
