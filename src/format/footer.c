// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "format/footer.h"

/* --- the root of a set --------------------------------------------------- */

void root_begin(struct root *root)
{
	digest_begin(&root->digest);
}

void root_add(struct root *root, uint64_t checksum)
{
	uint8_t raw[8];

	put_le64(raw, checksum);
	digest_add(&root->digest, raw, sizeof(raw));
}

void root_get(const struct root *root, uint8_t bytes[ROOT_LENGTH])
{
	digest_get(&root->digest, bytes);
}

/* --- footers ------------------------------------------------------------- */

/* Offsets of section 9. */
enum {
	AT_OFFSET = SET_FIELDS_END,
	AT_INDEX = AT_OFFSET + 8,
	AT_RECORDS = AT_INDEX + 8,
	AT_SOURCE_BYTES = AT_RECORDS + 8,
	AT_BLOCKS = AT_SOURCE_BYTES + 8,
	AT_FINISHED = AT_BLOCKS + 8 * BLOCK_KINDS,
	AT_FLAGS = AT_FINISHED + 8,
	AT_WHOLE = AT_FLAGS + 4,
	AT_FIRST = 512,
	AT_NAMED = AT_FIRST + 8 * CLASSES,
	AT_LATER = AT_NAMED + 8 * CLASSES,
	AT_UNREADABLE = AT_LATER + 8 * CLASSES,
	AT_ROOT = AT_UNREADABLE + 8,
	AT_REASON = 1024,
};

_Static_assert(AT_WHOLE == 500 && AT_ROOT == 904 && AT_ROOT + ROOT_LENGTH <= AT_REASON, "doc/format.md, section 9");

static const uint32_t FLAG_STOPPED = 1, FLAG_CHECKPOINT = 2, FLAG_ROOT = 4;

void footer_encode(const struct footer *footer, uint8_t raw[FOOTER_LENGTH])
{
	const struct layer_figures *f = &footer->figures;

	set_fields_encode(&footer->set, PIECE_FOOTER, raw);
	put_le64(raw + AT_OFFSET, footer->offset);
	put_le64(raw + AT_INDEX, footer->index);
	put_le64(raw + AT_RECORDS, footer->records);
	put_le64(raw + AT_SOURCE_BYTES, footer->source_bytes);
	for (int kind = 0; kind < BLOCK_KINDS; kind++)
		put_le64(raw + AT_BLOCKS + 8 * kind, footer->blocks[kind]);
	put_le64(raw + AT_FINISHED, (uint64_t)footer->finished);
	put_le32(raw + AT_FLAGS, (footer->stopped ? FLAG_STOPPED : 0) |
				 (footer->checkpoint ? FLAG_CHECKPOINT : 0) |
				 (footer->has_root ? FLAG_ROOT : 0));
	put_le32(raw + AT_WHOLE, footer->whole);
	for (unsigned i = 0; i < CLASSES; i++) {
		put_le64(raw + AT_FIRST + 8 * i, f->first[i]);
		put_le64(raw + AT_NAMED + 8 * i, f->named[i]);
		put_le64(raw + AT_LATER + 8 * i, f->later[i]);
	}
	put_le64(raw + AT_UNREADABLE, f->unreadable);
	if (footer->has_root)
		memcpy(raw + AT_ROOT, footer->root, ROOT_LENGTH);
	memcpy(raw + AT_REASON, footer->reason, strnlen(footer->reason, REASON_TEXT_LENGTH));
	set_fields_seal(raw);
}

static bool within_limits(const struct footer *footer)
{
	return footer->offset <= OFFSET_MAX - FOOTER_LENGTH &&
	       footer->offset % ALIGNMENT == 0 &&
	       footer->index < footer->offset &&
	       footer->index % ALIGNMENT == 0 &&
	       (footer->index == 0) == (footer->records == 0) &&
	       footer->whole <= LAYERS_MAX;
}

static void decode_figures(struct layer_figures *f, const uint8_t *raw)
{
	for (unsigned i = 0; i < CLASSES; i++) {
		f->first[i] = get_le64(raw + AT_FIRST + 8 * i);
		f->named[i] = get_le64(raw + AT_NAMED + 8 * i);
		f->later[i] = get_le64(raw + AT_LATER + 8 * i);
	}
	f->unreadable = get_le64(raw + AT_UNREADABLE);
}

static void decode_root(struct footer *footer, const uint8_t *raw)
{
	footer->has_root = get_le32(raw + AT_FLAGS) & FLAG_ROOT;
	memset(footer->root, 0, ROOT_LENGTH);
	if (footer->has_root)
		memcpy(footer->root, raw + AT_ROOT, ROOT_LENGTH);
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
	footer->stopped = get_le32(raw + AT_FLAGS) & FLAG_STOPPED;
	footer->checkpoint = get_le32(raw + AT_FLAGS) & FLAG_CHECKPOINT;
	footer->whole = get_le32(raw + AT_WHOLE);
	decode_figures(&footer->figures, raw);
	decode_root(footer, raw);
	memcpy(footer->reason, raw + AT_REASON, REASON_TEXT_LENGTH);
	footer->reason[REASON_TEXT_LENGTH] = '\0';
	return within_limits(footer) ? STATUS_OK : STATUS_DAMAGED;
}
