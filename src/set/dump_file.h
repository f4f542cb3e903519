// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A file in the kdump-compressed form, as crash opens it, or in the flattened form, in which
 * makedumpfile -F sends such a file through a pipe: pieces with their offsets, in any order.
 *
 *     flattened: header, 4096 bytes | (offset, size, size bytes) ... | (-1, -1)
 *
 * All numbers of the flattened form are big-endian (struct makedumpfile_header and
 * makedumpfile_data_header in makedumpfile.h).  If pieces overlap, the later one counts.
 */
#ifndef NSPLIT_SET_DUMP_FILE_H
#define NSPLIT_SET_DUMP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "io/identity.h"

/* The first bytes of a file by which one of the forms is recognised. */
enum { DUMP_SIGNATURE = 16 };

enum dump_form { DUMP_NONE, DUMP_PLAIN, DUMP_FLATTENED };

enum dump_form dump_form_of(const uint8_t signature[DUMP_SIGNATURE]);

struct dump_piece {
	uint64_t offset, length;	/* in the dump */
	uint64_t at;			/* in the file */
};

struct dump_file {
	char *name;			/* owned */
	int fd;
	struct identity identity;
	uint64_t size;			/* of the dump: where its last byte is, plus 1 */
	uint64_t file_size;		/* of the file: more if it is flattened, less if that has holes */
	uint64_t stored;		/* bytes that the file takes on the disk, without its holes */
	bool flattened;
	bool cut;			/* flattened, and without an end */
	char *damage;			/* or why the pieces up to the end are not known; NULL: they are.  Owned. */
	struct dump_piece *pieces;	/* if flattened: by offset, without overlaps; owned */
	size_t count;
	uint64_t bytes;			/* of all pieces, including overlaps */
	uint64_t found;			/* pieces, some of which may have been joined */
};

/* Which form a file or block device has; DUMP_NONE also of streams, as "-", and of what cannot be read. */
enum dump_form dump_recognise(const char *name);

/* Is it flattened, with pieces at its end that are missing? */
static inline bool dump_file_is_cut(const struct dump_file *f)
{
	return f->cut || f->damage;
}

/*
 * Opens a file or block device.  If a flattened file cannot be read, or has a piece that is not possible, it
 * ends there.  STATUS_DAMAGED: there are more pieces than any writer makes.  dump_file_close() must be
 * called even after a failure.
 */
enum status dump_file_open(struct dump_file *f, const char *name, enum dump_form form, struct error *e);
/* The same for one that is open, and then belongs to the dump file. */
enum status dump_file_take(struct dump_file *f, const char *name, int fd, enum dump_form form, struct error *e);
void dump_file_close(struct dump_file *f);

/*
 * Reads bytes of the dump.  STATUS_MISSING: some of them are not there; *got is the number of those before.
 * STATUS_SYSTEM: they cannot be read.  Any thread may call this.
 */
enum status dump_file_read(const struct dump_file *f, void *bytes, size_t len, uint64_t offset, size_t *got,
			   struct error *e);

/* Are these bytes there?  Holes are, unless pieces are missing. */
bool dump_file_has(const struct dump_file *f, uint64_t offset, uint64_t length);
/* The next byte at or after an offset that is not in a hole; the size of the dump if there is none. */
uint64_t dump_file_next_data(const struct dump_file *f, uint64_t offset);

#endif
