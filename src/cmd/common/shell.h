// SPDX-License-Identifier: GPL-2.0-or-later
/* What the shell knows about commands and programs. */
#ifndef NSPLIT_CMD_COMMON_SHELL_H
#define NSPLIT_CMD_COMMON_SHELL_H

#include <stdbool.h>

#include "base/error.h"

/* Runs /bin/sh with these arguments.  Sets *good if its exit status is 0.  name: for messages. */
enum status shell_run(const char *name, const char *const *argv, bool *good, struct error *e);

/* Sets *found if the shell would find the command: in PATH, by a name with a slash, or among its own. */
enum status shell_finds(const char *name, const char *word, bool *found, struct error *e);

#endif
