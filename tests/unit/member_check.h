// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Checks members with only the decoders of the format and no code of the read side: what the write
 * side has made is compared with doc/format.md. Every function fails the test if something is
 * wrong.
 */
#ifndef NSPLIT_TESTS_UNIT_MEMBER_CHECK_H
#define NSPLIT_TESTS_UNIT_MEMBER_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "format/superblock.h"
#include "format/record.h"

/*
 * One record: header, body, padding; its range must be want, where granules that are not stored
 * are zeros.  Adds to blocks, by kind, if it is not NULL.  Returns the record's length.
 */
uint32_t member_check_record(const uint8_t *raw, const struct capture_id *id, uint32_t chunk_size,
			     const uint8_t *want, uint64_t *blocks);

/* The required contents of all members of a set together. */
struct copy {
	struct capture_id id;
	uint32_t block_size, chunk_size;
	uint32_t members;		/* K */
	const uint8_t *source;		/* NULL: contents are not compared */
	uint64_t size;
	/* Counted by member_check(): the number of records of each chunk. */
	unsigned *seen;
	uint64_t chunks;
};

/* What member_check() found in one member. */
struct member_facts {
	struct superblock superblock;
	struct footer footer;		/* the last one */
	unsigned footers, segments;
	unsigned records;
	uint64_t *order;		/* the chunk of each record; owned */
	uint32_t unreadable;		/* granules */
};

void copy_init(struct copy *copy, const struct capture_id *id, uint32_t block_size,
	       uint32_t chunk_size, uint32_t members, const uint8_t *source, uint64_t size);
void copy_free(struct copy *copy);

/*
 * Checks a complete member: the superblock; consecutive pieces up to the last footer, which ends
 * the member; the figures in the footer; and the index, which must list each record once and
 * correctly.
 */
void member_check(struct copy *copy, const uint8_t *bytes, uint64_t length, uint32_t number,
		  struct member_facts *facts);
void member_facts_free(struct member_facts *facts);

/* Expects exactly one record of every chunk of the source. */
void copy_assert_perfect(const struct copy *copy);

#endif
