// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Salvage: members are searched for their pieces, each by a thread of its own, so that all disks
 * are read at once.  doc/format.md, section 11.
 */
#ifndef NSPLIT_SET_SALVAGE_H
#define NSPLIT_SET_SALVAGE_H

#include "set/member.h"

struct salvage_job {
	struct member *member;		/* seekable; borrowed */
	bool identify;			/* only as far as scan_identify() goes */
	/* What came of it: */
	struct superblock first;	/* if identify, and STATUS_OK; else the member has its places */
	enum status status;
	struct error error;		/* unless STATUS_OK or STATUS_END */
};

/* Who wants to know how far it is. */
struct salvage_watch {
	/*
	 * In the thread that calls salvage_run(), with bytes of the members, now and then and at the end;
	 * NULL: nobody.
	 */
	void (*searching)(void *arg, uint64_t done, uint64_t all);
	void *arg;
	double interval;		/* seconds between two calls */
};

/* Returns when all jobs have their status. */
void salvage_run(struct salvage_job *jobs, unsigned count, const struct salvage_watch *watch);

#endif
