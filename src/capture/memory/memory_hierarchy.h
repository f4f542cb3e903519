// SPDX-License-Identifier: GPL-2.0-or-later
/* Finds the memory cgroup of this process in the file systems of cgroups, of either version. */
#ifndef NSPLIT_CAPTURE_MEMORY_MEMORY_HIERARCHY_H
#define NSPLIT_CAPTURE_MEMORY_MEMORY_HIERARCHY_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

/* The directory of a group.  Cut off at a slash, down to top bytes, it is that of an ancestor. */
struct memory_hierarchy {
	char directory[PATH_MAX];
	size_t top;
};

/*
 * second: of version 2.  /proc and the cgroup file systems are below the directory root: "" for this
 * machine, another for tests.  False: there is none.
 */
bool memory_hierarchy_find(struct memory_hierarchy *h, const char *root, bool second);

/* Goes to the parent.  False: there is none. */
bool memory_hierarchy_up(struct memory_hierarchy *h);

#endif
