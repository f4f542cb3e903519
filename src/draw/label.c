// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "draw/axis.h"
#include "draw/label.h"

enum { LINE_LENGTH = 256 };

/* Copies the line at text.  Returns the next one; NULL: there is none. */
static const char *next_line(const char *text, char line[LINE_LENGTH])
{
	size_t length = strcspn(text, "\n");

	snprintf(line, LINE_LENGTH, "%.*s", (int)length, text);
	return text[length] ? text + length + 1 : NULL;
}

/* True if a line from begin to end is not too wide. */
static bool fits(const char *begin, const char *end, double width)
{
	char line[LINE_LENGTH];

	snprintf(line, LINE_LENGTH, "%.*s", (int)(end - begin), begin);
	return canvas_text_width(line, TEXT_SMALL) <= width;
}

void label_wrap(char *text, double width)
{
	char *begin = text, *space = NULL;

	for (char *p = text; *p; ) {
		char *end = strstr(p, ", ");

		end = end ? end + 1 : p + strlen(p);
		if (space && !fits(begin, end, width)) {
			*space = '\n';
			begin = space + 1;
		}
		space = *end ? end : NULL;
		p = *end ? end + 1 : end;
	}
}

double label_width(const char *text)
{
	char line[LINE_LENGTH];
	double width = 0;

	while (text) {
		text = next_line(text, line);
		width = double_max(width, canvas_text_width(line, TEXT_SMALL));
	}
	return width;
}

double label_height(const char *text)
{
	double height = 0;

	for (; *text; text++)
		height += *text == '\n' ? LABEL_LINE_HEIGHT : 0;
	return height;
}

void label_draw(const char *text, double x, double y, struct canvas *c)
{
	char line[LINE_LENGTH];

	y -= label_height(text) / 2;
	for (; text; y += LABEL_LINE_HEIGHT) {
		text = next_line(text, line);
		canvas_text(c, x, y + 4, ANCHOR_START, TEXT_SMALL, INK_TEXT, line);
	}
}
