// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Scan: reads a member piece by piece from its beginning, without its index; for salvage and for
 * streams (doc/format.md, section 12).
 *
 * While a stream delivers nothing, the scan polls it together with an eventfd, so that a walk that
 * ends does not wait for a sender that has gone silent.
 */
#ifndef NSPLIT_SET_SCAN_H
#define NSPLIT_SET_SCAN_H

#include <stdatomic.h>

#include "format/record.h"
#include "set/member.h"

/*
 * Searching a member for pieces, one unit after another.  Consecutive units are read in large
 * parts, and holes of a file are skipped.
 */

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

struct scan {
	struct member *member;
	uint64_t position;	/* of the next piece */
	uint64_t skip;		/* bytes of a stream still to be skipped before it */
	bool past_damage;	/* continue after damage, as salvage does */
	bool in_damage;		/* the latest unit was no intact piece */
	/* Called for damage that is skipped, once for adjacent units; NULL: not called. */
	void (*damaged)(void *arg, const struct error *e);
	void *damaged_arg;
	int wake_fd;		/* readable: stop waiting for the stream; -1: none */
	/* For salvage, otherwise NULL: */
	struct piece_search *search;	/* borrowed */
	atomic_ullong *searched;	/* counts the bytes that were searched, */
	uint64_t counted;	/* up to this position */
	uint8_t unit[ALIGNMENT];	/* the first unit of the latest piece */
};

void scan_init(struct scan *scan, struct member *member, bool past_damage);

/*
 * Finds the next record, and stores the footers before it in the member.  STATUS_END: the member
 * ends after a footer.  STATUS_CUT: it ends without a footer or within a piece.  Damage is an error
 * unless past_damage is set.
 */
enum status scan_next(struct scan *scan, struct record *record, uint64_t *offset,
		      struct error *e);

/*
 * Reads the whole record that scan_next() has just found into raw.  Without this call, it is
 * skipped.
 */
enum status scan_read_record(struct scan *scan, const struct record *record, uint8_t *raw,
			     struct error *e);

/*
 * Finds the first intact record or footer of any set, and makes a superblock from it.  From a
 * record, only the id and the block size are known, the chunk size is the maximum, and the number
 * is MEMBER_NUMBER_UNKNOWN.  STATUS_END: there is none.
 */
enum status scan_identify(struct scan *scan, struct superblock *superblock, struct error *e);

#endif
