// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Record: a range of the source as it is stored in a member.  doc/format.md, section 5.  It stores all
 * granules of its range, or some of them; runs.h says which.
 */
#ifndef NSPLIT_FORMAT_RECORD_H
#define NSPLIT_FORMAT_RECORD_H

#include "format/classes.h"
#include "format/format.h"

enum { RECORD_HEADER_LENGTH = 128, RECORD_ENTRY_LENGTH = 4, RUN_LENGTH = 4 };

/* In struct record.named, where the class of kernel pages would be: the record has runs of zeros. */
enum { NAMED_ZERO = 1 };

/* The numbers are those of the file format. */
enum block_kind {
	BLOCK_ZERO = 0,
	BLOCK_SAME = 1,
	BLOCK_STORED = 2,
	BLOCK_PACKED = 3,
	BLOCK_KINDS,
	BLOCK_COLUMNS = 5,		/* packed, after format/columns.h; where kinds are counted, it is BLOCK_PACKED */
};

enum { BLOCK_SAME_LENGTH = 8 };

/* The name of a kind; kind is less than BLOCK_KINDS. */
const char *block_kind_name(int kind);

struct record {
	struct capture_id id;
	uint64_t source_offset;
	uint32_t source_length;		/* bytes of the range, at least 1 */
	uint32_t block_size;
	uint32_t codec;			/* of the packed blocks: enum codec_id */
	uint32_t payload_offset;	/* from the start of the record */
	uint32_t payload_length;
	uint32_t unreadable;		/* granules */
	uint32_t runs;			/* 0: all of the range is stored, and of class 0 */
	uint32_t stored_length;		/* bytes of the source that are stored */
	unsigned layer;			/* 1 to LAYERS_MAX */
	uint16_t named;			/* a bit for each class of runs of the kind RUN_NAMED; and NAMED_ZERO */
	struct class_table classes;
	uint32_t cell_size;		/* bytes */
	uint64_t list_checksum;		/* 0 without runs */
	uint64_t body_checksum;
};

/* Granules of the range. */
uint32_t record_granules(const struct record *record);
uint32_t record_blocks(const struct record *record);
/* The length of block i; only the last block may be shorter than block_size. */
uint32_t record_block_length(const struct record *record, uint32_t i);
/* The length of the record without the padding, and with it. */
uint32_t record_end(const struct record *record);
uint32_t record_length(const struct record *record);

/* The length of the longest possible record, and of one with up to this number of runs. */
uint32_t record_length_max(uint32_t chunk_size, uint32_t cell_size);
uint32_t record_length_max_runs(uint32_t chunk_size, uint32_t runs);
/* Where the block table begins: after the header, or after the runs. */
uint32_t record_table_offset(const struct record *record);
/* The smallest payload_offset of a record with this number of blocks, and no runs. */
uint32_t record_payload_offset_min(uint32_t blocks);

/* An entry of the block table; the limits ensure that length fits in 21 bits. */
uint32_t record_entry(unsigned kind, uint32_t length);
/* Of BLOCK_COLUMNS, with the bytes of a row. */
uint32_t record_entry_columns(uint32_t length, uint32_t row);
/* The kind comes from a file and may be any number up to 15. */
unsigned record_entry_kind(uint32_t entry);
uint32_t record_entry_length(uint32_t entry);
uint32_t record_entry_row(uint32_t entry);

/* Writes the first RECORD_HEADER_LENGTH bytes of raw. */
void record_encode(const struct record *record, uint8_t *raw);

/*
 * Decodes the first RECORD_HEADER_LENGTH bytes of raw.  STATUS_NOT_OURS, STATUS_DAMAGED or
 * STATUS_UNSUPPORTED as defined in section 3.  chunk_size bounds stored_length (section 11).  The
 * caller must check record->id.
 */
enum status record_decode(struct record *record, const uint8_t *raw, uint32_t chunk_size);

/* The checksum of an encoded header, which contains those of the body and of the runs. */
uint64_t record_checksum(const uint8_t *raw);

/* The checksum of bytes RECORD_HEADER_LENGTH to record_end() of a whole record. */
uint64_t record_body_checksum(const struct record *record, const uint8_t *raw);

/*
 * Checks the body of a whole record against its decoded header: the checksum, the run list, and
 * that every entry of the table is valid.  After STATUS_OK the table can be used without further checks, but the
 * content of packed blocks remains untrusted.
 */
enum status record_check_body(const struct record *record, const uint8_t *raw);

#endif
