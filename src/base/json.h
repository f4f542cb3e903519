// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writing JSON: an object in the order of the calls, indented for people.
 * Names are literals of ours; text values are escaped, control characters too, and bytes that are no
 * UTF-8 are written as U+FFFD, since a file's name or a member's text may hold any byte.
 */
#ifndef NSPLIT_BASE_JSON_H
#define NSPLIT_BASE_JSON_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct json {
	FILE *file;		/* borrowed; errors are left to ferror() */
	int depth;
	bool first;		/* nothing in this object or array yet */
};

void json_begin(struct json *json, FILE *file);
void json_end(struct json *json);	/* the outermost object, and a newline */

/* In an array name is NULL. */
void json_object(struct json *json, const char *name);
void json_array(struct json *json, const char *name);
void json_close_object(struct json *json);
void json_close_array(struct json *json);

void json_text(struct json *json, const char *name, const char *value);
void json_number(struct json *json, const char *name, uint64_t value);
void json_real(struct json *json, const char *name, double value);
void json_bool(struct json *json, const char *name, bool value);

#endif
