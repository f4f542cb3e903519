// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "set/read/contents.h"

/* --- what is left out, in little memory ------------------------------------------------- */

/*
 * Each cell is divided into blocks of 256 granules, which is 1 MiB of the source.  A block takes one byte,
 * and another one for each granule that is an exception, of either kind;
 * from 32 exceptions on, the block has a bit for each granule.  So with 8 pages scattered in each MiB, 9
 * bytes describe a MiB, where bits alone would take 32; and never more than 33.
 */

enum {
	WORD = 64,			/* granules in a word, */
	BLOCK = 256,		/* and in a block */
	BLOCK_WORDS = BLOCK / WORD,
	EXCEPTIONS_MAX = 31,
	/* The first byte of a block is the number of exceptions, or this plus that number, */
	FEW_LEFT_OUT = EXCEPTIONS_MAX + 1,
	/* or this, and bits follow. */
	BITS = 2 * FEW_LEFT_OUT,
	BLOCK_BYTES_MAX = 1 + BLOCK / 8,
};

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

static bool all_are_set(const uint64_t *bits, uint64_t count)
{
	for (uint64_t i = 0; i < count; i += WORD)
		if (bits[i / WORD] != word_mask(i, count))
			return false;
	return true;
}

static bool left_out_add(struct contents *c, uint64_t offset, uint64_t length, const uint64_t *bits)
{
	struct left_out_cell cell = { .offset = offset, .length = length };
	uint64_t count = divide_up(length, GRANULE);
	size_t used = 0;
	uint8_t *less;

	if (!array_grow(&c->left_out, c->left_out_count, sizeof(*c->left_out)))
		return false;
	if (!all_are_set(bits, count)) {
		cell.blocks = malloc(divide_up(count, BLOCK) * BLOCK_BYTES_MAX);
		if (!cell.blocks)
			return false;
		for (uint64_t i = 0; i < count; i += BLOCK)
			used += pack_block(cell.blocks + used, bits + i / WORD, count - i);
		less = realloc(cell.blocks, used);
		cell.blocks = less ? less : cell.blocks;
	}
	c->left_out[c->left_out_count++] = cell;
	return true;
}

/* --- reading it ---------------------------------------------------------------- */

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
static bool next_in_cell(const struct left_out_cell *cell, uint64_t *offset, uint64_t *length)
{
	uint64_t from = *offset > cell->offset ? *offset - cell->offset : 0, to = cell->length;

	if (cell->blocks) {
		uint64_t first = from / GRANULE, end;

		if (!next_in_blocks(cell->blocks, divide_up(cell->length, GRANULE), &first, &end))
			return false;
		from = max_u64(from, first * GRANULE);
		to = min_u64(cell->length, end * GRANULE);
	}
	*offset = cell->offset + from;
	*length = to - from;
	return true;
}

bool contents_next_left_out(const struct contents *c, uint64_t *offset, uint64_t *length)
{
	for (size_t i = spans_find(c->left_out, sizeof(*c->left_out), c->left_out_count, *offset); i < c->left_out_count; i++)
		if (next_in_cell(&c->left_out[i], offset, length))
			return true;
	return false;
}

/* --- the contents ---------------------------------------------------------------------- */

void contents_free(struct contents *c)
{
	while (c->left_out_count)
		free(c->left_out[--c->left_out_count].blocks);
	free(c->left_out);
	range_list_free(&c->missing);
	range_list_free(&c->unreadable);
	*c = (struct contents){ 0 };
}

bool contents_not_there(const struct contents *c, struct range_list *list)
{
	const struct range_list *parts[] = { &c->missing, &c->unreadable };

	*list = (struct range_list){ 0 };
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		for (size_t n = 0; n < parts[i]->count; n++)
			if (!range_list_add(list, parts[i]->ranges[n].offset, parts[i]->ranges[n].length))
				return false;
	range_list_merge(list);
	return true;
}

/* The search for the contents of a set.  It reads the heads of records, unless their index entries say as much. */
struct search {
	const struct contents_watch *watch;
	const struct set *set;		/* borrowed */
	struct contents *found;
	struct resolver resolver;
	uint64_t *bits;			/* of the granules of the cell that are left out; owned */
	bool any_left_out;
	size_t announced;		/* records of the map whose heads were announced to the disk */
	double told;			/* when searching() was called */
};

static enum status no_memory(struct error *e)
{
	return error_system(e, ENOMEM, "list of missing ranges");
}

static size_t bits_size(const struct set *set)
{
	return round_up(divide_up(set->cell_size / GRANULE, 8), BLOCK / 8);
}

