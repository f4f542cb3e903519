// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A panel with a line for each series.  Series that nearly coincide are drawn as one, which names
 * all of them; the others could not be seen anyway.
 */
#ifndef NSPLIT_DRAW_CURVES_H
#define NSPLIT_DRAW_CURVES_H

#include <stddef.h>

#include "base/error.h"
#include "draw/axis.h"

struct curve_point {
	double x, y, least, most;	/* least to most: a thin upright line */
};

struct curve {
	const char *name;
	const struct curve_point *points;	/* by x; all curves of a panel have the same x */
	size_t count;			/* 0: not drawn */
};

struct curves {
	const char *title, *x_unit, *y_unit;
	bool percent;			/* of something that is marked with a line at 100 % */
	const char *zero;		/* what x = 0 means; NULL: it is a number */
	const char *all;		/* "all codecs" */
	const struct curve *curves;
	size_t count;
};

double curves_height(const struct curves *curves);
enum status curves_draw(const struct curves *curves, struct canvas *c, struct error *e);

#endif
