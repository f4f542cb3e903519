// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "format/footer.h"

/* Offsets of sections 7 and 17. */
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
	AT_CELL_SIZE = 484,
	AT_WHOLE = 488,
	AT_CLASSES = 496,
	AT_FIRST = 512,
	AT_NAMED = AT_FIRST + 8 * CLASSES,
	AT_LATER = AT_NAMED + 8 * CLASSES,
	AT_ALIASED = AT_LATER + 8 * CLASSES,
	AT_UNREADABLE = AT_ALIASED + 8,
	AT_REASON = 1024,
};

_Static_assert(AT_BLOCKS + 8 * BLOCK_KINDS == AT_FINISHED, "doc/format.md, section 7");
_Static_assert(AT_ALIASED == 896, "doc/format.md, section 17");

static const uint32_t FLAG_STOPPED = 1, FLAG_MARK = 2;

static void layers_encode(const struct footer *footer, uint8_t *raw)
{
	const struct layer_figures *f = &footer->figures;

	put_le32(raw + AT_CELL_SIZE, footer->set.cell_size);
	put_le32(raw + AT_WHOLE, footer->whole);
	memcpy(raw + AT_CLASSES, footer->set.classes.of, sizeof(footer->set.classes.of));
	for (unsigned i = 0; i < CLASSES; i++) {
		put_le64(raw + AT_FIRST + 8 * i, f->first[i]);
		put_le64(raw + AT_NAMED + 8 * i, f->named[i]);
		put_le64(raw + AT_LATER + 8 * i, f->later[i]);
	}
	put_le64(raw + AT_ALIASED, f->aliased);
	put_le64(raw + AT_UNREADABLE, f->unreadable);
	memcpy(raw + AT_REASON, footer->reason, strnlen(footer->reason, REASON_TEXT_LENGTH));
}

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
	put_le32(raw + AT_FLAGS, (footer->stopped ? FLAG_STOPPED : 0) |
				 (footer->mark ? FLAG_MARK : 0));
	put_le32(raw + AT_FALLBACKS, footer->set.fallbacks);
	put_le32(raw + AT_CAPTURE_TAG, footer->set.id.tag);
	if (footer->set.features & FEATURE_LAYERS)
		layers_encode(footer, raw);
	set_fields_seal(raw);
}

static bool within_limits(const struct footer *footer)
{
	return footer->offset <= OFFSET_MAX - FOOTER_LENGTH &&
	       footer->offset % UNIT == 0 &&
	       footer->index < footer->offset &&
	       footer->index % UNIT == 0 &&
	       (footer->index == 0) == (footer->records == 0) &&
	       footer->whole <= LAYERS_MAX;
}

static enum status layers_decode(struct footer *footer, const uint8_t *raw)
{
	struct layer_figures *f = &footer->figures;
	enum status status = set_layers_decode(&footer->set, raw + AT_CELL_SIZE, raw + AT_CLASSES);

	footer->mark = false;
	footer->whole = 0;
	*f = (struct layer_figures){ 0 };
	memset(footer->reason, 0, sizeof(footer->reason));
	if (status || !(footer->set.features & FEATURE_LAYERS))
		return status;
	footer->mark = get_le32(raw + AT_FLAGS) & FLAG_MARK;
	footer->whole = get_le32(raw + AT_WHOLE);
	for (unsigned i = 0; i < CLASSES; i++) {
		f->first[i] = get_le64(raw + AT_FIRST + 8 * i);
		f->named[i] = get_le64(raw + AT_NAMED + 8 * i);
		f->later[i] = get_le64(raw + AT_LATER + 8 * i);
	}
	f->aliased = get_le64(raw + AT_ALIASED);
	f->unreadable = get_le64(raw + AT_UNREADABLE);
	memcpy(footer->reason, raw + AT_REASON, REASON_TEXT_LENGTH);
	return STATUS_OK;
}

enum status footer_decode_with(struct footer *footer, const uint8_t raw[FOOTER_LENGTH],
			       uint64_t features)
{
	enum status status = set_fields_decode(&footer->set, PIECE_FOOTER, raw, features);

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
	status = layers_decode(footer, raw);
	if (status)
		return status;
	return within_limits(footer) ? STATUS_OK : STATUS_DAMAGED;
}
