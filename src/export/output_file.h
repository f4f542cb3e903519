// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An output of njoin: a file, a block device, or a stream.
 *
 * A file is written under a temporary name in the same directory and renamed when it is complete,
 * so that a failure leaves nothing that looks like a core.
 */
#ifndef NSPLIT_EXPORT_OUTPUT_FILE_H
#define NSPLIT_EXPORT_OUTPUT_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "io/path.h"
#include "set/read/walk.h"

enum output_kind {
	OUTPUT_STDOUT,			/* a stream, even if it is redirected to a file */
	OUTPUT_STREAM,			/* a named pipe or a character device */
	OUTPUT_DEVICE,			/* a block device */
	OUTPUT_FILE,			/* a regular file, new or to be replaced */
};

enum output_state {
	OUTPUT_UNOPENED,		/* or removed again */
	OUTPUT_OPEN,
	OUTPUT_SYNCED,			/* closed; a file still has its temporary name */
	OUTPUT_FINISHED,		/* a file has its own name */
};

struct output_file {
	char *name;			/* as given; "standard output" for "-"; owned */
	enum output_kind kind;
	_Atomic enum output_state state;	/* set by the thread that writes it; read by any */
	unsigned permits;		/* PERMIT_..., as in io/existing.h */
	bool sparse;			/* ranges of zeros need not be written */
	int fd;				/* while the state is OUTPUT_OPEN */
	char *target;			/* of a file: its own name, links resolved; owned */
	char *temporary;		/* of a file while it is open or synced; owned */
	struct identity identity;	/* of the existing file or device; type 0: it is new */
	uint64_t position;		/* of a stream: bytes written so far */
};

/* True if it can be written at any offset, by several threads at once. */
bool output_file_seekable(const struct output_file *o);

/*
 * Finds out what a name refers to, without changing it.  STATUS_USAGE for a terminal and, for
 * what permits (io/existing.h) do not allow to write to.  Call output_file_free() in any case.
 */
enum status output_file_probe(struct output_file *o, const char *name, unsigned permits, bool sparse,
			      struct error *e);
enum status output_file_open(struct output_file *o, struct error *e);

/*
 * Writes len bytes at an offset.  A stream accepts increasing offsets only; gaps are filled with
 * zeros.
 */
enum status output_file_write(struct output_file *o, uint64_t offset, const uint8_t *data,
			      uint64_t len, struct error *e);

/* The same with zeros, which are left out if the output is sparse. */
enum status output_file_write_zeros(struct output_file *o, uint64_t offset, uint64_t len,
				    struct error *e);

/* Writing the source, or a range of it. */
struct copy {
	struct output_file *output;	/* borrowed */
	uint64_t from;			/* the offset in the source of the output's first byte */
};

/* The deliver callback of a walk; arg is the struct copy. */
enum status copy_deliver(void *arg, const struct delivery *delivery, struct error *e);

/* Syncs what was written so far, with the temporary name of a file.  Of a stream, nothing can be synced. */
enum status output_file_flush(const struct output_file *o, struct error *e);

/*
 * Extends or truncates the output to size bytes, syncs it to stable storage and closes it.  Several
 * outputs are all synced before the first one is finished.
 */
enum status output_file_sync(struct output_file *o, uint64_t size, struct error *e);
/*
 * Does the same unless it was done, and gives a file its own name.  A file that fails keeps none.
 */
enum status output_file_finish(struct output_file *o, uint64_t size, struct error *e);
/* Removes a finished file.  Returns false if it has replaced another one; then it is kept. */
bool output_file_remove(struct output_file *o);

/*
 * For a program that ends at once: removes the file, finished or not, unless it has replaced another one.
 * Changes nothing else, since other threads may still be writing.
 */
void output_file_abandon(const struct output_file *o);

/* Closes the output and removes the temporary file. */
void output_file_free(struct output_file *o);

/* --- free space ---------------------------------------------------------- */

/* The output must be open.  False: it is a stream, or its space is unknown. */
bool free_space_of(const struct output_file *o, struct space *space);

/*
 * STATUS_SYSTEM: this number of bytes certainly does not fit.  STATUS_OK: it fits, or may fit; in
 * the second case, warn() is called unless it is NULL.
 */
enum status free_space_check(const struct output_file *o, uint64_t bytes,
			     void (*warn)(const struct error *e), struct error *e);

#endif
