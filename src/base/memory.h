// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Memory that is all there before the work begins, so that it cannot fail in the middle.
 */
#ifndef NSPLIT_BASE_MEMORY_H
#define NSPLIT_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * From now on malloc() gives nothing back to the kernel, and all threads share one heap:
 * what has been free once stays to be had by any of them.  Before the threads are
 * made.  Where the C library has no such settings, nothing happens.
 */
void memory_keep(void);

/*
 * Or the other way round: what is freed of from bytes or more goes back to the kernel at once, so that
 * a limit on such pieces is one on the memory of the program.
 */
void memory_return(size_t from);

/* Sees to it that so many bytes are free in the heap.  False: they cannot be had. */
bool memory_reserve(size_t bytes);

/* Makes the kernel give each page of it; what it holds is kept. */
void memory_touch(void *memory, size_t bytes);

/* Zeroed pages that have been touched; NULL: they cannot be had.  munmap() gives them back. */
void *memory_map(size_t bytes);

/*
 * The same memory, perhaps at another place, with zeroed pages behind it that have not been touched.
 * NULL: out of memory; the old memory stays as it is.
 */
void *memory_grow(void *memory, size_t from, size_t to);

/*
 * Locks all that the program has now into memory, or, where so much is not allowed,
 * at least these bytes; if not even that is, nothing.
 */
void memory_lock(const void *most_needed, size_t bytes);

#endif
