// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * {now} in the names of outputs.  Names in a configuration file cannot contain a date otherwise,
 * since no shell expands them.
 */
#ifndef NSPLIT_CMD_NSPLIT_STAMP_H
#define NSPLIT_CMD_NSPLIT_STAMP_H

#include "base/names.h"

enum { STAMP_LENGTH = 14 };

/* The time as YYYYMMDDHHMMSS, in UTC, since an initramfs seldom knows its time zone. */
void stamp_now(char stamp[STAMP_LENGTH + 1]);

/*
 * Like names_expand(), after replacing each {now} in pattern by stamp.  In a command, only {now} and
 * ranges of numbers are replaced.
 */
enum status stamp_expand(struct names *list, const char *pattern, const char *stamp, size_t limit,
			 struct error *e);

#endif
