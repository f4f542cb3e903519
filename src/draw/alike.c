// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "draw/alike.h"
#include "draw/canvas.h"

enum status alike_init(struct alike *groups, const char *const *names, size_t count,
		       bool (*alike)(const void *arg, size_t a, size_t b), const void *arg,
		       struct error *e)
{
	*groups = (struct alike){ .names = names, .count = count };
	groups->first = calloc(count, sizeof(*groups->first));
	if (!groups->first)
		return error_system(e, ENOMEM, "picture");
	for (size_t i = 0; i < count; i++) {
		size_t a = 0;

		/* Compared with the first ones only: a chain of small steps is no group. */
		while (a < i && (groups->first[a] != a || !alike(arg, a, i)))
			a++;
		groups->first[i] = a;
	}
	return STATUS_OK;
}

void alike_free(struct alike *groups)
{
	free(groups->first);
}

size_t alike_size(const struct alike *groups, size_t first)
{
	size_t size = 0;

	for (size_t i = first; i < groups->count; i++)
		size += groups->first[i] == first;
	return size;
}

/* The first names of a group, and how many more it has. */
static void list_names(const struct alike *groups, size_t first, size_t names,
		       char name[ALIKE_NAME_LENGTH])
{
	size_t more = alike_size(groups, first), length = 0;

	for (size_t i = first; i < groups->count && names && length < ALIKE_NAME_LENGTH; i++) {
		if (groups->first[i] != first)
			continue;
		length += (size_t)snprintf(name + length, ALIKE_NAME_LENGTH - length, "%s%s",
					   i > first ? ", " : "", groups->names[i]);
		names--;
		more--;
	}
	if (more && length < ALIKE_NAME_LENGTH)
		snprintf(name + length, ALIKE_NAME_LENGTH - length, ", %zu more", more);
}

void alike_name(const struct alike *groups, size_t first, const char *all, double width,
		char name[ALIKE_NAME_LENGTH])
{
	size_t size = alike_size(groups, first);

	if (size > 1 && size == groups->count) {
		snprintf(name, ALIKE_NAME_LENGTH, "%s", all);
		return;
	}
	list_names(groups, first, 2, name);
	if (size > 1 && canvas_text_width(name, TEXT_SMALL) > width)
		list_names(groups, first, 1, name);
}
