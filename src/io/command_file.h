// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether a command that was given a name has left a file of that name. */
#ifndef NSPLIT_IO_COMMAND_FILE_H
#define NSPLIT_IO_COMMAND_FILE_H

enum command_file {
	COMMAND_FILE_FOUND,		/* there is such a file, or one whose name only has more at its end */
	COMMAND_FILE_ELSEWHERE,		/* the directory of the name is not here: it is a name elsewhere */
	COMMAND_FILE_UNKNOWN,		/* there is none, and a name without a directory may be any name */
	COMMAND_FILE_MISSING,		/* there is none, although its directory is here */
};

enum command_file command_file_find(const char *name);

#endif
