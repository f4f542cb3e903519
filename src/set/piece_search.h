// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Searching a member for pieces, one unit after another.  Consecutive units are read in large
 * parts, and holes of a file are skipped.
 */
#ifndef NSPLIT_SET_PIECE_SEARCH_H
#define NSPLIT_SET_PIECE_SEARCH_H

#include "set/member.h"

/* Belongs to one thread. */
struct piece_search {
	uint8_t *bytes;			/* a part of the member, of up to 256 KiB; owned */
	uint64_t offset;		/* where the part begins in the member, */
	size_t length;			/* and its valid bytes */
};

enum status piece_search_init(struct piece_search *s, struct error *e);
void piece_search_free(struct piece_search *s);

/*
 * The offset of the first unit, at or after offset (a multiple of ALIGNMENT), that is not in a hole of
 * the file; the last multiple of ALIGNMENT in the member, or offset, if there is none.
 */
uint64_t piece_search_data(const struct member *m, uint64_t offset);

/*
 * Copies the unit at offset; returns as transfer_pread().  sequential: the following units will be
 * needed, too.
 */
size_t piece_search_read(struct piece_search *s, const struct member *m, uint64_t offset,
			 bool sequential, uint8_t unit[ALIGNMENT]);

#endif
