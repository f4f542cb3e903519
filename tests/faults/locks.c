// SPDX-License-Identifier: GPL-2.0-or-later
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "locks.h"
#include "rules.h"

/* What is behind the hooks.  Set once, and to the same by whoever comes first. */
static struct {
	int (*lock)(pthread_mutex_t *);
	int (*trylock)(pthread_mutex_t *);
	int (*unlock)(pthread_mutex_t *);
	int (*wait)(pthread_cond_t *, pthread_mutex_t *);
	int (*poll)(struct pollfd *, nfds_t, int);
	int (*fflush)(FILE *);
} real;

/* In the static block of each thread: the other kind is allocated at its first use. */
static _Thread_local unsigned held __attribute__((tls_model("initial-exec")));

/* By way of bytes, since C has none from a pointer to an object to one to a function. */
static void set(void *function, void *symbol)
{
	memcpy(function, &symbol, sizeof(symbol));
}

static void *find_wait(void)
{
	void *symbol = NULL;

#ifdef __GLIBC__
	/* Some machines have an older one too, which takes condition variables of its own. */
	symbol = dlvsym(RTLD_NEXT, "pthread_cond_wait", "GLIBC_2.3.2");
#endif
	return symbol ? symbol : dlsym(RTLD_NEXT, "pthread_cond_wait");
}

static void prepare(void)
{
	if (real.lock)
		return;
	set(&real.trylock, dlsym(RTLD_NEXT, "pthread_mutex_trylock"));
	set(&real.unlock, dlsym(RTLD_NEXT, "pthread_mutex_unlock"));
	set(&real.wait, find_wait());
	set(&real.poll, dlsym(RTLD_NEXT, "poll"));
	set(&real.fflush, dlsym(RTLD_NEXT, "fflush"));
	set(&real.lock, dlsym(RTLD_NEXT, "pthread_mutex_lock"));
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	int error;

	prepare();
	error = real.lock(mutex);
	held += !error;
	return error;
}

int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	int error;

	prepare();
	error = real.trylock(mutex);
	held += !error;
	return error;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	int error;

	prepare();
	error = real.unlock(mutex);
	/* A lock from before our hooks were there was not counted. */
	if (!error && held)
		held--;
	return error;
}

/* The wait gives one lock up; any other is held for as long as it takes. */
int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
	int error;

	prepare();
	held--;
	locks_check("pthread_cond_wait", -1);
	error = real.wait(condition, mutex);
	held++;
	return error;
}

/* An eventfd, a signalfd or a pipe that was asked not to block. */
static bool never_blocks(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags >= 0 && flags & O_NONBLOCK && !rules_has_path(fd);
}

void locks_check(const char *call, int fd)
{
	int saved = errno;

	if (held && (fd < 0 || !never_blocks(fd)))
		rules_log_lock(call, fd);
	errno = saved;
}

int poll(struct pollfd *fds, nfds_t count, int milliseconds)
{
	prepare();
	if (milliseconds)
		locks_check("poll", -1);
	return real.poll(fds, count, milliseconds);
}

/*
 * What was printed is written by this at the end.  A message is one write(), which has a hook of
 * its own; the writes of the C library itself, for a stream, come by none.
 */
int fflush(FILE *stream)
{
	prepare();
	if (stream)
		locks_check("fflush", fileno(stream));
	return real.fflush(stream);
}
