// SPDX-License-Identifier: GPL-2.0-or-later
/* A panel with a bar and its value for each row. */
#ifndef NSPLIT_DRAW_BARS_H
#define NSPLIT_DRAW_BARS_H

#include <stddef.h>

#include "draw/axis.h"

struct bar {
	const char *label;
	size_t series;			/* its colour */
	bool missing;			/* there is no value */
	bool unsure;			/* the value is marked with an exclamation mark */
	double value, least, most;	/* least to most: a thin line */
};

struct bars {
	const char *title, *unit;
	bool percent;			/* of something that is marked with a line at 100 % */
	const struct bar *rows;
	size_t count;
};

double bars_height(const struct bars *bars);
void bars_draw(const struct bars *bars, struct canvas *c);

#endif
