// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stddef.h>

#include "cmd/nsplit_check_command.h"
#include "cmd/command_programs.h"
#include "cmd/shell.h"

/* sh -n reads a command without running it and prints its errors. */
static enum status check_syntax(const char *name, const char *command, struct error *e)
{
	const char *const argv[] = { "sh", "-n", "-c", "--", command, NULL };
	enum status status;
	bool good;

	status = shell_run(name, argv, &good, e);
	if (!status && !good)
		return error_set(e, STATUS_USAGE, "%s: syntax error in the shell command", name);
	return status;
}

static enum status check_program(const char *name, const char *program, struct error *e)
{
	bool found;
	enum status status = shell_finds(name, program, &found, e);

	if (!status && !found)
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
