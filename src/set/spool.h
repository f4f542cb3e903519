// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Spooling: copies members that are streams to temporary files, since what comes in layers, or is not
 * read front to back, needs random access.  The files have no name, so nothing is left of them.
 */
#ifndef NSPLIT_SET_SPOOL_H
#define NSPLIT_SET_SPOOL_H

#include "set/set.h"

struct spool_job {
	struct member member;		/* a stream; after spool_run() seekable, unless that failed */
	enum status status;
	bool kept;			/* it could not be read to its end, but is seekable so far */
	struct error error;
};

struct spool_list {
	struct spool_job *jobs;		/* owned */
	unsigned count;
};

/* Takes ownership of a member of which only the superblock was read. */
enum status spool_add(struct spool_list *list, struct member *m, struct error *e);

/*
 * Copies all of them at once: a sender that must wait for its reader could hold up the sender of
 * another stream.  After the first failure of a write, the others end at once with STATUS_STOPPED.
 */
void spool_run(struct spool_list *list, const struct set_settings *settings);

/* Also closes the members that were not taken. */
void spool_free(struct spool_list *list);

/*
 * Opens a new file without a name in a directory; -1: errno says why not.  Some file systems, such as NFS, have
 * no files without a name from the beginning.
 */
int spool_create(const char *directory);

#endif
