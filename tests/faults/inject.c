// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes calls of a program fail.  The library is preloaded (LD_PRELOAD) between the program and the
 * C library; rules.h describes the faults.
 *
 * A failing disk does more than return an error, and so does this library: if an fsync fails with
 * EIO, the second half of what was written since the last fsync is lost, and its pages are clean,
 * so that the next fsync succeeds.  This detects programs that continue as if nothing had happened.
 *
 * config.h is not included: where it makes off_t 64 bits wide, pread and pread64 would be one name,
 * but a program may call either.
 */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include "locks.h"
#include "rules.h"

enum { HOLE_FD_MIN = 200 };

/*
 * The functions behind the hooks: the C library's, or those of a sanitizer that wraps it.  Set
 * once.  Where off_t can have 32 bits, these are the functions with 64 bits.
 */
static struct {
	int (*open)(const char *, int, ...);
	int (*close)(int);
	int (*fcntl)(int, int, ...);
	ssize_t (*read)(int, void *, size_t);
	ssize_t (*write)(int, const void *, size_t);
	ssize_t (*pread)(int, void *, size_t, int64_t);
	ssize_t (*pwrite)(int, const void *, size_t, int64_t);
	int (*fsync)(int);
	int (*fdatasync)(int);
	int (*fallocate)(int, int, int64_t, int64_t);
	int (*ftruncate)(int, int64_t);
	int (*renameat2)(int, const char *, int, const char *, unsigned);
	void *(*mmap)(void *, size_t, int, int, int, int64_t);
	int hole_fd;		/* an empty file: touching a mapping of it raises SIGBUS */
} real;

#ifdef __GLIBC__
static const char wide[] = "64";
#else
static const char wide[] = "";
#endif

/* Copies the bytes, since C has no conversion from an object pointer to a function pointer. */
static void find(void *function, const char *name, const char *suffix)
{
	char whole[32];
	void *symbol;

	strcpy(whole, name);
	strcat(whole, suffix);
	symbol = dlsym(RTLD_NEXT, whole);
	memcpy(function, &symbol, sizeof(symbol));
}

/*
 * A sanitizer calls the hooks before any constructor has run, and before there is an environment.
 * So each hook looks up the functions if necessary; the rules are read by the constructor.
 */
static void prepare(void)
{
	if (real.open)
		return;
	find(&real.close, "close", "");
	find(&real.fcntl, "fcntl", "");
	find(&real.read, "read", "");
	find(&real.write, "write", "");
	find(&real.pread, "pread", wide);
	find(&real.pwrite, "pwrite", wide);
	find(&real.fsync, "fsync", "");
	find(&real.fdatasync, "fdatasync", "");
	find(&real.fallocate, "fallocate", wide);
	find(&real.ftruncate, "ftruncate", wide);
	find(&real.renameat2, "renameat2", "");
	find(&real.mmap, "mmap", wide);
	find(&real.open, "open", wide);
}

static void __attribute__((constructor)) begin(void)
{
	prepare();
	rules_init();
	/* Programs that this one starts are not affected; a fork of this one is. */
	if (getenv("INJECT_ALONE"))
		unsetenv("LD_PRELOAD");
	real.hole_fd = fcntl(memfd_create("hole", MFD_CLOEXEC), F_DUPFD_CLOEXEC, HOLE_FD_MIN);
}

static struct fault ask(enum call call, int fd, uint64_t offset, uint64_t length)
{
	prepare();
	if (call != CALL_MMAP)
		locks_check(rules_call_name(call), fd);
	return rules_ask(call, fd, offset, length);
}

static bool failed(const struct fault *f)
{
	if (f->effect != EFFECT_ERRNO)
		return false;
	errno = (int)f->number;
	return true;
}

static size_t cut(const struct fault *f, size_t length)
{
	return f->effect == EFFECT_SHORT && f->number < length ? (size_t)f->number : length;
}

/* --- opening and closing ------------------------------------------------------ */

