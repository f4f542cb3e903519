// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Index segment: the offsets of some of a member's records.  doc/format.md, section 8.
 */
#ifndef NSPLIT_FORMAT_INDEX_H
#define NSPLIT_FORMAT_INDEX_H

#include "format/record.h"

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
