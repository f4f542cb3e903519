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

/* The functions behind the hooks.  Set once; several threads may set them, to the same values. */
static struct {
	int (*lock)(pthread_mutex_t *);
	int (*trylock)(pthread_mutex_t *);
	int (*unlock)(pthread_mutex_t *);
	int (*wait)(pthread_cond_t *, pthread_mutex_t *);
	int (*poll)(struct pollfd *, nfds_t, int);
	int (*fflush)(FILE *);
} real;

/* In the static TLS block: dynamic TLS would be allocated at its first use. */
static _Thread_local unsigned held __attribute__((tls_model("initial-exec")));

/* Copies the bytes, since C has no conversion from an object pointer to a function pointer. */
static void set(void *function, void *symbol)
{
	memcpy(function, &symbol, sizeof(symbol));
}

static void *find_wait(void)
{
	void *symbol = NULL;

#ifdef __GLIBC__
	/*
	 * Some machines also have an older version, for another type of condition variable.  The function of the thread
	 * sanitizer has no version; without it, the sanitizer would take the lock for held during the wait.
	 */
	if (!dlsym(RTLD_DEFAULT, "__tsan_init"))
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
	/* A lock that was taken before the hooks existed was not counted. */
	if (!error && held)
		held--;
	return error;
}

/* The wait releases its own lock; any other lock is held meanwhile. */
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

/* A non-blocking eventfd, signalfd or pipe. */
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
 * Writes what was printed to standard output.  Messages use write(), which has its own hook; the
 * C library's own writes for a stream are not hooked.
 */
int fflush(FILE *stream)
{
	prepare();
	if (stream)
		locks_check("fflush", fileno(stream));
	return real.fflush(stream);
}
