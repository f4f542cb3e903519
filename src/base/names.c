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

/*
 * The braces in a pattern for names, as in bash.
 *	{A,B,...}	each of these texts, which may be empty or have braces themselves
 *	{A..B}		each number from A to B, up or down; leading zeros of A or B pad all; unlike
 *			in bash, without a sign or step, and with at most 9 digits
 *	{a..b}		each letter, if both are capitals or both are not
 *	<A..B>		each number
 * A backslash before { } , or < makes it part of the name; any other backslash is a character like
 * any other.  Unlike in bash, braces that are none of these are refused: such a name is almost
 * always a mistake, and all the data would go to one file.
 *
 * BRACES_NUMBERS: only ranges of numbers are looked for, no backslash is special, and nothing is
 * refused.
 */

enum braces_style {
	BRACES_ALL,
	BRACES_NUMBERS,
};

struct braces {
	const char *begin, *end;	/* in the pattern; end is after the last character */
	enum { BRACES_NONE, BRACES_LIST, BRACES_RANGE, BRACES_LETTERS } kind;
	long first, last;		/* of a range; letters as characters */
	int width;			/* digits to pad to; 0: no padding */
};

enum { DIGITS_MAX = 9 };

static bool is_escape(const char *p)
{
	return p[0] == '\\' && p[1] && strchr("{},<", p[1]);
}

/* After the character at p, or the two of an escape. */
static const char *after(const char *p)
{
	return p + (is_escape(p) ? 2 : 1);
}

/* In a text with balanced braces, the first such character outside of them; or end. */
static const char *find_outside(const char *p, const char *end, char stop)
{
	unsigned depth = 0;

	for (; p < end; p = after(p)) {
		if (depth == 0 && *p == stop)
			return p;
		depth += *p == '{';
		depth -= *p == '}';
	}
	return end;
}

static bool parse_number(const char **p, long *value, int *width)
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

/* b->begin is at the opening bracket.  Sets b->end. */
static bool parse_numbers(struct braces *b)
{
	const char *p = b->begin + 1;
	char close = *b->begin == '{' ? '}' : '>';

	b->width = 0;
	if (!parse_number(&p, &b->first, &b->width) || strncmp(p, "..", 2) != 0)
		return false;
	p += 2;
	if (!parse_number(&p, &b->last, &b->width) || *p != close)
		return false;
	b->end = p + 1;
	b->kind = BRACES_RANGE;
	return true;
}

static bool parse_letters(struct braces *b)
{
	const char *p = b->begin;

	if (b->end - p != 6 || p[2] != '.' || p[3] != '.')
		return false;
	if (!(islower((unsigned char)p[1]) && islower((unsigned char)p[4])) &&
	    !(isupper((unsigned char)p[1]) && isupper((unsigned char)p[4])))
		return false;
	b->first = p[1];
	b->last = p[4];
	b->kind = BRACES_LETTERS;
	return true;
}

/*
 * Braces from b->begin to b->end.  NULL: they are valid; otherwise what is wrong.  tests/man-diagnostics.py compares
 * the texts of these functions with the manual pages.
 */
static const char *braces_problem(struct braces *b)
{
	const char *body = b->begin + 1, *close = b->end - 1, *dots;

	if (body == close)
		return "there is nothing between the braces";
	b->kind = BRACES_LIST;
	if (find_outside(body, close, ',') < close || parse_numbers(b) || parse_letters(b))
		return NULL;
	dots = find_outside(body, close, '.');
	if (dots[0] != '.' || dots[1] != '.')
		return "the braces hold neither a list (A,B) nor a range (A..B)";
	dots = find_outside(dots + 2, close, '.');
	if (dots[0] == '.' && dots[1] == '.')
		return "a range takes no step (A..B..STEP); write a list, such as {0,2,4}";
	return "a range must be A..B: two numbers of at most 9 digits and without a sign, or two letters of the same case";
}

/* Finds the first braces in a pattern. */
static const char *find_problem(struct braces *b, const char *pattern, enum braces_style style)
{
	const char *close;

	*b = (struct braces){ .kind = BRACES_NONE };
	for (const char *p = pattern; *p; p = style == BRACES_ALL ? after(p) : p + 1) {
		b->begin = p;
		if (*p == '<' || (*p == '{' && style == BRACES_NUMBERS)) {
			if (parse_numbers(b))
				return NULL;
		} else if (*p == '}' && style == BRACES_ALL) {
			return "a closing brace has no opening brace";
		} else if (*p == '{' && style == BRACES_ALL) {
			close = find_outside(p + 1, strchr(p, '\0'), '}');
			b->end = close + 1;
			return *close ? braces_problem(b) : "a brace is not closed";
		}
	}
	return NULL;
}

/* Removes the backslashes that made characters part of the name. */
static void braces_unescape(char *name)
{
	char *to = name;

	while (*name) {
		name += is_escape(name);
		*to++ = *name++;
	}
	*to = '\0';
}

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

static enum status expand(const struct expansion *x, const char *pattern, unsigned depth, struct error *e);

/* With an alternative in place of the braces.  The name may contain further braces. */
static enum status expand_with(const struct expansion *x, const char *pattern, const struct braces *b, unsigned depth,
			       const char *text, size_t length, struct error *e)
{
	enum status status;
	char *name;

	if (asprintf(&name, "%.*s%.*s%s", (int)(b->begin - pattern), pattern, (int)length, text, b->end) < 0)
		return error_system(e, ENOMEM, "list of names");
	status = expand(x, name, depth + 1, e);
	free(name);
	return status;
}

static enum status expand_list(const struct expansion *x, const char *pattern, const struct braces *b, unsigned depth,
			       struct error *e)
{
	const char *text = b->begin + 1, *close = b->end - 1, *end;
	enum status status;

	do {
		end = find_outside(text, close, ',');
		status = expand_with(x, pattern, b, depth, text, (size_t)(end - text), e);
		text = end + 1;
	} while (!status && end < close);
	return status;
}

static enum status expand_range(const struct expansion *x, const char *pattern, const struct braces *b, unsigned depth,
				struct error *e)
{
	long step = b->first <= b->last ? 1 : -1;
	enum status status = STATUS_OK;
	char text[16];

	for (long n = b->first; !status && n != b->last + step; n += step) {
		if (b->kind == BRACES_LETTERS)
			snprintf(text, sizeof(text), "%c", (int)n);
		else
			snprintf(text, sizeof(text), "%0*ld", b->width, n);
		status = expand_with(x, pattern, b, depth, text, strlen(text), e);
	}
	return status;
}

/* depth: how many braces have been expanded to get this pattern. */
static enum status expand(const struct expansion *x, const char *pattern, unsigned depth, struct error *e)
{
	struct braces b;
	const char *problem = find_problem(&b, pattern, x->style);

	if (problem) {
		error_set(e, STATUS_USAGE, "%s; a backslash before a brace makes it part of the name", problem);
		return error_prefix(e, "%s: ", x->whole);
	}
	if (b.kind == BRACES_NONE)
		return append_unescaped(x, pattern, e);
	if (depth == BRACES_MAX)
		return error_set(e, STATUS_USAGE, "%.100s...: more than %d braces", x->whole,
				 BRACES_MAX);
	return b.kind == BRACES_LIST ? expand_list(x, pattern, &b, depth, e) : expand_range(x, pattern, &b, depth, e);
}

enum status names_expand(struct names *list, const char *pattern, size_t limit, struct error *e)
{
	const struct expansion x = {
		.list = list, .whole = pattern, .style = *pattern == '|' ? BRACES_NUMBERS : BRACES_ALL, .limit = limit,
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
