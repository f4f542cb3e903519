// SPDX-License-Identifier: GPL-2.0-or-later
/* Starting a single thread; see base/thread_pool.h for many. */
#ifndef NSPLIT_BASE_THREAD_H
#define NSPLIT_BASE_THREAD_H

#include <pthread.h>
#include <stddef.h>

/*
 * Starts a thread with all signals blocked: the main thread handles them.  stack: bytes, or 0 for
 * the default.  Returns 0 or an errno.
 */
int thread_start(pthread_t *thread, size_t stack, void *(*work)(void *), void *arg);

#endif
