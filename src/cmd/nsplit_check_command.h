// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks if a shell command could run, without running it. */
#ifndef NSPLIT_CMD_NSPLIT_CHECK_COMMAND_H
#define NSPLIT_CMD_NSPLIT_CHECK_COMMAND_H

#include "cmd/nsplit_findings.h"

/* The name is for messages: an output, "--filter".  Returns whether no problem was found. */
bool nsplit_check_command(struct findings *found, const char *name, const char *command);

#endif
