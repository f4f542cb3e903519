// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/size.h"

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
