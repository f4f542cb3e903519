// SPDX-License-Identifier: GPL-2.0-or-later
/* How much an output can take. */
#ifndef NSPLIT_EXPORT_ROOM_H
#define NSPLIT_EXPORT_ROOM_H

#include "export/output.h"

struct room {
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
bool room_of(const struct output *o, struct room *room);

/*
 * STATUS_SYSTEM: this number of bytes certainly does not fit.  STATUS_OK: it fits, or that is not
 * certain.
 */
enum status room_check(const struct output *o, uint64_t bytes, struct error *e);

#endif
