// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/braces.h"
#include "base/names.h"

/* Each level of recursion expands one pair of braces. */
enum { BRACES_MAX = 32 };

enum status names_append(struct names *list, const char *name, size_t limit, struct error *e)
{
	if (list->count >= limit)
		return error_set(e, STATUS_USAGE, "too many names; at most %zu", limit);
	if (!array_grow(&list->names, list->count, sizeof(*list->names)))
		return error_system(e, ENOMEM, "list of names");
	list->names[list->count] = strdup(name);
	if (!list->names[list->count])
		return error_system(e, ENOMEM, "list of names");
	list->count++;
	return STATUS_OK;
}

struct expansion {
	struct names *list;
	const char *whole;		/* the pattern, for messages */
	enum braces_style style;
	size_t limit;
};

static enum status append_unescaped(const struct expansion *x, const char *name, struct error *e)
{
	enum status status;

	/* bash drops it; here, an output or member that was asked for would be missing. */
	if (!*name)
		return error_set(e, STATUS_USAGE, "'%s' results in an empty name", x->whole);
	status = names_append(x->list, name, x->limit, e);
	if (!status && x->style == BRACES_ALL)
		braces_unescape(x->list->names[x->list->count - 1]);
	return status;
}

/* depth: how many braces have been expanded to get this pattern. */
static enum status expand(const struct expansion *x, const char *pattern, unsigned depth,
			  struct error *e)
{
	struct braces b;
	enum status status = STATUS_OK;
	char *name;

	if (braces_find(&b, pattern, x->style, e))
		return error_prefix(e, "%s: ", x->whole);
	if (!b.begin)
		return append_unescaped(x, pattern, e);
	if (depth == BRACES_MAX)
		return error_set(e, STATUS_USAGE, "%.100s...: more than %d braces", x->whole,
				 BRACES_MAX);
	while (!status && braces_next(&b, &name)) {
		if (!name)
			return error_system(e, ENOMEM, "list of names");
		/* The name may contain further braces. */
		status = expand(x, name, depth + 1, e);
		free(name);
	}
	return status;
}

enum status names_expand(struct names *list, const char *pattern, size_t limit,
			 struct error *e)
{
	const struct expansion x = {
		.list = list, .whole = pattern, .style = BRACES_ALL, .limit = limit,
	};

	return expand(&x, pattern, 0, e);
}

enum status names_expand_command(struct names *list, const char *pattern, size_t limit,
				 struct error *e)
{
	const struct expansion x = {
		.list = list, .whole = pattern, .style = BRACES_NUMBERS, .limit = limit,
	};

	return expand(&x, pattern, 0, e);
}

void names_remove(struct names *list, size_t number)
{
	char **name = &list->names[number];

	free(*name);
	list->count--;
	memmove(name, name + 1, (list->count - number) * sizeof(*name));
}

void names_free(struct names *list)
{
	for (size_t i = 0; i < list->count; i++)
		free(list->names[i]);
	free(list->names);
	list->names = NULL;
	list->count = 0;
}

enum status names_refuse_repeated(const char *name, const char *before, struct error *e)
{
	if (strcmp(name, before) == 0)
		return error_set(e, STATUS_USAGE, "%s: was given twice", name);
	return error_set(e, STATUS_USAGE, "%s: is the same file as %s", name, before);
}
