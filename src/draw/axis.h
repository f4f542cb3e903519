// SPDX-License-Identifier: GPL-2.0-or-later
/* Linear axes that begin at zero, in a panel of a picture. */
#ifndef NSPLIT_DRAW_AXIS_H
#define NSPLIT_DRAW_AXIS_H

#include "draw/canvas.h"

enum { PANEL_WIDTH = 480 };

struct axis {
	double most;			/* the end of the axis; greater than 0 */
	bool percent;			/* 0.5 is shown as 50 % */
	bool whole;			/* only whole numbers are marked */
	const char *zero;		/* a word for 0; NULL: none */
};

/* The distance of the numbers at an axis: 1, 2 or 5 times a power of ten. */
double axis_step(const struct axis *axis);

enum { AXIS_TEXT_LENGTH = 32 };

/* A value beside its bar: "1,234", "12.3", "0.52", or "52 %". */
const char *axis_format(const struct axis *axis, double value, char text[AXIS_TEXT_LENGTH]);
/* The number at i steps; without decimals if no number of this axis needs them. */
const char *axis_format_step(const struct axis *axis, int i, char text[AXIS_TEXT_LENGTH]);

static inline double double_max(double a, double b)
{
	return a > b ? a : b;
}

static inline double double_distance(double a, double b)
{
	return a > b ? a - b : b - a;
}

/* Where the axes of a panel are, in pixels. */
struct frame {
	double left, top, width, height;
	struct axis x, y;
};

double frame_x(const struct frame *frame, double x);
double frame_y(const struct frame *frame, double y);

/* Lines across the panel, numbers, and what they mean. */
void frame_draw_x(const struct frame *frame, struct canvas *c, const char *what);
void frame_draw_y(const struct frame *frame, struct canvas *c, const char *what);

#endif
