// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Choosing the page frames of each file of a split set: ranges of about the same size, estimated
 * from the index of the set, so that disks of the same speed finish together.
 */
#ifndef NSPLIT_EXPORT_KDUMP_SPLIT_H
#define NSPLIT_EXPORT_KDUMP_SPLIT_H

#include "export/kdump.h"
#include "set/set.h"

/*
 * STATUS_USAGE: the pages cannot be divided into count parts.  STATUS_MISSING: there are no pages.
 */
enum status kdump_split_check(const struct pages *pages, size_t count, struct error *e);
/*
 * Fills count consecutive parts, which together cover page frames 0 to pages->end.  Each has a
 * page.  Fails as kdump_split_check() does.
 */
enum status kdump_split(const struct pages *pages, const struct set *set, struct kdump_part *parts,
			size_t count, struct error *e);

#endif
