// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Record reader: one record at a time from a member to blocks in memory.  The
 * way back of doc/architecture.md: one read, the checks, then the codec's safe decoder
 * into a buffer of known size.
 */
#ifndef NSPLIT_SET_READER_H
#define NSPLIT_SET_READER_H

#include "format/record.h"
#include "set/scan.h"
#include "set/set.h"

enum { CODEC_IDS_MAX = 16 };		/* more than section 8 numbers */

/* Belongs to one thread. */
struct record_reader {
	uint8_t *raw;			/* the record; owned */
	struct record record;		/* its header */
	const struct member *member;	/* where it came from */
	uint64_t offset;		/* and where in it */
	void *unpackers[CODEC_IDS_MAX];	/* made when first needed */
};

enum status record_reader_init(struct record_reader *r, uint32_t chunk_size, struct error *e);
void record_reader_free(struct record_reader *r);

/* Reads and checks the record at a place of a seekable member. */
enum status record_reader_load(struct record_reader *r, const struct set *set,
			       const struct location *location, struct error *e);

/*
 * Takes the next record of a stream, whole; scan_next() returns as it does.  Split from the check so
 * that a stream can be read by one thread while others check and unpack.
 */
enum status record_reader_take(struct record_reader *r, struct scan *scan, struct error *e);
enum status record_reader_check(struct record_reader *r, struct error *e);

/*
 * Unpacks all blocks of the loaded record into dst, which has room for chunk_size
 * bytes; zero and unreadable blocks are left untouched there.
 */
enum status record_reader_unpack(struct record_reader *r, uint8_t *dst, struct error *e);

/* Unpacks each packed block, to see that it can be, and keeps none; scratch as dst above. */
enum status record_reader_prove(struct record_reader *r, uint8_t *scratch, struct error *e);

/*
 * Unpacks block i alone, into record_block_length() bytes; zeros are written, and for an
 * unreadable block as well.
 */
enum status record_reader_unpack_block(struct record_reader *r, uint32_t i, uint8_t *dst,
				       struct error *e);

/* The kind of block i of the loaded record. */
enum block_kind record_reader_kind(const struct record_reader *r, uint32_t i);

/* A block as it lies in the record. */
struct raw_block {
	enum block_kind kind;
	const uint8_t *bytes;	/* in the record; borrowed until the next is loaded */
	uint32_t length;	/* of these */
};

/* Goes along the blocks of the loaded record, which stays while this is used. */
struct block_cursor {
	const struct record_reader *reader;
	uint32_t number;	/* the block that it is at, */
	uint32_t at;		/* and where in the record */
};

struct block_cursor block_cursor_begin(const struct record_reader *r);
/* Block i, which is not before the one that was asked for last. */
struct raw_block block_cursor_get(struct block_cursor *c, uint32_t i);

/* Fills len bytes with the value of a same-filled block. */
void block_fill_same(uint8_t *dst, size_t len, const uint8_t *value);

#endif
