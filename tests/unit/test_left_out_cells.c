// SPDX-License-Identifier: GPL-2.0-or-later
/* Which granules were left out, in little memory: what the records of a set say is what is found. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "helper.h"
#include "layer_maker.h"
#include "set/read/contents.h"
#include "set_maker.h"

enum { CELL_GRANULES = 1024, CELL = CELL_GRANULES * GRANULE, CELLS = 40, LAST = 777, SETS = 20, BLOCK = 256 };

static const uint64_t size = (uint64_t)(CELLS - 1) * CELL + (LAST - 1) * GRANULE + 100;

struct made {
	uint64_t random;
	bool out[CELLS * CELL_GRANULES];
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
static void choose(struct made *m, uint64_t cell)
{
	static const unsigned shares[] = { 0, 1, 31, 32, 33, 128, 223, 224, 225, 255, 256 };
	bool whole = !number_below(m, 4);
	unsigned share = 0;

	for (unsigned i = 0; i < granules_of(cell); i++) {
		if (i % BLOCK == 0)
			share = shares[number_below(m, LENGTH(shares))];
		m->out[cell * CELL_GRANULES + i] = whole || number_below(m, BLOCK) < share;
	}
}

/* One record for each cell: free pages are left out, and all others are zeros. */
static void find(struct contents *c, const struct made *made)
{
	const struct contents_watch watch = { .damaged = NULL };
	const struct set_settings settings = { 0 };
	static struct run runs[CELL_GRANULES];
	char file[] = "m0", *text = file;
	const struct names names = { &text, 1 };
	struct maker m;
	struct set set;
	struct error e;

	maker_init(&m, 0, 1, size);
	maker_set_layers(&m.superblock, CELL);
	for (unsigned i = 1; i < CLASSES; i++)
		m.superblock.classes.of[i] = class_entry(CLASS_LEFT_OUT, 0);
	maker_begin(&m);
	for (uint64_t cell = 0; cell < CELLS; cell++) {
		const bool *out = made->out + cell * CELL_GRANULES;
		uint32_t count = 0;

		for (unsigned i = 0; i < granules_of(cell); i++) {
			if (!i || out[i] != out[i - 1])
				runs[count++] = out[i] ? (struct run){ RUN_NAMED, CLASS_FREE, 0 } :
							 (struct run){ RUN_ZERO, CLASS_KERNEL, 0 };
			runs[count - 1].granules++;
		}
		maker_add_layered(&m, NULL, 1, cell * CELL, runs, count);
	}
	maker_add_footer(&m);
	maker_write(&m, file);
	ck_assert_msg(set_open(&set, &names, &settings, &e) == STATUS_OK, "%s", e.text);
	ck_assert_int_eq(contents_find(c, &set, &watch, &e), STATUS_OK);
	set_close(&set);
	maker_free(&m);
}

/* The assertions are few: each takes a system call. */
static void check(const struct made *m, const struct contents *c)
{
	uint64_t offset = 0, length, last = 0, wrong = 0;

	for (; contents_next_left_out(c, &offset, &length); offset += length) {
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
static void check_inside(struct made *m, const struct contents *c)
{
	for (unsigned n = 0; n < 50; n++) {
		uint64_t from = number_below(m, size), offset = from, length, want = from;

		while (want < size && !m->out[want / GRANULE])
			want = round_down(want, GRANULE) + GRANULE;
		ck_assert_int_eq(contents_next_left_out(c, &offset, &length), want < size);
		ck_assert_uint_eq(offset, want < size ? want : from);
	}
}

START_TEST(test_random)
{
	struct made *m = calloc(1, sizeof(*m));
	struct contents c;

	ck_assert_ptr_nonnull(m);
	for (uint64_t seed = 1; seed <= SETS; seed++) {
		memset(m->out, 0, sizeof(m->out));
		m->random = seed;
		for (uint64_t cell = 0; cell < CELLS; cell++)
			if (number_below(m, 4))
				choose(m, cell);
		find(&c, m);
		check(m, &c);
		check_inside(m, &c);
		contents_free(&c);
	}
	free(m);
}
END_TEST

/* Every n-th granule was left out, or is the only one that was not.  Returns the bytes of a block. */
static size_t bytes_of_block(unsigned n, bool others)
{
	struct made *m = calloc(1, sizeof(*m));
	struct contents c;
	size_t bytes;

	for (unsigned i = 0; i < CELL_GRANULES; i++)
		m->out[i] = (i % n == 0) != others;
	find(&c, m);
	bytes = c.left_out.bytes_count / (CELL_GRANULES / BLOCK);
	contents_free(&c);
	free(m);
	return bytes;
}

START_TEST(test_memory)
{
	ck_assert_uint_eq(bytes_of_block(32, false), 9);
	ck_assert_uint_eq(bytes_of_block(32, true), 9);
	ck_assert_uint_eq(bytes_of_block(2, false), 33);
	ck_assert_uint_eq(bytes_of_block(1, false), 0);
	ck_assert_uint_eq(bytes_of_block(1, true), 0);
}
END_TEST

START_TEST(test_none)
{
	const struct contents c = { .totals = { .memory = { .unknown = 0 } } };
	uint64_t offset = 0, length;

	ck_assert(!contents_next_left_out(&c, &offset, &length));
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("left_out_cells");
	TCase *tcase = tcase_create("left_out_cells");

	helper_use_directory(tcase);
	tcase_add_test(tcase, test_random);
	tcase_add_test(tcase, test_memory);
	tcase_add_test(tcase, test_none);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
