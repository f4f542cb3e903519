// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/thread_pool.h"
#include "helper.h"

enum { THREADS_MAX = 64 };

/* What the threads of a pool and tick() record. */
struct bench {
	_Atomic unsigned seen[THREADS_MAX];	/* calls of work() for each number */
	_Atomic bool finish;
	unsigned ticks, ticks_wanted;
	int fd;
	pthread_t watcher;
	bool wrong_thread;
};

static void work_until_finish(void *arg, unsigned number)
{
	struct bench *b = arg;

	if (number >= THREADS_MAX)
		ck_abort_msg("thread %u", number);
	b->seen[number]++;
	while (!b->finish)
		usleep(500);
}

static void tick(void *arg)
{
	struct bench *b = arg;
	uint64_t count;

	b->wrong_thread |= !pthread_equal(b->watcher, pthread_self());
	if (b->fd >= 0 && read(b->fd, &count, sizeof(count)) < 0)
		return;
	if (++b->ticks >= b->ticks_wanted)
		b->finish = true;
}

static enum status run(struct bench *b, unsigned count, double interval, size_t stack,
		       struct error *e)
{
	struct thread_pool pool = { .count = count, .stack = stack, .work = work_until_finish,
			     .arg = b };
	struct watch watch = { .fd = b->fd, .interval = interval, .tick = tick, .arg = b };

	b->watcher = pthread_self();
	return thread_pool_run(&pool, &watch, e);
}

/* Too little memory for all stacks: no thread works, and the error says how many were created. */
START_TEST(test_too_many)
{
	struct bench b = { .ticks_wanted = UINT32_MAX, .fd = -1 };
	const char *text = "only ";
	struct error e;

	ck_assert_int_eq(run(&b, THREADS_MAX, 0.001, (size_t)1 << 42, &e), STATUS_SYSTEM);
	ck_assert_int_eq(strncmp(e.text, text, strlen(text)), 0);
	ck_assert_ptr_nonnull(strstr(e.text, " of 64 threads could be created: "));
	for (unsigned i = 0; i < THREADS_MAX; i++)
		ck_assert_uint_eq(b.seen[i], 0);
	ck_assert_uint_eq(b.ticks, 0);
}
END_TEST

/* Memory for some of the stacks: the threads that could be created work, if they are enough. */
struct small_pool {
	_Atomic unsigned seen;		/* threads that worked */
	unsigned reported;		/* by fewer() */
	bool too_late;			/* a thread worked before fewer() was called */
};

static void count_thread(void *arg, unsigned number)
{
	struct small_pool *s = arg;

	(void)number;
	s->seen++;
}

static void on_fewer(void *arg, unsigned made, int errnum)
{
	struct small_pool *s = arg;

	s->reported = made;
	s->too_late = s->seen || !errnum;
}

static void no_tick(void *arg)
{
	(void)arg;
}

static enum status run_small(struct small_pool *s, unsigned least)
{
	struct thread_pool pool = {
		.count = THREADS_MAX, .stack = (size_t)64 << 20, .work = count_thread, .arg = s,
		.least = least, .fewer = on_fewer,
	};
	struct watch watch = { .fd = -1, .interval = 1000, .tick = no_tick };
	struct rlimit limit;
	struct error e;

	/* Memory for 10 to 20 of the stacks; the test runs in a process of its own. */
	ck_assert_int_eq(getrlimit(RLIMIT_AS, &limit), 0);
	limit.rlim_cur = (rlim_t)1280 << 20;
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
	return thread_pool_run(&pool, &watch, &e);
}

START_TEST(test_fewer)
{
	struct small_pool s = { .reported = 0 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	return;				/* the sanitizers map more than the limit */
#endif
	ck_assert_int_eq(run_small(&s, 2), STATUS_OK);
	ck_assert_uint_ge(s.reported, 2);
	ck_assert_uint_lt(s.reported, THREADS_MAX);
	ck_assert_uint_eq(s.seen, s.reported);
	ck_assert(!s.too_late);
}
END_TEST

START_TEST(test_too_few)
{
	struct small_pool s = { .reported = 0 };

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	return;
#endif
	ck_assert_int_ne(run_small(&s, THREADS_MAX - 1), STATUS_OK);
	ck_assert_uint_eq(s.reported, 0);
	ck_assert_uint_eq(s.seen, 0);
}
END_TEST

/* A pool with one thread that hangs; the pool and what that thread uses outlive the test. */
struct hanging {
	struct thread_pool pool;
	_Atomic bool released, returned;
	unsigned ticks;
};

enum { HANGING = 2 };

static void work_or_hang(void *arg, unsigned number)
{
	struct hanging *h = arg;

	if (number != HANGING)
		return;
	while (!h->released)
		usleep(500);
	h->returned = true;
}

static void abandon_later(void *arg)
{
	struct hanging *h = arg;

	if (++h->ticks < 3)
		return;
	thread_pool_abandon(&h->pool, HANGING);
	thread_pool_abandon(&h->pool, HANGING);	/* a second call has no effect */
}

START_TEST(test_abandon)
{
	static struct hanging h = {
		.pool = { .count = 4, .stack = 512 * 1024, .work = work_or_hang, .arg = &h },
	};
	struct watch watch = { .fd = -1, .interval = 0.001, .tick = abandon_later, .arg = &h };
	struct error e;

	ck_assert_int_eq(thread_pool_run(&h.pool, &watch, &e), STATUS_OK);
	ck_assert_uint_ge(h.ticks, 3);
	ck_assert(!h.returned);
	h.released = true;		/* the thread may still finish after thread_pool_run() */
	while (!h.returned)
		usleep(500);
	usleep(10000);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("thread_pool");
	TCase *tcase = tcase_create("thread_pool");

	tcase_set_timeout(tcase, 30);
	tcase_add_test(tcase, test_too_many);
	tcase_add_test(tcase, test_fewer);
	tcase_add_test(tcase, test_too_few);
	tcase_add_test(tcase, test_abandon);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
