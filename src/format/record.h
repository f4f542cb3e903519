// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Record: one chunk of the source as it lies in a member.
 * doc/format.md, sections 4 and 5.
 */
#ifndef NSPLIT_FORMAT_RECORD_H
#define NSPLIT_FORMAT_RECORD_H

#include "format/format.h"

enum { RECORD_HEADER_LENGTH = 128, RECORD_ENTRY_LENGTH = 4 };

/* Section 5; the numbers are those of the format. */
enum block_kind {
	BLOCK_ZERO = 0,
	BLOCK_SAME = 1,
	BLOCK_STORED = 2,
	BLOCK_PACKED = 3,
	BLOCK_UNREADABLE = 4,
	BLOCK_KINDS
};

enum { BLOCK_SAME_LENGTH = 8 };

/* Section 5's name of a kind below BLOCK_KINDS. */
const char *block_kind_name(int kind);

struct record {
	struct capture_id id;
	uint64_t source_offset;
	uint32_t source_length;		/* bytes of the source, at least 1 */
	uint32_t block_size;
	uint32_t codec;			/* of the packed blocks: enum codec_id */
	uint32_t payload_offset;	/* from the start of the record */
	uint32_t payload_length;
	uint32_t unreadable;		/* blocks */
	uint64_t body_checksum;
};

uint32_t record_blocks(const struct record *record);
/* Length of block i, which is shorter than block_size for the last one only. */
uint32_t record_block_length(const struct record *record, uint32_t i);
/* Bytes without the padding, and with it. */
uint32_t record_end(const struct record *record);
uint32_t record_length(const struct record *record);

/* Bytes of the longest record of a set whose chunks are of this size. */
uint32_t record_length_max(uint32_t chunk_size);
/* The least payload_offset of a record with this many blocks. */
uint32_t record_payload_offset_min(uint32_t blocks);

/* An entry of the block table; length fits in 28 bits by the limits. */
uint32_t record_entry(enum block_kind kind, uint32_t length);
/* The kind may be BLOCK_KINDS or more: it comes from a file. */
unsigned record_entry_kind(uint32_t entry);
uint32_t record_entry_length(uint32_t entry);

/* Writes the first RECORD_HEADER_LENGTH bytes of raw. */
void record_encode(const struct record *record, uint8_t *raw);

/*
 * Reads the first RECORD_HEADER_LENGTH bytes of raw: STATUS_NOT_OURS,
 * STATUS_DAMAGED or STATUS_UNSUPPORTED, decided as section 2 says.  chunk_size
 * bounds source_length (section 9).  Whose record it is, is the caller's to check.
 */
enum status record_decode(struct record *record, const uint8_t *raw, uint32_t chunk_size);

/* Checksum of bytes RECORD_HEADER_LENGTH to record_end() of a whole record. */
uint64_t record_body_checksum(const struct record *record, const uint8_t *raw);

/*
 * Checks the body of a whole record against its decoded header: checksum, and
 * that every entry of the table is lawful.  After STATUS_OK the table may be
 * walked without further checks; a packed block must still be unpacked safely.
 */
enum status record_check_body(const struct record *record, const uint8_t *raw);

#endif
