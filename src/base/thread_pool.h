// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A crew of threads, and the thread that watches them: it waits for the crew
 * to go home, and meanwhile looks after signals and progress.
 */
#ifndef NSPLIT_BASE_THREAD_POOL_H
#define NSPLIT_BASE_THREAD_POOL_H

#include <stddef.h>

#include "base/error.h"

struct watch {
	int fd;				/* tick() when it is readable; -1: none */
	double interval;		/* and this often at least; seconds */
	void (*tick)(void *arg);	/* in the thread that watches */
	void *arg;
};

struct thread_pool {
	unsigned count;
	size_t stack;				/* bytes for each, */
	size_t touched;				/* of which so many are touched before any works */
	void (*work)(void *arg, unsigned number);	/* a thread's whole life; 0 to count - 1 */
	void *arg;
	/*
	 * Threads are created in the order of their numbers.  With fewer than least of them none
	 * works; 0: all are needed.  If there are enough, but not all, fewer() is called before any
	 * works, with their number and why the next one could not be created.
	 */
	unsigned least;
	void (*fewer)(void *arg, unsigned made, int errnum);
	struct pool_state *state;			/* thread_pool_run()'s own */
};

/*
 * Returns when all have gone home.  STATUS_SYSTEM or STATUS_NO_MEMORY if a thread that is needed
 * could not be created: then none has worked.
 */
enum status thread_pool_run(struct thread_pool *pool, const struct watch *watch, struct error *e);

/*
 * From tick(): a hand that will perhaps never come home again is waited for no longer.  It may
 * still work: what it can touch must stay until the program ends, the crew included.
 */
void thread_pool_abandon(struct thread_pool *pool, unsigned number);

#endif
