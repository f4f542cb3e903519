// SPDX-License-Identifier: GPL-2.0-or-later
/* Decides which members belong to a set; for set_open() and unfinished.c only. */
#ifndef NSPLIT_SET_SET_ADMIT_H
#define NSPLIT_SET_SET_ADMIT_H

#include "set/set.h"

/* Makes the set the one that the member belongs to. */
void set_take_identity(struct set *set, const struct member *m);

/*
 * Whether the member belongs to the set, which has at least one.  STATUS_FOREIGN: no; STATUS_USAGE:
 * its file is in the set already.
 */
enum status set_check_member(const struct set *set, const struct member *m, struct error *e);

/*
 * Adds the member that follows the last one in set->members, and reads its index.  With salvage, a
 * member without an index is marked as needs_search.  After a failure, the caller closes it.
 */
enum status set_admit(struct set *set, const struct set_settings *settings, struct error *e);

#endif
