// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>

#include "io/command_file.h"
#include "io/path.h"

/* "a.gz" and "a" match "a"; "a1" is the name of another output. */
static bool extends(const char *found, const char *base)
{
	size_t length = strlen(base);

	return strncmp(found, base, length) == 0 && !isalnum((unsigned char)found[length]);
}

static bool has_such_file(DIR *directory, const char *base)
{
	const struct dirent *entry;

	/* No other thread uses this stream. */
	// cppcheck-suppress readdirCalled
	while ((entry = readdir(directory)))
		if (extends(entry->d_name, base))
			return true;
	return false;
}

enum command_file command_file_find(const char *name)
{
	char path[PATH_MAX];
	struct stat st;
	DIR *directory;
	bool found;

	if (stat(name, &st) == 0)
		return COMMAND_FILE_FOUND;
	if (!path_directory(name, path))
		return COMMAND_FILE_ELSEWHERE;
	directory = opendir(path);
	/* A directory that cannot be read may well contain the file. */
	if (!directory)
		return errno == ENOENT || errno == ENOTDIR ? COMMAND_FILE_ELSEWHERE
							  : COMMAND_FILE_FOUND;
	found = has_such_file(directory, path_base(name));
	closedir(directory);
	if (found)
		return COMMAND_FILE_FOUND;
	return strchr(name, '/') ? COMMAND_FILE_MISSING : COMMAND_FILE_UNKNOWN;
}
