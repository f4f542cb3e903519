// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "draw/canvas.h"

/* bench/pictures.py has the same ones. */
static const char *const colours[INKS] = {
	[INK_PAPER] = "#ffffff",
	[INK_TEXT] = "#222222",
	[INK_FAINT] = "#666666",
	[INK_GRID] = "#dddddd",
	[INK_SERIES] = "#17365c", "#a3243b", "#1b7f79", "#e07a1f", "#79b4e8", "#d9c24a",
};

enum ink ink_of(size_t i)
{
	return INK_SERIES + i % INK_SERIES_COUNT;
}

const char *ink_colour(enum ink ink)
{
	return colours[ink];
}

void canvas_text(struct canvas *c, double x, double y, enum anchor anchor, int size, enum ink ink,
		 const char *text)
{
	c->kind->text(c, c->left + x, c->top + y, anchor, size, ink, text);
}

void canvas_line(struct canvas *c, double x1, double y1, double x2, double y2, enum ink ink,
		 double width, unsigned dash)
{
	c->kind->line(c, c->left + x1, c->top + y1, c->left + x2, c->top + y2, ink, width,
		      dash % DASHES);
}

void canvas_rectangle(struct canvas *c, double x, double y, double width, double height,
		      enum ink ink)
{
	c->kind->rectangle(c, c->left + x, c->top + y, width, height, ink);
}

void canvas_marker(struct canvas *c, double x, double y, unsigned shape, enum ink ink)
{
	c->kind->marker(c, c->left + x, c->top + y, shape % SHAPES, ink);
}

double canvas_text_width(const char *text, int size)
{
	size_t characters = 0;

	/* Bytes that continue a UTF-8 sequence are not counted. */
	for (; *text; text++)
		characters += (*text & 0xc0) != 0x80;
	return 0.62 * size * (double)characters;
}
