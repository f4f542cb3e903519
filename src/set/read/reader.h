// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Record reader: reads one record of a member at a time, checks it, and unpacks its blocks with the
 * safe decoder of its codec, which never writes beyond the length that it is given.
 */
#ifndef NSPLIT_SET_READ_READER_H
#define NSPLIT_SET_READ_READER_H

#include "format/record.h"
#include "set/set.h"

enum { CODEC_IDS_MAX = 16 };		/* doc/format.md, section 6, has fewer */

/* Belongs to one thread. */
struct record_reader {
	uint8_t *raw;			/* the record as it is stored; owned */
	struct record record;		/* its header */
	const struct member *member;	/* it was read from, */
	uint64_t offset;		/* and where */
	void *unpackers[CODEC_IDS_MAX];	/* states of codecs, made when first needed; owned */
	uint8_t *columns;		/* a block before it is joined, likewise */
	uint32_t columns_size;		/* bytes of it */
};

enum status record_reader_init(struct record_reader *r, const struct set *set, struct error *e);
void record_reader_free(struct record_reader *r);

/* An entry is only a hint, but must agree with its record. */
bool record_matches_entry(const struct record *record, const struct index_entry *entry);

/* Reads and checks the record at a location. */
enum status record_reader_load(struct record_reader *r, const struct set *set,
			       const struct location *location, struct error *e);

/* Checks the body of a record that was read. */
enum status record_reader_check(struct record_reader *r, struct error *e);

/*
 * Unpacks all blocks of the record to dst, a buffer of chunk_size bytes.  Where blocks are zero, dst is not changed.  Without
 * keep, checks that all packed blocks can be unpacked: each is unpacked to the beginning of dst, which has the size of a
 * block, and stays in the CPU's cache; that makes a check 5 % faster.
 */
enum status record_reader_unpack(struct record_reader *r, uint8_t *dst, bool keep, struct error *e);

/* Unpacks block i only, to record_block_length() bytes. */
enum status record_reader_unpack_block(struct record_reader *r, uint32_t i, uint8_t *dst,
				       struct error *e);

/* The kind of block i of the record. */
enum block_kind record_reader_kind(const struct record_reader *r, uint32_t i);

/* A block as it is stored. */
struct raw_block {
	enum block_kind kind;
	const uint8_t *bytes;	/* in the record: valid until the next record is read */
	uint32_t length;	/* of bytes */
};

/* Goes through the stored blocks of the record, from the first to the last. */
struct block_cursor {
	const struct record_reader *reader;
	uint32_t number;	/* of the current block, */
	uint32_t at;		/* and its offset in the record */
};

struct block_cursor block_cursor_begin(const struct record_reader *r);
/* Block i; i must not decrease between calls. */
struct raw_block block_cursor_get(struct block_cursor *c, uint32_t i);

/* Fills len bytes with the value of a same-filled block. */
void block_fill_same(uint8_t *dst, size_t len, const uint8_t *value);

#endif
