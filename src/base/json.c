// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>

#include "base/json.h"
#include "base/text.h"

/* False: nothing is to be written. */
static bool start_value(struct json *json, const char *name)
{
	if (!json->file)
		return false;
	if (json->depth) {
		fputs(json->first ? "\n" : ",\n", json->file);
		for (int i = 0; i < json->depth; i++)
			fputs("  ", json->file);
	}
	if (name)
		fprintf(json->file, "\"%s\": ", name);
	json->first = false;
	return true;
}

static void open_with(struct json *json, const char *name, char bracket)
{
	if (!start_value(json, name))
		return;
	putc(bracket, json->file);
	json->depth++;
	json->first = true;
}

static void close_with(struct json *json, char bracket)
{
	if (!json->file)
		return;
	json->depth--;
	if (!json->first) {
		putc('\n', json->file);
		for (int i = 0; i < json->depth; i++)
			fputs("  ", json->file);
	}
	putc(bracket, json->file);
	json->first = false;
}

void json_begin(struct json *json, FILE *file)
{
	json->file = file;
	json->depth = 0;
	open_with(json, NULL, '{');
	json_number(json, "schema", JSON_SCHEMA);
}

void json_end(struct json *json)
{
	close_with(json, '}');
	if (json->file)
		putc('\n', json->file);
}

void json_object(struct json *json, const char *name)
{
	open_with(json, name, '{');
}

void json_array(struct json *json, const char *name)
{
	open_with(json, name, '[');
}

void json_close_object(struct json *json)
{
	close_with(json, '}');
}

void json_close_array(struct json *json)
{
	close_with(json, ']');
}

void json_text(struct json *json, const char *name, const char *value)
{
	const char *p = value;

	if (!start_value(json, name))
		return;
	putc('"', json->file);
	while (*p) {
		size_t length = text_utf8_length(p);

		if (!length)
			fputs("\\ufffd", json->file);
		else if (*p == '"' || *p == '\\')
			fprintf(json->file, "\\%c", *p);
		else if (!text_printable_length(p))
			/* U+0080 to U+009F are C2 80 to C2 9F in UTF-8. */
			fprintf(json->file, "\\u%04x", (unsigned char)p[length - 1]);
		else
			fwrite(p, 1, length, json->file);
		p += length ? length : 1;
	}
	putc('"', json->file);
}

void json_number(struct json *json, const char *name, uint64_t value)
{
	if (start_value(json, name))
		fprintf(json->file, "%" PRIu64, value);
}

void json_real(struct json *json, const char *name, double value)
{
	if (start_value(json, name))
		fprintf(json->file, "%.9f", value);
}

void json_bool(struct json *json, const char *name, bool value)
{
	if (start_value(json, name))
		fputs(value ? "true" : "false", json->file);
}
