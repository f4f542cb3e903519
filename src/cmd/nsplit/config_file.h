// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files of "key = value" lines.  White space around the key and the value is ignored.  A line whose
 * first character is # is a comment; a # later in a line is part of the value, which may be a
 * command or a name.  Empty lines are ignored.
 */
#ifndef NSPLIT_CMD_NSPLIT_CONFIG_FILE_H
#define NSPLIT_CMD_NSPLIT_CONFIG_FILE_H

#include "base/error.h"

struct config_reader {
	/* Called for each line until one fails.  key and value are parts of *text of config_read(). */
	enum status (*line)(void *arg, unsigned number, const char *key, const char *value,
			    struct error *e);
	/* NULL, or called for each line with STATUS_USAGE, which is then skipped. */
	void (*skipped)(void *arg, struct error *e);
	void *arg;
};

/*
 * Reads a regular file of at most 64 KiB.  *text takes its contents, which the caller frees, even
 * after an error; NULL: nothing was read.  The error names the file and, if a line is wrong, its
 * number: "FILE:7: ...", STATUS_USAGE.  STATUS_SYSTEM: the file cannot be read; errnum is ENOENT if
 * it does not exist.
 */
enum status config_read(const char *file, const struct config_reader *reader, char **text,
			struct error *e);

#endif
