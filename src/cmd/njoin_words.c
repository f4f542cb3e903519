// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "cmd/njoin_words.h"

void time_format(int64_t seconds, char text[TIME_TEXT_LENGTH])
{
	time_t t = (time_t)seconds;
	struct tm tm;

	if (!gmtime_r(&t, &tm) || !strftime(text, TIME_TEXT_LENGTH, "%Y-%m-%dT%H:%M:%SZ", &tm))
		snprintf(text, TIME_TEXT_LENGTH, "%" PRId64, seconds);
}

const char *printable(char *text)
{
	for (char *p = text; *p; p++)
		if ((unsigned char)*p < ' ' || (unsigned char)*p >= 0x7f)
			*p = '?';
	return text;
}
