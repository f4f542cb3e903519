// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages about the missing, damaged or unreadable parts of the source. */
#ifndef NSPLIT_CMD_NJOIN_REPORT_H
#define NSPLIT_CMD_NJOIN_REPORT_H

#include "cmd/njoin.h"

/*
 * True if data is missing in the range that is wanted, or the capture was stopped before it reached
 * the end of the source.  Before a walk, the indexes of the members determine this; after it, what
 * the walk delivered.  Members that are missing do not count if the others hold their data.
 */
bool njoin_is_incomplete(const struct njoin *njoin);

/* Lists what is missing: members, then ranges. */
void njoin_report_missing(const struct njoin *njoin);

/*
 * Reports a range that could not be read when it was captured, and counts it.  arg is struct njoin.
 * Any thread may call this.
 */
void njoin_report_unreadable(void *arg, uint64_t offset, uint64_t length);
/* Reports the number of those that were not listed. */
void njoin_report_more_unreadable(const struct njoin *njoin);

/*
 * A line of --info and --list, without its newline.  They read only indexes, so they do not see damaged
 * records.
 */
extern const char records_not_checked[];

/* Reports damage and counts it.  arg is struct njoin.  Any thread may call this. */
void njoin_report_damage(void *arg, const struct error *e);

#endif
