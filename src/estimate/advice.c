// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>

#include "base/size.h"
#include "base/text.h"
#include "estimate/advice.h"

enum { MINUTE = 60, HOUR = 3600 };

/* As in the kernel's command line. */
static void append_crashkernel(char *text, uint64_t bytes)
{
	if (bytes >> 30 && !(bytes & ((1 << 30) - 1)))
		text_append(text, ADVICE_LENGTH, "crashkernel=%" PRIu64 "G", bytes >> 30);
	else
		text_append(text, ADVICE_LENGTH, "crashkernel=%" PRIu64 "M", bytes >> 20);
}

/* No more exact than such a figure is. */
static void append_time(char *text, double seconds)
{
	if (seconds < 1)
		text_append(text, ADVICE_LENGTH, "1 s");
	else if (seconds < 2 * MINUTE)
		text_append(text, ADVICE_LENGTH, "%.0f s", seconds);
	else if (seconds < 2.0 * HOUR)
		text_append(text, ADVICE_LENGTH, "%.0f min", seconds / MINUTE);
	else
		text_append(text, ADVICE_LENGTH, "%.1f h", seconds / HOUR);
}

static void append_room(char *text, const struct advice *a)
{
	const char *where = a->outputs > 1 ? "the outputs" : a->where;
	const char *have = a->outputs > 1 ? "have" : "has";
	char space[SIZE_TEXT_LENGTH];

	if (!a->outputs)
		return;
	if (!a->space_known)
		text_append(text, ADVICE_LENGTH, "; whether it fits is unknown");
	else if (a->dumps)
		text_append(text, ADVICE_LENGTH, "; %s %s room for %" PRIu64, where, have, a->dumps);
	else
		text_append(text, ADVICE_LENGTH, "; it does not fit: %s %s only %s", where, have,
			    size_format(a->space, space));
}

const char *advice_format(const struct advice *a, char text[ADVICE_LENGTH])
{
	char size[SIZE_TEXT_LENGTH];

	text[0] = '\0';
	if (a->crashkernel) {
		append_crashkernel(text, a->crashkernel);
		if (a->reserved)
			text_append(text, ADVICE_LENGTH, " (now %" PRIu64 "M)", a->reserved >> 20);
		text_append(text, ADVICE_LENGTH, ", ");
	}
	text_append(text, ADVICE_LENGTH, "-j%u, -d %u: %s in %s ", a->threads, a->level,
		    size_format(a->bytes, size), a->at_least ? "at least" : "about");
	append_time(text, a->seconds);
	append_room(text, a);
	return text;
}
