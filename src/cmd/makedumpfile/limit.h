// SPDX-License-Identifier: GPL-2.0-or-later
/* -L: the limit for the size of DUMPFILE. */
#ifndef NSPLIT_CMD_MAKEDUMPFILE_LIMIT_H
#define NSPLIT_CMD_MAKEDUMPFILE_LIMIT_H

#include "cmd/makedumpfile/options.h"

/* With -L, no file may grow beyond it; write() then fails with EFBIG. */
void limit_size(const struct makedumpfile_options *o);

#endif
