// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Record: a range of the source as it is stored in a member.  doc/format.md, section 5.  It stores all
 * granules of its range, or some of them; its run list says which.
 */
#ifndef NSPLIT_FORMAT_RECORD_H
#define NSPLIT_FORMAT_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
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
	BLOCK_COLUMNS = 5,		/* packed, as columns; where kinds are counted, it is BLOCK_PACKED */
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
static inline uint32_t record_granules(const struct record *record)
{
	return (uint32_t)divide_up(record->source_length, GRANULE);
}

static inline uint32_t record_blocks(const struct record *record)
{
	return (uint32_t)divide_up(record->stored_length, record->block_size);
}

/* The length of block i; only the last block may be shorter than block_size. */
static inline uint32_t record_block_length(const struct record *record, uint32_t i)
{
	uint32_t before = i * record->block_size;

	return (uint32_t)min_u64(record->block_size, record->stored_length - before);
}

/* The length of the record without the padding, and with it. */
static inline uint32_t record_end(const struct record *record)
{
	return record->payload_offset + record->payload_length;
}

static inline uint32_t record_length(const struct record *record)
{
	return (uint32_t)round_up(record_end(record), ALIGNMENT);
}

/* Where the block table begins: after the header, or after the runs. */
static inline uint32_t record_table_offset(const struct record *record)
{
	return RECORD_HEADER_LENGTH + RUN_LENGTH * record->runs;
}

/* The smallest payload_offset of a record with this number of blocks, and no runs. */
static inline uint32_t record_payload_offset_min(uint32_t blocks)
{
	return RECORD_HEADER_LENGTH + RECORD_ENTRY_LENGTH * blocks;
}

/* The length of the longest record with up to this number of runs, and of the longest possible one. */
static inline uint32_t record_length_max_runs(uint32_t chunk_size, uint32_t runs)
{
	uint32_t table = record_payload_offset_min(chunk_size / BLOCK_SIZE_MIN);

	return (uint32_t)round_up((uint64_t)RUN_LENGTH * runs + table + chunk_size, ALIGNMENT);
}

static inline uint32_t record_length_max(uint32_t chunk_size, uint32_t cell_size)
{
	return record_length_max_runs(chunk_size, cell_size / GRANULE);
}

/* A row has a multiple of COLUMN_ROW_UNIT bytes, at most COLUMN_ROW_MAX: seven bits of the block table. */
enum { COLUMN_ROW_UNIT = 8, COLUMN_ROW_MAX = 127 * COLUMN_ROW_UNIT };

/* The bits between are those of a row, which only BLOCK_COLUMNS has. */
enum { RECORD_KIND_SHIFT = 28, RECORD_ROW_SHIFT = 21, RECORD_LENGTH_MASK = (1 << RECORD_ROW_SHIFT) - 1, RECORD_ROW_MASK = 127 };

/* An entry of the block table; the limits ensure that length fits in 21 bits. */
static inline uint32_t record_entry(unsigned kind, uint32_t length)
{
	return kind << RECORD_KIND_SHIFT | length;
}

/* Of BLOCK_COLUMNS, with the bytes of a row. */
static inline uint32_t record_entry_columns(uint32_t length, uint32_t row)
{
	return record_entry(BLOCK_COLUMNS, length) | row / COLUMN_ROW_UNIT << RECORD_ROW_SHIFT;
}

/* The kind comes from a file and may be any number up to 15. */
static inline unsigned record_entry_kind(uint32_t entry)
{
	return entry >> RECORD_KIND_SHIFT;
}

static inline uint32_t record_entry_length(uint32_t entry)
{
	return entry & RECORD_LENGTH_MASK;
}

static inline uint32_t record_entry_row(uint32_t entry)
{
	return (entry >> RECORD_ROW_SHIFT & RECORD_ROW_MASK) * COLUMN_ROW_UNIT;
}

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

/*
 * --- Run list: which granules a record stores, and what the others are.  doc/format.md, section 5.
 */

/* The numbers are those of the file format. */
enum run_kind {
	RUN_STORED = 0,
	RUN_NAMED = 1,
	RUN_ZERO = 2,
	RUN_UNREADABLE = 3,
	RUN_ELSEWHERE = 4,
};

/* Consecutive granules of the same kind and class. */
struct run {
	enum run_kind kind;
	/*
	 * enum layer_class, or a number of a later version.  In a list being made, a run that is RUN_ELSEWHERE has a marked
	 * class if some of it is of that.
	 */
	unsigned class_number;
	uint32_t granules;		/* at least 1 */
};

/* A list being made.  All zero but for runs and capacity when empty. */
struct run_list {
	struct run *runs;		/* borrowed: space for capacity runs */
	uint32_t capacity;
	uint32_t count;
};

/*
 * Appends granules; they are joined to the last run if they continue it.  False: the record must end
 * before them, because the list is full.
 */
