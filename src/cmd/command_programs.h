// SPDX-License-Identifier: GPL-2.0-or-later
/* The programs that the text of a shell command names. */
#ifndef NSPLIT_CMD_COMMAND_PROGRAMS_H
#define NSPLIT_CMD_COMMAND_PROGRAMS_H

#include <stdbool.h>

enum { PROGRAM_LENGTH = 128 };

/*
 * The next program of the text in *rest, which then continues behind it; false: there are no more.
 * Only those that must exist: the first plain word of each command of a pipeline or a list.  It ends
 * at what may change their meaning, such as keywords, subshells, substitutions, || and PATH=, and at
 * && if the text goes on behind its list, as in "[ -x PROGRAM ] && PROGRAM; cat > FILE".  So not all
 * programs of a command are found.
 */
bool command_next_program(const char **rest, char program[PROGRAM_LENGTH]);

#endif
