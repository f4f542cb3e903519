// SPDX-License-Identifier: GPL-2.0-or-later
/* Arrays that grow by one item at a time. */
#ifndef NSPLIT_BASE_ARRAY_H
#define NSPLIT_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Makes space for one more item after the count items of an array, each size bytes long.  array is
 * the address of the pointer to the items, which is NULL before the first call; the items are freed
 * with free().  False: out of memory, and the array is unchanged.
 *
 * The capacity is not stored: it is at least ARRAY_LEAST and at least the count rounded up to a
 * power of two, so the array is reallocated only when the count is such a power.  Items may be
 * removed.  An array that was allocated in another way must not be passed.
 */
bool array_grow(void *array, size_t count, size_t size);

enum { ARRAY_LEAST = 16 };

#endif
