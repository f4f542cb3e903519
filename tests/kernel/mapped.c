// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Maps files, which a shell cannot do; for the emulated machines.
 *	mapped cat FILE WINDOW		writes the file to standard output, from mappings
 *	mapped touch FILE PAGE		prints "page" if it is readable, "SIGBUS" if not
 *	mapped during FILE COMMAND...	runs COMMAND while FILE is mapped and not open
 *	mapped use FILE N		opens, reads, maps, touches and closes it N times
 *	mapped send FILE		sends its first page to standard output by sendfile()
 *	mapped refuses FILE		checks that FILE refuses everything that a read-only
 *					file must refuse; prints what it allows
 *	mapped rate FILE WINDOW PIECE	prints bytes a second, mapped in windows and copied in
 *					pieces; and copied from the same amount of plain memory
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* The most that is copied: more than the CPU caches hold. */
#define RATE_SIZE ((uint64_t)64 << 20)
#define RATE_ROUNDS 5

static sigjmp_buf faulted;

static void die(const char *what)
{
	fprintf(stderr, "mapped: %s: %s\n", what, strerror(errno));
	exit(EXIT_FAILURE);
}

static int open_file(const char *name, uint64_t *size)
{
	int fd = open(name, O_RDONLY | O_CLOEXEC);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0)
		die(name);
	*size = (uint64_t)st.st_size;
	return fd;
}

static void *map(int fd, uint64_t offset, size_t length)
{
	void *at = mmap(NULL, length, PROT_READ, MAP_SHARED, fd, (off_t)offset);

	if (at == MAP_FAILED)
		die("mmap");
	return at;
}

static void unmap(void *at, size_t length)
{
	if (munmap(at, length) < 0)
		die("munmap");
}

static size_t window_at(uint64_t offset, uint64_t size, size_t window)
{
	return size - offset < window ? (size_t)(size - offset) : window;
}

static int cat(const char *name, size_t window)
{
	uint64_t size, offset;
	int fd = open_file(name, &size);
	size_t length;
	void *at;

	for (offset = 0; offset < size; offset += length) {
		length = window_at(offset, size, window);
		at = map(fd, offset, length);
		if (fwrite(at, 1, length, stdout) != length)
			die("standard output");
		unmap(at, length);
	}
	if (fflush(stdout) == EOF)
		die("standard output");
	return EXIT_SUCCESS;
}

static void on_sigbus(int number)
{
	(void)number;
	siglongjmp(faulted, 1);
}

static int touch(const char *name, uint64_t page)
{
	size_t page_size = (size_t)sysconf(_SC_PAGESIZE);
	volatile const unsigned char *byte;
	uint64_t size;
	int fd = open_file(name, &size);

	byte = map(fd, page * page_size, page_size);
	if (signal(SIGBUS, on_sigbus) == SIG_ERR)
		die("signal");
	if (sigsetjmp(faulted, 1) == 0) {
		(void)*byte;
		puts("page");
	} else {
		puts("SIGBUS");
	}
	return EXIT_SUCCESS;
}

static int during(const char *name, char **command)
{
	uint64_t size;
	int fd = open_file(name, &size), status;
	void *at = map(fd, 0, (size_t)size);
	pid_t pid;

	close(fd);
	pid = fork();
	if (pid < 0)
		die("fork");
	if (pid == 0) {
		/* exec ends the copy of the mapping that the child has. */
		execvp(command[0], command);
		die(command[0]);
	}
	if (waitpid(pid, &status, 0) < 0)
		die("waitpid");
	unmap(at, (size_t)size);
	return WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_FAILURE;
}

static void use_once(const char *name, size_t page)
{
	uint64_t size;
	int fd = open_file(name, &size);
	void *at = map(fd, 0, page);
	char buffer[512];

	if (pread(fd, buffer, sizeof(buffer), (off_t)page) != (ssize_t)sizeof(buffer))
		die(name);
	(void)*(volatile unsigned char *)at;
	unmap(at, page);
	close(fd);
}

static int use(const char *name, unsigned long times)
{
	while (times--)
		use_once(name, (size_t)sysconf(_SC_PAGESIZE));
	return EXIT_SUCCESS;
}

static int send_page(const char *name)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t size;
	int fd = open_file(name, &size);

	if (sendfile(STDOUT_FILENO, fd, NULL, page) != (ssize_t)page)
		die("sendfile");
	return EXIT_SUCCESS;
}

static int must_fail(const char *what, int failed, int want)
{
	if (failed && errno == want)
		return EXIT_SUCCESS;
	printf("%s: %s\n", what, failed ? strerror(errno) : "was allowed");
	return EXIT_FAILURE;
}

