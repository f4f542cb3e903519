// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/thread_pool.h"

struct pool_thread {
	struct pool_state *state;
	unsigned number;
	pthread_t id;
	atomic_bool finished;		/* went home, or was given up */
	bool given_up;			/* the watching thread's own */
};

enum start { START_WAIT, START_GO, START_CANCELLED };

struct pool_state {
	const struct thread_pool *pool;
	struct pool_thread *threads;
	unsigned made;
	atomic_uint working;
	int finished_fd;			/* eventfd: readable when all are home */
	bool given_up;			/* any of them */

	/* Nobody works before all have come, with their memory. */
	pthread_mutex_t gate;
	pthread_cond_t moved;		/* one has come, or the gate is open */
	unsigned come;			/* under gate, as is: */
	enum start state;
};

static void leave(struct pool_thread *h)
{
	struct pool_state *r = h->state;
	uint64_t one = 1;

	if (atomic_exchange(&h->finished, true))
		return;
	/* An eventfd refuses only when it is readable already. */
	if (atomic_fetch_sub(&r->working, 1) == 1 &&
	    write(r->finished_fd, &one, sizeof(one)) < 0)
		return;
}

/* Pages of the stack that the kernel has still to find, when memory may be short. */
static void __attribute__((noinline)) touch_stack(size_t bytes)
{
	enum { STEP = 4096 };
	char here[STEP];
	volatile char *touched = here;

	touched[0] = 0;
	if (bytes > STEP)
		touch_stack(bytes - STEP);
	touched[STEP - 1] = 0;		/* behind the call, so that it is one */
}

static bool may_work(struct pool_state *r)
{
	bool open;

	touch_stack(r->pool->touched);
	pthread_mutex_lock(&r->gate);
	r->come++;
	pthread_cond_broadcast(&r->moved);
	while (r->state == START_WAIT)
		pthread_cond_wait(&r->moved, &r->gate);
	open = r->state == START_GO;
	pthread_mutex_unlock(&r->gate);
	return open;
}

static void *hand_main(void *arg)
{
	struct pool_thread *h = arg;
	const struct thread_pool *pool = h->state->pool;

	if (may_work(h->state))
		pool->work(pool->arg, h->number);
	leave(h);
	return NULL;
}

/* When all that were made have come. */
static void set_start(struct pool_state *r, enum start state)
{
	pthread_mutex_lock(&r->gate);
	while (r->come < r->made)
		pthread_cond_wait(&r->moved, &r->gate);
	r->state = state;
	pthread_cond_broadcast(&r->moved);
	pthread_mutex_unlock(&r->gate);
}

static bool are_enough(const struct thread_pool *pool, unsigned made)
{
	return made >= (pool->least ? pool->least : pool->count);
}

/* Returns 0, or why fewer could be made than are needed; then those that were will not work. */
static int hire(struct pool_state *r)
{
	const struct thread_pool *pool = r->pool;
	pthread_attr_t attr;
	bool enough;
	int failed = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, pool->stack);
	for (; r->made < pool->count; r->made++) {
		struct pool_thread *h = &r->threads[r->made];

		h->state = r;
		h->number = r->made;
		failed = pthread_create(&h->id, &attr, hand_main, h);
		if (failed)
			break;
	}
	pthread_attr_destroy(&attr);
	enough = are_enough(pool, r->made);
	r->working = r->made;		/* none has begun, and so none has ended */
	if (enough && failed)
		pool->fewer(pool->arg, r->made, failed);
	set_start(r, enough ? START_GO : START_CANCELLED);
	return enough ? 0 : failed;
}

static void watch_until_finished(const struct pool_state *r, const struct watch *w)
{
	struct pollfd fds[2] = {
		{ .fd = r->finished_fd, .events = POLLIN },
		{ .fd = w->fd, .events = POLLIN },
	};

	for (;;) {
		/* A poll that fails is a tick too many, and no more. */
		if (poll(fds, 2, (int)(w->interval * 1000)) > 0 && fds[0].revents)
			return;
		w->tick(w->arg);
	}
}

void thread_pool_abandon(struct thread_pool *pool, unsigned number)
{
	struct pool_state *r = pool->state;
	struct pool_thread *h = &r->threads[number];

	if (h->given_up)
		return;
	h->given_up = r->given_up = true;
	pthread_detach(h->id);
	leave(h);
}

static void state_free(struct pool_state *r)
{
	if (r->finished_fd >= 0)
		close(r->finished_fd);
	pthread_cond_destroy(&r->moved);
	pthread_mutex_destroy(&r->gate);
	free(r->threads);
	free(r);
}

static struct pool_state *state_new(const struct thread_pool *pool, struct error *e)
{
	struct pool_state *r = calloc(1, sizeof(*r));
	struct pool_thread *threads = calloc(pool->count, sizeof(*threads));

	if (!r || !threads) {
		free(r);
		free(threads);
		error_system(e, ENOMEM, "%u threads", pool->count);
		return NULL;
	}
	r->pool = pool;
	r->threads = threads;
	pthread_mutex_init(&r->gate, NULL);
	pthread_cond_init(&r->moved, NULL);
	r->finished_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (r->finished_fd < 0) {
		error_system(e, errno, "eventfd");
		state_free(r);
		return NULL;
	}
	return r;
}

enum status thread_pool_run(struct thread_pool *pool, const struct watch *watch, struct error *e)
{
	struct pool_state *r = state_new(pool, e);
	enum status status = STATUS_OK;
	int failed;

	if (!r)
		return e->status;
	pool->state = r;
	failed = hire(r);
	if (failed)
		status = error_system(e, failed, "%u threads, of which %u were made", pool->count,
				      r->made);
	else
		watch_until_finished(r, watch);
	for (unsigned i = 0; i < r->made; i++)
		if (!r->threads[i].given_up)
			pthread_join(r->threads[i].id, NULL);
	/* A hand that was given up may still come home. */
	if (r->given_up)
		return status;
	pool->state = NULL;
	state_free(r);
	return status;
}
