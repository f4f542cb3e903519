// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdbool.h>
#include <string.h>

#include "base/markup.h"
#include "base/text.h"

static const char *entity(char c)
{
	switch (c) {
	case '&':
		return "&amp;";
	case '<':
		return "&lt;";
	case '>':
		return "&gt;";
	case '"':
		return "&quot;";
	case '\'':
		return "&#39;";
	default:
		return NULL;
	}
}

/* U+FFFE and U+FFFF are valid UTF-8, but XML does not permit them. */
static bool is_forbidden(const char *text)
{
	return strncmp(text, "\xef\xbf\xbe", 3) == 0 || strncmp(text, "\xef\xbf\xbf", 3) == 0;
}

void markup_text(FILE *file, const char *text)
{
	while (*text) {
		size_t length = text_printable_length(text);
		const char *name = entity(*text);

		if (name)
			fputs(name, file);
		else if (length && !is_forbidden(text))
			fwrite(text, 1, length, file);
		else
			fputs("\xef\xbf\xbd", file);
		text += length ? length : 1;
	}
}
