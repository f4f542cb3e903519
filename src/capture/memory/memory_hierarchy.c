// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/bytes.h"
#include "base/file_below.h"
#include "capture/memory/memory_hierarchy.h"

enum { LINE_LENGTH = 4096 };

static bool has_word(const char *list, const char *word)
{
	size_t length = strlen(word);

	for (const char *p = list; (p = strstr(p, word)); p += length)
		if ((p == list || p[-1] == ',') && (!p[length] || p[length] == ',' || p[length] == '\n'))
			return true;
	return false;
}

/* Finds the line "4:memory:/path", or "0::/path" for version 2.  False: there is none. */
static bool find_group(const char *root, bool second, char path[LINE_LENGTH])
{
	FILE *file = file_below(root, "proc/self/cgroup");
	bool found = false;
	char line[LINE_LENGTH];

	while (file && !found && fgets(line, sizeof(line), file)) {
		char *controllers = strchr(line, ':'), *name;

		if (!controllers || !(name = strchr(++controllers, ':')))
			continue;
		*name++ = '\0';
		name[strcspn(name, "\n")] = '\0';
		found = second ? !*controllers : has_word(controllers, "memory");
		if (found)
			strcpy(path, name);
	}
	if (file)
		fclose(file);
	return found;
}

/*
 * Parses a line of mountinfo: directory top of the file system is mounted at point.  False: the
 * line is of another file system.
 */
static bool is_mount(const char *line, bool second, char top[LINE_LENGTH], char point[LINE_LENGTH])
{
	const char *kind = strstr(line, " - ");
	char type[16], options[LINE_LENGTH];

	if (!kind || sscanf(line, "%*s %*s %*s %4095s %4095s", top, point) != 2 ||
	    sscanf(kind, " - %15s %*s %4095s", type, options) != 2)
		return false;
	if (second)
		return strcmp(type, "cgroup2") == 0;
	return strcmp(type, "cgroup") == 0 && has_word(options, "memory");
}

/* The part of a group's path below top, the directory that is mounted; "" if it is not below. */
static const char *below(const char *path, const char *top)
{
	size_t length = strcmp(top, "/") == 0 ? 0 : strlen(top);

	if (strncmp(path, top, length) != 0 || (path[length] && path[length] != '/') ||
	    strstr(path, "/..") || strcmp(path, "/") == 0)
		return "";
	return path + length;
}

bool memory_hierarchy_find(struct memory_hierarchy *h, const char *root, bool second)
{
	char line[LINE_LENGTH], path[LINE_LENGTH], top[LINE_LENGTH], point[LINE_LENGTH];
	bool found = false;
	FILE *file;

	if (!find_group(root, second, path))
		return false;
	file = file_below(root, "proc/self/mountinfo");
	while (file && !found && fgets(line, sizeof(line), file))
		found = is_mount(line, second, top, point);
	if (file)
		fclose(file);
	if (!found)
		return false;
	h->top = strlen(root) + strlen(point);
	return snprintf(h->directory, sizeof(h->directory), "%s%s%s", root, point, below(path, top)) <
	       (int)sizeof(h->directory);
}

bool memory_hierarchy_up(struct memory_hierarchy *h)
{
	const char *slash = strrchr(h->directory, '/');

	if (!slash || strlen(h->directory) <= h->top)
		return false;
	h->directory[max_u64((uint64_t)(slash - h->directory), h->top)] = '\0';
	return true;
}
