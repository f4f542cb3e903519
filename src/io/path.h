// SPDX-License-Identifier: GPL-2.0-or-later
/* Paths and their directories. */
#ifndef NSPLIT_IO_PATH_H
#define NSPLIT_IO_PATH_H

#include <limits.h>
#include <stdbool.h>

#include "base/error.h"

/* "a" → ".", "/a" → "/", "b/a" → "b".  False, with errno ENAMETOOLONG: does not fit. */
bool path_directory(const char *path, char directory[PATH_MAX]);

/* The part after the last slash; points into path. */
const char *path_base(const char *path);

/* True if path is the directory above or below it, by their names, which end in no slash but "/". */
bool path_is_within(const char *path, const char *above);

/*
 * For a path that does not exist: whether it is directly in /dev or elsewhere on a devtmpfs, so
 * that it names a missing device, and a file created there would be in RAM and gone after the
 * reboot.
 */
bool path_would_be_device(const char *path);

/*
 * The error of a file that could not be created.  If its directory does not exist, the text names the
 * directory: "/a/b: No such file or directory" does not say which of the two is missing.
 */
enum status path_creation_error(struct error *e, int errnum, const char *path);

/* Makes the directory entry of path safe against power loss. */
enum status path_sync_directory(const char *path, struct error *e);

#endif
