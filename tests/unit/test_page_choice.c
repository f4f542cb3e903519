// SPDX-License-Identifier: GPL-2.0-or-later
/* The choice of pages that a dump keeps, compared with an array that has a byte for each page. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>

#include "core/kinds/page_choice.h"
#include "helper.h"

enum { PAGES_MAX = 5000, TRIALS = 60, THREADS = 4 };

struct model {
	bool kept[PAGES_MAX];
	uint64_t count;
};

static void leave_out(struct page_choice *c, struct model *m, uint64_t rank, uint64_t count)
{
	page_choice_leave_out(c, rank, count);
	for (uint64_t i = 0; i < count; i++)
		m->kept[rank + i] = false;
}

/* Every question, at every rank. */
static void check(const struct page_choice *c, const struct model *m)
{
	uint64_t before = 0;

	for (uint64_t rank = 0; rank < m->count; rank++) {
		ck_assert_uint_eq(page_choice_before(c, rank), before);
		ck_assert_uint_eq(page_choice_keeps(c, rank), m->kept[rank]);
		if (m->kept[rank])
			ck_assert_uint_eq(page_choice_find(c, before++), rank);
	}
	ck_assert_uint_eq(page_choice_before(c, m->count), before);
	ck_assert_uint_eq(c->kept, before);
}

static void check_runs(const struct page_choice *c, const struct model *m, uint64_t from, uint64_t end)
{
	for (uint64_t rank = from; ; ) {
		uint64_t expected = rank, count = 0, got;

		while (expected < end && !m->kept[expected])
			expected++;
		while (expected + count < end && m->kept[expected + count])
			count++;
		got = page_choice_next(c, &rank, end);
		ck_assert_uint_eq(got, count);
		ck_assert_uint_eq(rank, expected);
		if (!count)
			return;
		rank += count;
	}
}

/* Choices of random size, of which runs of random lengths are left out: single pages, or many. */
START_TEST(test_random)
{
	struct model m = { 0 };
	struct page_choice c;
	struct error e;

	srand((unsigned)_i);
	m.count = 1 + (uint64_t)rand() % PAGES_MAX;
	ck_assert_int_eq(page_choice_begin(&c, m.count, &e), STATUS_OK);
	for (uint64_t rank = 0; rank < m.count; rank++)
		m.kept[rank] = true;
	for (int n = rand() % 200; n > 0; n--) {
		uint64_t rank = (uint64_t)rand() % m.count;
		uint64_t most = m.count - rank, some = 1 + (uint64_t)rand() % (_i % 2 ? 300 : 3);

		leave_out(&c, &m, rank, some < most ? some : most);
	}
	page_choice_end(&c);
	check(&c, &m);
	check_runs(&c, &m, 0, m.count);
	for (int n = 0; n < 50; n++) {
		uint64_t from = (uint64_t)rand() % m.count;

		check_runs(&c, &m, from, from + (uint64_t)rand() % (m.count - from + 1));
	}
	page_choice_free(&c);
}
END_TEST

/* All, none, and sizes around those of words and groups. */
START_TEST(test_edges)
{
	static const uint64_t counts[] = { 1, 63, 64, 65, 511, 512, 513, 1024 };
	struct error e;

	for (size_t i = 0; i < LENGTH(counts); i++) {
		struct model m = { .count = counts[i] };
		struct page_choice c;

		for (uint64_t rank = 0; rank < m.count; rank++)
			m.kept[rank] = true;
		ck_assert_int_eq(page_choice_begin(&c, m.count, &e), STATUS_OK);
		page_choice_end(&c);
		check(&c, &m);
		check_runs(&c, &m, 0, m.count);
		leave_out(&c, &m, 0, m.count);
		page_choice_end(&c);
		check(&c, &m);
		check_runs(&c, &m, 0, m.count);
		page_choice_free(&c);
	}
}
END_TEST

/* A core may have no pages at all. */
START_TEST(test_empty)
{
	struct page_choice c;
	struct error e;
	uint64_t rank = 0;

	ck_assert_int_eq(page_choice_begin(&c, 0, &e), STATUS_OK);
	page_choice_end(&c);
	ck_assert_uint_eq(c.kept, 0);
	ck_assert_uint_eq(page_choice_before(&c, 0), 0);
	ck_assert_uint_eq(page_choice_next(&c, &rank, 0), 0);
	page_choice_free(&c);
}
END_TEST

static void *leave_out_every(void *arg)
{
	struct page_choice *c = arg;
	static atomic_uint started;
	unsigned number = atomic_fetch_add(&started, 1) % THREADS;

	for (uint64_t rank = number; rank < PAGES_MAX; rank += THREADS)
		if (rank % 3)
			page_choice_leave_out(c, rank, 1);
	return NULL;
}

/* Threads whose pages are in the same words. */
START_TEST(test_threads)
{
	struct page_choice c;
	pthread_t threads[THREADS];
	struct error e;

	ck_assert_int_eq(page_choice_begin(&c, PAGES_MAX, &e), STATUS_OK);
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, leave_out_every, &c), 0);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	page_choice_end(&c);
	for (uint64_t rank = 0; rank < PAGES_MAX; rank++)
		ck_assert(page_choice_keeps(&c, rank) == (rank % 3 == 0));
	page_choice_free(&c);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("page_choice");
	TCase *tcase = tcase_create("page_choice");

	tcase_add_loop_test(tcase, test_random, 0, TRIALS);
	tcase_add_test(tcase, test_edges);
	tcase_add_test(tcase, test_empty);
	tcase_add_test(tcase, test_threads);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
