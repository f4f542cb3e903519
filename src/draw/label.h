// SPDX-License-Identifier: GPL-2.0-or-later
/* Small text of several lines, which are separated by newlines. */
#ifndef NSPLIT_DRAW_LABEL_H
#define NSPLIT_DRAW_LABEL_H

#include "draw/canvas.h"

enum { LABEL_LINE_HEIGHT = 13 };

/* Breaks text behind commas, so that no line is wider than this where that is possible. */
void label_wrap(char *text, double width);

/* Of the widest line. */
double label_width(const char *text);
/* From the first line to the last one; 0: there is only one. */
double label_height(const char *text);

/* y: the middle of the lines. */
void label_draw(const char *text, double x, double y, struct canvas *c);

#endif
