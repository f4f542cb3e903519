// SPDX-License-Identifier: GPL-2.0-or-later
/* Calls inside the C library are not hooked, so stdio can be used. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "change.h"

enum { LINE = 4096 };

static void change(FILE *file, const char *line)
{
	unsigned char bytes[CHANGE_BYTES];
	unsigned length = 0, byte;
	int at = 0, read = 0;
	long offset;

	if (sscanf(line, "%ld %n", &offset, &at) != 1)
		return;
	for (; length < CHANGE_BYTES && sscanf(line + at, "%2x%n", &byte, &read) == 1; at += read)
		bytes[length++] = (unsigned char)byte;
	if (fseek(file, offset, SEEK_SET) || fwrite(bytes, 1, length, file) != length || fflush(file))
		abort();
}

void change_file(void)
{
	const char *name = getenv("INJECT_CHANGE");
	FILE *list = name ? fopen(name, "r") : NULL, *file;
	char line[LINE];

	if (!list || !fgets(line, LINE, list))
		abort();
	line[strcspn(line, "\n")] = '\0';
	file = fopen(line, "r+");
	if (!file)
		abort();
	while (fgets(line, LINE, list))
		change(file, line);
	fclose(file);
	fclose(list);
}
