// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text from untrusted input: file names, contents of members and cores.  It may contain any bytes,
 * including control sequences of terminals.  And helpers for text of our own.
 */
#ifndef NSPLIT_BASE_TEXT_H
#define NSPLIT_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length of the UTF-8 sequence at text, which is not empty; 0: invalid. */
size_t text_utf8_length(const char *text);

/*
 * The same, but 0 also for control characters: U+0000 to U+001F (newline included), DEL, and U+0080
 * to U+009F, some of which begin control sequences on some terminals.
 */
size_t text_printable_length(const char *text);

/* The number of characters, of which a byte that is not part of a valid one counts as one. */
size_t text_characters(const char *text);
/* The bytes of its first characters, or of all if there are fewer. */
size_t text_first(const char *text, size_t characters);

/*
 * Can this byte of a text of several lines be written as it is?  True for the printable characters of
 * ASCII and for spaces, but not for a carriage return: what follows it would overwrite the line on a
 * terminal.
 */
bool text_byte_is_printable(uint8_t byte);

/* Replaces each byte that is not printable by a question mark.  Returns text. */
char *text_make_printable(char *text);

/* Appends to a text for which there are size bytes; what does not fit is cut off. */
void text_append(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* What follows a word after a number: "%u byte%s".  tests/man-diagnostics.py knows it by its name. */
static inline const char *plural(uint64_t number)
{
	return number == 1 ? "" : "s";
}

#endif
