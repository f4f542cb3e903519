// SPDX-License-Identifier: GPL-2.0-or-later
/* How many bytes an output can hold. */
#ifndef NSPLIT_EXPORT_FREE_SPACE_H
#define NSPLIT_EXPORT_FREE_SPACE_H

#include "export/output_file.h"

struct free_space {
	uint64_t bytes;			/* the size of a device; else the free space */
	dev_t device;			/* the device, or that of the file system */
	bool is_device;
	/*
	 * More bytes certainly do not fit.  False for file systems that compress or share data, or
	 * that do not know their free space.
	 */
	bool certain;
};

/* The output must be open.  False: it is a stream, or its space is unknown. */
bool free_space_of(const struct output_file *o, struct free_space *space);

/* Do two outputs share their space?  False: they do not, or it is unknown. */
bool free_space_shared(const struct output_file *a, const struct output_file *b);

/*
 * STATUS_SYSTEM: this number of bytes certainly does not fit.  STATUS_OK: it fits, or may fit; in
 * the second case, warn() is called unless it is NULL.
 */
enum status free_space_check(const struct output_file *o, uint64_t bytes,
			     void (*warn)(void *arg, const struct error *e), void *arg,
			     struct error *e);

#endif
