// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A memory cgroup of our own, of either version, in which processes have as much memory as a capture
 * kernel would leave them.
 */
#ifndef NSPLIT_CAPTURE_MEMORY_MEMORY_GROUP_H
#define NSPLIT_CAPTURE_MEMORY_MEMORY_GROUP_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct memory_group {
	char directory[PATH_MAX];	/* "": there is no group */
	bool second;			/* of version 2 */
};

/*
 * Makes a group with this limit, without swap.  In version 1, it is a child of this process's group; in version 2, of
 * the nearest ancestor whose children may have limits, since a group with processes has no such children.  root: as
 * in memory_hierarchy_find().  If it fails, there is no group, and *e says why.
 */
enum status memory_group_make(struct memory_group *group, const char *root, uint64_t bytes, struct error *e);

/*
 * Moves this process there.  What it has allocated before is not charged to the group, nor are shared pages that
 * another process has touched first.
 */
enum status memory_group_enter(const struct memory_group *group, struct error *e);

/* The most memory that was charged, page cache included.  False: this kernel does not record it. */
bool memory_group_peak(const struct memory_group *group, uint64_t *bytes);

/* How many processes the kernel has killed because of the limit; 0 also if it does not count them. */
uint64_t memory_group_kills(const struct memory_group *group);

/* Kills what is left in the group, and removes it, if there is one. */
enum status memory_group_remove(struct memory_group *group, struct error *e);

#endif
