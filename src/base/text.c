// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"

size_t text_utf8_length(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;
	size_t length = *p < 0x80 ? 1 : *p >= 0xc2 && *p < 0xe0 ? 2 :
			*p >= 0xe0 && *p < 0xf0 ? 3 : *p >= 0xf0 && *p < 0xf5 ? 4 : 0;

	/* The terminating null byte is not a continuation byte. */
	for (size_t i = 1; i < length; i++)
		if ((p[i] & 0xc0) != 0x80)
			return 0;
	/* Overlong forms, surrogates, and code points above U+10FFFF. */
	if ((*p == 0xe0 && p[1] < 0xa0) || (*p == 0xed && p[1] > 0x9f) ||
	    (*p == 0xf0 && p[1] < 0x90) || (*p == 0xf4 && p[1] > 0x8f))
		return 0;
	return length;
}

static bool is_control(unsigned char byte)
{
	return byte < ' ' || byte == 0x7f;
}

bool text_byte_is_printable(uint8_t byte)
{
	return (byte < 0x80 && !is_control(byte)) || (byte >= '\t' && byte < '\r');
}

size_t text_printable_length(const char *text)
{
	const unsigned char *p = (const unsigned char *)text;

	if (is_control(*p))
		return 0;
	return *p == 0xc2 && p[1] < 0xa0 ? 0 : text_utf8_length(text);
}

static const char *next_character(const char *text)
{
	size_t length = text_utf8_length(text);

	return text + (length ? length : 1);
}

size_t text_characters(const char *text)
{
	size_t count = 0;

	for (; *text; text = next_character(text))
		count++;
	return count;
}

size_t text_first(const char *text, size_t characters)
{
	const char *end = text;

	while (*end && characters--)
		end = next_character(end);
	return (size_t)(end - text);
}

char *text_make_printable(char *text)
{
	for (char *p = text; *p; ) {
		size_t length = text_printable_length(p);

		if (!length) {
			*p = '?';
			length = 1;
		}
		p += length;
	}
	return text;
}

void text_append(char *text, size_t size, const char *format, ...)
{
	size_t used = strlen(text);
	va_list ap;

	va_start(ap, format);
	vsnprintf(text + used, size - used, format, ap);
	va_end(ap);
}
