// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "draw/alike.h"
#include "draw/curves.h"

enum {
	LEFT = 62, TOP = 60, BOTTOM = 44, LEAST_HEIGHT = 280,
	NAME_HEIGHT = 17, NAME_LEFT = 36, NAME_GAP = 6, NAMES_WIDTH_MAX = 200,
};

/* Of the values, or, in percent, of what they are shares of. */
#define ALIKE 0.01
#define ALIKE_PERCENT 0.02

/* The name at the right end of a curve. */
struct end {
	double y, name_y;
	size_t curve;
};

double curves_height(const struct curves *s)
{
	double names = (double)s->count * NAME_HEIGHT;

	return TOP + (names > LEAST_HEIGHT ? names : LEAST_HEIGHT) + BOTTOM;
}

static bool is_alike(const void *arg, size_t a, size_t b)
{
	const struct curves *s = arg;
	const struct curve *p = &s->curves[a], *q = &s->curves[b];

	if (p->count != q->count || !p->count)
		return false;
	for (size_t i = 0; i < p->count; i++) {
		double of = s->percent ? ALIKE_PERCENT : ALIKE * p->points[i].y;

		if (distance(p->points[i].y, q->points[i].y) > of)
			return false;
	}
	return true;
}

/* The name of a curve, or of several that are drawn as one. */
static const char *name_of(const struct curves *s, const struct alike *groups, size_t curve,
			   char name[ALIKE_NAME_LENGTH])
{
	size_t length;

	alike_name(groups, curve, s->all, name);
	length = strlen(name);
	if (alike_size(groups, curve) > 1)
		snprintf(name + length, ALIKE_NAME_LENGTH - length, "%s",
			 s->percent ? ", within 2 points" : ", within 1 %");
	return name;
}

static double names_width(const struct curves *s, const struct alike *groups)
{
	char name[ALIKE_NAME_LENGTH];
	double width = 0;

	for (size_t i = 0; i < s->count; i++)
		if (s->curves[i].count && groups->first[i] == i)
			width = larger(width, canvas_text_width(name_of(s, groups, i, name),
								TEXT_SMALL));
	return NAME_LEFT + NAME_GAP + (width < NAMES_WIDTH_MAX ? width : NAMES_WIDTH_MAX);
}

static struct frame frame_of(const struct curves *s, const struct alike *groups)
{
	double most = s->percent ? 1 : 0, x = 1;

	for (size_t i = 0; i < s->count; i++) {
		for (size_t j = 0; j < s->curves[i].count; j++) {
			most = larger(most, s->curves[i].points[j].most);
			x = larger(x, s->curves[i].points[j].x);
		}
	}
	return (struct frame){
		.left = LEFT,
		.top = TOP,
		.width = PANEL_WIDTH - LEFT - names_width(s, groups),
		.height = curves_height(s) - TOP - BOTTOM,
		.x = { .most = x, .whole = true, .zero = s->zero },
		.y = { .most = (most > 0 ? most : 1) * 1.05, .percent = s->percent },
	};
}

static void draw_curve(const struct curve *curve, size_t number, const struct frame *f,
		       struct canvas *c)
{
	for (size_t i = 0; i < curve->count; i++) {
		const struct curve_point *p = &curve->points[i];
		double x = frame_x(f, p->x), y = frame_y(f, p->y);

		if (i)
			canvas_line(c, frame_x(f, p[-1].x), frame_y(f, p[-1].y), x, y,
				    ink_of(number), 2, (unsigned)number);
		canvas_line(c, x, frame_y(f, p->least), x, frame_y(f, p->most), ink_of(number), 1,
			    0);
		canvas_marker(c, x, y, (unsigned)number, ink_of(number));
	}
}

static int by_y(const void *a, const void *b)
{
	const struct end *p = a, *q = b;

	return (p->y > q->y) - (p->y < q->y);
}

/* Moves names down until none covers another, and those up that are then below the panel. */
static void spread(struct end *ends, size_t count, double bottom)
{
	qsort(ends, count, sizeof(*ends), by_y);
	for (size_t i = 0; i < count; i++) {
		ends[i].name_y = ends[i].y;
		if (i && ends[i].name_y < ends[i - 1].name_y + NAME_HEIGHT)
			ends[i].name_y = ends[i - 1].name_y + NAME_HEIGHT;
	}
	for (size_t i = count; i-- > 0 && ends[i].name_y > bottom; bottom -= NAME_HEIGHT)
		ends[i].name_y = bottom;
}

static void draw_name(const struct curves *s, const struct alike *groups, const struct end *end,
		      double x, struct canvas *c)
{
	char name[ALIKE_NAME_LENGTH];
	double y = end->name_y;

	canvas_line(c, x + 6, end->y, x + 20, y, INK_GRID, 1, 0);
	canvas_marker(c, x + 26, y, (unsigned)end->curve, ink_of(end->curve));
	canvas_text(c, x + NAME_LEFT, y + 4, ANCHOR_START, TEXT_SMALL, INK_TEXT,
		    name_of(s, groups, end->curve, name));
}

static void draw_all(const struct curves *s, const struct alike *groups, struct end *ends,
		     struct canvas *c)
{
	struct frame f = frame_of(s, groups);
	size_t count = 0;
	double x = 0;

	canvas_text(c, 10, 24, ANCHOR_START, TEXT_TITLE, INK_TEXT, s->title);
	frame_draw_y(&f, c, s->y_unit);
	frame_draw_x(&f, c, s->x_unit);
	if (s->percent)
		canvas_line(c, f.left, frame_y(&f, 1), f.left + f.width, frame_y(&f, 1), INK_FAINT,
			    1.5, 1);
	for (size_t i = 0; i < s->count; i++) {
		const struct curve *curve = &s->curves[i];

		if (!curve->count || groups->first[i] != i)
			continue;
		draw_curve(curve, i, &f, c);
		ends[count++] = (struct end){ .y = frame_y(&f, curve->points[curve->count - 1].y),
					      .curve = i };
		x = larger(x, frame_x(&f, curve->points[curve->count - 1].x));
	}
	spread(ends, count, f.top + f.height);
	for (size_t i = 0; i < count; i++)
		draw_name(s, groups, &ends[i], x, c);
}

enum status curves_draw(const struct curves *s, struct canvas *c, struct error *e)
{
	struct end *ends = calloc(s->count, sizeof(*ends));
	const char **names = calloc(s->count, sizeof(*names));
	struct alike groups;
	enum status status = ends && names ? STATUS_OK : error_system(e, ENOMEM, "picture");

	for (size_t i = 0; !status && i < s->count; i++)
		names[i] = s->curves[i].name;
	if (!status)
		status = alike_init(&groups, names, s->count, is_alike, s, e);
	if (!status) {
		draw_all(s, &groups, ends, c);
		alike_free(&groups);
	}
	free(names);
	free(ends);
	return status;
}
