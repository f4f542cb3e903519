// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A file in the kdump-compressed form, as crash opens it, or in the flattened form, in which
 * makedumpfile -F sends such a file through a pipe: pieces with their offsets, in any order.
 *
 *     flattened: header, 4096 bytes | (offset, size, size bytes) ... | (-1, -1)
 *
 * All numbers of the flattened form are big-endian (struct makedumpfile_header and
 * makedumpfile_data_header in makedumpfile.h).
 *
 * Writers leave out pieces of headers, bitmaps and descriptors that are zeros, never pages.  They write a header again
 * once it is complete; the later one counts.  Any other overlap is damage: one of the two pieces belongs elsewhere.
 */
#ifndef NSPLIT_SET_DUMP_FILE_H
#define NSPLIT_SET_DUMP_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/array.h"
#include "base/error.h"
#include "base/names.h"
#include "io/path.h"

/* The first bytes of a file by which one of the forms is recognised. */
enum { DUMP_SIGNATURE = 16 };

enum dump_form { DUMP_NONE, DUMP_PLAIN, DUMP_FLATTENED };

enum dump_form dump_form_of(const uint8_t signature[DUMP_SIGNATURE]);

struct dump_piece {
	uint64_t offset, length;	/* in the dump; first, for spans_find() */
	uint64_t at;			/* in the file; DUMP_ZEROS: not in the file, but known to be zeros */
	bool linked;			/* the piece before or after it in the file continues it in the dump */
	bool attached;			/* one near it does */
};

#define DUMP_ZEROS UINT64_MAX

/* What bytes between pieces are. */
enum dump_holes { HOLES_ZERO, HOLES_MISSING };

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
	struct names findings;		/* sentences about other damage */
	struct dump_piece *pieces;	/* if flattened: by offset, without overlaps; owned */
	size_t count;
	uint64_t bytes;			/* of all pieces, including overlaps */
};

/*
 * Reads the first bytes of a file or block device; returns how many it has, with zeros behind them and errno, 0 at the end of a
 * file.  A stream, as "-", is not opened, since that waits for its writer, nor is a file of /proc without a size: ESPIPE.
 */
size_t dump_file_peek(const char *name, void *bytes, size_t len);

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
 * Reads bytes of the dump.  Holes are missing in any case if pieces at the end are.  STATUS_MISSING: some bytes are not
 * there; *got is the number of those before.  STATUS_SYSTEM: they cannot be read.  Any thread may call this.
 */
enum status dump_file_read(const struct dump_file *f, void *bytes, size_t len, uint64_t offset, enum dump_holes holes,
			   size_t *got, struct error *e);

/* Are these bytes there? */
bool dump_file_has(const struct dump_file *f, uint64_t offset, uint64_t length, enum dump_holes holes);
/* The next byte at or after an offset that is not in a hole; the size of the dump if there is none. */
uint64_t dump_file_next_data(const struct dump_file *f, uint64_t offset);

/* --- pieces of a flattened dump ------------------------------------------------- */

/*
 * Finds the pieces of a file, sorts them, and removes overlaps.  The last one may be cut short.  STATUS_DAMAGED: it
 * has far more pieces than any writer makes of a file of this size.
 */
enum status dump_file_find_pieces(struct dump_file *f, struct error *e);
/* Holes outside of these ranges, which are sorted and merged, are zeros from now on.  False: out of memory. */
bool dump_file_fill_holes(struct dump_file *f, const struct range_list *data);

#endif
