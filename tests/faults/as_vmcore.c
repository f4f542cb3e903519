// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Makes a program take a file for /proc/vmcore, and some of its bytes for memory that must not be touched.  The library is
 * preloaded (LD_PRELOAD) between the program and the C library.
 *
 *	NSPLIT_AS_VMCORE	the file, which fstatfs() says is on procfs; its absolute name
 *	NSPLIT_DEADLY		a file with lines "OFFSET LENGTH", up to 64: the first read of any of these bytes ends the
 *				process by SIGKILL
 *	NSPLIT_DEADLY_LOG	a file to which each such read appends a line before
 *	NSPLIT_DEADLY_SPARE	if it is set, the process goes on
 *
 * Mapped reads cannot be seen: use --mmap=never.  Without config.h, as inject.c.
 */
#include <linux/magic.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

enum { RANGES_MAX = 64 };

static struct {
	int64_t from, end;
} deadly[RANGES_MAX];
static unsigned count;

__attribute__((constructor)) static void prepare(void)
{
	const char *name = getenv("NSPLIT_DEADLY");
	FILE *file = name ? fopen(name, "re") : NULL;
	long long from, length;

	while (file && count < RANGES_MAX && fscanf(file, "%lld %lld", &from, &length) == 2) {
		deadly[count].from = from;
		deadly[count++].end = from + length;
	}
	if (file)
		fclose(file);
}

static int is_vmcore(int fd)
{
	const char *vmcore = getenv("NSPLIT_AS_VMCORE");
	char link[64], name[4096];
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, name, sizeof(name) - 1);
	name[length < 0 ? 0 : length] = '\0';
	return vmcore && !strcmp(name, vmcore);
}

static void check(int fd, size_t len, int64_t offset)
{
	const char *log = getenv("NSPLIT_DEADLY_LOG");

	for (unsigned i = 0; i < count; i++) {
		FILE *file;

		if (offset >= deadly[i].end || deadly[i].from >= offset + (int64_t)len || !is_vmcore(fd))
			continue;
		file = log ? fopen(log, "ae") : NULL;
		if (file) {
			fprintf(file, "read of %zu bytes at %lld\n", len, (long long)offset);
			fclose(file);
		}
		if (!getenv("NSPLIT_DEADLY_SPARE"))
			kill(getpid(), SIGKILL);
	}
}

ssize_t pread64(int fd, void *buffer, size_t len, int64_t offset)
{
	check(fd, len, offset);
	return syscall(SYS_pread64, fd, buffer, len, offset);
}

ssize_t pread(int fd, void *buffer, size_t len, off_t offset)
{
	return pread64(fd, buffer, len, offset);
}

ssize_t read(int fd, void *buffer, size_t len)
{
	if (count && is_vmcore(fd))
		check(fd, len, lseek(fd, 0, SEEK_CUR));
	return syscall(SYS_read, fd, buffer, len);
}

int fstatfs64(int fd, struct statfs64 *fs)
{
	long result = syscall(SYS_fstatfs, fd, fs);

	if (!result && is_vmcore(fd))
		fs->f_type = PROC_SUPER_MAGIC;
	return (int)result;
}

int fstatfs(int fd, struct statfs *fs)
{
	return fstatfs64(fd, (struct statfs64 *)fs);
}
