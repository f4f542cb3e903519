// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "draw/alike.h"
#include "draw/plane.h"

enum { LEFT = 62, TOP = 60, RIGHT = 40, BOTTOM = 44, POINT_SIZE = 12, NAME_HEIGHT = 14,
       NAME_WIDTH = 200 };

/* A rectangle that is taken by a point or a name. */
struct box {
	double x, y, width, height;	/* x and y: its middle */
};

struct boxes {
	struct box *list;
	size_t count;
};

/* Points nearer than a marker's size cannot be told apart. */
static bool is_alike(const void *arg, size_t a, size_t b)
{
	const struct box *list = arg;

	return double_distance(list[a].x, list[b].x) < POINT_SIZE / 3.0 &&
	       double_distance(list[a].y, list[b].y) < POINT_SIZE / 3.0;
}

static struct frame frame_of(const struct plane *p)
{
	double x = 0, y = 0;

	for (size_t i = 0; i < p->count; i++) {
		x = double_max(x, p->points[i].x);
		y = double_max(y, p->points[i].y);
	}
	return (struct frame){
		.left = LEFT,
		.top = TOP,
		.width = PANEL_WIDTH - LEFT - RIGHT,
		.height = PLANE_HEIGHT - TOP - BOTTOM,
		.x = { .most = (x > 0 ? x : 1) * 1.08 },
		.y = { .most = (y > 0 ? y : 1) * 1.05 },
	};
}

static bool is_free(const struct boxes *taken, const struct box *b, const struct frame *f)
{
	if (b->x + b->width / 2 > PANEL_WIDTH || b->x - b->width / 2 < f->left ||
	    b->y > f->top + f->height - NAME_HEIGHT / 2.0 || b->y < f->top - NAME_HEIGHT / 2.0)
		return false;
	for (size_t i = 0; i < taken->count; i++) {
		const struct box *t = &taken->list[i];

		if (double_distance(b->x, t->x) * 2 < b->width + t->width &&
		    double_distance(b->y, t->y) * 2 < b->height + t->height)
			return false;
	}
	return true;
}

/* The nearest free place around a point; beside it if there is none. */
static struct box place(const struct boxes *taken, const struct box *point, double width,
			const struct frame *f)
{
	static const double around[][2] = { { 1, 0 }, { -1, 0 }, { 0, -1 }, { 0, 1 }, { 1, -1 },
					    { -1, -1 }, { 1, 1 }, { -1, 1 } };
	struct box box = { .width = width, .height = NAME_HEIGHT };

	for (double far = 1; far < 5; far += 0.5) {
		for (size_t i = 0; i < sizeof(around) / sizeof(*around); i++) {
			box.x = point->x + around[i][0] * (width / 2 + 8 * far);
			box.y = point->y + around[i][1] * 15 * far;
			if (is_free(taken, &box, f))
				return box;
		}
	}
	box.x = point->x + width / 2 + 8;
	box.y = point->y;
	return box;
}

static void draw_name(const struct plane *p, const struct alike *groups, size_t i,
		      struct boxes *taken, const struct frame *f, struct canvas *c)
{
	const struct box point = taken->list[i];
	char name[ALIKE_NAME_LENGTH];
	struct box box;

	alike_name(groups, i, p->all, NAME_WIDTH, name);
	box = place(taken, &point, canvas_text_width(name, TEXT_SMALL), f);
	if (double_distance(box.y, point.y) > 16 ||
	    double_distance(box.x, point.x) > box.width / 2 + 10)
		canvas_line(c, point.x, point.y, box.x, box.y + (box.y > point.y ? -7 : 7), INK_FAINT,
			    0.7, 0);
	canvas_text(c, box.x, box.y + 4, ANCHOR_MIDDLE, TEXT_SMALL, INK_TEXT, name);
	taken->list[taken->count++] = box;
}

static void draw_all(const struct plane *p, const struct alike *groups, struct boxes *taken,
		     const struct frame *f, struct canvas *c)
{
	canvas_text(c, 10, 24, ANCHOR_START, TEXT_TITLE, INK_TEXT, p->title);
	frame_draw_y(f, c, p->y_unit);
	frame_draw_x(f, c, p->x_unit);
	for (size_t i = 0; i < p->count; i++)
		canvas_marker(c, taken->list[i].x, taken->list[i].y, (unsigned)p->points[i].series,
			      ink_of(p->points[i].series));
	for (size_t i = 0; i < p->count; i++)
		if (groups->first[i] == i)
			draw_name(p, groups, i, taken, f, c);
}

enum status plane_draw(const struct plane *p, struct canvas *c, struct error *e)
{
	struct boxes taken = { .list = calloc(2 * p->count, sizeof(*taken.list)) };
	const char **names = calloc(p->count, sizeof(*names));
	struct frame f = frame_of(p);
	struct alike groups;
	enum status status = taken.list && names ? STATUS_OK : error_system(e, ENOMEM, "picture");

	for (size_t i = 0; !status && i < p->count; i++) {
		names[i] = p->points[i].name;
		taken.list[taken.count++] = (struct box){
			.x = frame_x(&f, p->points[i].x),
			.y = frame_y(&f, p->points[i].y),
			.width = POINT_SIZE,
			.height = POINT_SIZE,
		};
	}
	if (!status)
		status = alike_init(&groups, names, p->count, is_alike, taken.list, e);
	if (!status) {
		draw_all(p, &groups, &taken, &f, c);
		alike_free(&groups);
	}
	free(names);
	free(taken.list);
	return status;
}
