// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/nsplit/stamp.h"

static const char mark[] = "{now}";

void stamp_now(char stamp[STAMP_LENGTH + 1])
{
	time_t now = time(NULL);
	struct tm tm;

	/* A wrong clock must not prevent a capture. */
	if (!gmtime_r(&now, &tm) || !strftime(stamp, STAMP_LENGTH + 1, "%Y%m%d%H%M%S", &tm))
		strcpy(stamp, "0");
}

static const char *find_mark(const char *pattern, bool command)
{
	const char *found = strstr(pattern, mark);

	while (found && !command && found > pattern && found[-1] == '\\')
		found = strstr(found + 1, mark);
	return found;
}

enum status stamp_expand(struct names *list, const char *pattern, const char *stamp, size_t limit,
			 struct error *e)
{
	/* A command has braces for its shell, which must stay. */
	bool command = pattern[0] == '|';
	const char *found = find_mark(pattern, command);
	enum status status;
	char *name;

	if (!found)
		return command ? names_expand_command(list, pattern, limit, e)
			       : names_expand(list, pattern, limit, e);
	if (asprintf(&name, "%.*s%s%s", (int)(found - pattern), pattern, stamp,
		     found + strlen(mark)) < 0)
		return error_system(e, ENOMEM, "list of names");
	/* The rest of the name may hold another {now}. */
	status = stamp_expand(list, name, stamp, limit, e);
	free(name);
	return status;
}
