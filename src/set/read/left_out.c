// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/search.h"
#include "format/format.h"
#include "set/read/left_out.h"

enum {
	WORD = 64,			/* granules in a word, */
	BLOCK = LEFT_OUT_ALIGN,		/* and in a block */
	BLOCK_WORDS = BLOCK / WORD,
	EXCEPTIONS_MAX = 31,
	/* The first byte of a block is the number of exceptions, or this plus that number, */
	FEW_LEFT_OUT = EXCEPTIONS_MAX + 1,
	/* or this, and bits follow. */
	BITS = 2 * FEW_LEFT_OUT,
	BLOCK_BYTES_MAX = 1 + BLOCK / 8,
};

static const uint64_t all_of_it = UINT64_MAX;

void left_out_free(struct left_out *l)
{
	free(l->cells);
	free(l->bytes);
	*l = (struct left_out){ 0 };
}

void left_out_clear(struct left_out *l)
{
	l->cells_count = 0;
	l->bytes_count = 0;
}

static uint64_t cell_begin_of(const struct left_out *l, uint64_t number)
{
	return number * l->cell_size;
}

static uint64_t cell_length_of(const struct left_out *l, uint64_t number)
{
	return min_u64(l->cell_size, l->source_size - cell_begin_of(l, number));
}

/* --- a block ------------------------------------------------------------------- */

/* The granules of a word that begins with granule number first, of count granules. */
static uint64_t word_mask(uint64_t first, uint64_t count)
{
	if (first >= count)
		return 0;
	return count - first >= WORD ? UINT64_MAX : (UINT64_C(1) << (count - first)) - 1;
}

static size_t put_positions(uint8_t *dst, const uint64_t words[BLOCK_WORDS])
{
	size_t count = 0;

	for (unsigned i = 0; i < BLOCK_WORDS; i++)
		for (uint64_t word = words[i]; word; word &= word - 1)
			dst[count++] = (uint8_t)(i * WORD + (unsigned)__builtin_ctzll(word));
	return count;
}

/* Of a block of count granules.  Returns its length. */
static size_t pack_block(uint8_t dst[BLOCK_BYTES_MAX], const uint64_t bits[BLOCK_WORDS], uint64_t count)
{
	uint64_t others[BLOCK_WORDS], left_out = 0;

	count = min_u64(count, BLOCK);
	for (unsigned i = 0; i < BLOCK_WORDS; i++) {
		others[i] = ~bits[i] & word_mask((uint64_t)i * WORD, count);
		left_out += (uint64_t)__builtin_popcountll(bits[i]);
	}
	if (count - left_out <= EXCEPTIONS_MAX) {
		dst[0] = (uint8_t)(count - left_out);
		return 1 + put_positions(dst + 1, others);
	}
	if (left_out <= EXCEPTIONS_MAX) {
		dst[0] = (uint8_t)(FEW_LEFT_OUT + left_out);
		return 1 + put_positions(dst + 1, bits);
	}
	dst[0] = BITS;
	for (unsigned i = 0; i < BLOCK_WORDS; i++)
		put_le64(dst + 1 + i * sizeof(uint64_t), bits[i]);
	return BLOCK_BYTES_MAX;
}

static size_t block_length(const uint8_t *block)
{
	return block[0] == BITS ? (size_t)BLOCK_BYTES_MAX : 1 + (size_t)(block[0] % FEW_LEFT_OUT);
}

static void unpack_block(uint64_t bits[BLOCK_WORDS], const uint8_t *block, uint64_t count)
{
	bool most = block[0] < FEW_LEFT_OUT;

	for (unsigned i = 0; i < BLOCK_WORDS; i++) {
		if (block[0] == BITS)
			bits[i] = get_le64(block + 1 + i * sizeof(uint64_t));
		else
			bits[i] = most ? word_mask((uint64_t)i * WORD, count) : 0;
	}
	if (block[0] == BITS)
		return;
	for (size_t i = 1; i < block_length(block); i++)
		bits[block[i] / WORD] ^= UINT64_C(1) << block[i] % WORD;
}

/* --- making it ----------------------------------------------------------------- */

static bool reserve(struct left_out *l, size_t more)
{
	size_t capacity = max_u64(2 * l->bytes_capacity, l->bytes_count + more);
	uint8_t *bytes;

	if (l->bytes_capacity - l->bytes_count >= more)
		return true;
	bytes = realloc(l->bytes, capacity);
	if (!bytes)
		return false;
	l->bytes = bytes;
	l->bytes_capacity = capacity;
	return true;
}

