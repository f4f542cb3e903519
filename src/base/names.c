// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/names.h"

struct bracket {
	const char *begin, *end;	/* the brackets in the pattern; end is after them */
	long first, last;
	int width;			/* digits to pad to; 0: no padding */
};

enum { DIGITS_MAX = 9 };

static bool parse_bound(const char **p, long *value, int *width)
{
	const char *start = *p;
	char *stop;

	if (!isdigit((unsigned char)*start))
		return false;
	*value = strtol(start, &stop, 10);
	if (stop - start > DIGITS_MAX)
		return false;
	/* Leading zeros: all numbers get this width. */
	if (*start == '0' && stop - start > 1 && stop - start > *width)
		*width = (int)(stop - start);
	*p = stop;
	return true;
}

static bool parse_bracket(const char *p, struct bracket *b)
{
	char close = *p == '{' ? '}' : '>';

	b->begin = p++;
	b->width = 0;
	if (!parse_bound(&p, &b->first, &b->width) || strncmp(p, "..", 2) != 0)
		return false;
	p += 2;
	if (!parse_bound(&p, &b->last, &b->width) || *p != close)
		return false;
	b->end = p + 1;
	return true;
}

static bool find_bracket(const char *pattern, struct bracket *b)
{
	for (const char *p = strpbrk(pattern, "{<"); p; p = strpbrk(p + 1, "{<"))
		if (parse_bracket(p, b))
			return true;
	return false;
}

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

enum status names_expand(struct names *list, const char *pattern, size_t limit,
			 struct error *e)
{
	struct bracket b;
	long step, i;

	if (!find_bracket(pattern, &b))
		return names_append(list, pattern, limit, e);
	step = b.first <= b.last ? 1 : -1;
	for (i = b.first; i != b.last + step; i += step) {
		enum status status;
		char *name;

		if (asprintf(&name, "%.*s%0*ld%s", (int)(b.begin - pattern), pattern,
			     b.width, i, b.end) < 0)
			return error_system(e, ENOMEM, "list of names");
		/* The name may contain another b. */
		status = names_expand(list, name, limit, e);
		free(name);
		if (status)
			return status;
	}
	return STATUS_OK;
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
