// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text that comes from elsewhere: names of files, what members and cores hold.  It may be any
 * bytes, and a terminal obeys some of them.
 */
#ifndef NSPLIT_BASE_TEXT_H
#define NSPLIT_BASE_TEXT_H

#include <stddef.h>

/* Bytes of the UTF-8 sequence at text, at least one byte long; 0: there is no lawful one. */
size_t text_utf8_length(const char *text);

/*
 * The same where the sequence is no control character: neither one of ASCII, a newline as well,
 * nor DEL, nor U+0080 to U+009F, which some terminals take for escapes.
 */
size_t text_printable_length(const char *text);

/* Puts a question mark in place of each byte that is not printable.  Returns text. */
char *text_make_printable(char *text);

#endif
