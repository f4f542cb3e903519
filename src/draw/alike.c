// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "draw/alike.h"

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

void alike_name(const struct alike *groups, size_t first, const char *all,
		char name[ALIKE_NAME_LENGTH])
{
	size_t size = alike_size(groups, first), next = first + 1;

	while (next < groups->count && groups->first[next] != first)
		next++;
	if (size == 1)
		snprintf(name, ALIKE_NAME_LENGTH, "%s", groups->names[first]);
	else if (size == groups->count)
		snprintf(name, ALIKE_NAME_LENGTH, "%s", all);
	else if (size == 2)
		snprintf(name, ALIKE_NAME_LENGTH, "%s, %s", groups->names[first], groups->names[next]);
	else
		snprintf(name, ALIKE_NAME_LENGTH, "%s, %s, %zu more", groups->names[first],
			 groups->names[next], size - 2);
}
