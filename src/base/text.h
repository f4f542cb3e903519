// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Text from untrusted input: file names, contents of members and cores.  It may contain any bytes,
 * including control sequences of terminals.  And text of our own: numbers, sizes, times, suggestions.
 */
#ifndef NSPLIT_BASE_TEXT_H
#define NSPLIT_BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

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

/* --- sizes, numbers and times for people --------------------------------- */

/*
 * A whole number of bytes with an optional suffix: K, M, G, T, P, E or KiB, MiB, ... (powers of
 * 1024), kB, MB, ... (powers of 1000), B.  Capitals make no difference, since people write 4k for 4K
 * and 1gb for 1GB.  STATUS_USAGE: the message quotes the text and lists the suffixes.
 */
enum status size_parse(const char *text, uint64_t *bytes, struct error *e);

/* A whole number from least to most.  what: the name of the value in messages. */
enum status number_parse(const char *text, const char *what, uint64_t least, uint64_t most,
			 uint64_t *number, struct error *e);

enum { SIZE_TEXT_LENGTH = 32 };

/* "41.2 GiB", "4095 B"; returns text. */
const char *size_format(uint64_t bytes, char text[SIZE_TEXT_LENGTH]);

/* The bytes in each second, as size_format(); "0 B" if no time has passed. */
const char *rate_format(uint64_t bytes, double seconds, char text[SIZE_TEXT_LENGTH]);

/* "0:41", "1:02:03"; returns text. */
const char *duration_format(double seconds, char text[SIZE_TEXT_LENGTH]);

enum { TIME_TEXT_LENGTH = 32 };

/* Seconds since 1970 as "2001-09-09T01:46:40Z"; returns text. */
const char *time_format(int64_t seconds, char text[TIME_TEXT_LENGTH]);

/* --- bytes as hexadecimal digits, two for each byte ---------------------- */

/* Writes 2 * count digits, in lower case, and a null byte. */
void hex_format(const uint8_t *bytes, size_t count, char *text);

/*
 * Reads the first 2 * count characters of a text, in either case.  False: they are not all digits, or the text
 * is shorter; some of the bytes may have been set.
 */
bool hex_parse(const char *text, uint8_t *bytes, size_t count);

/* --- the known word that is most like a mistyped one --------------------- */

struct nearest {
	const char *word;		/* as typed */
	const char *best;		/* NULL: nothing offered so far is like it */
	unsigned distance;		/* below this, a candidate is better */
};

/* The word, which must outlive the struct. */
void nearest_begin(struct nearest *n, const char *word);

/*
 * A candidate is like the word if about a quarter of the word's characters, but at least one, must be
 * inserted, removed, replaced or exchanged with the next one.  Capitals make no difference.  Of
 * equally good candidates, the first one stays.
 */
void nearest_offer(struct nearest *n, const char *candidate);

#endif
