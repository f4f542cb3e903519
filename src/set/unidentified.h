// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Members whose superblock cannot be read; for set_open() with salvage only.
 *
 * They are admitted after all other members, since those identify the set.  A member with a footer
 * is identified by that.  Any other is assumed to belong to the set of the other members; if there
 * are none, the first intact piece that is found in it identifies the set.
 */
#ifndef NSPLIT_SET_UNIDENTIFIED_H
#define NSPLIT_SET_UNIDENTIFIED_H

#include "set/set.h"

struct unidentified {
	/* Owned until it is admitted; after that only its name pointer is used, to find it here. */
	struct member member;
	struct error why;		/* why it could not be opened */
	bool admitted;
};

struct unidentified_list {
	struct unidentified *all;	/* owned */
	unsigned count;
};

/*
 * Takes ownership of a member that could not be opened, for the reason in why.  Its footer may have
 * been found.
 */
enum status unidentified_add(struct unidentified_list *list, struct member *m,
			     const struct error *why, struct error *e);
void unidentified_free(struct unidentified_list *list);

/*
 * Admits the members to the set: with their index, or marked as needs_search.  Calls warn() for
 * each that is skipped.  The only failure is STATUS_NO_MEMORY.
 */
enum status unidentified_admit(struct unidentified_list *list, struct set *set,
			       const struct set_settings *settings, struct error *e);

/*
 * After the search of a member whose identity was assumed.  STATUS_OK: something of the set was
 * found in it; e has a warning that says what is assumed.  Otherwise e says why it is not used.
 */
enum status unidentified_judge(const struct unidentified_list *list, struct set *set,
			       struct member *m, struct error *e);

#endif
