// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of shell commands that do not run them. */
#ifndef NSPLIT_CMD_NSPLIT_CHECK_COMMAND_H
#define NSPLIT_CMD_NSPLIT_CHECK_COMMAND_H

#include <stdbool.h>

#include "cmd/nsplit/check/findings.h"

/* Could it run?  The name is for messages: an output, "--filter".  Returns whether no problem was found. */
bool nsplit_check_command(struct findings *found, const char *name, const char *command);

enum { COMMAND_WORD_LENGTH = 128 };

/*
 * The first word, if it is plainly the name of a program: not an assignment, say, or in quotes.  False
 * also with "||", whose right side may be there because the program can be missing.
 */
bool command_program(const char *command, char program[COMMAND_WORD_LENGTH]);

/* The file that follows -i, as in "ssh -i KEY", if it is an absolute name without special characters. */
bool command_key(const char *command, char key[COMMAND_WORD_LENGTH]);

/*
 * True if the command ends in a program that writes to standard output, such as gzip, md5sum or tee, also behind
 * nice, env, exec, "sh -c" and the like, without a redirection to a file and without a word that may name its output:
 * so the member is not stored, although the exit status is 0.  Only programs that are known are found, and most of
 * them with options alone: in "lz4 - FILE" an operand names the output, and a wrong warning would raise doubts about a
 * dump that is good.
 */
bool command_text_prints(const char *text);

#endif
