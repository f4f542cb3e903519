// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writing a complete fake vmcore to an open file, or comparing it with one, in order and without
 * seeking.  name is the name of the file in messages.
 */
#ifndef FAKEVMCORE_STREAM_H
#define FAKEVMCORE_STREAM_H

#include "fakevmcore/core.h"

enum status core_write(const struct core *core, int fd, const char *name, struct error *e);

/*
 * Reads fd to its end.  STATUS_DAMAGED if a byte differs or the file is too long, STATUS_CUT if
 * it is too short; the error text gives the offset.
 */
enum status core_compare(const struct core *core, int fd, const char *name, struct error *e);

#endif
