// SPDX-License-Identifier: GPL-2.0-or-later
/* What members and cores hold, as words that a terminal can be given. */
#ifndef NSPLIT_CMD_NJOIN_WORDS_H
#define NSPLIT_CMD_NJOIN_WORDS_H

#include <stdint.h>

enum { TIME_TEXT_LENGTH = 32 };

/* Seconds since 1970 as "2001-09-09T01:46:40Z". */
void time_format(int64_t seconds, char text[TIME_TEXT_LENGTH]);

/*
 * Text may hold anything, and a terminal obeys some of it; ours is ASCII.  Returns text,
 * changed.
 */
const char *printable(char *text);

#endif
