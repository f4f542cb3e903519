// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The bar of a progress line: "[====>     ]", or of block characters if the locale's encoding is
 * UTF-8.  The locale is read from the environment, since a static program has no others than C.
 */
#ifndef NSPLIT_CMD_COMMON_PROGRESS_BAR_H
#define NSPLIT_CMD_COMMON_PROGRESS_BAR_H

/* In bytes.  A block character has three. */
enum { PROGRESS_BAR_COLUMNS = 40, PROGRESS_BAR_LENGTH = 3 * PROGRESS_BAR_COLUMNS + 1 };

/*
 * columns: of the whole line; share: what is done, from 0 to 1.  The width of the bar depends on
 * columns only, so that it stays where it is; a narrow line has none.  Returns bar.
 */
const char *progress_bar(unsigned columns, double share, char bar[PROGRESS_BAR_LENGTH]);

#endif
