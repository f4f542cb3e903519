// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which page frames go into which file of a split set: ranges that need as much room as each other,
 * as far as the set's index tells, so that disks of one speed end together.
 */
#ifndef NSPLIT_EXPORT_KDUMP_SPLIT_H
#define NSPLIT_EXPORT_KDUMP_SPLIT_H

#include "export/kdump.h"
#include "set/set.h"

/*
 * Fills count parts: one behind the other from page frame 0 to pages->end, each with a page.
 * STATUS_USAGE: there are not as many, KDUMP_PART_PAGES page frames in each; STATUS_MISSING: there is
 * no page.  The check alone says the same.
 */
enum status kdump_split_check(const struct pages *pages, size_t count, struct error *e);
enum status kdump_split(const struct pages *pages, const struct set *set, struct kdump_part *parts,
			size_t count, struct error *e);

#endif
