// SPDX-License-Identifier: GPL-2.0-or-later
/* Runs programs of the system for what they print. */
#ifndef NSPLIT_SYSTEM_PROGRAM_H
#define NSPLIT_SYSTEM_PROGRAM_H

#include <stdbool.h>
#include <stdio.h>

#include "base/error.h"

/*
 * Runs the program, which is looked for in PATH, and waits for it.  *output is a temporary file at its
 * beginning, which the caller closes; its messages are dropped.  Sets *good if its exit status is 0.
 * STATUS_MISSING: there is no such program.  STATUS_SYSTEM: it cannot be run.
 */
enum status program_output(const char *const *argv, FILE **output, bool *good, struct error *e);

#endif
