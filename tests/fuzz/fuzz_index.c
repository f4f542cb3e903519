// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The input is an index segment (doc/format.md, section 8).  It is read with all sizes of chunks and
 * cells.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

const size_t fuzz_prefix = 0;

static void check_entry(const uint8_t *raw, uint32_t chunk_size, uint32_t cell_size)
{
	struct index_entry entry, again;
	uint8_t written[INDEX_ENTRY_LENGTH];

	if (index_entry_decode(&entry, raw, chunk_size, cell_size))
		return;
	fuzz_require(entry.record_length <= record_length_max(chunk_size, cell_size) &&
		     entry.record_length >= ALIGNMENT && entry.layer >= 1 &&
		     entry.source_offset % cell_size + entry.source_length <= cell_size &&
		     entry.member_offset <= OFFSET_MAX - entry.record_length &&
		     entry.source_offset <= OFFSET_MAX - entry.source_length,
		     "an entry that is taken keeps the limits");
	index_entry_encode(&entry, written);
	/* Except for the capture tag, which is that of the segment. */
	fuzz_require(!memcmp(written, raw, 28), "and is written as it was");
	fuzz_require(index_entry_decode(&again, written, chunk_size, cell_size) == STATUS_OK,
		     "and read again");
}

static void check_entries(const struct index_header *header, const uint8_t *raw)
{
	const uint8_t *entry = raw + INDEX_HEADER_LENGTH;

	for (uint32_t i = 0; i < header->count; i++, entry += INDEX_ENTRY_LENGTH)
		for (uint32_t chunk = BLOCK_SIZE_MIN; chunk <= CHUNK_SIZE_MAX; chunk *= 4)
			for (uint32_t cell = chunk; cell <= CELL_SIZE_MAX; cell *= 4)
				check_entry(entry, chunk, cell);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	struct index_header header;
	uint8_t *raw;

	if (size < INDEX_HEAD_LENGTH)
		return 0;
	raw = fuzz_copy(input, INDEX_HEAD_LENGTH);
	if (index_header_decode(&header, raw) == STATUS_OK) {
		fuzz_require(header.length <= INDEX_SEGMENT_MAX && header.count >= 1 &&
			     header.length >= INDEX_HEADER_LENGTH + INDEX_ENTRY_LENGTH *
			     (uint64_t)header.count, "a header that is taken keeps the limits");
		free(raw);
		raw = fuzz_copy(input, size);
	}
	if (piece_kind(raw) == PIECE_INDEX &&
	    index_header_decode(&header, raw) == STATUS_OK &&
	    header.length <= size && index_check_entries(&header, raw) == STATUS_OK)
		check_entries(&header, raw);
	free(raw);
	return 0;
}
