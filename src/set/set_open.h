// SPDX-License-Identifier: GPL-2.0-or-later
/* What the parts of set_open() share; for set.c, set_open.c and lost.c only. */
#ifndef NSPLIT_SET_SET_OPEN_H
#define NSPLIT_SET_SET_OPEN_H

#include "set/salvage.h"
#include "set/set.h"

struct unidentified {
	struct member member;		/* owned until it is admitted; then its name is a name for it */
	struct error why;		/* it could not be opened */
	bool admitted;
};

struct unidentified_list {
	struct unidentified *all;		/* owned */
	unsigned count;
};

/* Makes the map of all places, and checks it against the size of the source: set.c. */
enum status set_build_map(struct set *set, const struct set_settings *settings, struct error *e);

/* The member says which set it is. */
void set_take_identity(struct set *set, const struct member *m);

/* Does the member belong to the set, which has one already?  STATUS_FOREIGN says why not. */
enum status set_check_member(const struct set *set, const struct member *m, struct error *e);

/*
 * The member behind the last one becomes one of the set, with the places of its index; without an index it
 * is marked to be searched, if there is salvage.
 */
enum status set_admit(struct set *set, const struct set_settings *settings, struct error *e);

#endif
