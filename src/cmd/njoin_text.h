// SPDX-License-Identifier: GPL-2.0-or-later
/* Text for --info and --list, safe for a terminal. */
#ifndef NSPLIT_CMD_NJOIN_TEXT_H
#define NSPLIT_CMD_NJOIN_TEXT_H

/*
 * A line, without its newline.  --info and --list read only indexes, so they do not see damaged
 * records.
 */
extern const char records_not_checked[];

/*
 * Replaces everything but printable ASCII in place, since a terminal obeys control characters.
 * Returns text.
 */
const char *printable(char *text);

#endif
