// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "format/columns.h"

enum { WORD = 4, COLUMNS_MAX = COLUMN_ROW_MAX / WORD, TILE = 64 };

/* Where each column is in the block that was split. */
struct columns {
	size_t words;			/* in the block; what follows them is no word, and stays where it is */
	uint32_t count;
	uint32_t at[COLUMNS_MAX];	/* bytes before its first word */
	uint32_t above[COLUMNS_MAX];	/* its last word so far */
};

bool column_row_valid(uint64_t row)
{
	return row && row <= COLUMN_ROW_MAX && row % COLUMN_ROW_UNIT == 0;
}

/* The rows of column k, of which the last one may not have it. */
static size_t rows_of(const struct columns *c, size_t k)
{
	return c->words / c->count + (k < c->words % c->count);
}

/* The last row may end early: then the first columns have a word more than the others. */
static void begin(struct columns *c, size_t len, uint32_t row)
{
	uint32_t at = 0;

	c->words = len / WORD;
	c->count = row / WORD;
	for (uint32_t i = 0; i < c->count; i++) {
		c->at[i] = at;
		c->above[i] = 0;
		at += (uint32_t)rows_of(c, i) * WORD;
	}
}

/* Reads the word once, whatever the compiler would prefer: another CPU or a device may be changing it. */
static uint32_t read_once(const uint8_t *word)
{
	union {
		uint32_t value;
		uint8_t bytes[WORD];
	} copy = { .value = *(const volatile uint32_t *)(const volatile void *)word };

	return get_le32(copy.bytes);
}

/*
 * Rows first to end of column k.  A tile of rows is done for all columns before the next one: whole columns would
 * take every line of the cache each, and rows would write to as many lines as there are columns, which often are in
 * the same set of the cache: a quarter of the speed.
 */
static void split_tile(struct columns *c, const uint8_t *src, uint32_t row, size_t k, size_t first, size_t end,
		       uint8_t *dst)
{
	uint32_t above = c->above[k];

	for (size_t r = first; r < end; r++) {
		uint32_t word = read_once(src + r * row + k * WORD);

		put_le32(dst + c->at[k] + r * WORD, word - above);
		above = word;
	}
	c->above[k] = above;
}

static void join_tile(struct columns *c, const uint8_t *src, uint32_t row, size_t k, size_t first, size_t end,
		      uint8_t *dst)
{
	uint32_t above = c->above[k];

	for (size_t r = first; r < end; r++) {
		above += get_le32(src + c->at[k] + r * WORD);
		put_le32(dst + r * row + k * WORD, above);
	}
	c->above[k] = above;
}

static void each_tile(const uint8_t *src, size_t len, uint32_t row, uint8_t *dst,
		      void (*tile)(struct columns *c, const uint8_t *src, uint32_t row, size_t k, size_t first,
				   size_t end, uint8_t *dst))
{
	struct columns c;

	begin(&c, len, row);
	for (size_t first = 0; first < rows_of(&c, 0); first += TILE)
		for (size_t k = 0; k < c.count; k++)
			tile(&c, src, row, k, first, min_u64(first + TILE, rows_of(&c, k)), dst);
	memcpy(dst + c.words * WORD, src + c.words * WORD, len - c.words * WORD);
}

void columns_split(const uint8_t *src, size_t len, uint32_t row, uint8_t *dst)
{
	each_tile(src, len, row, dst, split_tile);
}

void columns_join(const uint8_t *src, size_t len, uint32_t row, uint8_t *dst)
{
	each_tile(src, len, row, dst, join_tile);
}
