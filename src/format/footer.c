// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "format/footer.h"

/* Offsets of section 7. */
enum {
	AT_OFFSET = 392,
	AT_INDEX = 400,
	AT_RECORDS = 408,
	AT_SOURCE_BYTES = 416,
	AT_BLOCKS = 424,
	AT_FINISHED = 464,
	AT_FLAGS = 472,
	AT_FALLBACKS = 476,
	AT_CAPTURE_TAG = 480,
};

_Static_assert(AT_BLOCKS + 8 * BLOCK_KINDS == AT_FINISHED, "doc/format.md, section 7");

static const uint32_t FLAG_STOPPED = 1;

void footer_encode(const struct footer *footer, uint8_t raw[FOOTER_LENGTH])
{
	set_fields_encode(&footer->set, PIECE_FOOTER, raw);
	put_le64(raw + AT_OFFSET, footer->offset);
	put_le64(raw + AT_INDEX, footer->index);
	put_le64(raw + AT_RECORDS, footer->records);
	put_le64(raw + AT_SOURCE_BYTES, footer->source_bytes);
	for (int kind = 0; kind < BLOCK_KINDS; kind++)
		put_le64(raw + AT_BLOCKS + 8 * kind, footer->blocks[kind]);
	put_le64(raw + AT_FINISHED, (uint64_t)footer->finished);
	put_le32(raw + AT_FLAGS, footer->stopped ? FLAG_STOPPED : 0);
	put_le32(raw + AT_FALLBACKS, footer->set.fallbacks);
	put_le32(raw + AT_CAPTURE_TAG, footer->set.id.tag);
	set_fields_seal(raw);
}

static bool within_limits(const struct footer *footer)
{
	return footer->offset <= OFFSET_MAX - FOOTER_LENGTH &&
	       footer->offset % UNIT == 0 &&
	       footer->index < footer->offset &&
	       footer->index % UNIT == 0 &&
	       (footer->index == 0) == (footer->records == 0);
}

enum status footer_decode(struct footer *footer, const uint8_t raw[FOOTER_LENGTH])
{
	enum status status = set_fields_decode(&footer->set, PIECE_FOOTER, raw);

	if (status)
		return status;
	footer->offset = get_le64(raw + AT_OFFSET);
	footer->index = get_le64(raw + AT_INDEX);
	footer->records = get_le64(raw + AT_RECORDS);
	footer->source_bytes = get_le64(raw + AT_SOURCE_BYTES);
	for (int kind = 0; kind < BLOCK_KINDS; kind++)
		footer->blocks[kind] = get_le64(raw + AT_BLOCKS + 8 * kind);
	footer->finished = (int64_t)get_le64(raw + AT_FINISHED);
	footer->set.fallbacks = get_le32(raw + AT_FALLBACKS);
	footer->set.id.tag = get_le32(raw + AT_CAPTURE_TAG);
	footer->stopped = get_le32(raw + AT_FLAGS) & FLAG_STOPPED;
	return within_limits(footer) ? STATUS_OK : STATUS_DAMAGED;
}
