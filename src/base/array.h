// SPDX-License-Identifier: GPL-2.0-or-later
/* Arrays that grow by one item at a time. */
#ifndef NSPLIT_BASE_ARRAY_H
#define NSPLIT_BASE_ARRAY_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Makes space for one item after the count items of an array; array points to the pointer to
 * them, which is NULL before the first call and is to be freed with free().  False, with the array
 * as it was, without memory.
 *
 * The capacity is not stored: it is at least ARRAY_LEAST and at least the count, rounded up to a
 * power of two, so that memory is asked for only when the count is such a power.  Items may be
 * removed; an array that was allocated otherwise must not be passed.
 */
bool array_grow(void *array, size_t count, size_t size);

enum { ARRAY_LEAST = 16 };

#endif
