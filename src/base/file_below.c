// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>

#include "base/file_below.h"

static bool make_path(char path[PATH_MAX], const char *directory, const char *name)
{
	if (snprintf(path, PATH_MAX, "%s/%s", directory, name) < PATH_MAX)
		return true;
	errno = ENAMETOOLONG;
	return false;
}

FILE *file_below(const char *directory, const char *name)
{
	char path[PATH_MAX];

	return make_path(path, directory, name) ? fopen(path, "re") : NULL;
}

int file_below_open(const char *directory, const char *name, int flags)
{
	char path[PATH_MAX];

	return make_path(path, directory, name) ? open(path, flags | O_CLOEXEC) : -1;
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
