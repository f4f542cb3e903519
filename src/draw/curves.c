// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "draw/alike.h"
#include "draw/curves.h"
#include "draw/label.h"

enum {
	LEFT = 62, TOP = 60, BOTTOM = 44, LEAST_HEIGHT = 280,
	NAME_HEIGHT = 17, NAME_LEFT = 36, NAME_GAP = 6, NAMES_WIDTH_MAX = 220,
};

/* Of the values, or, in percent, of what they are shares of. */
#define ALIKE 0.01
#define ALIKE_PERCENT 0.02

/* The name at the right end of a curve. */
struct end {
	double y, name_y;
	double height;			/* of the name */
	size_t curve;
	char name[ALIKE_NAME_LENGTH];
};

double curves_height(const struct curves *s)
{
	char name[ALIKE_NAME_LENGTH];
	double names = 0;

	for (size_t i = 0; i < s->count; i++) {
		snprintf(name, sizeof(name), "%s", s->curves[i].name);
		label_wrap(name, NAMES_WIDTH_MAX);
		names += NAME_HEIGHT + label_height(name);
	}
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

		if (double_distance(p->points[i].y, q->points[i].y) > of)
			return false;
	}
	return true;
}

/* The name of a curve, or of several that are drawn as one; with line breaks. */
static void name_curve(const struct curves *s, const struct alike *groups, size_t curve,
		       char name[ALIKE_NAME_LENGTH])
{
	size_t length;

	alike_name(groups, curve, s->all, NAMES_WIDTH_MAX, name);
	length = strlen(name);
	if (alike_size(groups, curve) > 1)
		snprintf(name + length, ALIKE_NAME_LENGTH - length, "%s",
			 s->percent ? ", within 2 points" : ", within 1 %");
	label_wrap(name, NAMES_WIDTH_MAX);
}

static double names_width(const struct end *ends, size_t count)
{
	double width = 0;

	for (size_t i = 0; i < count; i++)
		width = double_max(width, label_width(ends[i].name));
	return NAME_LEFT + NAME_GAP + (width < NAMES_WIDTH_MAX ? width : NAMES_WIDTH_MAX);
}

static struct frame frame_of(const struct curves *s, const struct end *ends, size_t count)
{
	double most = s->percent ? 1 : 0, x = 1;

	for (size_t i = 0; i < s->count; i++) {
		for (size_t j = 0; j < s->curves[i].count; j++) {
			most = double_max(most, s->curves[i].points[j].most);
			x = double_max(x, s->curves[i].points[j].x);
		}
	}
	return (struct frame){
		.left = LEFT,
		.top = TOP,
		.width = PANEL_WIDTH - LEFT - names_width(ends, count),
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
		if (i)
			ends[i].name_y = double_max(ends[i].y, ends[i - 1].name_y +
						    (ends[i - 1].height + ends[i].height) / 2);
	}
	for (size_t i = count; i-- > 0; bottom -= ends[i].height) {
		double lowest = bottom - ends[i].height / 2;

		if (ends[i].name_y <= lowest)
			break;
		ends[i].name_y = lowest;
	}
}

static void draw_name(const struct end *end, double x, struct canvas *c)
{
	double y = end->name_y;

	canvas_line(c, x + 6, end->y, x + 20, y, INK_GRID, 1, 0);
	canvas_marker(c, x + 26, y, (unsigned)end->curve, ink_of(end->curve));
	label_draw(end->name, x + NAME_LEFT, y, c);
}

/* The ends of the curves that are drawn, except for their places.  Returns their number. */
static size_t find_ends(const struct curves *s, const struct alike *groups, struct end *ends)
{
	size_t count = 0;

	for (size_t i = 0; i < s->count; i++) {
		struct end *end = &ends[count];

		if (!s->curves[i].count || groups->first[i] != i)
			continue;
		end->curve = i;
		name_curve(s, groups, i, end->name);
		end->height = NAME_HEIGHT + label_height(end->name);
		count++;
	}
	return count;
}

static void draw_all(const struct curves *s, const struct alike *groups, struct end *ends,
		     struct canvas *c)
{
	size_t count = find_ends(s, groups, ends);
	struct frame f = frame_of(s, ends, count);
	double x = 0;

	canvas_text(c, 10, 24, ANCHOR_START, TEXT_TITLE, INK_TEXT, s->title);
	frame_draw_y(&f, c, s->y_unit);
	frame_draw_x(&f, c, s->x_unit);
	if (s->percent)
		canvas_line(c, f.left, frame_y(&f, 1), f.left + f.width, frame_y(&f, 1), INK_FAINT,
			    1.5, 1);
	for (size_t i = 0; i < count; i++) {
		const struct curve *curve = &s->curves[ends[i].curve];
		const struct curve_point *last = &curve->points[curve->count - 1];

		draw_curve(curve, ends[i].curve, &f, c);
		ends[i].y = frame_y(&f, last->y);
		x = double_max(x, frame_x(&f, last->x));
	}
	spread(ends, count, f.top + f.height + NAME_HEIGHT / 2.0);
	for (size_t i = 0; i < count; i++)
		draw_name(&ends[i], x, c);
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