static int refuses_mapping(const char *what, int fd, int protection, uint64_t offset,
			   size_t length, int want)
{
	void *at = mmap(NULL, length, protection, MAP_SHARED, fd, (off_t)offset);

	if (at == MAP_FAILED)
		return must_fail(what, 1, want);
	unmap(at, length);
	return must_fail(what, 0, want);
}

static int refuses(const char *name)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	uint64_t size;
	int fd = open_file(name, &size), read_write = open(name, O_RDWR), status;
	uint64_t end = (size + page - 1) / page * page;
	void *at = map(fd, 0, page);

	if (read_write < 0)
		die(name);
	status = refuses_mapping("a mapping to write", read_write, PROT_READ | PROT_WRITE, 0,
				 page, EPERM) |
		 refuses_mapping("a mapping to execute", fd, PROT_READ | PROT_EXEC, 0, page,
				 EPERM) |
		 refuses_mapping("a mapping across the end", fd, PROT_READ, end - page,
				 2 * page, EINVAL) |
		 refuses_mapping("a mapping behind the end", fd, PROT_READ, end, page, EINVAL) |
		 refuses_mapping("a mapping of the last page there could be", fd, PROT_READ,
				 (uint64_t)INT64_MAX / page * page, page, EOVERFLOW) |
		 must_fail("to be written later", mprotect(at, page, PROT_READ | PROT_WRITE),
			   EACCES) |
		 must_fail("growing", mremap(at, page, 2 * page, MREMAP_MAYMOVE) == MAP_FAILED,
			   EFAULT) |
		 must_fail("a negative position", lseek(fd, -1, SEEK_SET) < 0, EINVAL);
	return status;
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Copies piece after piece to the same buffer. */
struct buffer {
	uint8_t *bytes;
	size_t size;
};

static void copy(const uint8_t *from, size_t length, struct buffer *to)
{
	size_t n;

	for (; length; length -= n, from += n) {
		n = length < to->size ? length : to->size;
		memcpy(to->bytes, from, n);
	}
}

static double rate_mapped(int fd, uint64_t size, size_t window, struct buffer *to)
{
	double from = seconds();
	uint64_t offset;
	size_t length;
	void *at;

	for (offset = 0; offset < size; offset += length) {
		length = window_at(offset, size, window);
		at = map(fd, offset, length);
		copy(at, length, to);
		unmap(at, length);
	}
	return (double)size / (seconds() - from);
}

static double rate_plain(const uint8_t *memory, uint64_t size, struct buffer *to)
{
	double from = seconds();

	copy(memory, size, to);
	return (double)size / (seconds() - from);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static double median(double *values)
{
	qsort(values, RATE_ROUNDS, sizeof(*values), by_value);
	return values[RATE_ROUNDS / 2];
}

/* In turn, so that other load affects both; the first round is not counted. */
static int rate(const char *name, size_t window, size_t piece)
{
	double mapped[RATE_ROUNDS + 1], plain[RATE_ROUNDS + 1];
	uint64_t size;
	int fd = open_file(name, &size), i;
	struct buffer to = { malloc(piece), piece };
	uint8_t *memory;

	if (size > RATE_SIZE)
		size = RATE_SIZE;
	memory = malloc(size);
	if (!memory || !to.bytes)
		die("malloc");
	memset(memory, 1, size);
	memset(to.bytes, 2, piece);
	for (i = 0; i <= RATE_ROUNDS; i++) {
		mapped[i] = rate_mapped(fd, size, window, &to);
		plain[i] = rate_plain(memory, size, &to);
	}
	printf("%.0f %.0f\n", median(mapped + 1), median(plain + 1));
	free(memory);
	free(to.bytes);
	return EXIT_SUCCESS;
}

int main(int argc, char **argv)
{
	const char *what = argc > 2 ? argv[1] : "";

	if (strcmp(what, "cat") == 0 && argc == 4)
		return cat(argv[2], strtoul(argv[3], NULL, 0));
	if (strcmp(what, "touch") == 0 && argc == 4)
		return touch(argv[2], strtoull(argv[3], NULL, 0));
	if (strcmp(what, "during") == 0 && argc >= 4)
		return during(argv[2], argv + 3);
	if (strcmp(what, "use") == 0 && argc == 4)
		return use(argv[2], strtoul(argv[3], NULL, 0));
	if (strcmp(what, "send") == 0 && argc == 3)
		return send_page(argv[2]);
	if (strcmp(what, "refuses") == 0 && argc == 3)
		return refuses(argv[2]);
	if (strcmp(what, "rate") == 0 && argc == 5)
		return rate(argv[2], strtoul(argv[3], NULL, 0), strtoul(argv[4], NULL, 0));
	fputs("Usage: mapped cat|touch|during|use|send|refuses|rate FILE ...\n", stderr);
	return 2;
}
