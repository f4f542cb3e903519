// SPDX-License-Identifier: GPL-2.0-or-later
/* Groups of things that a picture cannot show apart, so that it shows one and names all. */
#ifndef NSPLIT_DRAW_ALIKE_H
#define NSPLIT_DRAW_ALIKE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

struct alike {
	size_t *first;			/* of each thing, the first thing of its group; owned */
	const char *const *names;	/* borrowed */
	size_t count;
};

/* alike(): whether b can be shown as a, which precedes it. */
enum status alike_init(struct alike *groups, const char *const *names, size_t count,
		       bool (*alike)(const void *arg, size_t a, size_t b), const void *arg,
		       struct error *e);
void alike_free(struct alike *groups);

/* The number of things in the group of the first one. */
size_t alike_size(const struct alike *groups, size_t first);

enum { ALIKE_NAME_LENGTH = 256 };

/*
 * "lzo, lz4, 2 more"; or "lzo, 3 more", if that is wider as small text; or all, if the group has all
 * of several things.
 */
void alike_name(const struct alike *groups, size_t first, const char *all, double width,
		char name[ALIKE_NAME_LENGTH]);

#endif
