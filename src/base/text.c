// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/text.h"

size_t text_utf8_length(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t length = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 :
			*p >= 0xe0 && *p < 0xf0 ? 3 : *p >= 0xf0 && *p < 0xf5 ? 4 : 0;

	/* The terminating null byte is not a continuation byte. */
	for (size_t i = 1; i < length; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, and code points above U+10FFFF. */
	if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) ||
	    (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] > 0x8f))
		return 0;
	return length;
}

static bool is_control(unsigned char byte)
{
	return byte < ' ' || byte == 0x7f;
}

bool text_byte_is_printable(uint8_t byte)
{
	return (byte < 0x80 && !is_control(byte)) || (byte >= '\t' && byte < '\r');
}

size_t text_printable_length(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	if (is_control(*p))
		return 0;
	return *p == 0xc2 && p[1] < 0xa0 ? 0 : text_utf8_length(text);
}

static const char *next_character(const char *text)
{
	size_t length = text_utf8_length(text);

	return text + (length ? length : 1);
}

size_t text_characters(const char *text)
{
	size_t count = 0;

	for (; *text; text = next_character(text))
		count++;
	return count;
}

size_t text_first(const char *text, size_t characters)
{
	const char *end = text;

	while (*end && characters--)
		end = next_character(end);
	return (size_t)(end - text);
}

char *text_make_printable(char *text)
{
	for (char *p = text; *p; ) {
		size_t length = text_printable_length(p);

		if (!length) {
			*p = '?';
			length = 1;
		}
		p += length;
	}
	return text;
}

void text_append(char *text, size_t size, const char *format, ...)
{
	size_t used = strlen(text);
	va_list ap;

	va_start(ap, format);
	vsnprintf(text + used, size - used, format, ap);
	va_end(ap);
}

/* --- sizes, numbers and times -------------------------------------------- */

static const char prefixes[] = "KMGTPE";

/* The factor of a suffix, in capitals or not; 0: unknown suffix. */
static uint64_t suffix_factor(const char *suffix)
{
	const char *prefix;
	uint64_t base = 1024, factor = 1;

	if (!*suffix || strcasecmp(suffix, "B") == 0)
		return 1;
	prefix = strchr(prefixes, toupper((unsigned char)*suffix));
	if (!prefix)
		return 0;
	if (strcasecmp(suffix + 1, "B") == 0)
		base = 1000;
	else if (suffix[1] && strcasecmp(suffix + 1, "iB") != 0)
		return 0;
	for (const char *p = prefixes; p <= prefix; p++)
		factor *= base;
	return factor;
}

/* strtoull() would accept signs and spaces.  A number that is too large becomes UINT64_MAX. */
static bool parse_digits(const char *text, uint64_t *number, const char **end)
{
	char *stop;

	if (*text < '0' || *text > '9')
		return false;
	errno = 0;
	*number = strtoull(text, &stop, 10);
	*end = stop;
	return true;
}

enum status size_parse(const char *text, uint64_t *bytes, struct error *e)
{
	const char *suffix = text, *unit;
	uint64_t number, factor = 0;

	if (parse_digits(text, &number, &suffix))
		factor = suffix_factor(suffix);
	unit = suffix + strspn(suffix, " ");
	if (!factor && unit > suffix && suffix > text && suffix_factor(unit))
		return error_set(e, STATUS_USAGE, "'%s': a size has no space before its unit; use %.*s%s", text,
				 (int)(suffix - text), text, unit);
	if (!factor)
		return error_set(e, STATUS_USAGE, "'%s' is not a size; use a whole number, alone or "
				 "with K, M, G, T or KiB, MiB, GiB, TiB (powers of 1024) or kB, MB, GB, "
				 "TB (of 1000)", text);
	if (__builtin_mul_overflow(number, factor, bytes) || *bytes > INT64_MAX)
		return error_set(e, STATUS_USAGE, "'%s' is too large", text);
	return STATUS_OK;
}

enum status number_parse(const char *text, const char *what, uint64_t least, uint64_t most,
			 uint64_t *number, struct error *e)
{
	const char *end;

	if (!parse_digits(text, number, &end) || *end || errno)
		return error_set(e, STATUS_USAGE, "%s '%s' is not a number", what, text);
	if (*number < least || *number > most)
		return error_set(e, STATUS_USAGE,
				 "%s %s is out of range; use %" PRIu64 " to %" PRIu64,
				 what, text, least, most);
	return STATUS_OK;
}

