// SPDX-License-Identifier: GPL-2.0-or-later
/* The cache of records, and readahead. */
#include "config.h"

#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "fakevmcore/pattern.h"
#include "helper.h"
#include "mount/cache.h"
#include "set_maker.h"

enum { CHUNKS = 10, SIZE = CHUNKS * MAKER_CHUNK - 777, THREADS = 8 };

/* A set, and a cache of it. */
struct bench {
	uint8_t *source;
	struct set set;
	struct buffers *buffers;
	struct cache *cache;
	unsigned reported;
	struct error error;		/* the latest that was reported */
};

static void note(void *arg, const struct error *e)
{
	struct bench *b = arg;

	b->reported++;
	b->error = *e;
}

static void bench_open(struct bench *b, const char *pattern, uint64_t limit)
{
	const struct cache_settings settings = { .limit = limit, .damaged = note, .arg = b };
	struct error e;

	maker_open(&b->set, pattern);
	b->reported = 0;
	ck_assert_int_eq(cache_new(&b->cache, &b->set, &settings, &e), STATUS_OK);
	b->buffers = cache_take_buffers(b->cache);
	ck_assert_ptr_nonnull(b->buffers);
}

static void bench_init(struct bench *b, uint64_t limit)
{
	b->source = maker_source(SIZE);
	maker_make_set(b->source, SIZE, 3, NULL);
	bench_open(b, "m{0..2}", limit);
}

static void bench_free(struct bench *b)
{
	cache_return_buffers(b->cache, b->buffers);
	cache_free(b->cache);
	set_close(&b->set);
	free(b->source);
}

static size_t length_of(const struct set *set, size_t location)
{
	return set->map[location]->entry.source_length;
}

static struct cached *take(struct bench *b, size_t location, enum cached_form form)
{
	struct cached *cached;
	struct error e;

	ck_assert_msg(cache_take(b->cache, b->buffers, location, form, &cached, &e) == STATUS_OK,
		      "%s", e.text);
	return cached;
}

static void take_and_release(struct bench *b, size_t location, enum cached_form form, bool finished)
{
	cache_release(b->cache, take(b, location, form), finished);
}

/* Of the source at offset. */
static void assert_part(const struct bench *b, const struct cached *cached, struct buffers *buffers,
			uint64_t offset, size_t len)
{
	uint64_t at = offset - b->set.map[cached->location]->entry.source_offset;
	uint8_t bytes[MAKER_CHUNK];
	struct error e;

	memset(bytes, 0x55, sizeof(bytes));
	ck_assert_msg(cached_read(cached, buffers, at, len, bytes, &e) == STATUS_OK,
		      "%s", e.text);
	ck_assert_mem_eq(bytes, b->source + offset, len);
	if (len < sizeof(bytes))
		ck_assert_int_eq(bytes[len], 0x55);
}

/* Any part of any record can be read, in both forms. */
START_TEST(test_parts)
{
	struct bench b;

	bench_init(&b, 1 << 20);
	for (size_t location = 0; location < CHUNKS; location++) {
		struct cached *cached = take(&b, location, (enum cached_form)_i);
		uint64_t from = b.set.map[location]->entry.source_offset;

		for (uint64_t i = 0; i < 200; i++) {
			uint64_t drawn = pattern_mix((location * 1000 + i) * PATTERN_STEP);
			size_t at = drawn % length_of(&b.set, location);
			size_t len = (drawn >> 32) % (length_of(&b.set, location) - at) + 1;

			assert_part(&b, cached, b.buffers, from + at, len);
		}
		assert_part(&b, cached, b.buffers, from, length_of(&b.set, location));
		cache_release(b.cache, cached, false);
	}
	bench_free(&b);
}
END_TEST

