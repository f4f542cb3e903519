// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Searching a file or device for pieces, a unit at a time: what lies in a row is read in large
 * parts, and holes of a file are passed over.
 */
#ifndef NSPLIT_SET_PIECE_SEARCH_H
#define NSPLIT_SET_PIECE_SEARCH_H

#include "set/member.h"

/* Belongs to one thread. */
struct piece_search {
	uint8_t *bytes;			/* a part of the member; owned */
	uint64_t offset;		/* where it begins, */
	size_t length;			/* and how much of it is there */
};

enum status piece_search_init(struct piece_search *s, struct error *e);
void piece_search_free(struct piece_search *s);

/* The first unit at or behind offset, a multiple of UNIT, that is in no hole; the member's end if none. */
uint64_t piece_search_data(const struct member *m, uint64_t offset);

/*
 * Copies the unit at offset: as transfer_pread().  in_a_row: the units behind it will be asked
 * for as well.
 */
size_t piece_search_read(struct piece_search *s, const struct member *m, uint64_t offset, bool in_a_row,
		   uint8_t unit[UNIT]);

#endif
