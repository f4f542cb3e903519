// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The pieces of a flattened dump (set/dump_file.h), in which the bytes of the dump are in any order.  For
 * set/dump_file.c and set/dump_stream.c only.
 */
#ifndef NSPLIT_SET_DUMP_FLAT_H
#define NSPLIT_SET_DUMP_FLAT_H

#include "set/dump_file.h"

/* Bytes of the header of the file, and of that of each piece. */
enum { DUMP_FLAT_HEADER = 4096, DUMP_PIECE_HEADER = 16 };

/* Decodes offset and length of a piece; true: it is the mark of the end. */
bool dump_piece_decode(struct dump_piece *piece, const uint8_t raw[DUMP_PIECE_HEADER]);
/* False: no file can have it, or it is empty, which no writer makes. */
bool dump_piece_is_possible(const struct dump_piece *piece);

/*
 * Finds the pieces of a file, sorts them, and removes overlaps.  The last one may be cut short.  STATUS_DAMAGED: it
 * has far more pieces than any writer makes of so many bytes.
 */
enum status dump_file_find_pieces(struct dump_file *f, struct error *e);

#endif