static int hook_open(const char *path, int flags, mode_t mode)
{
	struct fault f;

	prepare();
	locks_check("open", -1);
	f = rules_ask_name(CALL_OPEN, path);
	return failed(&f) ? -1 : real.open(path, flags, mode);
}

static mode_t mode_argument(int flags, va_list list)
{
	bool creates = flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE;

	return creates ? va_arg(list, mode_t) : 0;
}

int open(const char *path, int flags, ...)
{
	va_list list;
	mode_t mode;

	va_start(list, flags);
	mode = mode_argument(flags, list);
	va_end(list);
	return hook_open(path, flags, mode);
}

/* The length of a descriptor's file at its last successful fsync. */
enum { SAFE_FDS = 1024 };
static _Atomic off_t safe_length[SAFE_FDS];

static void note_safe(int fd, off_t length)
{
	if (fd >= 0 && fd < SAFE_FDS)
		safe_length[fd] = length;
}

/* As in Linux, the descriptor is closed even if the call fails. */
int close(int fd)
{
	struct fault f = ask(CALL_CLOSE, fd, 0, 0);
	int result;

	note_safe(fd, 0);
	result = real.close(fd);
	return failed(&f) ? -1 : result;
}

/* Only the lock of an open file can be made to fail.  The C library also passes on any argument so. */
int fcntl(int fd, int command, ...)
{
	struct fault f = { .effect = EFFECT_NONE };
	va_list list;
	void *argument;

	va_start(list, command);
	argument = va_arg(list, void *);
	va_end(list);
	prepare();
	if (command == F_OFD_SETLK)
		f = ask(CALL_LOCK, fd, 0, 0);
	return failed(&f) ? -1 : real.fcntl(fd, command, argument);
}

/* --- bytes ---------------------------------------------------------------------- */

ssize_t read(int fd, void *buffer, size_t length)
{
	struct fault f = ask(CALL_READ, fd, 0, length);

	return failed(&f) ? -1 : real.read(fd, buffer, cut(&f, length));
}

ssize_t write(int fd, const void *buffer, size_t length)
{
	struct fault f = ask(CALL_WRITE, fd, 0, length);

	return failed(&f) ? -1 : real.write(fd, buffer, cut(&f, length));
}

static ssize_t hook_pread(int fd, void *buffer, size_t length, int64_t offset)
{
	struct fault f = ask(CALL_PREAD, fd, (uint64_t)offset, length);

	return failed(&f) ? -1 : real.pread(fd, buffer, cut(&f, length), offset);
}

ssize_t pread(int fd, void *buffer, size_t length, off_t offset)
{
	return hook_pread(fd, buffer, length, offset);
}

static ssize_t hook_pwrite(int fd, const void *buffer, size_t length, int64_t offset)
{
	struct fault f = ask(CALL_PWRITE, fd, (uint64_t)offset, length);

	return failed(&f) ? -1 : real.pwrite(fd, buffer, cut(&f, length), offset);
}

ssize_t pwrite(int fd, const void *buffer, size_t length, off_t offset)
{
	return hook_pwrite(fd, buffer, length, offset);
}

/* --- files ------------------------------------------------------- */

static void note_synced(int fd, bool log)
{
	int saved = errno;
	struct stat st;

	if (fstat(fd, &st) == 0) {
		note_safe(fd, st.st_size);
		if (log)
			rules_log_synced(fd, (uint64_t)st.st_size);
	}
	errno = saved;
}

static void lose_second_half(int fd)
{
	int saved = errno;
	struct stat st;
	off_t half;

	if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0) {
		half = fd < SAFE_FDS ? safe_length[fd] : 0;
		half = half < st.st_size ? half : st.st_size;
		half += (st.st_size - half) / 2 / 4096 * 4096;
		if (half == st.st_size) {
			errno = saved;
			return;
		}
		/* If the file system has no holes, the end of the file is removed instead. */
		if (real.fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, half,
				   st.st_size - half) < 0)
			real.ftruncate(fd, half);
	}
	errno = saved;
}

