// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Record: one chunk of the source as it is stored in a member.  doc/format.md, sections 4 and 5.  A
 * gathered record (section 14) stores only some granules of its range; runs.h says which.
 */
#ifndef NSPLIT_FORMAT_RECORD_H
#define NSPLIT_FORMAT_RECORD_H

#include "format/format.h"
#include "format/gathered.h"

enum { RECORD_HEADER_LENGTH = 128, RECORD_ENTRY_LENGTH = 4 };

/* Section 5; the numbers are those of the file format. */
enum block_kind {
	BLOCK_ZERO = 0,
	BLOCK_SAME = 1,
	BLOCK_STORED = 2,
	BLOCK_PACKED = 3,
	BLOCK_UNREADABLE = 4,
	BLOCK_KINDS
};

enum { BLOCK_SAME_LENGTH = 8 };

/* The name that section 5 gives a kind; kind is less than BLOCK_KINDS. */
const char *block_kind_name(int kind);

struct record {
	struct capture_id id;
	uint64_t source_offset;
	uint32_t source_length;		/* bytes of the range, at least 1 */
	uint32_t block_size;
	uint32_t codec;			/* of the packed blocks: enum codec_id */
	uint32_t payload_offset;	/* from the start of the record */
	uint32_t payload_length;
	uint32_t unreadable;		/* blocks; granules of a gathered record */
	uint64_t body_checksum;
	struct gathered gathered;
};

/* Granules of the range. */
uint32_t record_granules(const struct record *record);
/* Bytes of the source in the blocks: of the range, or those that a gathered record stores. */
uint32_t record_unpacked_length(const struct record *record);
uint32_t record_blocks(const struct record *record);
/* The length of block i; only the last block may be shorter than block_size. */
uint32_t record_block_length(const struct record *record, uint32_t i);
/* The length of the record without the padding, and with it. */
uint32_t record_end(const struct record *record);
uint32_t record_length(const struct record *record);

/* The length of the longest possible record with chunks of this size. */
uint32_t record_length_max(uint32_t chunk_size);
/* The same in a set with layers. */
uint32_t record_length_max_gathered(uint32_t chunk_size, uint32_t cell_size);
/* The same for records of up to this number of runs. */
uint32_t record_length_max_runs(uint32_t chunk_size, uint32_t runs);
/* Where the block table begins: after the header, or after the runs and targets. */
uint32_t record_table_offset(const struct record *record);
/* The smallest payload_offset of a record with this number of blocks. */
uint32_t record_payload_offset_min(uint32_t blocks);

/* An entry of the block table; the limits ensure that length fits in 28 bits. */
uint32_t record_entry(enum block_kind kind, uint32_t length);
/* The kind comes from a file and may be BLOCK_KINDS or more. */
unsigned record_entry_kind(uint32_t entry);
uint32_t record_entry_length(uint32_t entry);

/* Writes the first RECORD_HEADER_LENGTH bytes of raw: a gathered record if it has a layer. */
void record_encode(const struct record *record, uint8_t *raw);

/*
 * Decodes the first RECORD_HEADER_LENGTH bytes of raw.  STATUS_NOT_OURS, STATUS_DAMAGED or
 * STATUS_UNSUPPORTED as defined in section 2.  chunk_size bounds source_length (section 9).  The
 * caller must check record->id.
 */
enum status record_decode(struct record *record, const uint8_t *raw, uint32_t chunk_size);
/* The same for a caller that knows these features.  A gathered record has a layer. */
enum status record_decode_with(struct record *record, const uint8_t *raw, uint32_t chunk_size,
			       uint64_t features);

/* The checksum of bytes RECORD_HEADER_LENGTH to record_end() of a whole record. */
uint64_t record_body_checksum(const struct record *record, const uint8_t *raw);

/*
 * Checks the body of a whole record against its decoded header: the checksum, the run list, and
 * that every entry of the table is valid.  After STATUS_OK the table can be used without further checks, but the
 * content of packed blocks remains untrusted.
 */
enum status record_check_body(const struct record *record, const uint8_t *raw);

#endif
