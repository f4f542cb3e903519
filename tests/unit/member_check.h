// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Members read from their bytes alone, with the decoders of the format and nothing
 * of the reading side: what the writing side made is held against doc/format.md.
 * Everything here fails the test that calls it when something is wrong.
 */
#ifndef NSPLIT_TESTS_UNIT_MEMBER_CHECK_H
#define NSPLIT_TESTS_UNIT_MEMBER_CHECK_H

#include <stddef.h>
#include <stdint.h>

#include "format/footer.h"
#include "format/record.h"

/*
 * One record: header, body, padding; its blocks unpack to want, and unreadable ones count as
 * zeros there.  Adds to blocks, by kind, if it is not NULL.  Returns the record's length.
 */
uint32_t member_check_record(const uint8_t *raw, const struct capture_id *id, uint32_t chunk_size,
			     const uint8_t *want, uint64_t *blocks);

/* What a set's members must hold, all together. */
struct copy {
	struct capture_id id;
	uint32_t block_size, chunk_size;
	uint32_t members;		/* K */
	const uint8_t *source;		/* NULL: the chunks' bytes are not compared */
	uint64_t size;
	/* Counted by member_check(), a chunk each: how many records of it were seen. */
	unsigned *seen;
	uint64_t chunks;
};

/* What one member turned out to be. */
struct member_facts {
	struct superblock superblock;
	struct footer footer;		/* the last one */
	unsigned footers, segments;
	unsigned records;
	uint64_t *order;		/* which chunk each record is; to be freed */
	uint32_t unreadable;		/* blocks */
};

void copy_init(struct copy *copy, const struct capture_id *id, uint32_t block_size,
	       uint32_t chunk_size, uint32_t members, const uint8_t *source, uint64_t size);
void copy_free(struct copy *copy);

/*
 * A whole member of the set: superblock, pieces in a row up to the last footer, which is at its
 * end; the footer's figures; and the index, which lists each record once and right.
 */
void member_check(struct copy *copy, const uint8_t *bytes, uint64_t length, uint32_t number,
		  struct member_facts *facts);
void member_facts_free(struct member_facts *facts);

/* Every chunk of the source was seen exactly once. */
void copy_assert_perfect(const struct copy *copy);

#endif
