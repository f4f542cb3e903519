// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Elements of a picture as SVG.  Each has a colour, and a class by which the style sheet of a page
 * changes it.
 */
#include "config.h"

#include "base/markup.h"
#include "draw/canvas.h"

static const char *const anchors[] = { "start", "middle", "end" };

/* The attributes of an ink: what is "fill" or "stroke". */
static void put_ink(FILE *file, const char *what, enum ink ink)
{
	static const char *const classes[] = { "paper", "text", "faint", "grid" };

	if (ink < INK_SERIES)
		fprintf(file, " class=\"%c-%s\"", what[0], classes[ink]);
	else
		fprintf(file, " class=\"%c-c%d\"", what[0], ink - INK_SERIES);
	fprintf(file, " %s=\"%s\"", what, ink_colour(ink));
}

static void svg_text(struct canvas *c, double x, double y, enum anchor anchor, int size,
		     enum ink ink, const char *text)
{
	fprintf(c->file, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\"", x, y, size);
	if (anchor != ANCHOR_START)
		fprintf(c->file, " text-anchor=\"%s\"", anchors[anchor]);
	if (size == TEXT_TITLE)
		fputs(" font-weight=\"bold\"", c->file);
	put_ink(c->file, "fill", ink);
	putc('>', c->file);
	markup_text(c->file, text);
	fputs("</text>\n", c->file);
}

static void svg_line(struct canvas *c, double x1, double y1, double x2, double y2, enum ink ink,
		     double width, unsigned dash)
{
	static const char *const dashes[DASHES] = { NULL, "8 3", "2 3", "10 3 2 3" };

	fprintf(c->file, "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke-width=\"%g\"",
		x1, y1, x2, y2, width);
	if (dashes[dash])
		fprintf(c->file, " stroke-dasharray=\"%s\"", dashes[dash]);
	put_ink(c->file, "stroke", ink);
	fputs("/>\n", c->file);
}

static void svg_rectangle(struct canvas *c, double x, double y, double width, double height,
			  enum ink ink)
{
	fprintf(c->file, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", x, y, width,
		height);
	put_ink(c->file, "fill", ink);
	fputs("/>\n", c->file);
}

/* The shapes are those of gnuplot's pt 7, 5, 9, 13 and 11: canvas_png.c. */
static void svg_marker(struct canvas *c, double x, double y, unsigned shape, enum ink ink)
{
	static const char *const paths[SHAPES] = {
		"m-4.5 0a4.5 4.5 0 1 0 9 0a4.5 4.5 0 1 0 -9 0z", "m-4 -4h8v8h-8z",
		"m0 -5l5 9h-10z", "m0 -5.5l5.5 5.5l-5.5 5.5l-5.5 -5.5z", "m0 5l5 -9h-10z",
	};

	fprintf(c->file, "<path d=\"M%.1f %.1f%s\"", x, y, paths[shape]);
	put_ink(c->file, "fill", ink);
	fputs("/>\n", c->file);
}

static const struct canvas_kind svg = { svg_text, svg_line, svg_rectangle, svg_marker };

void canvas_svg_begin(struct canvas *c, FILE *file, double width, double height,
		      const char *label, bool paper)
{
	*c = (struct canvas){ .kind = &svg, .file = file, .height = height };
	fputs("<svg", file);
	if (paper)
		fprintf(file, " xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
			"font-family=\"Helvetica, Arial, 'DejaVu Sans', sans-serif\"", width, height);
	fprintf(file, " viewBox=\"0 0 %.0f %.0f\" role=\"img\" aria-label=\"", width, height);
	markup_text(file, label);
	fputs("\">\n", file);
	if (paper)
		svg_rectangle(c, 0, 0, width, height, INK_PAPER);
}

void canvas_svg_end(struct canvas *c)
{
	fputs("</svg>\n", c->file);
}
