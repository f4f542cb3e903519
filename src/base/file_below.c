// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>

#include "base/file_below.h"

FILE *file_below(const char *directory, const char *name)
{
	char path[PATH_MAX];

	if (snprintf(path, sizeof(path), "%s/%s", directory, name) < (int)sizeof(path))
		return fopen(path, "re");
	errno = ENAMETOOLONG;
	return NULL;
}

bool file_below_number(const char *directory, const char *name, uint64_t *number)
{
	return file_take_number(file_below(directory, name), number);
}

bool file_take_number(FILE *file, uint64_t *number)
{
	bool found;

	if (!file)
		return false;
	found = fscanf(file, "%" SCNu64, number) == 1;
	fclose(file);
	return found;
}
