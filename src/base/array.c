// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"

bool array_grow(void *array, size_t count, size_t size)
{
	size_t capacity = count < ARRAY_LEAST ? ARRAY_LEAST : 2 * count;
	void *items, *grown;

	if (count && (count < ARRAY_LEAST || !is_power_of_two(count)))
		return true;
	/* Checked here: the address sanitizer takes an overflow in reallocarray() for a bug. */
	if (count > SIZE_MAX / 2 || capacity > SIZE_MAX / size)
		return false;
	memcpy(&items, array, sizeof(items));
	grown = realloc(items, capacity * size);
	if (grown)
		memcpy(array, &grown, sizeof(grown));
	return grown;
}
