// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/common/shell.h"

static enum status run(const char *name, const char *const *argv,
		       const posix_spawn_file_actions_t *files, bool *good, struct error *e)
{
	int failed, ended = 0;
	pid_t shell;

	failed = posix_spawn(&shell, "/bin/sh", files, NULL, (char *const *)argv, environ);
	if (failed)
		return error_system(e, failed, "%s", name);
	while (waitpid(shell, &ended, 0) < 0 && errno == EINTR)
		continue;
	*good = !ended;
	return STATUS_OK;
}

enum status shell_run(const char *name, const char *const *argv, bool *good, struct error *e)
{
	return run(name, argv, NULL, good, e);
}

enum status shell_filter(const char *name, const char *command, int in, int out, bool *good,
			 struct error *e)
{
	const char *const argv[] = { "sh", "-c", command, NULL };
	posix_spawn_file_actions_t files;
	enum status status = STATUS_OK;
	int failed = posix_spawn_file_actions_init(&files);

	if (failed)
		return error_system(e, failed, "%s", name);
	failed = posix_spawn_file_actions_adddup2(&files, in, STDIN_FILENO);
	if (!failed)
		failed = posix_spawn_file_actions_adddup2(&files, out, STDOUT_FILENO);
	if (failed)
		status = error_system(e, failed, "%s", name);
	else
		status = run(name, argv, &files, good, e);
	posix_spawn_file_actions_destroy(&files);
	return status;
}

/* The shell's own search, because PATH may be unset or have empty elements. */
static enum status ask(const char *question, const char *name, const char *word, bool *found, struct error *e)
{
	const char *const argv[] = { "sh", "-c", question, "sh", word, NULL };

	return shell_run(name, argv, found, e);
}

enum status shell_finds(const char *name, const char *word, bool *found, struct error *e)
{
	return ask("command -v \"$1\" > /dev/null", name, word, found, e);
}

enum status shell_finds_file(const char *name, const char *word, bool *found, struct error *e)
{
	return ask("case $(command -v \"$1\") in /*) ;; *) exit 1 ;; esac", name, word, found, e);
}
