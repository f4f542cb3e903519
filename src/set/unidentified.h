// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Members that lost their superblock, for set_open() with salvage only.  They come after all others,
 * which know better what the set is.  One that has its footer is known by that; of any other the set is
 * known by the other members, or else by the first piece that is found in it.
 */
#ifndef NSPLIT_SET_UNIDENTIFIED_H
#define NSPLIT_SET_UNIDENTIFIED_H

#include "set/set_open.h"

/* Takes over a member that could not be opened, and why not.  Its footer may have been found. */
enum status unidentified_add(struct unidentified_list *list, struct member *m, const struct error *why,
		      struct error *e);
void unidentified_free(struct unidentified_list *list);

/*
 * Admits them to the set: with their index, or to be searched.  Tells of each that it does without.  A
 * failure is one of memory.
 */
enum status unidentified_admit(struct unidentified_list *list, struct set *set,
		       const struct set_settings *settings, struct error *e);

/*
 * After the search of a member of the list, of which only the set is known: what was assumed of it in e,
 * and STATUS_OK; or, if nothing of the set was found in it, why it could not be opened.
 */
enum status unidentified_judge(const struct unidentified_list *list, struct set *set, struct member *m,
		       struct error *e);

#endif
