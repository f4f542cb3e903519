// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * In the first kernel of an emulated machine:
 *	fill start DIRECTORY	fills memory with pages of every kind, in processes that stay
 *	fill busy DIRECTORY	fills more of it, as after months of work: fill_busy.c
 *	fill crash CPU DEVICE	writes /proc/kpageflags to the device, and panics on that CPU
 *
 * DIRECTORY has the files 1.file and 2.file.  The device gets a header of 4096 bytes, which is the
 * number of bytes in decimal, and then the content of /proc/kpageflags.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "fill.h"

static const size_t MIB = 1 << 20;

void die(const char *what)
{
	fprintf(stderr, "fill: %s: %s\n", what, strerror(errno));
	exit(1);
}

void *map(size_t size, int flags)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | flags, -1, 0);

	if (p == MAP_FAILED)
		die("mmap");
	return p;
}

void write_text(char *p, size_t size)
{
	size_t page = sysconf(_SC_PAGESIZE);

	for (size_t at = 0; at < size; at += page)
		snprintf(p + at, page, "user memory, page %zu of process %d", at / page, getpid());
}

/* --- processes, each with one kind of page ------------------------------------ */

static void anonymous(const char *directory)
{
	(void)directory;
	write_text(map(12 * MIB, MAP_PRIVATE), 12 * MIB);
}

static void locked(const char *directory)
{
	char *p = map(MIB, MAP_PRIVATE);

	(void)directory;
	write_text(p, MIB);
	mlock(p, MIB);
}

static void huge(const char *directory)
{
	char *p = map(32 * MIB, MAP_PRIVATE);

	(void)directory;
	madvise(p, 32 * MIB, MADV_HUGEPAGE);
	write_text(p, 24 * MIB);
	/* Part of a huge page is given back: the rest of it remains one folio, for a while. */
	madvise(p + 5 * MIB, MIB / 4, MADV_DONTNEED);
}

/* Half of the pool. */
static void hugetlb(const char *directory)
{
	size_t size = 32 * MIB;
	char *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_ANONYMOUS | MAP_PRIVATE | MAP_HUGETLB,
		       -1, 0);

	(void)directory;
	if (p != MAP_FAILED)
		write_text(p, size);
}

/* KSM merges them. */
static void mergeable(const char *directory)
{
	char *p = map(4 * MIB, MAP_PRIVATE);

	(void)directory;
	madvise(p, 4 * MIB, MADV_MERGEABLE);
	memset(p, 'k', 4 * MIB);
}

static void shared(const char *directory)
{
	(void)directory;
	write_text(map(8 * MIB, MAP_SHARED), 8 * MIB);
}

