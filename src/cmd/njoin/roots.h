// SPDX-License-Identifier: GPL-2.0-or-later
/* njoin --verify: compares the roots of members (doc/format.md, section 9) with their records. */
#ifndef NSPLIT_CMD_NJOIN_ROOTS_H
#define NSPLIT_CMD_NJOIN_ROOTS_H

#include "cmd/njoin/report.h"
#include "set/read/roots.h"

/*
 * After the walk that checked all records; roots: what it found, or NULL if this build cannot compare.  A root that is
 * not that of the records is damage.  quiet: says nothing of those that are.
 */
void njoin_report_roots(struct njoin_findings *findings, const struct set *set, const struct roots *roots, bool quiet);

#endif