static int sync_with(enum call call, int (*sync)(int), int fd)
{
	struct fault f = ask(call, fd, 0, 0);
	int result;

	if (!failed(&f)) {
		result = sync(fd);
		if (!result)
			note_synced(fd, f.effect == EFFECT_NOTE);
		return result;
	}
	if (errno == EIO)
		lose_second_half(fd);
	return -1;
}

int fsync(int fd)
{
	prepare();
	return sync_with(CALL_FSYNC, real.fsync, fd);
}

int fdatasync(int fd)
{
	prepare();
	return sync_with(CALL_FDATASYNC, real.fdatasync, fd);
}

static int hook_fallocate(int fd, int mode, int64_t offset, int64_t length)
{
	struct fault f = ask(CALL_FALLOCATE, fd, (uint64_t)offset, (uint64_t)length);

	return failed(&f) ? -1 : real.fallocate(fd, mode, offset, length);
}

int fallocate(int fd, int mode, off_t offset, off_t length)
{
	return hook_fallocate(fd, mode, offset, length);
}

static int hook_ftruncate(int fd, int64_t length)
{
	struct fault f = ask(CALL_FTRUNCATE, fd, (uint64_t)length, 0);

	return failed(&f) ? -1 : real.ftruncate(fd, length);
}

int ftruncate(int fd, off_t length)
{
	return hook_ftruncate(fd, length);
}

/* --- names -------------------------------------------------------------------------- */

int renameat2(int from_fd, const char *from, int to_fd, const char *to, unsigned flags)
{
	struct fault f;

	prepare();
	f = rules_ask_name(CALL_RENAME, from);
	return failed(&f) ? -1 : real.renameat2(from_fd, from, to_fd, to, flags);
}

/* --- mappings ----------------------------------------------------------------------- */

/* Replaces a part of the mapping by pages that raise SIGBUS. */
static void spoil(void *map, size_t length, uint64_t offset, const struct fault *f)
{
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t from = offset + length / 2, to = from + 1;

	if (f->to) {
		from = f->from > offset ? f->from : offset;
		to = f->to < offset + length ? f->to : offset + length;
	}
	from -= from % page;
	real.mmap((char *)map + (from - offset), (size_t)(to - from), PROT_READ,
		  MAP_PRIVATE | MAP_FIXED, real.hole_fd, 0);
}

static void *hook_mmap(void *address, size_t length, int protection, int flags, int fd,
		       int64_t offset)
{
	struct fault f = ask(CALL_MMAP, fd, (uint64_t)offset, length);
	void *map;

	if (failed(&f))
		return MAP_FAILED;
	map = real.mmap(address, length, protection, flags, fd, offset);
	if (map != MAP_FAILED && f.effect == EFFECT_BUS)
		spoil(map, length, (uint64_t)offset, &f);
	return map;
}

void *mmap(void *address, size_t length, int protection, int flags, int fd, off_t offset)
{
	return hook_mmap(address, length, protection, flags, fd, offset);
}

/* --- the same functions with the names for 64-bit offsets ------------------------------ */

#ifdef __GLIBC__
int open64(const char *path, int flags, ...)
{
	va_list list;
	mode_t mode;

	va_start(list, flags);
	mode = mode_argument(flags, list);
	va_end(list);
	return hook_open(path, flags, mode);
}

int fcntl64(int fd, int command, ...)
{
	va_list list;
	void *argument;

	va_start(list, command);
	argument = va_arg(list, void *);
	va_end(list);
	return fcntl(fd, command, argument);
}

ssize_t pread64(int fd, void *buffer, size_t length, off64_t offset)
{
	return hook_pread(fd, buffer, length, offset);
}

ssize_t pwrite64(int fd, const void *buffer, size_t length, off64_t offset)
{
	return hook_pwrite(fd, buffer, length, offset);
}

int fallocate64(int fd, int mode, off64_t offset, off64_t length)
{
	return hook_fallocate(fd, mode, offset, length);
}

int ftruncate64(int fd, off64_t length)
{
	return hook_ftruncate(fd, length);
}

void *mmap64(void *address, size_t length, int protection, int flags, int fd, off64_t offset)
{
	return hook_mmap(address, length, protection, flags, fd, offset);
}
#endif
