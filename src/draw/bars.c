// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "draw/bars.h"

enum { TOP = 56, BOTTOM = 44, ROW = 18, GAP = 6, VALUE_WIDTH = 62 };

/* Rows of the same series are adjacent; there is a gap between two series. */
static double row_top(const struct bars *b, size_t row)
{
	double y = TOP + GAP;

	for (size_t i = 1; i <= row; i++)
		y += ROW + (i < b->count && b->rows[i].series != b->rows[i - 1].series ? GAP : 0);
	return y;
}

double bars_height(const struct bars *b)
{
	return row_top(b, b->count) + BOTTOM;
}

static struct frame frame_of(const struct bars *b)
{
	double labels = 0, most = b->percent ? 1 : 0;

	for (size_t i = 0; i < b->count; i++) {
		double width = canvas_text_width(b->rows[i].label, TEXT_SMALL);

		labels = double_max(labels, width);
		if (!b->rows[i].missing)
			most = double_max(most, b->rows[i].most);
	}
	return (struct frame){
		.left = labels + 16,
		.top = TOP,
		.width = PANEL_WIDTH - labels - 16 - VALUE_WIDTH,
		.height = row_top(b, b->count) - TOP,
		.x = { .most = most > 0 ? most : 1, .percent = b->percent },
		.y = { .most = 1 },
	};
}

static void draw_row(const struct bar *bar, const struct frame *f, double y, struct canvas *c)
{
	double middle = y + ROW / 2.0;
	char text[AXIS_TEXT_LENGTH], marked[AXIS_TEXT_LENGTH + 2];

	canvas_text(c, f->left - 6, middle + 4, ANCHOR_END, TEXT_SMALL, INK_TEXT, bar->label);
	if (bar->missing) {
		canvas_text(c, f->left + 6, middle + 4, ANCHOR_START, TEXT_SMALL, INK_FAINT,
			    "not measured");
		return;
	}
	canvas_rectangle(c, f->left, y + 2, frame_x(f, bar->value) - f->left, ROW - 4,
			 ink_of(bar->series));
	canvas_line(c, frame_x(f, bar->least), middle, frame_x(f, bar->most), middle, INK_FAINT, 1.5,
		    0);
	snprintf(marked, sizeof(marked), "%s%s", axis_format(&f->x, bar->value, text),
		 bar->unsure ? " !" : "");
	/* The line at 100 % does not cross it. */
	canvas_rectangle(c, frame_x(f, bar->most) + 2, y + 1, canvas_text_width(marked, TEXT_SMALL) + 4,
			 ROW - 2, INK_PAPER);
	canvas_text(c, frame_x(f, bar->most) + 5, middle + 4, ANCHOR_START, TEXT_SMALL, INK_TEXT,
		    marked);
}

void bars_draw(const struct bars *b, struct canvas *c)
{
	struct frame f = frame_of(b);

	canvas_text(c, 10, 24, ANCHOR_START, TEXT_TITLE, INK_TEXT, b->title);
	frame_draw_x(&f, c, b->unit);
	if (b->percent)
		canvas_line(c, frame_x(&f, 1), f.top, frame_x(&f, 1), f.top + f.height, INK_FAINT, 1.5,
			    1);
	for (size_t i = 0; i < b->count; i++)
		draw_row(&b->rows[i], &f, row_top(b, i), c);
}
