// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Unfinished members: what is left of outputs that the capture did without.
 *
 * An output that fails leaves a member that was not closed, or an empty file, and a fallback that was
 * not needed is a device with other contents.  Footers are written after all data is safe on other
 * outputs, so a set with a closed member may be whole without its unfinished ones; holes show it if
 * it is not.
 */
#ifndef NSPLIT_SET_UNFINISHED_H
#define NSPLIT_SET_UNFINISHED_H

#include "set/set.h"

struct unfinished_list {
	struct error *why;		/* one for each member; owned */
	struct error *note;		/* likewise: what is said if the member is skipped; owned */
	size_t count;
};

/*
 * After a member could not be opened or admitted, for the reason in *e.  STATUS_OK: it is unfinished,
 * and was added to the list.  Otherwise *e and its status are unchanged, or it is STATUS_NO_MEMORY.
 */
enum status unfinished_add(struct unfinished_list *list, const struct member *m, struct error *e);

/*
 * After the map was built.  STATUS_OK: a member of the set was closed, and nothing is known to be
 * missing, so the unfinished ones are skipped, each with a call of settings->unfinished().  Otherwise *e
 * is the reason of the first.
 */
enum status unfinished_judge(const struct unfinished_list *list, const struct set *set,
			     const struct set_settings *settings, struct error *e);

/* Was a member of the set closed at the end of a capture that was not stopped? */
bool unfinished_any_closed(const struct set *set);

/* What is said of a member that the capture finished without; what: in what way it is unfinished. */
void unfinished_note(struct error *note, const struct member *m, const char *what);

void unfinished_free(struct unfinished_list *list);

#endif
