// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Scanning: a member piece by piece from its beginning, with no index; for
 * streams, and for salvage (doc/format.md, sections 11 and 12).
 */
#ifndef NSPLIT_SET_SCAN_H
#define NSPLIT_SET_SCAN_H

#include <stdatomic.h>

#include "format/record.h"
#include "set/piece_search.h"

struct scan {
	struct member *member;
	uint64_t position;	/* of the next piece */
	uint64_t skip;		/* bytes of a stream still to be passed over before it */
	bool past_damage;	/* go on after damage, as salvage does */
	bool lost;		/* what was read last was damaged */
	/* Told of damage that is passed over, once for neighbours; NULL: nobody asks. */
	void (*tell)(void *arg, const struct error *e);
	void *tell_arg;
	int wake_fd;		/* a stream is waited for until this is readable; -1: none */
	/* Of a seekable member that is searched; NULL: not asked for. */
	struct piece_search *search;	/* borrowed */
	atomic_ullong *searched;	/* bytes that were passed are added there, */
	uint64_t counted;	/* up to this position */
	uint8_t unit[UNIT];	/* the first of the last piece */
};

void scan_init(struct scan *scan, struct member *member, bool past_damage);

/*
 * The next record.  Footers on the way are noted in the member.  STATUS_END where
 * the member ends in order, STATUS_CUT where it ends without a footer or within a
 * piece, a verdict for damage unless that is passed over.
 */
enum status scan_next(struct scan *scan, struct record *record, uint64_t *offset,
		      struct error *e);

/*
 * The bytes of the record that scan_next() just gave, all of them, into raw.
 * Without this call they are passed over.
 */
enum status scan_read_record(struct scan *scan, const struct record *record, uint8_t *raw,
			     struct error *e);

/*
 * What a member of which neither superblock nor footer is left says of its capture by its first
 * piece that is whole: of a record only id and geometry are known, and the number is
 * MEMBER_NUMBER_UNKNOWN.  STATUS_END: it has no such piece.
 */
enum status scan_identify(struct scan *scan, struct superblock *superblock, struct error *e);

#endif
