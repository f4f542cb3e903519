// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The files in a mount of a set with layers, read without FUSE: random sets, whole and damaged, compared
 * with tests/unit/layer_oracle.c.
 */
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "helper.h"
#include "layer_random.h"
#include "mount/view.h"

enum { SETS = 100, DAMAGED = 300, READS = 30, THREADS = 3, LONGEST = 5 * GRANULE };

struct shown {
	uint64_t seed;
	const struct layer_random *r;
	const struct oracle *o;
	const struct set *set;
	struct cache *cache;
	struct buffer_pool pool;
	struct source_view source;
	atomic_uint started;		/* threads */
};

static void ignore(void *arg, const struct error *e)
{
	(void)arg;
	(void)e;
}

static bool is_there(const struct shown *s, uint64_t at)
{
	char letter = s->o->map[at / GRANULE];

	return letter == ORACLE_STORED || letter == ORACLE_LEFT_OUT;
}

static bool all_there(const struct shown *s, uint64_t offset, size_t len)
{
	for (uint64_t at = offset; at < offset + len; at++)
		if (!is_there(s, at))
			return false;
	return true;
}

static void check_bytes(const struct shown *s, uint64_t offset, const uint8_t *bytes, size_t len)
{
	for (uint64_t at = offset; at < offset + len; at++) {
		bool stored = s->o->map[at / GRANULE] == ORACLE_STORED;

		if (bytes[at - offset] != (stored ? s->r->source[at] : 0))
			ck_abort_msg("seed %llu: byte %llu of %s differs", (unsigned long long)s->seed,
				     (unsigned long long)at, s->o->map);
	}
}

static void read_once(const struct shown *s, struct buffers *buffers, uint64_t offset, size_t len)
{
	const struct view *view = &s->source.view;
	bool expected = s->source.zero_holes || all_there(s, offset, len);
	uint8_t *bytes = malloc(len + 1);
	struct sequence sequence;
	enum status status;
	struct error e;

	ck_assert_ptr_nonnull(bytes);
	sequence_init(&sequence);
	memset(bytes, 0xee, len + 1);
	status = view->read(view, buffers, &sequence, offset, len, bytes, &e);
	if (!status != expected)
		ck_abort_msg("seed %llu: bytes %llu to %llu of %s: %s", (unsigned long long)s->seed,
			     (unsigned long long)offset, (unsigned long long)offset + len - 1, s->o->map,
			     status ? e.text : "can be read");
	if (!status)
		check_bytes(s, offset, bytes, len);
	ck_assert_uint_eq(bytes[len], 0xee);
	sequence_free(&sequence);
	free(bytes);
}

/* One of several threads. */
static void *read_main(void *arg)
{
	struct shown *s = arg;
	struct layer_random r = { .state = s->seed + atomic_fetch_add(&s->started, 1) };
	struct buffers *buffers = buffer_pool_take(&s->pool);
	uint64_t size = s->set->source_size;

	for (unsigned i = 0; i < READS; i++) {
		uint64_t offset = layer_random_number(&r, size);
		uint64_t most = min_u64(LONGEST, size - offset);

		read_once(s, buffers, offset, 1 + layer_random_number(&r, most));
	}
	read_once(s, buffers, 0, size);
	buffer_pool_return(&s->pool, buffers);
	return NULL;
}

static void read_all(struct shown *s, bool zero_holes)
{
	pthread_t threads[THREADS];

	s->source.zero_holes = zero_holes;
	for (unsigned i = 0; i < THREADS; i++)
		ck_assert_int_eq(pthread_create(&threads[i], NULL, read_main, s), 0);
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* With memory for a few records, or for one. */
static void show(struct shown *s)
{
	const struct cache_settings settings = {
		.limit = s->seed % 2 ? 1 << 20 : 1, .damaged = ignore,
	};
	struct error e;

	for (int zero_holes = 0; zero_holes < 2; zero_holes++) {
		buffer_pool_init(&s->pool);
		ck_assert_int_eq(cache_new(&s->cache, s->set, &settings, &e), STATUS_OK);
		s->source = (struct source_view){ .set = s->set, .cache = s->cache };
		source_view_init(&s->source);
		ck_assert_uint_eq(s->source.view.size, s->set->source_size);
		read_all(s, zero_holes);
		cache_free(s->cache);
		buffer_pool_free(&s->pool);
	}
}

static void try_one(uint64_t seed, bool damaged)
{
	bool displaced = false;
	struct layer_random r;
	struct oracle o;
	struct set set;

	layer_random_make(&r, seed);
	for (uint64_t n = damaged ? 1 + seed % 3 : 0; n; n--)
		displaced |= layer_random_damage(&r);
	layer_random_read(&r, &o);
	/* Of displaced records, the oracle knows more: see test_cell.c. */
	if (!layer_random_open(&r, &set) && o.map && set.source_size && !displaced)
		show(&(struct shown){ .seed = seed, .r = &r, .o = &o, .set = &set });
	set_close(&set);
	oracle_free(&o);
	layer_random_free(&r);
}

START_TEST(test_random)
{
	for (uint64_t seed = 60000; seed < 60000 + SETS; seed++)
		try_one(seed, false);
}
END_TEST

START_TEST(test_damaged)
{
	for (uint64_t seed = 70000; seed < 70000 + DAMAGED; seed++)
		try_one(seed, true);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("view_layers");
	TCase *tcase = tcase_create("view_layers");

	helper_use_directory(tcase);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_random);
	tcase_add_test(tcase, test_damaged);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
