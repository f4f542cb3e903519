// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <spawn.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/nsplit_check_command.h"
#include "cmd/command_programs.h"

/* Runs the shell.  Sets *good if its exit status is 0. */
static enum status run_shell(const char *name, const char *const *argv, bool *good,
			     struct error *e)
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

/* sh -n reads a command without running it and prints its errors. */
static enum status check_syntax(const char *name, const char *command, struct error *e)
{
	const char *const argv[] = { "sh", "-n", "-c", "--", command, NULL };
	enum status status;
	bool good;

	status = run_shell(name, argv, &good, e);
	if (!status && !good)
		return error_set(e, STATUS_USAGE, "%s: syntax error in the shell command", name);
	return status;
}

/* The shell also knows its own commands. */
static enum status check_program(const char *name, const char *program, struct error *e)
{
	const char *const argv[] = {
		"sh", "-c", "command -v \"$1\" > /dev/null", "sh", program, NULL
	};
	enum status status;
	bool good;

	status = run_shell(name, argv, &good, e);
	if (!status && !good)
		return error_set(e, STATUS_SYSTEM, "%s: the program %s is not installed, or not in "
				 "a directory of PATH", name, program);
	return status;
}

bool nsplit_check_command(struct findings *found, const char *name, const char *command)
{
	char program[PROGRAM_LENGTH];
	struct error e;
	bool good = true;

	if (!found_no_error(found, check_syntax(name, command, &e), &e))
		return false;
	while (command_next_program(&command, program)) {
		if (found_no_error(found, check_program(name, program, &e), &e))
			found_good(found, "%s: the program %s exists", name, program);
		else
			good = false;
	}
	return good;
}
