// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Spooling: copies members that are streams to temporary files, since records of layers, and of several threads, are in no
 * order.  The files have no name, so nothing is left of them.
 */
#ifndef NSPLIT_SET_SPOOL_H
#define NSPLIT_SET_SPOOL_H

#include "set/dump_file.h"
#include "set/set.h"

/* A member that is not in the set until all have been opened. */
struct aside_member {
	struct member member;		/* owned, unless it was admitted: then its name is still used, to find it here */
	struct error why;		/* it could not be opened, read or admitted; STATUS_OK: it was */
	const char *what;		/* in what way it is unfinished; NULL: it has no footer */
	bool kept;			/* spooled: it is seekable, as far as it could be read */
	bool admitted;
};

struct aside_list {
	struct aside_member *all;	/* owned */
	unsigned count;
};

/*
 * Copies all of them, which are streams of which only the superblock was read, at once: a sender that must wait for its reader could hold up the sender of
 * another stream.  After the first failure of a write, the others end at once with STATUS_STOPPED.
 */
void spool_run(struct aside_list *list, const struct set_settings *settings);

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
