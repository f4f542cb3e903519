// SPDX-License-Identifier: GPL-2.0-or-later
/* The input is a footer (doc/format.md, section 9); a short one is extended with zeros. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "fuzz.h"

const size_t fuzz_prefix = 0;

static void check(const struct footer *footer)
{
	uint8_t first[FOOTER_LENGTH], second[FOOTER_LENGTH];
	struct footer again;

	fuzz_require(footer->offset % ALIGNMENT == 0 && footer->offset <= OFFSET_MAX - FOOTER_LENGTH &&
		     footer->index % ALIGNMENT == 0 && footer->index < footer->offset &&
		     chunk_size_valid(footer->set.chunk_size, footer->set.block_size) &&
		     cell_size_valid(footer->set.cell_size, footer->set.chunk_size) &&
		     class_table_valid(&footer->set.classes) && footer->whole <= LAYERS_MAX,
		     "a footer that is taken keeps the limits");
	footer_encode(footer, first);
	fuzz_require(footer_decode(&again, first) == STATUS_OK, "it can be written again");
	footer_encode(&again, second);
	fuzz_require(!memcmp(first, second, sizeof(first)), "and comes out as it was");
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	uint8_t *raw = fuzz_copy_padded(input, size, FOOTER_LENGTH);
	struct footer footer;

	if (footer_decode(&footer, raw) == STATUS_OK)
		check(&footer);
	free(raw);
	return 0;
}