/* The least recently used record is evicted first; records in use are not evicted. */
START_TEST(test_limit)
{
	struct cached *held;
	struct bench b;

	bench_init(&b, 4 * MAKER_CHUNK);
	held = take(&b, 0, CACHED_UNPACKED);
	take_and_release(&b, 1, CACHED_UNPACKED, false);
	take_and_release(&b, 2, CACHED_UNPACKED, false);
	take_and_release(&b, 1, CACHED_UNPACKED, false);
	take_and_release(&b, 3, CACHED_UNPACKED, false);
	ck_assert(cache_has(b.cache, 0));
	ck_assert(cache_has(b.cache, 1));
	ck_assert(!cache_has(b.cache, 2));
	ck_assert(cache_has(b.cache, 3));
	ck_assert_uint_le(cache_used(b.cache), 4 * MAKER_CHUNK);
	assert_part(&b, held, b.buffers, 0, MAKER_CHUNK);
	cache_release(b.cache, held, false);
	bench_free(&b);
}
END_TEST

/* An unpacked record that was read to its end is evicted first. */
START_TEST(test_finished)
{
	struct bench b;

	bench_init(&b, 4 * MAKER_CHUNK);
	take_and_release(&b, 0, CACHED_UNPACKED, false);
	take_and_release(&b, 1, CACHED_UNPACKED, false);
	take_and_release(&b, 2, CACHED_UNPACKED, true);
	take_and_release(&b, 3, CACHED_UNPACKED, false);
	ck_assert(cache_has(b.cache, 0));
	ck_assert(!cache_has(b.cache, 2));
	bench_free(&b);
}
END_TEST

/* 0 if the C library cannot tell. */
static size_t heap_used(void)
{
#if defined(__GLIBC__) && __GLIBC_PREREQ(2, 33)
	struct mallinfo2 info = mallinfo2();

	return info.uordblks + info.hblkhd;
#else
	return 0;
#endif
}

/* All memory counts towards the limit, however small the records are. */
START_TEST(test_counted)
{
	enum { SMALL = 200 };
	struct bench b = { .source = calloc(SMALL, MAKER_CHUNK) };
	uint64_t before, first;

	maker_make_set(b.source, SMALL * MAKER_CHUNK, 1, NULL);
	bench_open(&b, "m0", 10 << 20);
	take_and_release(&b, 0, CACHED_PACKED, false);
	before = heap_used();
	first = cache_used(b.cache);
	for (size_t location = 1; location < SMALL; location++)
		take_and_release(&b, location, CACHED_PACKED, false);
	ck_assert_uint_le(heap_used(), before + cache_used(b.cache) - first);
	ck_assert_uint_le(cache_used(b.cache), SMALL * cache_record_max(&b.set));
	bench_free(&b);
}
END_TEST

/* A cache with a limit of 0 still works. */
START_TEST(test_no_room)
{
	struct cached *cached;
	struct bench b;

	bench_init(&b, 0);
	cached = take(&b, 4, CACHED_PACKED);
	assert_part(&b, cached, b.buffers, 4 * MAKER_CHUNK, 100);
	ck_assert_uint_gt(cache_used(b.cache), 0);
	cache_release(b.cache, cached, false);
	ck_assert_uint_eq(cache_used(b.cache), 0);
	ck_assert(!cache_has(b.cache, 4));
	bench_free(&b);
}
END_TEST

struct worker {
	pthread_t thread;
	struct bench *bench;
	pthread_barrier_t *barrier;
	unsigned number;
	struct cached *cached;
};

/* All threads take the record at the same time, and hold it until all have it. */
static void *want_the_same(void *arg)
{
	struct worker *w = arg;
	struct buffers *buffers = cache_take_buffers(w->bench->cache);
	struct error e;

	pthread_barrier_wait(w->barrier);
	ck_assert_int_eq(cache_take(w->bench->cache, buffers, 5, CACHED_UNPACKED, &w->cached, &e),
			 STATUS_OK);
	assert_part(w->bench, w->cached, buffers, 5 * MAKER_CHUNK, MAKER_CHUNK);
	pthread_barrier_wait(w->barrier);
	cache_release(w->bench->cache, w->cached, false);
	cache_return_buffers(w->bench->cache, buffers);
	return NULL;
}

