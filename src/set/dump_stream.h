// SPDX-License-Identifier: GPL-2.0-or-later
/* Dumps that arrive through a pipe. */
#ifndef NSPLIT_SET_DUMP_STREAM_H
#define NSPLIT_SET_DUMP_STREAM_H

#include "set/dump_file.h"
#include "set/salvage.h"

/*
 * Which form the bytes have that standard input ("-") will give, none of which are taken; waits for the
 * first ones.  *fd is a copy of it, to be closed by the caller; -1: another name.
 */
enum dump_form dump_stream_recognise(const char *name, int *fd);

/* Is the stream a file or a block device, which need not be copied?  Its first byte must be the next one. */
bool dump_stream_is_file(int fd);

/*
 * Copies a dump of this form from an open stream to a file without a name in the directory spool, piece by
 * piece to where they belong, and opens that.  A stream that ends early leaves a dump that is cut.
 * dump_file_close() must be called even after a failure.
 */
enum status dump_stream_open(struct dump_file *f, enum dump_form form, int fd, const char *spool,
			     struct error *e);

#endif