/* Reads some of its pages, and writes to fewer. */
static void mapped_file(const char *directory)
{
	char name[4096];
	volatile char *p;
	int fd;

	snprintf(name, sizeof(name), "%s/2.file", directory);
	fd = open(name, O_RDWR);
	if (fd < 0)
		die(name);
	p = mmap(NULL, 4 * MIB, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (p == MAP_FAILED)
		die(name);
	for (size_t at = 0; at < 4 * MIB; at += 4096)
		(void)p[at];
	for (size_t at = 0; at < MIB; at += 4096)
		p[at] = 'd';
}

/* With swap: half of it is in the swap cache. */
static void swapped(const char *directory)
{
	volatile char *p = map(4 * MIB, MAP_PRIVATE);

	(void)directory;
	write_text((char *)p, 4 * MIB);
	madvise((char *)p, 4 * MIB, MADV_PAGEOUT);
	for (size_t at = 0; at < 2 * MIB; at += 4096)
		(void)p[at];
}

/* A page table for each page. */
static void scattered(const char *directory)
{
	char *p = map(64 * 2 * MIB, MAP_PRIVATE | MAP_NORESERVE);

	(void)directory;
	madvise(p, 64 * 2 * MIB, MADV_NOHUGEPAGE);
	for (size_t at = 0; at < 64 * 2 * MIB; at += 2 * MIB)
		p[at] = 's';
}

/* Open files, pipes and sockets with data in them. */
static void descriptors(const char *directory)
{
	static const char data[8192] = "data in a pipe";
	int fd[2];

	(void)directory;
	for (int i = 0; i < 16; i++)
		if (pipe(fd) || write(fd[1], data, sizeof(data)) < 0 ||
		    socketpair(AF_UNIX, SOCK_STREAM, 0, fd) || write(fd[0], data, sizeof(data)) < 0)
			die("descriptors");
}

static const struct fill_process KINDS[] = {
	{ "anonymous1", anonymous },	{ "anonymous2", anonymous }, { "locked", locked },
	{ "huge", huge },		{ "hugetlb", hugetlb },	     { "mergeable1", mergeable },
	{ "mergeable2", mergeable },	{ "shared", shared },	     { "mapped-file", mapped_file },
	{ "swapped", swapped },		{ "scattered", scattered },  { "descriptors", descriptors },
};

/* Each process writes a byte when it is ready, and stays. */
void start_processes(const struct fill_process *processes, size_t count, const char *directory)
{
	for (size_t i = 0; i < count; i++) {
		int ready[2];
		char byte;

		if (pipe(ready))
			die("pipe");
		switch (fork()) {
		case -1:
			die("fork");
			break;
		case 0:
			close(ready[0]);
			prctl(PR_SET_NAME, processes[i].name);
			processes[i].run(directory);
			if (write(ready[1], "", 1) != 1)
				die("write");
			close(ready[1]);
			for (;;)
				pause();
		}
		close(ready[1]);
		if (read(ready[0], &byte, 1) != 1) {
			fprintf(stderr, "fill: the process \"%s\" ended early\n", processes[i].name);
			exit(1);
		}
		close(ready[0]);
	}
}

/* --- the kernel's word, and the end ------------------------------------------- */

/* Pages that are freed one at a time go to the lists of that CPU. */
static void free_pages_of_cpu(int cpu)
{
	size_t page = sysconf(_SC_PAGESIZE), size = 2 * MIB;
	cpu_set_t set;
	char *p;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("sched_setaffinity");
	p = map(size, MAP_PRIVATE);
	madvise(p, size, MADV_NOHUGEPAGE);
	write_text(p, size);
	for (size_t at = 0; at < size; at += 2 * page)
		munmap(p + at, page);
}

static size_t read_all(const char *name, char *buffer, size_t size)
{
	int fd = open(name, O_RDONLY);
	size_t done = 0;
	ssize_t n;

	if (fd < 0)
		die(name);
	while ((n = read(fd, buffer + done, size - done)) > 0)
		done += n;
	if (n < 0)
		die(name);
	close(fd);
	return done;
}

static void crash(int cpu, const char *device)
{
	/* 8 bytes a page frame: 8 GiB of memory and holes. */
	const size_t header = 4096, size = 16 * MIB;
	char *buffer = map(header + size, MAP_PRIVATE);
	int disk = open(device, O_WRONLY | O_DIRECT | O_SYNC), trigger;
	size_t length, whole;

	if (disk < 0)
		die(device);
	trigger = open("/proc/sysrq-trigger", O_WRONLY);
	if (trigger < 0 || mlockall(MCL_CURRENT | MCL_FUTURE))
		die("preparing to panic");
	for (long i = sysconf(_SC_NPROCESSORS_ONLN) - 1; i >= 0; i--)
		free_pages_of_cpu(i);
	free_pages_of_cpu(cpu);
	/* The first time, so that nothing has to be allocated the second time. */
	read_all("/proc/kpageflags", buffer + header, size);
	memset(buffer, 0, header);
	length = read_all("/proc/kpageflags", buffer + header, size);
	if (length == size) {
		errno = EFBIG;
		die("/proc/kpageflags");
	}
	snprintf(buffer, header, "%zu\n", length);
	whole = (header + length + header - 1) / header * header;
	if (write(disk, buffer, whole) != (ssize_t)whole)
		die(device);
	if (write(trigger, "c", 1) < 0)
		die("/proc/sysrq-trigger");
}

int main(int argc, char **argv)
{
	if (argc == 3 && !strcmp(argv[1], "start"))
		start_processes(KINDS, sizeof(KINDS) / sizeof(*KINDS), argv[2]);
	else if (argc == 3 && !strcmp(argv[1], "busy"))
		fill_busy(argv[2]);
	else if (argc == 4 && !strcmp(argv[1], "crash"))
		crash(atoi(argv[2]), argv[3]);
	else
		return 2;
	return 0;
}
