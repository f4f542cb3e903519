// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/file_below.h"
#include "system/rooted.h"

/* As in the kernel: more than this many links are taken for a loop. */
enum { LINKS_MAX = 40 };

static bool fits(int length)
{
	return length >= 0 && length < PATH_MAX;
}

/* Takes the first part off a path: "/a/b" gives "a" and leaves "/b".  Returns its length; 0: none is left. */
static size_t take_part(const char **path, const char **part)
{
	size_t length;

	*path += strspn(*path, "/");
	*part = *path;
	length = strcspn(*path, "/");
	*path += length;
	return length;
}

/* Appends a part to the resolved name; ".." removes the last one. */
static bool append_part(char name[PATH_MAX], const char *part, size_t length)
{
	size_t used = strlen(name);

	if (length == 1 && part[0] == '.')
		return true;
	if (length == 2 && strncmp(part, "..", 2) == 0) {
		char *slash = strrchr(name, '/');

		if (slash)
			*slash = '\0';
		return true;
	}
	return fits(snprintf(name + used, PATH_MAX - used, "/%.*s", (int)length, part) + (int)used);
}

static bool is_link(const char *root, const char *name, char target[PATH_MAX])
{
	char path[PATH_MAX];
	ssize_t length;

	if (!fits(snprintf(path, sizeof(path), "%s%s", root, name)))
		return false;
	length = readlink(path, target, PATH_MAX - 1);
	if (length < 0)
		return false;
	target[length] = '\0';
	return true;
}

/* Resolves the rest of a path after what is in name already. */
static bool resolve(const char *root, const char *wanted, char name[PATH_MAX])
{
	char rest[PATH_MAX], target[PATH_MAX], next[PATH_MAX], before[PATH_MAX];
	const char *path = rest, *part;
	size_t length;
	int links = 0;

	if (!fits(snprintf(rest, sizeof(rest), "%s", wanted)))
		return false;
	*name = '\0';
	while ((length = take_part(&path, &part))) {
		memcpy(before, name, strlen(name) + 1);
		if (!append_part(name, part, length))
			return false;
		if (!is_link(root, name, target))
			continue;
		if (links++ == LINKS_MAX || !fits(snprintf(next, sizeof(next), "%s/%s", target, path)))
			return false;
		memcpy(name, *target == '/' ? "" : before, *target == '/' ? 1 : strlen(before) + 1);
		memcpy(rest, next, strlen(next) + 1);
		path = rest;
	}
	return true;
}

bool rooted_find(const char *root, const char *name, struct rooted *found)
{
	return resolve(root, name, found->name) &&
	       fits(snprintf(found->path, sizeof(found->path), "%s%s", root,
			     *found->name ? found->name : "/")) &&
	       access(found->path, F_OK) == 0;
}

bool rooted_exists(const char *root, const char *name)
{
	struct rooted found;

	return rooted_find(root, name, &found);
}

FILE *rooted_open(const char *root, const char *name)
{
	struct rooted found;

	return rooted_find(root, name, &found) ? fopen(found.path, "re") : NULL;
}

bool rooted_line(const char *root, const char *name, char *line, int size)
{
	FILE *file = rooted_open(root, name);
	bool read;

	if (!file)
		return false;
	read = fgets(line, size, file);
	fclose(file);
	if (read)
		line[strcspn(line, "\n")] = '\0';
	return read && *line;
}

bool rooted_number(const char *root, const char *name, uint64_t *number)
{
	return file_take_number(rooted_open(root, name), number);
}