static void *want_any(void *arg)
{
	struct worker *w = arg;
	struct buffers *buffers = cache_take_buffers(w->bench->cache);

	for (uint64_t i = 0; i < 500; i++) {
		uint64_t drawn = pattern_mix((w->number * 1000 + i) * PATTERN_STEP);
		size_t location = drawn % CHUNKS, len = length_of(&w->bench->set, location);
		enum cached_form form = drawn >> 32 & 1 ? CACHED_UNPACKED : CACHED_PACKED;
		struct error e;

		ck_assert_int_eq(cache_take(w->bench->cache, buffers, location, form, &w->cached,
					    &e), STATUS_OK);
		assert_part(w->bench, w->cached, buffers, location * MAKER_CHUNK + len / 3,
			    len / 2);
		cache_release(w->bench->cache, w->cached, drawn >> 33 & 1);
	}
	cache_return_buffers(w->bench->cache, buffers);
	return NULL;
}

static void run_workers(struct bench *b, struct worker *workers, void *(*work)(void *))
{
	pthread_barrier_t barrier;

	pthread_barrier_init(&barrier, NULL, THREADS);
	for (unsigned i = 0; i < THREADS; i++) {
		workers[i] = (struct worker){ .bench = b, .barrier = &barrier, .number = i };
		ck_assert_int_eq(pthread_create(&workers[i].thread, NULL, work, &workers[i]), 0);
	}
	for (unsigned i = 0; i < THREADS; i++)
		pthread_join(workers[i].thread, NULL);
	pthread_barrier_destroy(&barrier);
}

/* Only one thread loads the record: otherwise the threads would hold different copies. */
START_TEST(test_loaded_once)
{
	struct worker workers[THREADS];
	struct bench b;

	bench_init(&b, 1 << 20);
	run_workers(&b, workers, want_the_same);
	for (unsigned i = 1; i < THREADS; i++)
		ck_assert_ptr_eq(workers[i].cached, workers[0].cached);
	bench_free(&b);
}
END_TEST

START_TEST(test_threads)
{
	struct worker workers[THREADS];
	struct bench b;

	bench_init(&b, 3 * MAKER_CHUNK);
	run_workers(&b, workers, want_any);
	ck_assert_uint_le(cache_used(b.cache), 3 * MAKER_CHUNK);
	bench_free(&b);
}
END_TEST

/* What cannot be loaded is reported once. */
START_TEST(test_damage)
{
	struct cached *cached;
	struct maker m;
	struct error e;
	struct bench b;

	maker_make_plain(&m);
	maker_flip(&m, ALIGNMENT + 600);
	maker_write(&m, "m");
	maker_free(&m);
	b.source = maker_source(MAKER_PLAIN);
	bench_open(&b, "m", 1 << 20);
	for (int again = 0; again < 2; again++) {
		ck_assert_int_eq(cache_take(b.cache, b.buffers, 0, CACHED_PACKED, &cached, &e),
				 STATUS_DAMAGED);
		ck_assert(cache_has(b.cache, 0));
	}
	ck_assert_uint_eq(b.reported, 1);
	ck_assert_str_eq(b.error.text, "m: damaged at byte 4096: record of bytes 0 to 16383 of the source");
	bench_free(&b);
}
END_TEST

/* Of a record with runs, a position counts from its first stored byte; taken in both forms. */
START_TEST(test_unreadable)
{
	enum { STORED = 2 * MAKER_BLOCK };
	struct bench b = { .source = maker_source(MAKER_CHUNK) };
	struct cached *cached;
	struct maker m;

	maker_init(&m, 0, 1, MAKER_CHUNK);
	maker_begin(&m);
	maker_add_partly(&m, b.source, 0, MAKER_CHUNK, STORED);
	maker_end(&m, "m");
	bench_open(&b, "m", 1 << 20);
	cached = take(&b, 0, (enum cached_form)_i);
	assert_part(&b, cached, b.buffers, 0, STORED);
	assert_part(&b, cached, b.buffers, STORED - 1000, 1000);
	cache_release(b.cache, cached, false);
	bench_free(&b);
}
END_TEST

