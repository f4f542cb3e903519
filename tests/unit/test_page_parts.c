// SPDX-License-Identifier: GPL-2.0-or-later
/* The choice of pages by parts, compared with an array that has a byte for each page. */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "core/kinds/page_choice.h"
#include "helper.h"

enum { PAGES_MAX = 5000, TRIALS = 60, THREADS = 6, QUESTIONS = 20000 };

struct model {
	bool kept[PAGES_MAX];
	uint64_t before[PAGES_MAX + 1];
	uint64_t count, part;
	struct page_parts *parts;
	uint64_t made, lost;		/* parts */
};

static void make(void *arg, uint64_t first, struct page_choice *choice)
{
	struct model *m = arg;

	m->made++;
	ck_assert_uint_eq(first % m->part, 0);
	ck_assert_uint_eq(choice->count, min_u64(m->part, m->count - first));
	for (uint64_t i = 0; i < choice->count; i++)
		if (!m->kept[first + i])
			page_choice_leave_out(choice, i, 1);
}

static void lost(void *arg, uint64_t first, uint64_t count, uint64_t kept)
{
	struct model *m = arg;

	ck_assert_uint_eq(first % m->part, 0);
	ck_assert_uint_eq(count, min_u64(m->part, m->count - first));
	ck_assert_uint_eq(kept, m->before[first + count] - m->before[first]);
	m->lost++;
}

static void sum(struct model *m)
{
	m->before[0] = 0;
	for (uint64_t i = 0; i < m->count; i++)
		m->before[i + 1] = m->before[i] + m->kept[i];
}

/* Runs of pages that are kept, and of others; some parts have one kind only. */
static void make_model(struct model *m, int seed)
{
	const struct page_part_maker maker = { .make = make, .lost = lost, .arg = m };
	struct error e;

	srand((unsigned)seed);
	*m = (struct model){ .count = 1 + (uint64_t)rand() % PAGES_MAX, .part = 1 + (uint64_t)rand() % 700 };
	for (uint64_t i = 0, length; i < m->count; i += length) {
		bool kept = rand() % 2;

		length = 1 + (uint64_t)rand() % (rand() % 4 ? 5 : 2000);
		for (uint64_t n = i; n < min_u64(i + length, m->count); n++)
			m->kept[n] = kept;
	}
	sum(m);
	ck_assert_int_eq(page_parts_new(&m->parts, m->count, m->part, &maker, &e), STATUS_OK);
	ck_assert_uint_eq(page_parts_count(m->parts), m->before[m->count]);
}

static bool keeps(const struct model *m, uint64_t rank)
{
	uint64_t before;

	return page_parts_next(m->parts, &rank, rank + 1, &before);
}

/* A run may end at the end of a part. */
static void check_next(const struct model *m, uint64_t rank, uint64_t end)
{
	uint64_t at = rank, expected = rank, most = 0, before, count = page_parts_next(m->parts, &at, end, &before);

	while (expected < end && !m->kept[expected])
		expected++;
	while (expected + most < end && m->kept[expected + most])
		most++;
	ck_assert_uint_eq(at, expected);
	ck_assert_uint_le(count, most);
	if (count < most)
		ck_assert_uint_eq((at + count) % m->part, 0);
	ck_assert_uint_eq(count != 0, most != 0);
	ck_assert(!count || before == m->before[at]);
}

static void check_rank(const struct model *m, uint64_t rank)
{
	ck_assert_uint_eq(page_parts_before(m->parts, rank), m->before[rank]);
	ck_assert_uint_eq(keeps(m, rank), m->kept[rank]);
	ck_assert(!page_parts_lost(m->parts, rank));
	if (m->kept[rank])
		ck_assert_uint_eq(page_parts_find(m->parts, m->before[rank]), rank);
}

START_TEST(test_random)
{
	struct model m;

	make_model(&m, _i);
	for (uint64_t rank = 0; rank < m.count; rank++) {
		check_rank(&m, rank);
		check_next(&m, rank, rank + (uint64_t)rand() % (m.count - rank + 1));
	}
	ck_assert_uint_eq(page_parts_before(m.parts, m.count), m.before[m.count]);
	ck_assert_uint_eq(m.lost, 0);
	page_parts_free(m.parts);
}
END_TEST

static void *ask(void *arg)
{
	const struct model *m = arg;
	static atomic_uint started;
	unsigned seed = atomic_fetch_add(&started, 1);

	for (int i = 0; i < QUESTIONS; i++) {
		uint64_t rank = (uint64_t)rand_r(&seed) % m->count;

		check_rank(m, rank);
		check_next(m, rank, min_u64(m->count, rank + 64));
	}
	return NULL;
}

START_TEST(test_threads)
{
	pthread_t threads[THREADS];
	struct model m;

	make_model(&m, _i);
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, ask, &m), 0);
	for (int i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
	page_parts_free(m.parts);
}
END_TEST

/* A part that is made differently keeps its number of pages, and so do all pages of other parts. */
START_TEST(test_lost)
{
	enum { PART = 100, PARTS = 20, CHANGED = 7 };
	const struct page_part_maker maker = { .make = make, .lost = lost, .arg = NULL };
	struct page_part_maker mine = maker;
	struct model m = { .count = PART * PARTS, .part = PART };
	uint64_t first = CHANGED * PART, kept;
	struct error e;

	for (uint64_t i = 0; i < m.count; i++)
		m.kept[i] = i % 3 == 1;
	sum(&m);
	kept = m.before[first + PART] - m.before[first];
	mine.arg = &m;
	ck_assert_int_eq(page_parts_new(&m.parts, m.count, PART, &mine, &e), STATUS_OK);
	page_parts_count(m.parts);
	/* One page instead of another, or one page less. */
	m.kept[first] = false;
	m.kept[first + 1] = _i;
	for (uint64_t i = 0; i < m.count; i++)
		ck_assert_uint_eq(keeps(&m, i),
				  i / PART == CHANGED ? i - first < kept : m.kept[i]);
	ck_assert_uint_eq(m.lost, 1);
	for (uint64_t i = 0; i < m.count; i++) {
		ck_assert_uint_eq(page_parts_lost(m.parts, i), i / PART == CHANGED);
		if (i / PART != CHANGED)
			ck_assert_uint_eq(page_parts_before(m.parts, i), m.before[i]);
	}
	ck_assert_uint_eq(page_parts_before(m.parts, first + PART - 1), m.before[first] + kept);
	/* What comes back is not believed. */
	m.kept[first] = true;
	m.kept[first + 1] = false;
	ck_assert_uint_eq(keeps(&m, 5 * PART + 1), m.kept[5 * PART + 1]);
	for (uint64_t i = 0; i < m.count; i += PART)
		keeps(&m, i);
	ck_assert(keeps(&m, first + 1));
	/* Counted again, all is as it is now. */
	ck_assert_uint_eq(page_parts_count(m.parts), m.before[m.count]);
	ck_assert(!keeps(&m, first + 1));
	ck_assert(!page_parts_lost(m.parts, first));
	page_parts_free(m.parts);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("page_parts");
	TCase *tests = tcase_create("page_parts");

	tcase_add_loop_test(tests, test_random, 0, TRIALS);
	tcase_add_loop_test(tests, test_threads, 0, 4);
	tcase_add_loop_test(tests, test_lost, 0, 2);
	suite_add_tcase(suite, tests);
	return helper_run(suite);
}
