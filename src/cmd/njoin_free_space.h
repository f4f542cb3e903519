// SPDX-License-Identifier: GPL-2.0-or-later
/* Whether the outputs have room for what is to be written, before that takes hours. */
#ifndef NSPLIT_CMD_NJOIN_FREE_SPACE_H
#define NSPLIT_CMD_NJOIN_FREE_SPACE_H

#include "cmd/njoin.h"

/*
 * Fails if it is certain that there is no room, and warns if there may be none.  Outputs are open.  Of
 * members that are streams it is not known what they hold, nor of what a kdump-compressed file will
 * take more than its beginning, which export/kdump_file.h checks.
 */
enum status njoin_check_free_space(const struct njoin *njoin, struct error *e);

#endif
