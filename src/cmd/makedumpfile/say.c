// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdio_ext.h>
#include <string.h>
#include <sys/resource.h>

#include "base/text.h"
#include "cmd/common/message.h"
#include "cmd/makedumpfile/say.h"

void limit_size(const struct makedumpfile_options *o)
{
	struct rlimit limit = { .rlim_cur = (rlim_t)o->limit, .rlim_max = RLIM_INFINITY };
	struct rlimit now;

	if (!o->limit)
		return;
	if (getrlimit(RLIMIT_FSIZE, &now) == 0)
		limit.rlim_max = now.rlim_max;
	if (setrlimit(RLIMIT_FSIZE, &limit) < 0)
		message("-L: the size cannot be limited: %s", strerror(errno));
}

enum { LINE_LENGTH = 1024 };

void say(const struct makedumpfile_options *o, unsigned bit, const char *format, ...)
{
	char line[LINE_LENGTH];
	va_list ap;

	if (!makedumpfile_says(o, bit))
		return;
	va_start(ap, format);
	if (o->flattened) {
		vsnprintf(line, sizeof(line), format, ap);
		message_lines(line);
	} else {
		/* Names of files can be longer. */
		vprintf(format, ap);
	}
	va_end(ap);
}

void say_ignored(const struct makedumpfile_options *o)
{
	char spelled[OPTION_SPELLED_LENGTH];

	for (size_t i = 0; i < o->ignored_count && makedumpfile_says(o, SAY_COMMON); i++)
		message("ignored: %s: %s", makedumpfile_option_spelled(o->ignored[i], spelled), o->ignored[i]->help);
}

const char *say_name(const char *operand)
{
	return strcmp(operand, "./-") == 0 ? "-" : operand;
}

void say_end(const struct makedumpfile_options *o, bool good, const char *saved, const char *file)
{
	if (good && saved)
		say(o, SAY_COMMON, "\nThe %s saved to %s.\n", saved, say_name(file));
	say(o, SAY_COMMON, "\nmakedumpfile %s.\n", good ? "Completed" : "Failed");
	/* The dump is as good as it was. */
	if (!o->flattened && !message_flush_output())
		__fpurge(stdout);
}

void say_vmcoreinfo(const struct makedumpfile_options *o, const struct vmcoreinfo *info)
{
	const char *line = info->text, *end = line + info->size;

	say(o, SAY_DEBUG, "VMCOREINFO   :\n");
	while (line && line < end) {
		const char *newline = memchr(line, '\n', (size_t)(end - line));
		int length = (int)((newline ? newline : end) - line);
		char printable[LINE_LENGTH];

		snprintf(printable, sizeof(printable), "%.*s", length, line);
		say(o, SAY_DEBUG, "  %s\n", text_make_printable(printable));
		line += length + 1;
	}
}
