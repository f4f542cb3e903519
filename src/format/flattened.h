// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The flattened form of a dump, for what is written front to back: pieces, each with the place in the file where it
 * belongs.  The source is makedumpfile.h (struct makedumpfile_header, struct makedumpfile_data_header).  Readers sort the
 * pieces by insertion, so these are few: bytes are gathered in a buffer, and those that follow each other become one piece.
 */
#ifndef NSPLIT_FORMAT_FLATTENED_H
#define NSPLIT_FORMAT_FLATTENED_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"

/* What the file begins with; zeros follow, then other numbers. */
#define FLATTENED_SIGNATURE "makedumpfile"
/* Bytes of the header of the file, most of them zero, and of that of each piece: two big-endian numbers, offset and length. */
enum { FLATTENED_HEADER = 4096, FLATTENED_PIECE_HEADER = 16 };

/* Writes len bytes, a multiple of ALIGNMENT, behind those before. */
typedef enum status flattened_append(void *arg, const uint8_t *bytes, size_t len, struct error *e);

struct flattened {
	flattened_append *append;
	void *arg;			/* borrowed */
	uint8_t *buffer;		/* ALIGNMENT aligned; owned */
	size_t size, filled;		/* bytes */
	size_t piece;			/* where the header of the last piece is in the buffer, if it is open */
	uint64_t end;			/* of that piece in the file */
	bool digests;			/* set by the caller after flattened_init(): a digest is wanted */
	struct digest digest;		/* of all bytes that were appended; if it is wanted */
	bool open;			/* bytes at end can be added to it */
};

/* The size of the buffer for a file of up to this length: at most 90,000 pieces of data up to 1.4 TiB. */
size_t flattened_buffer(uint64_t length);
/* name: of the output, for errors.  flattened_free() must be called in any case. */
enum status flattened_init(struct flattened *f, flattened_append *append, void *arg, const char *name, size_t buffer,
			   struct error *e);
void flattened_free(struct flattened *f);

/* Writes what a reader recognizes the form by; first. */
enum status flattened_begin(struct flattened *f, struct error *e);
/* Bytes of the file, in any order; no byte twice. */
enum status flattened_write(struct flattened *f, uint64_t offset, const uint8_t *bytes, size_t len, struct error *e);
/*
 * Bytes of its beginning, without the 4 at the offset later, unless that is 0: the caller writes these last, since no piece
 * may replace another.
 */
enum status flattened_write_head(struct flattened *f, const uint8_t *bytes, size_t len, uint64_t later, struct error *e);
/* Writes whole units of what was gathered, and keeps the rest; all of it if that fails. */
enum status flattened_flush(struct flattened *f, struct error *e);
/* Writes the end, which readers wait for. */
enum status flattened_end(struct flattened *f, struct error *e);

#endif
