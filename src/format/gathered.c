// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "format/gathered.h"

/* Offsets of section 14, in the header of the record. */
enum {
	AT_RUNS = 60,
	AT_ALIASES = 64,
	AT_STORED_LENGTH = 68,
	AT_LAYER = 72,
	AT_NAMED = 74,
	AT_CLASSES = 76,
	AT_CELL_SIZE = 92,
	AT_LIST_CHECKSUM = 96,
};

_Static_assert(AT_CLASSES + CLASSES == AT_CELL_SIZE, "doc/format.md, section 14");

void gathered_encode(const struct gathered *g, uint8_t *raw)
{
	put_le32(raw + AT_RUNS, g->runs);
	put_le32(raw + AT_ALIASES, g->aliases);
	put_le32(raw + AT_STORED_LENGTH, g->stored_length);
	raw[AT_LAYER] = (uint8_t)g->layer;
	put_le16(raw + AT_NAMED, g->named);
	memcpy(raw + AT_CLASSES, g->classes.of, sizeof(g->classes.of));
	put_le32(raw + AT_CELL_SIZE, g->cell_size);
	put_le64(raw + AT_LIST_CHECKSUM, g->list_checksum);
}

void gathered_decode(struct gathered *g, const uint8_t *raw)
{
	g->runs = get_le32(raw + AT_RUNS);
	g->aliases = get_le32(raw + AT_ALIASES);
	g->stored_length = get_le32(raw + AT_STORED_LENGTH);
	g->layer = raw[AT_LAYER];
	g->named = get_le16(raw + AT_NAMED);
	memcpy(g->classes.of, raw + AT_CLASSES, sizeof(g->classes.of));
	g->cell_size = get_le32(raw + AT_CELL_SIZE);
	g->list_checksum = get_le64(raw + AT_LIST_CHECKSUM);
}
