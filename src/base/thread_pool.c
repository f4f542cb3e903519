// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/thread_pool.h"

/* --- a single thread ----------------------------------------------------- */

int thread_start(pthread_t *thread, size_t stack, void *(*work)(void *), void *arg)
{
	sigset_t all, before;
	pthread_attr_t attr;
	int failed;

	sigfillset(&all);
	pthread_attr_init(&attr);
	if (stack)
		pthread_attr_setstacksize(&attr, stack);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	failed = pthread_create(thread, &attr, work, arg);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pthread_attr_destroy(&attr);
	return failed;
}

/* --- many threads -------------------------------------------------------- */

struct pool_thread {
	struct pool_state *state;
	unsigned number;
	pthread_t id;
	atomic_bool finished;		/* or abandoned: no longer counted in running */
	bool abandoned;			/* only used by the watching thread */
};

enum start { START_WAIT, START_GO, START_CANCELLED };

struct pool_state {
	const struct thread_pool *pool;
	struct pool_thread *threads;	/* owned */
	unsigned made;
	atomic_uint running;		/* threads neither finished nor abandoned */
	int finished_fd;		/* eventfd, readable once running is 0 */
	bool any_abandoned;		/* only used by the watching thread */

	/* No thread starts to work until all have been created and have their memory. */
	pthread_mutex_t lock;
	pthread_cond_t changed;		/* ready or start */
	/* Under lock: */
	unsigned ready;			/* threads that wait for start */
	enum start start;
};

static void finish(struct pool_thread *thread)
{
	struct pool_state *state = thread->state;
	uint64_t one = 1;

	if (atomic_exchange(&thread->finished, true))
		return;
	/* A write to an eventfd fails only if it is readable already. */
	if (atomic_fetch_sub(&state->running, 1) == 1 &&
	    write(state->finished_fd, &one, sizeof(one)) < 0)
		return;
}

/* Makes the kernel allocate the pages of the stack now; later, memory may be short. */
static void __attribute__((noinline)) touch_stack(size_t bytes)
{
	enum { STEP = 4096 };
	char page[STEP];
	volatile char *touched = page;

	touched[0] = 0;
	if (bytes > STEP)
		touch_stack(bytes - STEP);
	touched[STEP - 1] = 0;		/* after the call, so that it is not a tail call */
}

/* False: cancelled. */
static bool wait_for_start(struct pool_state *state)
{
	bool go;

	touch_stack(state->pool->touched);
	pthread_mutex_lock(&state->lock);
	state->ready++;
	pthread_cond_broadcast(&state->changed);
	while (state->start == START_WAIT)
		pthread_cond_wait(&state->changed, &state->lock);
	go = state->start == START_GO;
	pthread_mutex_unlock(&state->lock);
	return go;
}

static void *thread_main(void *arg)
{
	struct pool_thread *thread = arg;
	const struct thread_pool *pool = thread->state->pool;

	if (wait_for_start(thread->state))
		pool->work(pool->arg, thread->number);
	finish(thread);
	return NULL;
}

/* Waits until all threads that were created are ready. */
static void set_start(struct pool_state *state, enum start start)
{
	pthread_mutex_lock(&state->lock);
	while (state->ready < state->made)
		pthread_cond_wait(&state->changed, &state->lock);
	state->start = start;
	pthread_cond_broadcast(&state->changed);
	pthread_mutex_unlock(&state->lock);
}

/* Returns 0, or the errno of the failure if too few could be created; those are cancelled. */
static int create_threads(struct pool_state *state)
{
	const struct thread_pool *pool = state->pool;
	pthread_attr_t attr;
	bool enough;
	int failed = 0;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, pool->stack);
	for (; state->made < pool->count; state->made++) {
		struct pool_thread *thread = &state->threads[state->made];

		thread->state = state;
		thread->number = state->made;
		failed = pthread_create(&thread->id, &attr, thread_main, thread);
		if (failed)
			break;
	}
	pthread_attr_destroy(&attr);
	enough = state->made >= (pool->least ? pool->least : pool->count);
	state->running = state->made;	/* all still wait for start, so none has finished */
	if (enough && failed && pool->fewer)
		pool->fewer(pool->arg, state->made, failed);
	set_start(state, enough ? START_GO : START_CANCELLED);
	return enough ? 0 : failed;
}

static void watch_until_finished(const struct pool_state *state, const struct watch *w)
{
	struct pollfd fds[2] = {
		{ .fd = state->finished_fd, .events = POLLIN },
		{ .fd = w->fd, .events = POLLIN },
	};

	for (;;) {
		/* If poll() fails, tick() is called early, which does no harm. */
		if (poll(fds, 2, (int)(w->interval * 1000)) > 0 && fds[0].revents)
			return;
		w->tick(w->arg);
	}
}

void thread_pool_abandon(struct thread_pool *pool, unsigned number)
{
	struct pool_state *state = pool->state;
	struct pool_thread *thread = &state->threads[number];

	if (thread->abandoned)
		return;
	thread->abandoned = state->any_abandoned = true;
	pthread_detach(thread->id);
	finish(thread);
}

static void state_free(struct pool_state *state)
{
	if (state->finished_fd >= 0)
		close(state->finished_fd);
	pthread_cond_destroy(&state->changed);
	pthread_mutex_destroy(&state->lock);
	free(state->threads);
	free(state);
}

static struct pool_state *state_new(const struct thread_pool *pool, struct error *e)
{
	struct pool_state *state = calloc(1, sizeof(*state));
	struct pool_thread *threads = calloc(pool->count, sizeof(*threads));

	if (!state || !threads) {
		free(state);
		free(threads);
		error_system(e, ENOMEM, "%u threads", pool->count);
		return NULL;
	}
	state->pool = pool;
	state->threads = threads;
	pthread_mutex_init(&state->lock, NULL);
	pthread_cond_init(&state->changed, NULL);
	state->finished_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (state->finished_fd < 0) {
		error_system(e, errno, "eventfd");
		state_free(state);
		return NULL;
	}
	return state;
}

enum status thread_pool_run(struct thread_pool *pool, const struct watch *watch, struct error *e)
{
	struct pool_state *state = state_new(pool, e);
	enum status status = STATUS_OK;
	int failed;

	if (!state)
		return e->status;
	pool->state = state;
	failed = create_threads(state);
	if (failed)
		status = error_system(e, failed, "only %u of %u threads could be created",
				      state->made, pool->count);
	else if (watch)
		watch_until_finished(state, watch);
	for (unsigned i = 0; i < state->made; i++)
		if (!state->threads[i].abandoned)
			pthread_join(state->threads[i].id, NULL);
	/* An abandoned thread may still finish, and uses its state then. */
	if (state->any_abandoned)
		return status;
	pool->state = NULL;
	state_free(state);
	return status;
}