bool run_list_add(struct run_list *list, const struct run *run);

/* Leaves only the first granules of the list. */
void run_list_cut(struct run_list *list, uint32_t granules);

/*
 * Writes the list behind the header of a record whose layer and range are set, and sets the fields
 * of the header that follow from it: runs, stored_length, named, unreadable and list_checksum.  A list
 * that says nothing but that all is stored, and of class 0, is not written.
 */
void run_list_encode(const struct run_list *list, struct record *record, uint8_t *raw);

/*
 * Checks the list against the decoded header; raw is the record up to record_table_offset() or more.
 * After STATUS_OK the list can be used without further checks.
 */
enum status run_list_check(const struct record *record, const uint8_t *raw);

/* A run with its place in the source. */
struct run_place {
	struct run run;
	uint64_t offset;		/* in the source, */
	uint32_t length;		/* and bytes of it */
	uint32_t stored_at;		/* RUN_STORED: where they begin in the stored bytes */
};

/* Goes through the runs of a record, from the first to the last. */
struct run_cursor {
	const uint8_t *run;		/* of the record: the next one */
	uint32_t left;			/* runs */
	uint64_t offset, end;		/* of the source */
	uint32_t stored;		/* bytes of the stored runs so far */
};

struct run_cursor run_cursor_begin(const struct record *record, const uint8_t *raw);
/* False: there are no more. */
bool run_cursor_next(struct run_cursor *c, struct run_place *place);

/*
 * --- Columns: a block of rows that resemble each other, such as the entries of the kernel's memory map, as it is before it
 * is packed.  doc/format.md, section 5, block kind 5.
 */

bool column_row_valid(uint64_t row);

/*
 * Writes len bytes to dst, which src must not overlap.  row: bytes, valid.  src is aligned to four bytes, and may change
 * meanwhile: each of its words is read once, so that columns_join() gives what columns_split()
 * has read.
 */
void columns_split(const uint8_t *src, size_t len, uint32_t row, uint8_t *dst);
/* The inverse, of bytes that do not change. */
void columns_join(const uint8_t *src, size_t len, uint32_t row, uint8_t *dst);

/* --- index segments -------------------------------------------------------- */

/*
 * Index segment: the offsets of some of a member's records.  doc/format.md, section 8.
 */

enum {
	INDEX_HEADER_LENGTH = 64,
	INDEX_ENTRY_LENGTH = 32,
	INDEX_HEAD_LENGTH = INDEX_HEADER_LENGTH + INDEX_ENTRY_LENGTH,
	INDEX_SEGMENT_MAX = 1 << 20,	/* bytes; section 11 */
};

/* Readers hold one for each record of a set: 32 bytes. */
struct index_entry {
	uint64_t member_offset;
	uint64_t source_offset;
	uint32_t source_length : 28;
	uint32_t layer : 4;
	uint32_t record_length;
	uint32_t unreadable;		/* granules */
	uint16_t stored;		/* granules */
	uint16_t named;			/* as in the record */
};

struct index_header {
	struct capture_id id;
	uint64_t previous;		/* offset of the previous segment; 0: none */
	uint32_t count;			/* entries */
	uint32_t length;		/* bytes of the whole segment */
	uint64_t entries_checksum;
};

/*
 * The length of a segment with count entries, and the number of entries that fit in a length;
 * bytes.
 */
uint32_t index_segment_length(uint32_t count);
uint32_t index_segment_capacity(uint32_t bytes);

/* The entry of a decoded or encoded record at an offset of the member. */
struct index_entry index_entry_of(const struct record *record, uint64_t member_offset);

void index_entry_encode(const struct index_entry *entry, uint8_t *raw);
/* STATUS_DAMAGED: a limit of section 11 is exceeded. */
enum status index_entry_decode(struct index_entry *entry, const uint8_t *raw, uint32_t chunk_size,
			       uint32_t cell_size);

/*
 * Does the entry say all that the run list of its record does, with one run (section 8)?  classes is the
 * table of the set: if more than one class is stored in this layer, the entry does not say which class is.
 */
bool index_entry_describes(const struct index_entry *entry, const struct class_table *classes,
			   struct run *run);

/*
 * Completes a segment whose entries are already at raw + INDEX_HEADER_LENGTH: writes the header,
 * the capture tags of the entries, the checksums, and zeros up to the end.  Returns the segment's length.
 */
uint32_t index_segment_seal(uint8_t *raw, const struct capture_id *id, uint64_t previous,
			    uint32_t count);

/*
 * Decodes the first INDEX_HEAD_LENGTH bytes; section 3 defines the status.  The capture tag is that of the
 * first entry, and valid once index_check_entries() has returned STATUS_OK.
 */
enum status index_header_decode(struct index_header *header, const uint8_t *raw);
/* Checks the entries of a whole segment against its decoded header. */
enum status index_check_entries(const struct index_header *header, const uint8_t *raw);

#endif
