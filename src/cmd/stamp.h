// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The time in the names of outputs.
 *
 * A capture environment has a configuration, and no shell that could put a date into it.
 */
#ifndef NSPLIT_CMD_STAMP_H
#define NSPLIT_CMD_STAMP_H

#include "base/names.h"

enum { STAMP_LENGTH = 14 };

/* Now, as YYYYMMDDHHMMSS: in UTC, since an initramfs seldom knows its time zone. */
void stamp_now(char stamp[STAMP_LENGTH + 1]);

/* What names_expand() makes of pattern, with stamp in the place of each {now}. */
enum status stamp_expand(struct names *list, const char *pattern, const char *stamp, size_t limit,
			 struct error *e);

#endif