/* A sequential reader finds the next records in the cache, but not later ones. */
START_TEST(test_ahead)
{
	enum { LONG = 60 * MAKER_CHUNK };
	struct bench b = { .source = maker_source(LONG) };
	struct error e;

	maker_make_set(b.source, LONG, 2, NULL);
	bench_open(&b, "m{0..1}", 2 * LONG);
	ck_assert_int_eq(cache_read_ahead(b.cache, 2, 3 * MAKER_CHUNK, &e), STATUS_OK);
	for (size_t i = 0; i < 15; i++)
		cache_note_read(b.cache, i * MAKER_CHUNK, MAKER_CHUNK);
	cache_settle(b.cache);
	ck_assert_uint_eq(cache_used(b.cache), 0);
	cache_note_read(b.cache, 15 * MAKER_CHUNK, MAKER_CHUNK);
	cache_settle(b.cache);
	ck_assert(!cache_has(b.cache, 15));
	for (size_t location = 16; location < 19; location++)
		ck_assert(cache_has(b.cache, location));
	ck_assert(!cache_has(b.cache, 19));
	ck_assert_uint_gt(cache_used(b.cache), 3 * MAKER_CHUNK);
	/* Up to the end of the source. */
	for (size_t i = 16; i < 60; i++)
		cache_note_read(b.cache, i * MAKER_CHUNK, MAKER_CHUNK);
	cache_settle(b.cache);
	ck_assert(cache_has(b.cache, 59));
	bench_free(&b);
}
END_TEST

enum { FAR = 200 * MAKER_CHUNK, PAGE = 4096 };

/* The offset of the i-th read. */
typedef uint64_t offset_of_read(uint64_t i);

static uint64_t far_apart(uint64_t i)
{
	return i % 2 * 150 * MAKER_CHUNK;
}

/* Back and forth within 256 KiB. */
static uint64_t near_each_other(uint64_t i)
{
	return pattern_mix(i * PATTERN_STEP) % 64 * PAGE;
}

/* As if two threads of the kernel had sent the requests. */
static uint64_t swapped(uint64_t i)
{
	return (i ^ 1) * PAGE;
}

/* Whether this number of reads of a page makes a sequential reader. */
static void is_read_ahead(offset_of_read *offset, uint64_t reads, bool want)
{
	struct bench b = { .source = calloc(1, FAR) };
	struct error e;

	maker_make_set(b.source, FAR, 1, NULL);
	bench_open(&b, "m0", FAR);
	ck_assert_int_eq(cache_read_ahead(b.cache, 1, 3 * MAKER_CHUNK, &e), STATUS_OK);
	for (uint64_t i = 0; i < reads; i++)
		cache_note_read(b.cache, offset(i), PAGE);
	cache_settle(b.cache);
	ck_assert_int_eq(cache_used(b.cache) > 0, want);
	bench_free(&b);
}

/* Reads that are far apart or near each other are not sequential; swapped ones are. */
START_TEST(test_not_ahead)
{
	is_read_ahead(far_apart, 1000, false);
	is_read_ahead(near_each_other, 1000, false);
	is_read_ahead(swapped, 200, true);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("cache");

	helper_use_directory(tcase);
	tcase_add_loop_test(tcase, test_parts, 0, 2);
	tcase_add_test(tcase, test_limit);
	tcase_add_test(tcase, test_finished);
	tcase_add_test(tcase, test_counted);
	tcase_add_test(tcase, test_no_room);
	tcase_add_test(tcase, test_loaded_once);
	tcase_add_test(tcase, test_threads);
	tcase_add_test(tcase, test_damage);
	tcase_add_loop_test(tcase, test_unreadable, 0, 2);
	tcase_add_test(tcase, test_ahead);
	tcase_add_test(tcase, test_not_ahead);
	return helper_run_case("cache", tcase);
}
