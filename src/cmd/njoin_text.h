// SPDX-License-Identifier: GPL-2.0-or-later
/* What members and cores hold, as words that a terminal can be given. */
#ifndef NSPLIT_CMD_NJOIN_TEXT_H
#define NSPLIT_CMD_NJOIN_TEXT_H

/* --info and --list go by the index of each member, so "complete" says nothing of damage in records. */
extern const char records_not_checked[];	/* a line, without its end */

/*
 * Text may hold anything, and a terminal obeys some of it; ours is ASCII.  Returns text,
 * changed.
 */
const char *printable(char *text);

#endif