static bool add_cell(struct left_out *l, uint64_t number, uint64_t at)
{
	if (!array_grow(&l->cells, l->cells_count, sizeof(*l->cells)))
		return false;
	l->cells[l->cells_count++] = (struct left_out_cell){ number, at };
	return true;
}

static bool all_are_set(const uint64_t *bits, uint64_t count)
{
	for (uint64_t i = 0; i < count; i += WORD)
		if (bits[i / WORD] != word_mask(i, count))
			return false;
	return true;
}

bool left_out_add(struct left_out *l, uint64_t number, const uint64_t *bits)
{
	uint64_t count = divide_up(cell_length_of(l, number), GRANULE);
	bool all = all_are_set(bits, count);

	if (!reserve(l, all ? 0 : divide_up(count, BLOCK) * BLOCK_BYTES_MAX) ||
	    !add_cell(l, number, all ? all_of_it : l->bytes_count))
		return false;
	for (uint64_t i = 0; i < count && !all; i += BLOCK)
		l->bytes_count += pack_block(l->bytes + l->bytes_count, bits + i / WORD, count - i);
	return true;
}

bool left_out_append(struct left_out *l, const struct left_out *other)
{
	uint64_t moved = l->bytes_count;

	if (!reserve(l, other->bytes_count))
		return false;
	for (size_t i = 0; i < other->cells_count; i++) {
		const struct left_out_cell *cell = &other->cells[i];

		if (!add_cell(l, cell->number, cell->at == all_of_it ? all_of_it : moved + cell->at))
			return false;
	}
	if (other->bytes_count)
		memcpy(l->bytes + l->bytes_count, other->bytes, other->bytes_count);
	l->bytes_count += other->bytes_count;
	return true;
}

/* --- reading it ---------------------------------------------------------------- */

struct sought {
	const struct left_out *l;
	uint64_t number;
};

static bool is_before(const void *arg, size_t i)
{
	const struct sought *s = arg;

	return s->l->cells[i].number < s->number;
}

/* The first granule of a block from this one on that is left out, or is not; BLOCK if there is none. */
static uint64_t next_granule(const uint64_t bits[BLOCK_WORDS], uint64_t i, bool left_out)
{
	while (i < BLOCK) {
		uint64_t word = (left_out ? bits[i / WORD] : ~bits[i / WORD]) & UINT64_MAX << i % WORD;

		i = round_down(i, WORD);
		if (word)
			return i + (uint64_t)__builtin_ctzll(word);
		i += WORD;
	}
	return BLOCK;
}

/* In the blocks of a cell of count granules, from granule *first on: up to *end. */
static bool next_in_blocks(const uint8_t *block, uint64_t count, uint64_t *first, uint64_t *end)
{
	uint64_t bits[BLOCK_WORDS];

	for (uint64_t at = 0; at < count; at += BLOCK, block += block_length(block)) {
		uint64_t i;

		if (*first >= at + BLOCK)
			continue;
		unpack_block(bits, block, count - at);
		i = next_granule(bits, max_u64(*first, at) - at, true);
		if (i == BLOCK)
			continue;
		*first = at + i;
		*end = at + next_granule(bits, i, false);
		return true;
	}
	return false;
}

/* In one cell, from the byte at *offset of the source on. */
static bool next_in_cell(const struct left_out *l, const struct left_out_cell *cell, uint64_t *offset,
			 uint64_t *length)
{
	uint64_t begin = cell_begin_of(l, cell->number), size = cell_length_of(l, cell->number);
	uint64_t from = *offset > begin ? *offset - begin : 0, to = size;

	if (from >= size)
		return false;
	if (cell->at != all_of_it) {
		uint64_t first = from / GRANULE, end;

		if (!next_in_blocks(l->bytes + cell->at, divide_up(size, GRANULE), &first, &end))
			return false;
		from = max_u64(from, first * GRANULE);
		to = min_u64(size, end * GRANULE);
	}
	*offset = begin + from;
	*length = to - from;
	return true;
}

/* The index of the first cell with this number or a greater one. */
static size_t find_cell(const struct left_out *l, uint64_t number)
{
	const struct sought sought = { l, number };
	uint64_t guess;

	if (!l->cells_count || number <= l->cells[0].number)
		return 0;
	/* Nearly always, something is left out of every cell. */
	guess = number - l->cells[0].number;
	if (guess < l->cells_count && l->cells[guess].number == number)
		return guess;
	return search_first(l->cells_count, is_before, &sought);
}

bool left_out_next(const struct left_out *l, uint64_t *offset, uint64_t *length)
{
	size_t i = find_cell(l, l->cell_size ? *offset / l->cell_size : 0);

	for (; i < l->cells_count; i++)
		if (next_in_cell(l, &l->cells[i], offset, length))
			return true;
	return false;
}
