// SPDX-License-Identifier: GPL-2.0-or-later
/* Which granules were left out, in little memory: what was added is what is found. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "format/format.h"
#include "helper.h"
#include "set/read/left_out.h"

enum { CELL_GRANULES = 1024, CELL = CELL_GRANULES * GRANULE, CELLS = 40, LAST = 777, SETS = 50 };

static const uint64_t size = (uint64_t)(CELLS - 1) * CELL + (LAST - 1) * GRANULE + 100;

struct made {
	uint64_t random;
	bool out[CELLS * CELL_GRANULES];
	struct left_out l;
};

static uint64_t number_below(struct made *m, uint64_t limit)
{
	m->random ^= m->random << 13;
	m->random ^= m->random >> 7;
	m->random ^= m->random << 17;
	return m->random % limit;
}

static uint32_t granules_of(uint64_t cell)
{
	return cell == CELLS - 1 ? LAST : CELL_GRANULES;
}

/* Each block of 256 has its own share of granules that are left out: none, few, many, all. */
static void make_cell(struct made *m, uint64_t cell)
{
	static const unsigned shares[] = { 0, 1, 31, 32, 33, 128, 223, 224, 225, 255, 256 };
	uint64_t bits[CELL_GRANULES / 64] = { 0 };
	bool *out = m->out + cell * CELL_GRANULES, any = false;
	unsigned share = 0;

	for (unsigned i = 0; i < granules_of(cell); i++) {
		if (i % 256 == 0)
			share = shares[number_below(m, LENGTH(shares))];
		out[i] = number_below(m, 256) < share;
		if (out[i])
			bits[i / 64] |= UINT64_C(1) << i % 64;
		any |= out[i];
	}
	if (any)
		ck_assert(left_out_add(&m->l, cell, bits));
}

static void make_whole_cell(struct made *m, uint64_t cell)
{
	uint64_t bits[CELL_GRANULES / 64] = { 0 };

	for (unsigned i = 0; i < granules_of(cell); i++) {
		bits[i / 64] |= UINT64_C(1) << i % 64;
		m->out[cell * CELL_GRANULES + i] = true;
	}
	ck_assert(left_out_add(&m->l, cell, bits));
}

static void make(struct made *m, uint64_t first, uint64_t end)
{
	for (uint64_t cell = first; cell < end; cell++) {
		uint64_t kind = number_below(m, 4);

		if (kind == 0)
			make_whole_cell(m, cell);
		else if (kind > 1)
			make_cell(m, cell);
	}
}

/* The assertions are few: each takes a system call. */
static void check(const struct made *m)
{
	uint64_t offset = 0, length, last = 0, wrong = 0;

	for (; left_out_next(&m->l, &offset, &length); offset += length) {
		wrong += offset < last || !length || offset + length > size;
		for (; last < offset; last += GRANULE)
			wrong += m->out[last / GRANULE];
		for (; last < offset + length; last += GRANULE)
			wrong += !m->out[last / GRANULE];
	}
	for (; last < size; last += GRANULE)
		wrong += m->out[last / GRANULE];
	ck_assert_uint_eq(wrong, 0);
}

/* From any byte on, it is as from the first. */
static void check_inside(struct made *m)
{
	for (unsigned n = 0; n < 50; n++) {
		uint64_t from = number_below(m, size), offset = from, length, want = from;

		while (want < size && !m->out[want / GRANULE])
			want = round_down(want, GRANULE) + GRANULE;
		ck_assert_int_eq(left_out_next(&m->l, &offset, &length), want < size);
		ck_assert_uint_eq(offset, want < size ? want : from);
	}
}

static void begin(struct left_out *l)
{
	*l = (struct left_out){ .cell_size = CELL, .source_size = size };
}

START_TEST(test_random)
{
	struct made *m = calloc(1, sizeof(*m));

	ck_assert_ptr_nonnull(m);
	for (uint64_t seed = 1; seed <= SETS; seed++) {
		memset(m->out, 0, sizeof(m->out));
		m->random = seed;
		begin(&m->l);
		make(m, 0, CELLS);
		check(m);
		check_inside(m);
		left_out_free(&m->l);
	}
	free(m);
}
END_TEST

/* Parts that are made one after the other, in memory that is used again. */
START_TEST(test_append)
{
	struct made *m = calloc(1, sizeof(*m));
	struct left_out all;

	ck_assert_ptr_nonnull(m);
	m->random = 5;
	begin(&all);
	begin(&m->l);
	for (uint64_t cell = 0; cell < CELLS; cell += 8) {
		make(m, cell, cell + 8);
		ck_assert(left_out_append(&all, &m->l));
		left_out_clear(&m->l);
	}
	left_out_free(&m->l);
	m->l = all;
	check(m);
	left_out_free(&m->l);
	free(m);
}
END_TEST

/* Every n-th granule was left out, or is the only one that was not.  Returns the bytes of a block. */
static size_t bytes_of_block(unsigned n, bool others)
{
	uint64_t bits[CELL_GRANULES / 64] = { 0 };
	struct left_out l;
	size_t bytes;

	begin(&l);
	for (unsigned i = 0; i < CELL_GRANULES; i++)
		if ((i % n == 0) != others)
			bits[i / 64] |= UINT64_C(1) << i % 64;
	ck_assert(left_out_add(&l, 0, bits));
	bytes = l.bytes_count / (CELL_GRANULES / LEFT_OUT_ALIGN);
	left_out_free(&l);
	return bytes;
}

START_TEST(test_memory)
{
	ck_assert_uint_eq(bytes_of_block(32, false), 9);
	ck_assert_uint_eq(bytes_of_block(32, true), 9);
	ck_assert_uint_eq(bytes_of_block(2, false), 33);
	ck_assert_uint_eq(bytes_of_block(1, false), 0);
}
END_TEST

START_TEST(test_none)
{
	struct left_out l = { 0 };
	uint64_t offset = 0, length;

	ck_assert(!left_out_next(&l, &offset, &length));
	begin(&l);
	ck_assert(!left_out_next(&l, &offset, &length));
	left_out_free(&l);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("left_out_cells");
	TCase *tcase = tcase_create("left_out_cells");

	tcase_add_test(tcase, test_random);
	tcase_add_test(tcase, test_append);
	tcase_add_test(tcase, test_memory);
	tcase_add_test(tcase, test_none);
	tcase_set_timeout(tcase, 60);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
