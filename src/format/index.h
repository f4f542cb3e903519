// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Index segment: where some of a member's records lie.
 * doc/format.md, section 6.
 */
#ifndef NSPLIT_FORMAT_INDEX_H
#define NSPLIT_FORMAT_INDEX_H

#include "format/format.h"

enum {
	INDEX_HEADER_LENGTH = 64,
	INDEX_ENTRY_LENGTH = 32,
	INDEX_HEAD_LENGTH = INDEX_HEADER_LENGTH + INDEX_ENTRY_LENGTH,
	INDEX_SEGMENT_MAX = 1 << 20,	/* bytes; section 9 */
};

struct index_entry {
	uint64_t member_offset;
	uint64_t source_offset;
	uint32_t source_length;
	uint32_t record_length;
	uint32_t unreadable;		/* blocks */
};

struct index_header {
	struct capture_id id;
	uint64_t previous;		/* offset of the segment before, 0: none */
	uint32_t count;			/* entries */
	uint32_t length;		/* bytes of the whole segment */
	uint64_t entries_checksum;
};

/* Bytes of a segment with this many entries; and how many fit in so many bytes. */
uint32_t index_segment_length(uint32_t count);
uint32_t index_segment_capacity(uint32_t bytes);

void index_entry_encode(const struct index_entry *entry, uint8_t *raw);
/* STATUS_DAMAGED when a limit of section 9 is broken. */
enum status index_entry_decode(struct index_entry *entry, const uint8_t *raw,
			       uint32_t chunk_size);

/*
 * Completes a segment whose count entries already lie at raw + INDEX_HEADER_LENGTH:
 * header, the entries' capture tags, checksums, zeros up to the segment's end.  Returns the
 * segment's length.
 */
uint32_t index_segment_seal(uint8_t *raw, const struct capture_id *id, uint64_t previous,
			    uint32_t count);

/*
 * The first INDEX_HEAD_LENGTH bytes; section 2 says how the status is decided.  The capture tag is
 * the first entry's: it counts once index_check_entries() has found the entries whole.
 */
enum status index_header_decode(struct index_header *header, const uint8_t *raw);
/* The entries of a whole segment against its decoded header. */
enum status index_check_entries(const struct index_header *header, const uint8_t *raw);

#endif
