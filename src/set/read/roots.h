// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The roots of members (doc/format.md, section 9), computed again by a walk that checks all records.
 *
 * The walk reads the records of a file in any order, so their checksums are collected in memory, eight bytes for each.
 * Those of a stream come in order.
 */
#ifndef NSPLIT_SET_READ_ROOTS_H
#define NSPLIT_SET_READ_ROOTS_H

#include "format/footer.h"
#include "set/set.h"

struct roots;

enum root_verdict {
	ROOT_NONE,			/* the member was not closed, or its footer has no root */
	ROOT_SAME,
	ROOT_DIFFERENT,
	ROOT_UNKNOWN,			/* not all records of the member are there and intact */
};

/* *roots stays NULL where digest_supported() is false.  The set is borrowed. */
enum status roots_new(struct roots **roots, const struct set *set, struct error *e);
void roots_free(struct roots *roots);

/* An intact record of a seekable member; any thread, once for each location. */
void roots_take(struct roots *roots, const struct location *location, uint64_t checksum);
/* The next record of the stream that is this member of the set; one thread at a time. */
void roots_take_next(struct roots *roots, unsigned member, uint64_t checksum);
/* A record of a stream, taken before, is intact; any thread. */
void roots_confirm(struct roots *roots, unsigned member);

/* After the walk.  bytes: what the records have; only if ROOT_SAME or ROOT_DIFFERENT is returned. */
enum root_verdict roots_verdict(const struct roots *roots, unsigned member, uint8_t bytes[ROOT_LENGTH]);

#endif
