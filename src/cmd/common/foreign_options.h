// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Options of makedumpfile, zstd, xz, pigz and fio, and of the other programs here, that people try
 * out of habit, with what to use instead.  Each program refuses them with that answer.  An option
 * that means the same here, such as makedumpfile's -d, is accepted instead.
 */
#ifndef NSPLIT_CMD_COMMON_FOREIGN_OPTIONS_H
#define NSPLIT_CMD_COMMON_FOREIGN_OPTIONS_H

#include "base/option_table.h"

extern const struct option_foreign foreign_to_nsplit[];
extern const struct option_foreign foreign_to_njoin[];
extern const struct option_foreign foreign_to_bench[];
extern const struct option_foreign foreign_to_mount[];
extern const struct option_foreign foreign_to_mkfakevmcore[];

#endif
