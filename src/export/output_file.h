// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is put back: a file, a block device, or a stream.
 *
 * A new file is written under a temporary name beside its own, and gets its name
 * when it is whole, so that a failure leaves nothing that looks like a core.
 */
#ifndef NSPLIT_EXPORT_OUTPUT_FILE_H
#define NSPLIT_EXPORT_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "io/identity.h"

struct output_file {
	char *name;		/* as given; "standard output" for "-"; owned */
	char *target;		/* the file behind it, links followed; NULL unless a file is made */
	char *temporary;	/* NULL unless a file is made */
	int fd;
	bool is_stdout;
	bool force;
	bool sparse;		/* zeros need not be written */
	bool named;		/* a file that has its name */
	bool seekable;		/* takes pieces in any order; many threads may write at once */
	struct identity identity;	/* of what was there before, if anything was */
	uint64_t position;	/* of a stream: bytes written so far */
};

/*
 * What a name means, without touching it.  STATUS_USAGE for a file that exists or a block
 * device without force, and for a terminal.  output_file_free() is due in any case.
 */
enum status output_file_probe(struct output_file *o, const char *name, bool force, bool sparse,
			 struct error *e);
enum status output_file_open(struct output_file *o, struct error *e);

/*
 * Writes len bytes at offset; data NULL: zeros.  A stream takes them in order only, and
 * gets zeros for what was left out.
 */
enum status output_file_write(struct output_file *o, uint64_t offset, const uint8_t *data,
			 uint64_t len, struct error *e);

/*
 * Makes it size bytes long and safe against power loss, and closes it: of several outputs all,
 * before the first one gets its name.
 */
enum status output_file_settle(struct output_file *o, uint64_t size, struct error *e);
/*
 * The same, if that is still to be done, and makes it known by its name.  After a failure a new file
 * has none.
 */
enum status output_file_finish(struct output_file *o, uint64_t size, struct error *e);
/* Removes a file that was finished.  False: it has replaced another one, and stays. */
bool output_file_remove(struct output_file *o);

/* Removes what is not finished, and touches nothing else: threads may be writing still. */
void output_file_abandon(const struct output_file *o);

/* Closes; what was not finished is removed. */
void output_file_free(struct output_file *o);

#endif
