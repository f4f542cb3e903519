// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/command.h"

/* Seconds between SIGTERM and SIGKILL, unless the shell ends before. */
static const double TERM_PATIENCE = 2;

enum { POLL_INTERVAL = 5000 };	/* microseconds, in command_wait() */

struct command *command_new(const char *text, const char *file)
{
	struct command *c = calloc(1, sizeof(*c));

	if (!c)
		return NULL;
	pthread_mutex_init(&c->lock, NULL);
	sigemptyset(&c->defaults);
	/* What signals_prepare() ignores. */
	sigaddset(&c->defaults, SIGPIPE);
	sigaddset(&c->defaults, SIGXFSZ);
	c->text = strdup(text);
	/* On the same line, so that line numbers in the shell's messages are those of the user. */
	if (asprintf(&c->line, "umask 077; %s", text) < 0)
		c->line = NULL;
	if (!c->text || !c->line || (file && asprintf(&c->variable, "FILE=%s", file) < 0)) {
		c->variable = NULL;
		command_free(c);
		return NULL;
	}
	return c;
}

void command_free(struct command *c)
{
	if (!c)
		return;
	pthread_mutex_destroy(&c->lock);
	free(c->variable);
	free(c->line);
	free(c->text);
	free(c);
}

/* The environment of this process with FILE replaced by variable, if any.  The array is owned. */
static char **environment_with(char *variable)
{
	size_t count = 0, kept = 0;
	char **made;

	while (environ && environ[count])
		count++;
	made = calloc(count + 2, sizeof(*made));
	if (!made)
		return NULL;
	for (size_t i = 0; i < count; i++)
		if (!variable || strncmp(environ[i], "FILE=", strlen("FILE=")) != 0)
			made[kept++] = environ[i];
	made[kept] = variable;
	return made;
}

static int spawn(struct command *c, int input, char **environment, pid_t *child)
{
	char name[] = "sh", option[] = "-c";
	char *argv[] = { name, option, c->line, NULL };
	posix_spawn_file_actions_t files;
	posix_spawnattr_t attr;
	sigset_t none;
	int failed;

	sigemptyset(&none);
	posix_spawnattr_init(&attr);
	posix_spawnattr_setflags(&attr, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGMASK |
				 POSIX_SPAWN_SETSIGDEF);
	posix_spawnattr_setsigmask(&attr, &none);
	posix_spawnattr_setsigdefault(&attr, &c->defaults);
	posix_spawn_file_actions_init(&files);
	failed = posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
	if (!failed && c->mute)
		failed = posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null",
							  O_WRONLY, 0);
	if (!failed)
		failed = posix_spawn(child, "/bin/sh", &files, &attr, argv, environment);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	return failed;
}

/* Returns 0 or an errno. */
static int start(struct command *c, int input)
{
	char **environment = environment_with(c->variable);
	pid_t child = 0;
	int failed = ENOMEM;

	if (environment)
		failed = spawn(c, input, environment, &child);
	free(environment);
	if (failed)
		return failed;
	pthread_mutex_lock(&c->lock);
	c->child = child;
	if (c->killed)
		kill(-child, SIGKILL);
	pthread_mutex_unlock(&c->lock);
	return 0;
}

enum status command_start(struct command *c, int *input, struct error *e)
{
	int ends[2], failed;

	/* O_CLOEXEC: another child with the write end would keep the pipe open. */
	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_system(e, errno, "pipe");
	fcntl(ends[1], F_SETPIPE_SZ, COMMAND_PIPE);
	failed = start(c, ends[0]);
	close(ends[0]);
	if (failed) {
		close(ends[1]);
		return error_system(e, failed, "/bin/sh");
	}
	*input = ends[1];
	return STATUS_OK;
}

/* True if the shell has ended.  how: WNOHANG, or 0 to wait for it. */
static bool look(const struct command *c, int how, struct command_end *end)
{
	siginfo_t info;

	do {
		info.si_pid = 0;
		if (waitid(P_PID, (id_t)c->child, &info, WEXITED | WNOWAIT | how) == 0) {
			end->exited = info.si_code == CLD_EXITED;
			end->number = info.si_status;
			return info.si_pid;
		}
	} while (errno == EINTR);
	/* Somebody else has reaped it, so its exit status is unknown: not a success. */
	*end = (struct command_end){ .number = SIGCHLD };
	return true;
}

bool command_wait(const struct command *c, double seconds, struct command_end *end)
{
	double until = clock_seconds() + seconds;

	if (seconds < 0)
		return look(c, 0, end);
	while (!look(c, WNOHANG, end)) {
		if (clock_seconds() >= until)
			return false;
		usleep(POLL_INTERVAL);
	}
	return true;
}

void command_signal(struct command *c, int signal)
{
	pthread_mutex_lock(&c->lock);
	c->killed |= signal == SIGKILL;
	if (c->child)
		kill(-c->child, signal);
	pthread_mutex_unlock(&c->lock);
}

void command_reap(struct command *c)
{
	pthread_mutex_lock(&c->lock);
	while (waitpid(c->child, NULL, 0) < 0 && errno == EINTR)
		;
	c->child = 0;
	pthread_mutex_unlock(&c->lock);
}

void command_end(struct command *c)
{
	struct command_end ignored;

	if (!c->child)
		return;
	command_signal(c, SIGTERM);
	command_wait(c, TERM_PATIENCE, &ignored);
	/*
	 * And the processes that the shell had started.  Whether any are left cannot be found out:
	 * the group exists until the shell is reaped, and afterwards its ID may be reused.
	 */
	command_signal(c, SIGKILL);
	command_wait(c, -1, &ignored);
	command_reap(c);
}
