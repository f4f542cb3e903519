// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/alignment.h"
#include "capture/fill/fill.h"
#include "helper.h"

static void ignore_classes(void *arg, unsigned worker, uint64_t offset, uint32_t granules, uint8_t *classes)
{
	(void)arg, (void)worker, (void)offset, (void)granules, (void)classes;
}

/* The list holds these chunks, in this order, and what is appended comes behind them. */
static void assert_list(struct chunk_list *list, const char *want)
{
	struct chunk last = { .index = '.' };
	struct chunk **link = &list->first;
	char got[16];
	size_t count = 0;

	chunk_list_append(list, &last);
	for (; *link && *link != &last; link = &(*link)->next)
		got[count++] = (char)(*link)->index;
	got[count] = '\0';
	ck_assert_str_eq(got, want);
	ck_assert_ptr_eq(*link, &last);
	ck_assert_ptr_null(last.next);
	ck_assert_ptr_eq(chunk_list_remove(list, link), &last);
}

START_TEST(test_list)
{
	struct chunk a = { .index = 'a' }, b = { .index = 'b' }, c = { .index = 'c' };
	struct chunk_list list;

	chunk_list_init(&list);
	assert_list(&list, "");
	chunk_list_append(&list, &a);
	assert_list(&list, "a");
	chunk_list_append(&list, &b);
	chunk_list_append(&list, &c);
	assert_list(&list, "abc");
	ck_assert_ptr_eq(chunk_list_remove(&list, &list.first->next), &b);
	assert_list(&list, "ac");
	ck_assert_ptr_eq(chunk_list_remove(&list, &list.first->next), &c);
	assert_list(&list, "a");
	ck_assert_ptr_eq(chunk_list_remove(&list, &list.first), &a);
	assert_list(&list, "");
	chunk_list_prepend(&list, &c);
	assert_list(&list, "c");
	chunk_list_prepend(&list, &b);
	assert_list(&list, "bc");
	chunk_list_append(&list, &a);
	assert_list(&list, "bca");
	ck_assert_ptr_eq(chunk_list_remove(&list, &list.first), &b);
	assert_list(&list, "ca");
}
END_TEST

START_TEST(test_pool)
{
	static const size_t capacity = 5 * ALIGNMENT;
	struct chunk_pool pool = { 0 };
	struct chunk_list list;
	struct error e;
	uint8_t *previous = NULL;
	unsigned count = 0;

	chunk_list_init(&list);
	ck_assert_int_eq(chunk_pool_init(&pool, 7, capacity, &list, &e), STATUS_OK);
	for (const struct chunk *chunk = list.first; chunk; chunk = chunk->next, count++) {
		ck_assert_uint_eq((uintptr_t)chunk->bytes % ALIGNMENT, 0);
		if (previous)
			ck_assert_uint_ge((size_t)(chunk->bytes - previous), capacity);
		previous = chunk->bytes;
		memset(chunk->bytes, 0xff, capacity);
	}
	ck_assert_uint_eq(count, 7);
	chunk_pool_free(&pool);
	ck_assert_ptr_null(pool.memory);
	chunk_pool_free(&pool);
}
END_TEST

START_TEST(test_pool_too_large)
{
	struct chunk_pool pool = { 0 };
	struct chunk_list list;
	struct error e;

	chunk_list_init(&list);
	ck_assert_int_eq(chunk_pool_init(&pool, 1 << 16, (size_t)1 << 46, &list, &e),
			 STATUS_NO_MEMORY);
	ck_assert_str_eq(e.text, "pool of 65536 chunks, 70368744177664 bytes each: "
			 "Cannot allocate memory");
	ck_assert_ptr_null(list.first);
	chunk_pool_free(&pool);
}
END_TEST

/* The longest record fits, and the bound of one block more behind its start. */
START_TEST(test_capacity)
{
	const struct codec *codec = codec_entries()[_i].codec;

	if (!codec)
		return;
	for (uint32_t block = BLOCK_SIZE_MIN; block <= BLOCK_SIZE_MAX; block *= 2) {
		for (uint32_t chunks = 1; chunks <= 4; chunks *= 2) {
			uint32_t chunk = block * chunks;
			uint32_t table = record_payload_offset_min(chunk / block);
			size_t capacity = chunk_capacity(codec->bound(block), block, chunk,
							 chunk / GRANULE);

			ck_assert_uint_eq(capacity % ALIGNMENT, 0);
			ck_assert_uint_ge(capacity, record_length_max(chunk, chunk));
			ck_assert_uint_ge(capacity, table + (size_t)chunk - block +
					  codec->bound(block));
		}
	}
}
END_TEST

/* The runs that the records of a capture may have: of a plain one, one for each granule. */
START_TEST(test_capacity_of_runs)
{
	static const struct layer_policy layers = { .classify = ignore_classes };
	const struct layer_policy *policy = _i ? &layers : layer_policy_plain();

	for (uint32_t chunk = BLOCK_SIZE_MIN; chunk <= CHUNK_SIZE_MAX; chunk *= 4) {
		uint32_t runs = fill_runs_max(policy, chunk), cell = fill_cell_size(policy, chunk);
		size_t capacity = chunk_capacity(BLOCK_SIZE_MIN, BLOCK_SIZE_MIN, chunk, runs);
		size_t list = RUN_LENGTH * (size_t)runs;

		ck_assert(cell_size_valid(cell, chunk));
		if (!_i)
			ck_assert_uint_eq(cell, chunk);
		ck_assert_uint_ge(runs, chunk / GRANULE);
		ck_assert_uint_le(capacity, record_length_max(chunk, cell));
		ck_assert_uint_ge(capacity, list + record_payload_offset_min(chunk / BLOCK_SIZE_MIN) + chunk);
	}
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("chunk");
	TCase *tcase = tcase_create("chunk");

	tcase_add_test(tcase, test_list);
	tcase_add_test(tcase, test_pool);
	tcase_add_test(tcase, test_pool_too_large);
	tcase_add_loop_test(tcase, test_capacity, 0, 7);
	tcase_add_loop_test(tcase, test_capacity_of_runs, 0, 2);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
