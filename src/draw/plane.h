// SPDX-License-Identifier: GPL-2.0-or-later
/* A panel with named points, of which more to the right and higher is better. */
#ifndef NSPLIT_DRAW_PLANE_H
#define NSPLIT_DRAW_PLANE_H

#include <stddef.h>

#include "base/error.h"
#include "draw/axis.h"

struct plane_point {
	const char *name;
	size_t series;			/* its colour and shape */
	double x, y;
};

struct plane {
	const char *title, *x_unit, *y_unit;
	const char *all;		/* "all codecs" */
	const struct plane_point *points;
	size_t count;
};

enum { PLANE_HEIGHT = 384 };

enum status plane_draw(const struct plane *plane, struct canvas *c, struct error *e);

#endif
