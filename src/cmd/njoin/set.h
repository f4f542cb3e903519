// SPDX-License-Identifier: GPL-2.0-or-later
/* Opening the set, and the range of the source that is wanted. */
#ifndef NSPLIT_CMD_NJOIN_SET_H
#define NSPLIT_CMD_NJOIN_SET_H

#include "cmd/njoin/options.h"
#include "cmd/njoin/report.h"
#include "set/set.h"

/* All zero at first. */
struct njoin_input {
	struct set set;			/* owned */
	uint64_t from, to;		/* the range of the source to write or verify */
};

/*
 * Opens the members and sets the range.  Names that do not exist are reported, and removed from the
 * options.  Damage is reported to findings.
 */
enum status njoin_open_set(struct njoin_input *in, struct njoin_options *o, struct njoin_findings *findings,
			   struct error *e);

/*
 * STATUS_USAGE: --range goes beyond the end of the source.  The size of a stream may be known only
 * after a walk.
 */
enum status njoin_check_range(const struct njoin_input *in, const struct njoin_options *o, struct error *e);

#endif
