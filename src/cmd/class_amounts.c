// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>

#include "cmd/class_amounts.h"

static uint64_t sum_of(const uint64_t of_class[CLASSES])
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < CLASSES; i++)
		sum += of_class[i];
	return sum;
}

uint64_t class_amounts_format(const uint64_t of_class[CLASSES], char text[CLASS_AMOUNTS_LENGTH])
{
	uint64_t sum = sum_of(of_class);
	char size[SIZE_TEXT_LENGTH];
	const char *separator = " (";
	size_t at;

	at = (size_t)snprintf(text, CLASS_AMOUNTS_LENGTH, "%s", size_format(sum, size));
	for (unsigned i = 0; i < CLASSES; i++) {
		if (!of_class[i])
			continue;
		at += (size_t)snprintf(text + at, CLASS_AMOUNTS_LENGTH - at, "%s%s %s", separator,
				       layer_class_name(i), size_format(of_class[i], size));
		separator = ", ";
	}
	if (sum)
		snprintf(text + at, CLASS_AMOUNTS_LENGTH - at, ")");
	return sum;
}
