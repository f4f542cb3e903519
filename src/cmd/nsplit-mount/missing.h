// SPDX-License-Identifier: GPL-2.0-or-later
/* What is missing in a mount, as known before anything is read. */
#ifndef NSPLIT_CMD_NSPLIT_MOUNT_MISSING_H
#define NSPLIT_CMD_NSPLIT_MOUNT_MISSING_H

#include "cmd/nsplit-mount/options.h"
#include "export/set_absent.h"

/* absent is of a set with layers, and otherwise not used. */
bool mount_is_incomplete(const struct set *set, const struct set_absent *absent);
void mount_report_missing(const struct set *set, const struct set_absent *absent,
			  const struct mount_options *options);

#endif
