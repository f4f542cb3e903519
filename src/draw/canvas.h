// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A picture, drawn element by element in pixels; y grows downwards.  It becomes SVG, which is
 * written here, or PNG, which gnuplot makes.
 */
#ifndef NSPLIT_DRAW_CANVAS_H
#define NSPLIT_DRAW_CANVAS_H

#include <stdbool.h>
#include <stdio.h>

/*
 * What is drawn with.  Each of the colours from INK_SERIES on is lighter than the one before it, so
 * that they differ in grey, too.  A page may assign other colours to their classes: c0, c1...
 */
enum ink {
	INK_PAPER,
	INK_TEXT,
	INK_FAINT,			/* axes and their numbers */
	INK_GRID,
	INK_SERIES,
	INK_SERIES_COUNT = 6,
	INKS = INK_SERIES + INK_SERIES_COUNT
};

/* The ink of series i; they repeat. */
enum ink ink_of(size_t i);
/* "#17365c" */
const char *ink_colour(enum ink ink);

enum anchor { ANCHOR_START, ANCHOR_MIDDLE, ANCHOR_END };

/* Lines also differ in dashes and markers. */
enum { DASHES = 4, SHAPES = 5 };

enum { TEXT_SMALL = 11, TEXT_NORMAL = 12, TEXT_TITLE = 14 };

struct canvas_kind;

struct canvas {
	const struct canvas_kind *kind;
	FILE *file;			/* the caller's, which checks ferror() */
	double left, top;		/* of the panel that is drawn, in the picture */
	double height;			/* of the picture */
};

struct canvas_kind {
	void (*text)(struct canvas *c, double x, double y, enum anchor anchor, int size,
		     enum ink ink, const char *text);
	void (*line)(struct canvas *c, double x1, double y1, double x2, double y2, enum ink ink,
		     double width, unsigned dash);
	void (*rectangle)(struct canvas *c, double x, double y, double width, double height,
			  enum ink ink);
	void (*marker)(struct canvas *c, double x, double y, unsigned shape, enum ink ink);
};

/*
 * Begins an <svg> element.  label: what a screen reader says.  paper: with a white background and
 * fonts, as a file of its own and not as a part of a page.
 */
void canvas_svg_begin(struct canvas *c, FILE *file, double width, double height,
		      const char *label, bool paper);
void canvas_svg_end(struct canvas *c);

/*
 * Begins a script for gnuplot, which writes the PNG file to its standard output: a name in the script
 * could be a command.
 */
void canvas_png_begin(struct canvas *c, FILE *script, double width, double height);
void canvas_png_end(struct canvas *c);

/* The size TEXT_TITLE is bold.  dash and shape: modulo DASHES and SHAPES. */
void canvas_text(struct canvas *c, double x, double y, enum anchor anchor, int size, enum ink ink,
		 const char *text);
void canvas_line(struct canvas *c, double x1, double y1, double x2, double y2, enum ink ink,
		 double width, unsigned dash);
void canvas_rectangle(struct canvas *c, double x, double y, double width, double height,
		      enum ink ink);
void canvas_marker(struct canvas *c, double x, double y, unsigned shape, enum ink ink);

/* About the width of a text, whose font the viewer chooses. */
double canvas_text_width(const char *text, int size);

#endif
