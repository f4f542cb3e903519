// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes a JSON object, in the order of the calls and indented.  Names are written as they are.
 * Text values are escaped, control characters included, and bytes that are not UTF-8 become U+FFFD:
 * a file name or the text in a member may contain any byte.
 *
 * Without a file, nothing is written: then a function that also prints the same as text prints only that.
 * The first key of an object is "schema", which changes only if a key is removed or changes its meaning.
 */
#ifndef NSPLIT_BASE_JSON_H
#define NSPLIT_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum { JSON_SCHEMA = 1 };

struct json {
	FILE *file;		/* the caller's; json_*() leave errors to ferror(); NULL: nothing is written */
	int depth;
	bool first;		/* the object or array is still empty */
};

void json_begin(struct json *json, FILE *file);	/* the outermost object, and its schema */
void json_end(struct json *json);	/* a newline behind it */

/* name is NULL for a value in an array. */
void json_object(struct json *json, const char *name);
void json_array(struct json *json, const char *name);
void json_close_object(struct json *json);
void json_close_array(struct json *json);

void json_text(struct json *json, const char *name, const char *value);
void json_number(struct json *json, const char *name, uint64_t value);
void json_real(struct json *json, const char *name, double value);
void json_bool(struct json *json, const char *name, bool value);

#endif