const char *size_format(uint64_t bytes, char text[SIZE_TEXT_LENGTH])
{
	double value = (double)bytes;
	const char *prefix = prefixes;

	if (bytes < 1024) {
		snprintf(text, SIZE_TEXT_LENGTH, "%" PRIu64 " B", bytes);
		return text;
	}
	/* 1023.95 would be printed as 1024.0. */
	for (value /= 1024; value >= 1023.95; value /= 1024)
		prefix++;
	snprintf(text, SIZE_TEXT_LENGTH, "%.1f %ciB", value, *prefix);
	return text;
}

const char *rate_format(uint64_t bytes, double seconds, char text[SIZE_TEXT_LENGTH])
{
	return size_format(seconds > 0 ? (uint64_t)((double)bytes / seconds) : 0, text);
}

const char *duration_format(double seconds, char text[SIZE_TEXT_LENGTH])
{
	uint64_t s = (uint64_t)(seconds + 0.5);

	if (s < 3600)
		snprintf(text, SIZE_TEXT_LENGTH, "%" PRIu64 ":%02" PRIu64, s / 60, s % 60);
	else
		snprintf(text, SIZE_TEXT_LENGTH, "%" PRIu64 ":%02" PRIu64 ":%02" PRIu64,
			 s / 3600, s / 60 % 60, s % 60);
	return text;
}

const char *time_format(int64_t seconds, char text[TIME_TEXT_LENGTH])
{
	time_t t = (time_t)seconds;
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(text, TIME_TEXT_LENGTH, "%Y-%m-%dT%H:%M:%SZ", &tm))
		snprintf(text, TIME_TEXT_LENGTH, "%" PRId64, seconds);
	return text;
}

/* --- hexadecimal digits -------------------------------------------------- */

static const char digits[] = "0123456789abcdef";

void hex_format(const uint8_t *bytes, size_t count, char *text)
{
	for (size_t i = 0; i < count; i++) {
		*text++ = digits[bytes[i] >> 4];
		*text++ = digits[bytes[i] & 0xf];
	}
	*text = '\0';
}

/* -1: none, as at the end of a text. */
static int digit(char c)
{
	const char *at = c ? strchr(digits, tolower((unsigned char)c)) : NULL;

	return at ? (int)(at - digits) : -1;
}

bool hex_parse(const char *text, uint8_t *bytes, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		int high = digit(text[2 * i]);
		/* A text that ends here has no second character. */
		int low = high < 0 ? -1 : digit(text[2 * i + 1]);

		if (low < 0)
			return false;
		bytes[i] = (uint8_t)(high << 4 | low);
	}
	return true;
}

/* --- the nearest word ---------------------------------------------------- */

/* Longer words are like nothing. */
enum { WORD_MAX = 40 };

static unsigned least(unsigned a, unsigned b)
{
	return a < b ? a : b;
}

static int equal(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

/* The optimal string alignment distance: row i is for the first i characters of a. */
static unsigned distance(const char *a, const char *b)
{
	size_t rows = strlen(a), columns = strlen(b);
	unsigned d[WORD_MAX + 1][WORD_MAX + 1];

	for (unsigned i = 0; i <= rows; i++)
		d[i][0] = i;
	for (unsigned j = 0; j <= columns; j++)
		d[0][j] = j;
	for (size_t i = 1; i <= rows; i++) {
		for (size_t j = 1; j <= columns; j++) {
			unsigned replaced = d[i - 1][j - 1] + !equal(a[i - 1], b[j - 1]);

			d[i][j] = least(replaced, least(d[i - 1][j], d[i][j - 1]) + 1);
			if (i > 1 && j > 1 && equal(a[i - 1], b[j - 2]) && equal(a[i - 2], b[j - 1]))
				d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
		}
	}
	return d[rows][columns];
}

void nearest_begin(struct nearest *n, const char *word)
{
	size_t length = strlen(word);

	*n = (struct nearest){ .word = word };
	if (length && length <= WORD_MAX)
		n->distance = (unsigned)(length < 4 ? 1 : (length + 1) / 4) + 1;
}

void nearest_offer(struct nearest *n, const char *candidate)
{
	unsigned far;

	if (!n->distance || strlen(candidate) > WORD_MAX)
		return;
	far = distance(n->word, candidate);
	if (far >= n->distance)
		return;
	n->distance = far;
	n->best = candidate;
}
