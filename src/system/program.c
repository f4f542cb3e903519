// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "system/program.h"

static int set_files(posix_spawn_file_actions_t *files, int out)
{
	int failed = posix_spawn_file_actions_addopen(files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);

	if (!failed)
		failed = posix_spawn_file_actions_adddup2(files, out, STDOUT_FILENO);
	if (!failed)
		failed = posix_spawn_file_actions_addopen(files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	return failed;
}

static enum status run(const char *const *argv, int out, bool *good, struct error *e)
{
	posix_spawn_file_actions_t files;
	int ended = 0, failed = posix_spawn_file_actions_init(&files);
	pid_t pid;

	if (failed)
		return error_system(e, failed, "%s", argv[0]);
	failed = set_files(&files, out);
	if (!failed)
		failed = posix_spawnp(&pid, argv[0], &files, NULL, (char *const *)argv, environ);
	posix_spawn_file_actions_destroy(&files);
	/* EACCES: it is in no directory of PATH that can be searched. */
	if (failed == ENOENT || failed == EACCES)
		return error_set(e, STATUS_MISSING, "%s is not installed", argv[0]);
	if (failed)
		return error_system(e, failed, "%s", argv[0]);
	while (waitpid(pid, &ended, 0) < 0 && errno == EINTR)
		continue;
	*good = !ended;
	return STATUS_OK;
}

enum status program_output(const char *const *argv, FILE **output, bool *good, struct error *e)
{
	FILE *file = tmpfile();
	enum status status;

	*output = NULL;
	if (!file)
		return error_system(e, errno, "temporary file");
	status = run(argv, fileno(file), good, e);
	if (status) {
		fclose(file);
		return status;
	}
	rewind(file);
	*output = file;
	return STATUS_OK;
}
