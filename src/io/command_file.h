// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks that a command which received a file name has created that file. */
#ifndef NSPLIT_IO_COMMAND_FILE_H
#define NSPLIT_IO_COMMAND_FILE_H

enum command_file {
	COMMAND_FILE_FOUND,		/* the file exists, or one with a suffix: "a.gz" for "a" */
	COMMAND_FILE_ELSEWHERE,		/* its directory does not exist: a name on another machine */
	COMMAND_FILE_UNKNOWN,		/* no such file; a name without a directory: unknown */
	COMMAND_FILE_MISSING,		/* no such file, although its directory exists */
};

enum command_file command_file_find(const char *name);

#endif
