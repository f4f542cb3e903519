// SPDX-License-Identifier: GPL-2.0-or-later
/* How much an output can take. */
#ifndef NSPLIT_EXPORT_FREE_SPACE_H
#define NSPLIT_EXPORT_FREE_SPACE_H

#include "export/output_file.h"

struct free_space {
	uint64_t bytes;			/* a device's size; else what the file system has free */
	dev_t device;			/* the device, or that of the file system */
	bool is_device;
	/*
	 * More bytes do not fit, whatever they are.  Some file systems pack what they store, or share
	 * it, or do not know how much is free.
	 */
	bool certain;
};

/* The output must be open.  False: it is a stream, or its room is not known. */
bool free_space_of(const struct output_file *o, struct free_space *room);

/*
 * STATUS_SYSTEM: this number of bytes certainly does not fit.  STATUS_OK: it fits, or that is not
 * certain.
 */
enum status room_check(const struct output_file *o, uint64_t bytes, struct error *e);

#endif
