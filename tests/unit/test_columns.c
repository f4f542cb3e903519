// SPDX-License-Identifier: GPL-2.0-or-later
/* doc/format.md, section 5, "Columns". */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "format/record.h"
#include "helper.h"

enum { BLOCK = 65536, MOST = 3000 };

START_TEST(test_rows)
{
	ck_assert(!column_row_valid(0));
	ck_assert(column_row_valid(8));
	ck_assert(column_row_valid(56));
	ck_assert(column_row_valid(64));
	ck_assert(column_row_valid(1016));
	ck_assert(!column_row_valid(1024));
	ck_assert(!column_row_valid(4));
	ck_assert(!column_row_valid(60));
	ck_assert(!column_row_valid((1ull << 32) + 8));
}
END_TEST

/* Three rows of two words, a word, and three bytes. */
START_TEST(test_layout)
{
	static const uint32_t words[] = { 10, 500, 11, 400, 13, 600, 0 };
	static const uint32_t want[] = { 10, 1, 2, (uint32_t)-13, 500, (uint32_t)-100, 200 };
	uint8_t *block = helper_pages(4096), *split = helper_pages(4096);

	for (unsigned i = 0; i < LENGTH(words); i++)
		put_le32(block + 4 * i, words[i]);
	memcpy(block + sizeof(words), "end", 3);
	columns_split(block, sizeof(words) + 3, 8, split);
	for (unsigned i = 0; i < LENGTH(want); i++)
		ck_assert_uint_eq(get_le32(split + 4 * i), want[i]);
	ck_assert_mem_eq(split + sizeof(words), "end", 4);
	free(block);
	free(split);
}
END_TEST

static void fill(uint8_t *bytes, size_t len)
{
	uint32_t state = 12345;

	for (size_t i = 0; i < len; i++) {
		state = state * 1103515245 + 12345;
		bytes[i] = (uint8_t)(state >> 24);
	}
}

/* Of each length, and of each row: what follows is not touched. */
START_TEST(test_inverse)
{
	uint8_t *block = helper_pages(8192), *split = helper_pages(8192), *joined = helper_pages(8192);

	fill(block, 8192);
	for (uint32_t row = COLUMN_ROW_UNIT; row <= COLUMN_ROW_MAX; row += COLUMN_ROW_UNIT) {
		for (size_t len = row % 7; len < MOST; len += 1 + len / 9) {
			split[len] = joined[len] = 0xa5;
			columns_split(block, len, row, split);
			columns_join(split, len, row, joined);
			ck_assert_mem_eq(joined, block, len);
			ck_assert_uint_eq(split[len], 0xa5);
			ck_assert_uint_eq(joined[len], 0xa5);
		}
	}
	free(block);
	free(split);
	free(joined);
}
END_TEST

enum { CHANGES = 20000 };

struct changing {
	uint8_t *block;
	atomic_uint changes;		/* so far */
};

/* Adds 1 to words of every eighth row, as fast as it can. */
static void *change(void *arg)
{
	struct changing *c = arg;

	for (; atomic_load(&c->changes) < CHANGES; atomic_fetch_add(&c->changes, 1))
		for (size_t at = 0; at < BLOCK; at += 8 * 64)
			for (size_t i = 0; i < 64; i += 4)
				__atomic_fetch_add((uint32_t *)(void *)(c->block + at + i), 1, __ATOMIC_RELAXED);
	return NULL;
}

/* Memory that changes meanwhile: whatever is read of that, all other rows are right. */
START_TEST(test_changing)
{
	struct changing c = { .block = helper_pages(BLOCK) };
	uint8_t *split = helper_pages(BLOCK), *joined = helper_pages(BLOCK);
	unsigned wrong = 0;
	pthread_t thread;

	fill(c.block, BLOCK);
	ck_assert_int_eq(pthread_create(&thread, NULL, change, &c), 0);
	while (atomic_load(&c.changes) < CHANGES) {
		columns_split(c.block, BLOCK, 64, split);
		columns_join(split, BLOCK, 64, joined);
		for (size_t at = 0; at < BLOCK; at += 64)
			wrong += at % (8 * 64) && memcmp(joined + at, c.block + at, 64) != 0;
	}
	ck_assert_uint_eq(wrong, 0);
	pthread_join(thread, NULL);
	free(c.block);
	free(split);
	free(joined);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("columns");

	tcase_add_test(tcase, test_rows);
	tcase_add_test(tcase, test_layout);
	tcase_add_test(tcase, test_inverse);
	tcase_add_test(tcase, test_changing);
	return helper_run_case("columns", tcase);
}
