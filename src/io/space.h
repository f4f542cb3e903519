// SPDX-License-Identifier: GPL-2.0-or-later
/* How many bytes a file or a block device can hold. */
#ifndef NSPLIT_IO_SPACE_H
#define NSPLIT_IO_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct space {
	uint64_t bytes;			/* the size of a device; else the free space */
	dev_t device;			/* the device, or that of the file system */
	bool is_device;
	/*
	 * More bytes certainly do not fit.  False for file systems that compress or share data, or
	 * that do not know their free space.
	 */
	bool certain;
};

/* False: it is neither a regular file nor a block device, or its space is unknown. */
bool space_of_fd(int fd, struct space *space);

/* The same for a name.  A file need not exist; the blocks of one that exists count as free. */
bool space_of_name(const char *name, struct space *space);

bool space_is_shared(const struct space *a, const struct space *b);

/* The bytes of all of them; a device or a file system counts once. */
uint64_t space_sum(const struct space *spaces, size_t count);

#endif
