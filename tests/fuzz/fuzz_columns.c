// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The input is a block (doc/format.md, section 5, "Columns"): a byte for the length of its rows, divided by 8, and its
 * bytes.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "format/record.h"
#include "fuzz.h"

enum { HEAD = 1 };

const size_t fuzz_prefix = HEAD;

/* Both ways, and in both orders: every block can be split, and whatever is unpacked can be joined. */
int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	uint32_t row = size ? input[0] % 128u * COLUMN_ROW_UNIT : 0;
	uint8_t *block, *other, *back;
	size_t length = size - HEAD;

	if (!column_row_valid(row))
		return 0;
	block = fuzz_copy(input + HEAD, length);
	other = fuzz_memory(length);
	back = fuzz_memory(length);
	columns_split(block, length, row, other);
	columns_join(other, length, row, back);
	fuzz_require(!memcmp(block, back, length), "what was split is joined");
	columns_join(block, length, row, other);
	columns_split(other, length, row, back);
	fuzz_require(!memcmp(block, back, length), "what was joined is split");
	free(block);
	free(other);
	free(back);
	return 0;
}
