// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/common/shell.h"

enum status shell_run(const char *name, const char *const *argv, bool *good, struct error *e)
{
	int failed, ended = 0;
	pid_t shell;

	failed = posix_spawn(&shell, "/bin/sh", NULL, NULL, (char *const *)argv, environ);
	if (failed)
		return error_system(e, failed, "%s", name);
	while (waitpid(shell, &ended, 0) < 0 && errno == EINTR)
		continue;
	*good = !ended;
	return STATUS_OK;
}

/* The shell's own search, because PATH may be unset or have empty elements. */
enum status shell_finds(const char *name, const char *word, bool *found, struct error *e)
{
	const char *const argv[] = { "sh", "-c", "command -v \"$1\" > /dev/null", "sh", word, NULL };

	return shell_run(name, argv, found, e);
}
