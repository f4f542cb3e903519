// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The files in a mount of a set with layers, read without FUSE: random sets, whole and damaged, compared
 * with tests/unit/layer_oracle.c.
 */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

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
	return s->o->map[at / GRANULE] == ORACLE_STORED;
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
	enum status status;
	struct error e;

	ck_assert_ptr_nonnull(bytes);
	memset(bytes, 0xee, len + 1);
	status = view->read(view, buffers, offset, len, bytes, &e);
	if (!status != expected)
		ck_abort_msg("seed %llu: bytes %llu to %llu of %s: %s", (unsigned long long)s->seed,
			     (unsigned long long)offset, (unsigned long long)offset + len - 1, s->o->map,
			     status ? e.text : "can be read");
	if (!status)
		check_bytes(s, offset, bytes, len);
	ck_assert_uint_eq(bytes[len], 0xee);
	free(bytes);
}

/* One of several threads. */
static void *read_main(void *arg)
{
	struct shown *s = arg;
	struct layer_random r = { .state = s->seed + atomic_fetch_add(&s->started, 1) };
	struct buffers *buffers = cache_take_buffers(s->cache);
	uint64_t size = s->set->source_size;

	for (unsigned i = 0; i < READS; i++) {
		uint64_t offset = layer_random_number(&r, size);
		uint64_t most = min_u64(LONGEST, size - offset);

		read_once(s, buffers, offset, 1 + layer_random_number(&r, most));
	}
	read_once(s, buffers, 0, size);
	cache_return_buffers(s->cache, buffers);
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
		ck_assert_int_eq(cache_new(&s->cache, s->set, &settings, &e), STATUS_OK);
		s->source = (struct source_view){ .set = s->set, .cache = s->cache };
		source_view_init(&s->source);
		ck_assert_uint_eq(s->source.view.size, s->set->source_size);
		read_all(s, zero_holes);
		cache_free(s->cache);
	}
}

static void try_one(uint64_t seed, bool damaged)
{
	struct layer_trial t;

	layer_trial_begin(&t, seed, damaged);
	if (t.comparable && t.set.source_size)
		show(&(struct shown){ .seed = seed, .r = &t.r, .o = &t.o, .set = &t.set });
	layer_trial_end(&t);
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

/* --- records that cannot be read ---------------------------------------------------- */

/* Where reads of files fail; 0: nowhere. */
static off_t bad_sector;

/* In place of that of the C library. */
ssize_t pread(int fd, void *bytes, size_t length, off_t offset)
{
	if (bad_sector && offset <= bad_sector && bad_sector < offset + (off_t)length) {
		errno = EIO;
		return -1;
	}
	return syscall(SYS_pread64, fd, bytes, length, offset);
}

/* Layer 2 stores granule 8 of the first cell, and granule 2 of the next is its second place. */
static size_t make_two_layers(struct maker *m, uint8_t *source)
{
	const struct run first[] = { { RUN_STORED, CLASS_KERNEL, 8 }, { RUN_NAMED, CLASS_MAP, 1 },
				     { RUN_NAMED, CLASS_FREE, 7 } };
	const struct run later = { RUN_STORED, CLASS_MAP, 1 };
	const struct run next[] = { { RUN_STORED, CLASS_KERNEL, 2 },
				    { RUN_NAMED, CLASS_SECOND, 1 },
				    { RUN_STORED, CLASS_KERNEL, 1 } };
	size_t at;

	maker_init(m, 0, 1, 20 * GRANULE);
	m->superblock.chunk_size = 16 * GRANULE;
	maker_set_layers(&m->superblock, 16 * GRANULE);
	maker_add_second(&m->superblock, 18 * GRANULE, GRANULE, 8 * GRANULE);
	m->superblock.classes.of[CLASS_MAP] = class_entry(CLASS_SAVED, 2);
	m->superblock.classes.of[CLASS_FREE] = class_entry(CLASS_LEFT_OUT, 0);
	memset(source + 9 * GRANULE, 0, 7 * GRANULE);
	memcpy(source + 18 * GRANULE, source + 8 * GRANULE, GRANULE);
	maker_begin(m);
	maker_add_layered(m, source, 1, 0, first, 3);
	maker_add_layered(m, source, 1, 16 * GRANULE, next, 3);
	at = maker_add_layered(m, source, 2, 8 * GRANULE, &later, 1);
	maker_add_footer(m);
	maker_write(m, "m0");
	return at;
}

static enum status expected_status(const struct source_view *v, uint64_t granule)
{
	if (bad_sector && (granule == 8 || granule == 18))
		return STATUS_SYSTEM;
	if (granule >= 9 && granule < 16 && !v->zero_holes)
		return STATUS_MISSING;
	return STATUS_OK;
}

/* Only what is in the record that cannot be read now cannot be read now. */
static void check_bad(const struct source_view *v, struct buffers *buffers, const uint8_t *source)
{
	uint8_t bytes[GRANULE];
	struct error e;

	for (uint64_t i = 0; i < 20; i++) {
		enum status want = expected_status(v, i);

		ck_assert_int_eq(v->view.read(&v->view, buffers, i * GRANULE, GRANULE, bytes,
					      &e), want);
		if (!want)
			ck_assert_mem_eq(bytes, source + i * GRANULE, GRANULE);
	}
}

/* A record is not tried for ten times as long as the last attempt took. */
static void wait_for_retry(const struct source_view *v, struct buffers *buffers)
{
	uint8_t bytes[GRANULE];
	struct error e;

	while (v->view.read(&v->view, buffers, 8 * GRANULE, GRANULE, bytes, &e))
		usleep(1000);
}

START_TEST(test_bad_sector)
{
	const struct cache_settings cached = { .limit = 1 << 20, .damaged = ignore };
	uint8_t *source = maker_source(20 * GRANULE);
	struct source_view v = { .zero_holes = _i };
	struct buffers *buffers;
	struct maker m;
	struct error e;
	struct set set;
	size_t at = make_two_layers(&m, source);

	maker_open(&set, "m0");
	ck_assert_int_eq(cache_new(&v.cache, &set, &cached, &e), STATUS_OK);
	v.set = &set;
	source_view_init(&v);
	buffers = cache_take_buffers(v.cache);
	bad_sector = (off_t)at;
	check_bad(&v, buffers, source);
	bad_sector = 0;
	wait_for_retry(&v, buffers);
	check_bad(&v, buffers, source);
	cache_return_buffers(v.cache, buffers);
	cache_free(v.cache);
	set_close(&set);
	maker_free(&m);
	free(source);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("view_layers");

	helper_use_directory(tcase);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_random);
	tcase_add_test(tcase, test_damaged);
	tcase_add_loop_test(tcase, test_bad_sector, 0, 2);
	return helper_run_case("view_layers", tcase);
}
