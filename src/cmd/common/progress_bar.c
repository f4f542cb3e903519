// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "cmd/common/progress.h"
#include "cmd/common/progress_bar.h"

enum {
	/* A line with fewer columns needs them all for its figures. */
	LEAST_LINE = 50,
	/* With this part of 80 columns, all figures that matter fit beside the bar. */
	PART_OF_LINE = 7,
};

/* The variables in the order of POSIX: the first that is set and not empty counts. */
static bool encoding_is_utf8(void)
{
	static const char *const variables[] = { "LC_ALL", "LC_CTYPE", "LANG" };

	for (size_t i = 0; i < sizeof(variables) / sizeof(variables[0]); i++) {
		const char *value = getenv(variables[i]);

		if (value && *value)
			return strcasestr(value, "UTF-8") || strcasestr(value, "UTF8");
	}
	return false;
}

static char *repeat(char *end, const char *text, unsigned times)
{
	while (times--)
		end = stpcpy(end, text);
	return end;
}

static void draw_blocks(unsigned cells, double share, char *bar)
{
	unsigned full = (unsigned)(share * cells);

	bar = repeat(bar, "\xe2\x96\x88", full);	/* a full block */
	repeat(bar, "\xe2\x96\x91", cells - full);	/* a light shade */
}

static void draw_ascii(unsigned cells, double share, char *bar)
{
	unsigned full = (unsigned)(share * cells);
	bool has_tip = full && full < cells;

	bar = stpcpy(bar, "[");
	bar = repeat(bar, "=", full - has_tip);
	bar = repeat(bar, ">", has_tip);
	bar = repeat(bar, " ", cells - full);
	stpcpy(bar, "]");
}

const char *progress_bar(unsigned columns, double share, char bar[PROGRESS_BAR_LENGTH])
{
	unsigned all = (unsigned)min_u64(columns / PART_OF_LINE, PROGRESS_BAR_COLUMNS);

	bar[0] = 0;
	if (columns == PROGRESS_WHOLE || columns < LEAST_LINE)
		return bar;
	share = share < 0 ? 0 : share > 1 ? 1 : share;
	if (encoding_is_utf8())
		draw_blocks(all, share, bar);
	else
		draw_ascii(all - 2, share, bar);
	return bar;
}
