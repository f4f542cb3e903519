// SPDX-License-Identifier: GPL-2.0-or-later
/* The input is a superblock (doc/format.md, section 4); a short one is extended with zeros. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

const size_t fuzz_prefix = 0;

static void check(const struct superblock *sb)
{
	uint8_t first[SUPERBLOCK_LENGTH], second[SUPERBLOCK_LENGTH];
	struct superblock again;

	fuzz_require(sb->number < sb->members && sb->members <= MEMBERS_MAX &&
		     block_size_valid(sb->block_size) &&
		     chunk_size_valid(sb->chunk_size, sb->block_size) &&
		     cell_size_valid(sb->cell_size, sb->chunk_size) && class_table_valid(&sb->classes),
		     "a superblock that is taken keeps the limits");
	fuzz_require(strlen(sb->codec) <= CODEC_TEXT_LENGTH &&
		     strlen(sb->creator) <= CREATOR_TEXT_LENGTH &&
		     strlen(sb->source) <= SOURCE_TEXT_LENGTH, "texts end");
	superblock_encode(sb, first);
	fuzz_require(superblock_decode(&again, first) == STATUS_OK, "it can be written again");
	superblock_encode(&again, second);
	fuzz_require(!memcmp(first, second, sizeof(first)), "and comes out as it was");
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	uint8_t *raw = fuzz_copy_padded(input, size, SUPERBLOCK_LENGTH);
	struct superblock sb;

	if (superblock_decode(&sb, raw) == STATUS_OK)
		check(&sb);
	free(raw);
	return 0;
}
