// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks if the outputs could take a dump. */
#ifndef NSPLIT_CMD_NSPLIT_CHECK_OUTPUTS_H
#define NSPLIT_CMD_NSPLIT_CHECK_OUTPUTS_H

#include "cmd/nsplit/check/findings.h"
#include "cmd/nsplit/options.h"
#include "io/sink.h"

/*
 * Probes each output into the sink of the same index, as nsplit_probe() does.  later: the capture is
 * after a crash, in the capture kernel.
 */
void nsplit_check_outputs(struct findings *found, const struct nsplit_options *o,
			  const struct source *source, struct sink *sinks, bool later);

#endif
