// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks of the text of a command. */
#ifndef NSPLIT_CMD_COMMAND_TEXT_H
#define NSPLIT_CMD_COMMAND_TEXT_H

#include <stdbool.h>

/*
 * True if the command ends in a program that copies its input to standard output, such as cat or
 * gzip, without a redirection and without a word that may name its output: so the member is not
 * stored, although the exit status is 0.  Only programs that are known are found, and only with
 * options alone: in "lz4 - FILE" an operand names the output, and a wrong warning would raise doubts
 * about a dump that is good.
 */
bool command_text_prints(const char *text);

#endif
