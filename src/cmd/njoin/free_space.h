// SPDX-License-Identifier: GPL-2.0-or-later
/* Checks the free space of the outputs before anything is written, which may take hours. */
#ifndef NSPLIT_CMD_NJOIN_FREE_SPACE_H
#define NSPLIT_CMD_NJOIN_FREE_SPACE_H

#include "cmd/njoin/outputs.h"
#include "cmd/njoin/set.h"

/*
 * Both do nothing for members that are streams, since their indexes come last.  The outputs are
 * open.  The first fails if the space is certainly too small.  For a kdump-compressed file, whose
 * length is unknown, only what is written first is certain: kdump_export_begin() checks that.
 */
enum status njoin_check_free_space(const struct njoin_outputs *outputs, const struct njoin_options *o,
				   const struct njoin_input *in, struct error *e);

/* Warns if the space may be too small. */
void njoin_report_little_space(const struct njoin_outputs *outputs, const struct njoin_options *o,
			       const struct njoin_input *in);

#endif
