// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Salvage: searches members for their pieces, without their indexes (doc/format.md, section 12).  Each member has a thread of
 * its own, up to 32, so that all disks are read at once.
 */
#ifndef NSPLIT_SET_SALVAGE_H
#define NSPLIT_SET_SALVAGE_H

#include "set/set.h"

struct salvage_job {
	struct member *member;		/* borrowed */
	bool identify;			/* only find the first intact record or footer, of any set */
	/* The result: */
	/* With identify: made from that piece; otherwise the member has its locations. */
	struct superblock first;
	enum status status;
	struct error error;		/* unless STATUS_OK or STATUS_END */
};

/* Returns when all jobs are done. */
void salvage_run(struct salvage_job *jobs, unsigned count, const struct salvage_watch *watch);

/* Of a copy of a stream without a footer at its end: a device has other data behind it.  False: there is none. */
bool salvage_find_end(struct member *m);

#endif
