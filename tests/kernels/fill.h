// SPDX-License-Identifier: GPL-2.0-or-later
/* What the parts of fill share: processes that fill memory, and stay. */
#ifndef NSPLIT_TESTS_KERNELS_FILL_H
#define NSPLIT_TESTS_KERNELS_FILL_H

#include <stddef.h>

struct fill_process {
	const char *name;			/* of the process */
	void (*run)(const char *directory);
};

/* Starts them one after another, and waits until each has filled its memory. */
void start_processes(const struct fill_process *processes, size_t count, const char *directory);

/* With errno. */
_Noreturn void die(const char *what);
/* Anonymous memory, with other flags of mmap(). */
void *map(size_t size, int flags);
/* Text that differs from page to page. */
void write_text(char *p, size_t size);

void fill_busy(const char *directory);

#endif
