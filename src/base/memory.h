// SPDX-License-Identifier: GPL-2.0-or-later
/* Allocates all memory before the work begins, so that the work cannot fail for lack of it. */
#ifndef NSPLIT_BASE_MEMORY_H
#define NSPLIT_BASE_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * From now on malloc() returns nothing to the kernel, and all threads share one heap, so that
 * memory that was free once can be allocated again by any thread.  To be called before threads are
 * created.  No effect if the C library has no such settings.
 */
void memory_keep(void);

/*
 * The opposite: allocations of at least from bytes are returned to the kernel as soon as they are
 * freed, so that a limit on such allocations limits the memory of the program.
 */
void memory_return(size_t from);

/* Grows the heap so that an allocation of this size will succeed.  False: out of memory. */
bool memory_reserve(size_t bytes);

/*
 * Zeroed memory into which much is read, aligned to ALIGNMENT; NULL: out of memory.  Freed with free().
 *
 * Memory from malloc() begins 16 bytes into a page if it is large.  There, a copy from the beginning of a
 * page with "rep movsb", which the kernel uses, takes three times as long on some processors: 72 MB of a file
 * in tmpfs by pread() of 64 KiB took 38 ms, and 14 ms to the beginning of a page or 32 bytes behind it (AMD
 * EPYC, Linux 6.18, 2026-11-25).
 */
void *memory_to_read(size_t bytes);

/* Makes the kernel allocate every page; the contents stay. */
void memory_touch(void *memory, size_t bytes);

/* Maps zeroed pages, all of them allocated.  NULL: out of memory.  Freed with munmap(). */
void *memory_map(size_t bytes);

/*
 * Enlarges the memory from memory_map(), perhaps at another address, by zeroed pages that are not
 * allocated yet.  NULL: out of memory; the old memory is unchanged.
 */
void *memory_grow(void *memory, size_t from, size_t to);

/* The most memory that the process had resident so far, in bytes; 0: unknown. */
uint64_t memory_peak(void);

/*
 * Locks everything that the program has mapped into memory.  If the limit forbids that, only these
 * bytes; if it forbids that too, nothing.
 */
void memory_lock(const void *most_needed, size_t bytes);

#endif
