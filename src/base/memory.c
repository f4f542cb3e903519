// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#ifdef HAVE_MALLOPT
#include <malloc.h>
#endif

#include "base/bytes.h"
#include "base/memory.h"

void memory_keep(void)
{
#ifdef HAVE_MALLOPT
	mallopt(M_ARENA_MAX, 1);
	mallopt(M_MMAP_MAX, 0);
	mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

void memory_return(size_t from)
{
#ifdef HAVE_MALLOPT
	mallopt(M_MMAP_THRESHOLD, (int)from);
#else
	(void)from;
#endif
}

void *memory_to_read(size_t bytes)
{
	size_t size = round_up(bytes, ALIGNMENT);
	void *memory = aligned_alloc(ALIGNMENT, size);

	return memory ? memset(memory, 0, size) : NULL;
}

static void write_back(volatile unsigned char *byte)
{
	unsigned char value = *byte;

	*byte = value;
}

void memory_touch(void *memory, size_t bytes)
{
	unsigned char *p = memory;

	for (size_t at = 0; at < bytes; at += ALIGNMENT)
		write_back(p + at);
	if (bytes)
		write_back(p + bytes - 1);
}

bool memory_reserve(size_t bytes)
{
	void *memory = malloc(bytes);
	bool there = memory;

	if (there)
		memory_touch(memory, bytes);
	free(memory);
	return there;
}

void *memory_map(size_t bytes)
{
	void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS | MAP_POPULATE, -1, 0);

	if (memory == MAP_FAILED)
		return NULL;
	return memory;
}

void *memory_grow(void *memory, size_t from, size_t to)
{
	void *grown = mremap(memory, from, to, MREMAP_MAYMOVE);

	/* EAGAIN: the memory is locked, and more would exceed the limit of locked memory. */
	if (grown == MAP_FAILED && errno == EAGAIN && munlock(memory, from) == 0)
		grown = mremap(memory, from, to, MREMAP_MAYMOVE);
	return grown == MAP_FAILED ? NULL : grown;
}

/* getrusage() would include the shell that this process was before exec. */
uint64_t memory_peak(void)
{
	FILE *file = fopen("/proc/self/status", "re");
	uint64_t kilobytes = 0;
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "VmHWM: %" SCNu64, &kilobytes) == 1)
			break;
	if (file)
		fclose(file);
	return kilobytes * 1024;
}

void memory_lock(const void *most_needed, size_t bytes)
{
	/*
	 * Not MCL_FUTURE: later mappings could fail because of the limit.  MCL_ONFAULT: pages that
	 * are never touched, such as most of a stack, are not allocated for this.
	 */
	if (mlockall(MCL_CURRENT | MCL_ONFAULT) == 0 || mlock(most_needed, bytes) == 0)
		return;
}
