// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A pool of threads that all run one function, and the thread that created them: it waits until
 * they have finished, and meanwhile handles signals and progress.
 */
#ifndef NSPLIT_BASE_THREAD_POOL_H
#define NSPLIT_BASE_THREAD_POOL_H

#include <pthread.h>
#include <stddef.h>

#include "base/error.h"

struct watch {
	int fd;				/* tick() is called when it is readable; -1: none */
	double interval;		/* and at least this often, in seconds */
	void (*tick)(void *arg);	/* in the thread that called thread_pool_run() */
	void *arg;
};

struct thread_pool {
	unsigned count;
	size_t stack;				/* bytes of each thread's stack */
	size_t touched;				/* bytes of it that are touched before any work() */
	void (*work)(void *arg, unsigned number);	/* a thread's main function; 0 to count - 1 */
	void *arg;
	/*
	 * Threads are created in the order of their numbers, and no work() is called before the
	 * last one.  If fewer than least (0: count) can be created, none is called.  If at least
	 * that many but not all can, fewer(), unless it is NULL, is called first, with their number
	 * and the errno of the failure.
	 */
	unsigned least;
	void (*fewer)(void *arg, unsigned made, int errnum);
	struct pool_state *state;			/* private to thread_pool.c */
};

/*
 * Returns when all threads have finished.  watch: NULL if there is nothing to do meanwhile.  STATUS_SYSTEM or STATUS_NO_MEMORY: too few threads could
 * be created, and work() was not called.
 */
enum status thread_pool_run(struct thread_pool *pool, const struct watch *watch, struct error *e);

/*
 * Only from tick(): do not wait for a thread that may never finish.  It may still run, so
 * everything that it can touch, the pool included, must stay until the program ends.
 */
void thread_pool_abandon(struct thread_pool *pool, unsigned number);

/* --- a single thread ----------------------------------------------------- */

/*
 * Starts a thread with all signals blocked: the main thread handles them.  stack: bytes, or 0 for
 * the default.  Returns 0 or an errno.
 */
int thread_start(pthread_t *thread, size_t stack, void *(*work)(void *), void *arg);

#endif
