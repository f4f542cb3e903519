// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "draw/axis.h"

/* The most numbers at an axis. */
enum { NUMBERS_MAX = 6 };

double axis_step(const struct axis *axis)
{
	static const double parts[] = { 1, 2, 5 };
	double unit = axis->whole ? 1 : 1e-6;

	for (;; unit *= 10)
		for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
			if (axis->most / (unit * parts[i]) <= NUMBERS_MAX)
				return unit * parts[i];
}

/* Inserts a comma before every third digit from the right. */
static void group_digits(const char *digits, char text[AXIS_TEXT_LENGTH])
{
	size_t length = strlen(digits);

	for (size_t i = 0; i < length; i++) {
		if (i && (length - i) % 3 == 0)
			*text++ = ',';
		*text++ = digits[i];
	}
	*text = '\0';
}

const char *axis_format(const struct axis *axis, double value, char text[AXIS_TEXT_LENGTH])
{
	char digits[AXIS_TEXT_LENGTH / 2];

	if (axis->zero && value == 0) {
		snprintf(text, AXIS_TEXT_LENGTH, "%s", axis->zero);
	} else if (axis->percent) {
		snprintf(text, AXIS_TEXT_LENGTH, axis->most < 0.1 ? "%.1f %%" : "%.0f %%", 100 * value);
	} else if (axis->most >= 100 || axis->whole) {
		snprintf(digits, sizeof(digits), "%.0f", value);
		group_digits(digits, text);
	} else {
		snprintf(text, AXIS_TEXT_LENGTH, axis->most >= 10 ? "%.1f" : "%.2f", value);
	}
	return text;
}

const char *axis_format_step(const struct axis *axis, int i, char text[AXIS_TEXT_LENGTH])
{
	struct axis rounded = *axis;
	double step = axis_step(axis);

	rounded.whole |= step >= 1;
	return axis_format(&rounded, i * step, text);
}

double frame_x(const struct frame *frame, double x)
{
	return frame->left + frame->width * x / frame->x.most;
}

double frame_y(const struct frame *frame, double y)
{
	return frame->top + frame->height * (1 - y / frame->y.most);
}

void frame_draw_x(const struct frame *f, struct canvas *c, const char *what)
{
	double bottom = f->top + f->height, step = axis_step(&f->x);
	char text[AXIS_TEXT_LENGTH];

	for (int i = 0; i * step <= f->x.most * (1 + 1e-9); i++) {
		double x = frame_x(f, i * step);

		canvas_line(c, x, f->top, x, bottom, i ? INK_GRID : INK_FAINT, 1, 0);
		canvas_text(c, x, bottom + 16, ANCHOR_MIDDLE, TEXT_SMALL, INK_FAINT,
			    axis_format_step(&f->x, i, text));
	}
	canvas_text(c, f->left + f->width, bottom + 33, ANCHOR_END, TEXT_SMALL, INK_FAINT, what);
}

void frame_draw_y(const struct frame *f, struct canvas *c, const char *what)
{
	double step = axis_step(&f->y);
	char text[AXIS_TEXT_LENGTH];

	for (int i = 0; i * step <= f->y.most * (1 + 1e-9); i++) {
		double y = frame_y(f, i * step);

		canvas_line(c, f->left, y, f->left + f->width, y, i ? INK_GRID : INK_FAINT, 1, 0);
		canvas_text(c, f->left - 6, y + 4, ANCHOR_END, TEXT_SMALL, INK_FAINT,
			    axis_format_step(&f->y, i, text));
	}
	canvas_text(c, 10, f->top - 12, ANCHOR_START, TEXT_SMALL, INK_FAINT, what);
}
