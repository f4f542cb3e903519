// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Commands for gnuplot, which here only turns elements into pixels: the axes are made to be the
 * pixels of the picture, and everything is drawn as labels, arrows and rectangles.  Each element is a
 * plot of its own, on top of those before it, as in SVG; within one plot, gnuplot has an order of its
 * own, in which lines are above all rectangles.
 */
#include "config.h"

#include <ctype.h>
#include <string.h>

#include "draw/canvas.h"

/* gnuplot's default resolution: so many points are a pixel. */
#define POINTS 0.8

/*
 * A string in double quotes, in which any byte can be written in octal.  A name with a line feed,
 * a quote or a backquote must not begin another command.
 */
static void put_quoted(FILE *file, const char *text)
{
	putc('"', file);
	for (; *text; text++) {
		if (isalnum((unsigned char)*text) || *text & 0x80 || strchr(" .,/_-:%()=", *text))
			putc(*text, file);
		else
			fprintf(file, "\\%03o", (unsigned char)*text);
	}
	putc('"', file);
}

/* Draws what was set.  Something must be plotted: a line above the picture. */
static void draw_element(struct canvas *c)
{
	fputs("plot -1 notitle\nunset label\nunset arrow\nunset object\n", c->file);
}

static void png_text(struct canvas *c, double x, double y, enum anchor anchor, int size,
		     enum ink ink, const char *text)
{
	static const char *const anchors[] = { "left", "center", "right" };

	fputs("set label ", c->file);
	put_quoted(c->file, text);
	fprintf(c->file, " at first %.1f,%.1f %s font '%s,%.1f' textcolor rgb '%s' noenhanced\n",
		x, y - size * 0.35, anchors[anchor], size == TEXT_TITLE ? "sans:Bold" : "sans",
		size * POINTS, ink_colour(ink));
	draw_element(c);
}

static void png_line(struct canvas *c, double x1, double y1, double x2, double y2, enum ink ink,
		     double width, unsigned dash)
{
	fprintf(c->file, "set arrow from first %.1f,%.1f to first %.1f,%.1f nohead lw %g dt %u "
		"lc rgb '%s'\n", x1, y1, x2, y2, width, dash + 1, ink_colour(ink));
	draw_element(c);
}

static void png_rectangle(struct canvas *c, double x, double y, double width, double height,
			  enum ink ink)
{
	fprintf(c->file, "set object rectangle from first %.1f,%.1f to first %.1f,%.1f "
		"fc rgb '%s' fs solid noborder\n", x, y, x + width, y + height, ink_colour(ink));
	draw_element(c);
}

static void png_marker(struct canvas *c, double x, double y, unsigned shape, enum ink ink)
{
	static const int types[SHAPES] = { 7, 5, 9, 13, 11 };

	fprintf(c->file, "set label '' at first %.1f,%.1f point pt %d ps 1.2 lc rgb '%s'\n",
		x, y, types[shape], ink_colour(ink));
	draw_element(c);
}

static const struct canvas_kind png = { png_text, png_line, png_rectangle, png_marker };

/*
 * Without "set encoding": in the locale C, gnuplot then warns that it has no degree sign.  All text is
 * ASCII.
 */
void canvas_png_begin(struct canvas *c, FILE *script, double width, double height)
{
	*c = (struct canvas){ .kind = &png, .file = script, .height = height };
	fprintf(script, "set terminal pngcairo size %.0f,%.0f font 'sans,10' background rgb '%s'\n"
		"unset key\nunset border\nunset tics\n"
		"set lmargin at screen 0\nset rmargin at screen 1\n"
		"set tmargin at screen 1\nset bmargin at screen 0\n"
		"set xrange [0:%.0f]\nset yrange [%.0f:0]\nset samples 2\nset multiplot\n",
		width, height, ink_colour(INK_PAPER), width, height);
}

void canvas_png_end(struct canvas *c)
{
	fputs("unset multiplot\n", c->file);
}
