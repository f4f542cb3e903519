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

/* Of an output that is open.  False: it is a stream, or nobody knows. */
bool room_of(const struct output *o, struct room *room);

/*
 * STATUS_SYSTEM: so many bytes are certain not to fit.  Of one whose room is not known, or not certain,
 * nothing is said.
 */
enum status room_check(const struct output *o, uint64_t bytes, struct error *e);

#endif
