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
#include "set/set.h"

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
	uint8_t *part;		/* of the member, SCAN_PART bytes, */
	uint64_t part_offset;	/* where it begins, */
	size_t part_length;	/* and its valid bytes */
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
 * Salvage: searches members for their pieces (doc/format.md, section 12).  Each member has a thread
 * of its own, up to 32, so that all disks are read at once.
 */

struct salvage_job {
	struct member *member;		/* seekable; borrowed */
	bool identify;			/* only find the first intact record or footer, of any set */
	/* The result: */
	/* With identify: made from that piece; otherwise the member has its locations. */
	struct superblock first;
	enum status status;
	struct error error;		/* unless STATUS_OK or STATUS_END */
};

/* Returns when all jobs are done. */
void salvage_run(struct salvage_job *jobs, unsigned count, const struct salvage_watch *watch);

#endif
