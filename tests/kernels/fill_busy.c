// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The memory of a machine that has worked for months: a memory map in which few entries resemble their neighbours.
 * A thousand tasks, files that were deleted while they are open, and a third of the memory in single pages, with
 * free ones between them.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "fill.h"

enum { TASKS = 1000, TASK_PAGES = 16, FILES = 900, PAGE_RUN_MAX = 6 };

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

/* Each has some pages of its own. */
static void tasks(const char *directory)
{
	(void)directory;
	for (unsigned i = 0; i < TASKS; i++) {
		pid_t child = fork();
		char name[16];

		if (child < 0)
			die("fork");
		if (child)
			continue;
		/* Whoever started this process waits for the end of a pipe of its own. */
		close_range(3, ~0u, 0);
		snprintf(name, sizeof(name), "task%u", i);
		prctl(PR_SET_NAME, name);
		write_text(map(TASK_PAGES * page_size(), MAP_PRIVATE), TASK_PAGES * page_size());
		for (;;)
			pause();
	}
}

/* Of one to eight pages, in the page cache until the process ends. */
static void deleted(const char *directory)
{
	static char text[8 << 12];
	char name[4096];

	write_text(text, sizeof(text));
	for (unsigned i = 0; i < FILES; i++) {
		size_t len = (i % 8 + 1) << 12;
		int fd;

		snprintf(name, sizeof(name), "%s/deleted%u", directory, i);
		fd = open(name, O_CREAT | O_EXCL | O_RDWR, 0600);
		if (fd < 0 || write(fd, text, len) != (ssize_t)len || unlink(name))
			die(name);
	}
}

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 16;
}

/* Runs of one to six pages are kept, and as many are given back, which the kernel cannot join. */
static void fragments(const char *directory)
{
	size_t page = page_size(), size = (size_t)sysconf(_SC_PHYS_PAGES) / 3 * page;
	char *p = map(size, MAP_PRIVATE | MAP_NORESERVE);
	uint32_t random = 1;

	(void)directory;
	madvise(p, size, MADV_NOHUGEPAGE);
	write_text(p, size);
	for (size_t at = 0; at < size;) {
		size_t kept = (next_random(&random) % PAGE_RUN_MAX + 1) * page;
		size_t freed = (next_random(&random) % PAGE_RUN_MAX + 1) * page;

		at += kept;
		if (at < size)
			madvise(p + at, freed < size - at ? freed : size - at, MADV_DONTNEED);
		at += freed;
	}
}

static const struct fill_process BUSY[] = {
	{ "tasks", tasks }, { "deleted", deleted }, { "fragments", fragments },
};

void fill_busy(const char *directory)
{
	start_processes(BUSY, sizeof(BUSY) / sizeof(*BUSY), directory);
}