/* Damage to the cell of a first place was reported, or will be, when that cell is searched itself. */
static void report_damage(void *arg, size_t location, bool first, const struct error *e)
{
	const struct search *s = arg;

	if (!first && s->watch->damaged)
		s->watch->damaged(s->watch->arg, location, e);
}

/* --- the result ---------------------------------------------------------------- */

static void leave_out(struct search *s, const struct extent *x)
{
	uint64_t i = (x->offset % s->set->cell_size) / GRANULE;
	uint64_t end = i + divide_up(x->length, GRANULE);

	for (; i < end; i++)
		s->bits[i / WORD] |= UINT64_C(1) << i % WORD;
	s->any_left_out = true;
}

static enum status note_extent(struct search *s, const struct extent *x, struct error *e)
{
	struct contents *c = s->found;
	bool noted = true;

	layer_totals_count(&c->totals, x, x->length);
	if (x->kind == EXTENT_LEFT_OUT)
		leave_out(s, x);
	else if (x->kind == EXTENT_UNREADABLE)
		noted = range_list_extend(&c->unreadable, x->offset, x->length);
	else if (extent_is_missing(x))
		noted = range_list_extend(&c->missing, x->offset, x->length);
	return noted ? STATUS_OK : no_memory(e);
}

/* --- cells ----------------------------------------------------------------------- */

static enum status search_cell(struct search *s, uint64_t number, struct error *e)
{
	uint64_t begin = number * s->set->cell_size;
	uint64_t end = min_u64(begin + s->set->cell_size, s->set->source_size);
	enum status status = STATUS_OK;
	struct extent x;

	if (s->any_left_out)
		memset(s->bits, 0, bits_size(s->set));
	s->any_left_out = false;
	for (uint64_t at = begin; at < end && !status; at += x.length) {
		status = resolve(&s->resolver, at, end - at, &x, e);
		if (!status)
			status = note_extent(s, &x, e);
	}
	if (!status && s->any_left_out && !left_out_add(s->found, begin, end - begin, s->bits))
		return no_memory(e);
	return status;
}

/* The heads are small, and far from each other, so a disk should know of many of them at once. */
static void announce(const struct set *set, size_t from, size_t end)
{
	struct run ignored;

	for (size_t i = from; i < end && i < set->locations; i++) {
		const struct location *location = set->map[i];

		if (!index_entry_describes(&location->entry, &set->classes, &ignored))
			posix_fadvise(set->members[location->member].fd, (off_t)location->entry.member_offset, ALIGNMENT,
				      POSIX_FADV_WILLNEED);
	}
}

/* Before a cell is searched, whose first record is number i in the map. */
static void go_on(struct search *s, size_t i)
{
	enum { BATCH = 64 };		/* records that are announced to the disk together */

	if (i + BATCH <= s->announced)
		return;
	announce(s->set, s->announced, i + 2 * BATCH);
	s->announced = i + 2 * BATCH;
	if (!s->watch->searching || clock_seconds() - s->told < s->watch->interval)
		return;
	s->told = clock_seconds();
	s->watch->searching(s->watch->arg, i, s->set->locations);
}

/* All cells, in the order of the source. */
static enum status search_all(struct search *s, struct error *e)
{
	const struct set *set = s->set;
	uint64_t end = cell_number_end(set), next;
	enum status status = STATUS_OK;

	for (uint64_t from = 0; from < end && !status; from = next + 1) {
		uint64_t begin = from * set->cell_size, to;

		next = cell_number_next(set, from);
		to = min_u64(next * set->cell_size, set->source_size);
		/* Nothing is known of all bytes between. */
		if (begin < to) {
			s->found->totals.memory.unknown += to - begin;
			if (!range_list_extend(&s->found->missing, begin, to - begin))
				return no_memory(e);
		}
		if (next == end)
			break;
		go_on(s, set_find_cell(set, next));
		status = search_cell(s, next, e);
	}
	return status;
}

enum status contents_find(struct contents *c, const struct set *set,
			  const struct contents_watch *watch, struct error *e)
{
	struct search s = { .watch = watch, .set = set, .found = c, .told = clock_seconds() };
	enum status status = resolver_init(&s.resolver, set, e);

	*c = (struct contents){ 0 };
	s.resolver.by_entries = true;
	s.resolver.damaged = report_damage;
	s.resolver.arg = &s;
	s.bits = calloc(1, bits_size(set));
	if (!status)
		status = s.bits ? search_all(&s, e) : no_memory(e);
	if (watch->searching)
		watch->searching(watch->arg, set->locations, set->locations);
	resolver_free(&s.resolver);
	free(s.bits);
	return status;
}
