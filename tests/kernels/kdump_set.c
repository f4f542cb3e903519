// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "kdump_set.h"

enum {
	STATUS = 424, BLOCK_SIZE = 428, SUB_BLOCKS = 432, BITMAP_BLOCKS = 436,
	SUB_LEVEL = 8, SUB_MAX_MAPNR_64 = 96, SUB_LENGTH = 104,
	INCOMPLETE = 0x8,
};

static void die(const char *name)
{
	fprintf(stderr, "%s: not a complete kdump-compressed file\n", name);
	exit(2);
}

struct kdump_set kdump_set_open(const char *name)
{
	struct kdump_set set = { .file = file_map(name) };
	const uint8_t *header = set.file.bytes, *sub;
	uint64_t block, bitmaps, length;

	if (set.file.size < BITMAP_BLOCKS + 4 || memcmp(header, "KDUMP   ", 8))
		die(name);
	block = get_le32(header + BLOCK_SIZE);
	bitmaps = (1 + (uint64_t)get_le32(header + SUB_BLOCKS)) * block;
	length = get_le32(header + BITMAP_BLOCKS) * block;
	if (set.file.size < block + SUB_LENGTH || set.file.size < bitmaps + length)
		die(name);
	sub = header + block;
	set.end = get_le64(sub + SUB_MAX_MAPNR_64);
	set.level = get_le32(sub + SUB_LEVEL);
	set.incomplete = get_le32(header + STATUS) & INCOMPLETE;
	set.bitmap = header + bitmaps + length / 2;
	if (set.end > length / 2 * 8)
		die(name);
	return set;
}

bool kdump_set_has(const struct kdump_set *set, uint64_t pfn)
{
	return pfn < set->end && set->bitmap[pfn / 8] >> (pfn % 8) & 1;
}
