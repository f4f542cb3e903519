// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Salvage: searches members for their pieces (doc/format.md, section 12).  Each member has a thread
 * of its own, up to 32, so that all disks are read at once.
 */
#ifndef NSPLIT_SET_SALVAGE_H
#define NSPLIT_SET_SALVAGE_H

#include "set/member.h"

struct salvage_job {
	struct member *member;		/* seekable; borrowed */
	bool identify;			/* stop at the first piece, as scan_identify() does */
	/* The result: */
	struct superblock first;	/* with identify; otherwise the member has its locations */
	enum status status;
	struct error error;		/* unless STATUS_OK or STATUS_END */
};

/* Reports progress. */
struct salvage_watch {
	/*
	 * Called by the thread in salvage_run(), at intervals and at the end, with the bytes of
	 * members that were searched so far, and of all.  NULL: not called.
	 */
	void (*searching)(void *arg, uint64_t done, uint64_t all);
	/* Likewise while streams are copied to temporary files: the bytes so far. */
	void (*spooling)(void *arg, uint64_t done);
	void *arg;
	double interval;		/* seconds between two calls */
};

/* Returns when all jobs are done. */
void salvage_run(struct salvage_job *jobs, unsigned count, const struct salvage_watch *watch);

#endif
