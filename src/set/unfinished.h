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

struct unfinished {
	struct member member;		/* owned */
	struct error why;		/* it could not be opened or admitted */
	const char *what;		/* in what way it is unfinished; NULL: it has no footer */
};

struct unfinished_list {
	struct unfinished *items;	/* owned */
	size_t count;
};

/*
 * After a member could not be opened or admitted, for the reason in *e.  STATUS_OK: it is unfinished, and
 * the list has taken it.  Otherwise *e and its status are unchanged, or it is STATUS_NO_MEMORY.
 */
enum status unfinished_add(struct unfinished_list *list, struct member *m, struct error *e);

/*
 * After the map was built.  STATUS_OK: a member of the set was closed, and nothing is known to be
 * missing, so the unfinished ones are skipped, each with a call of settings->unfinished().  Otherwise *e
 * is the reason of the first, or one of them belongs to another capture.
 */
enum status unfinished_judge(const struct unfinished_list *list, const struct set *set,
			     const struct set_settings *settings, struct error *e);

/* Was a member of the set closed at the end of a capture that was not stopped? */
bool unfinished_any_closed(const struct set *set);

/* Adds to the reason why a member is incomplete that this may not matter. */
void unfinished_suffix(struct error *e);

void unfinished_free(struct unfinished_list *list);

#endif
