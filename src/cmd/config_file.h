// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Files of "key = value" lines: white space around either is not part of it, a line that begins
 * with # is a comment (a # further on is not: it may be part of a command or a name), and an
 * empty line is nothing.
 */
#ifndef NSPLIT_CMD_CONFIG_FILE_H
#define NSPLIT_CMD_CONFIG_FILE_H

#include <stdbool.h>

#include "base/error.h"

struct config_reader {
	/*
	 * Called for each line, until one fails: its error becomes that of the line.  key and value are
	 * gone afterwards.
	 */
	enum status (*line)(void *arg, unsigned number, const char *key, const char *value,
			    struct error *e);
	void *arg;
};

/*
 * Reads a regular file of up to 64 KiB.  The error names the file, and the line, if it is the
 * line's: "FILE:7: ..." with STATUS_USAGE.  STATUS_SYSTEM, with errnum ENOENT where there is no
 * such file: it cannot be read.
 */
enum status config_read(const char *file, const struct config_reader *reader, struct error *e);

#endif
