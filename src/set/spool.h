// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Spooling: copies members that are streams to temporary files, since what comes in layers, or is not
 * read front to back, needs random access.  The files have no name, so nothing is left of them.
 */
#ifndef NSPLIT_SET_SPOOL_H
#define NSPLIT_SET_SPOOL_H

#include "set/dump_file.h"
#include "set/scan.h"
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

/* --- dumps that arrive through a pipe -------------------------------------- */

/*
 * Which form the bytes have that standard input ("-") will give, none of which are taken; waits for the
 * first ones.  *fd is a copy of it, to be closed by the caller; -1: another name.
 */
enum dump_form dump_stream_recognise(const char *name, int *fd);

/*
 * Opens a dump of this form from fd, which then belongs to the dump: a stream is copied as members are.  A stream that ends
 * early leaves a dump that is cut.  dump_file_close() must be called even after a failure.
 */
enum status dump_stream_open(struct dump_file *f, enum dump_form form, int fd, const struct set_settings *settings,
			     struct error *e);

#endif
