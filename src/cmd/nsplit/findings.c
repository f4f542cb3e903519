// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/text.h"
#include "cmd/common/message.h"
#include "cmd/nsplit/findings.h"

/* The verdict ends in ": ". */
__attribute__((format(printf, 3, 0)))
static void print(const struct findings *found, const char *verdict, const char *format,
		  va_list values)
{
	char text[sizeof(((struct error *)NULL)->text)];
	size_t begin;

	if (!found->verbose)
		return;
	begin = (size_t)snprintf(text, sizeof(text), "%s", verdict);
	vsnprintf(text + begin, sizeof(text) - begin, format, values);
	message("%s", text);
}

void found_good(struct findings *found, const char *format, ...)
{
	va_list values;

	found->good++;
	va_start(values, format);
	print(found, "ok: ", format, values);
	va_end(values);
}

void found_note(struct findings *found, const char *format, ...)
{
	va_list values;

	found->notes++;
	va_start(values, format);
	print(found, "note: ", format, values);
	va_end(values);
}

void found_unchecked(struct findings *found, const char *format, ...)
{
	va_list values;

	found->unchecked++;
	va_start(values, format);
	print(found, "not checked: ", format, values);
	va_end(values);
}

bool found_no_error(struct findings *found, enum status status, const struct error *e)
{
	if (!status)
		return true;
	found->problems++;
	if (found->verbose)
		message("problem: %s", e->text);
	else
		message("%s", e->text);
	if (found->exit_status != EXIT_USAGE)
		found->exit_status = status == STATUS_USAGE ? EXIT_USAGE : EXIT_FAILED;
	return false;
}

void findings_count(const struct findings *found)
{
	if (found->verbose)
		message("%u ok, %u problem%s, %u note%s, %u not checked", found->good,
			found->problems, plural(found->problems), found->notes,
			plural(found->notes), found->unchecked);
}
