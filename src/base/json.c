// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>

#include "base/json.h"

static void start_value(struct json *json, const char *name)
{
	if (json->depth) {
		fputs(json->first ? "\n" : ",\n", json->file);
		for (int i = 0; i < json->depth; i++)
			fputs("  ", json->file);
	}
	if (name)
		fprintf(json->file, "\"%s\": ", name);
	json->first = false;
}

static void open_with(struct json *json, const char *name, char bracket)
{
	start_value(json, name);
	putc(bracket, json->file);
	json->depth++;
	json->first = true;
}

static void close_with(struct json *json, char bracket)
{
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
}

void json_end(struct json *json)
{
	close_with(json, '}');
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

/* Bytes of the UTF-8 sequence at p, or 0 if there is no lawful one. */
static int utf8_length(const unsigned char *p)
{
	int length = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 :
		     *p >= 0xe0 && *p < 0xf0 ? 3 : *p >= 0xf0 && *p < 0xf5 ? 4 : 0;

	for (int i = 1; i < length; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, and what lies beyond U+10FFFF. */
	if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) ||
	    (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] > 0x8f))
		return 0;
	return length;
}

void json_text(struct json *json, const char *name, const char *value)
{
	const unsigned char *p = (const unsigned char *)value;

	start_value(json, name);
	putc('"', json->file);
	while (*p) {
		int length = utf8_length(p);

		if (!length)
			fputs("\\ufffd", json->file);
		else if (*p == '"' || *p == '\\')
			fprintf(json->file, "\\%c", *p);
		else if (*p < 0x20 || *p == 0x7f)
			fprintf(json->file, "\\u%04x", *p);
		else
			fwrite(p, 1, (size_t)length, json->file);
		p += length ? length : 1;
	}
	putc('"', json->file);
}

void json_number(struct json *json, const char *name, uint64_t value)
{
	start_value(json, name);
	fprintf(json->file, "%" PRIu64, value);
}

void json_real(struct json *json, const char *name, double value)
{
	start_value(json, name);
	fprintf(json->file, "%.9f", value);
}

void json_bool(struct json *json, const char *name, bool value)
{
	start_value(json, name);
	fputs(value ? "true" : "false", json->file);
}
