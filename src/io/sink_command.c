// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A command that receives the member on its standard input.  Its exit status shows whether it has
 * stored the member, so the output is complete only after sink_finish().
 *
 * A command that exits with status 0 before it has read everything has not stored its member, so
 * its input is closed only after it has read the rest of the pipe.  A command that is given up is
 * killed before its input ends; otherwise it would take a part of a member for a complete one. This
 * holds only for local processes: when the ssh of "ssh h1 'cat > a'" is killed, the remote cat sees
 * an ordinary end of its input, and only the missing footer shows that the file is a part.
 */
#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "io/path.h"
#include "io/sink.h"
#include "io/transfer.h"

/* --- the command ------------------------------------------------------- */

/*
 * A shell command, run as a child process that reads from a pipe.
 *
 * It runs in its own session.  So Ctrl-C does not end it while members are being closed, a program
 * in it that wants a password from the terminal fails at once instead of waiting, and all processes
 * that it started can be signalled together, as a process group.
 *
 * One thread at a time uses a command; only command_signal() may be called by other threads.
 * Therefore the child is waited for without being reaped, and reaped later under the lock: until
 * then its process ID cannot be reused.
 */

/* Bytes of the pipe: the most that an unprivileged process may set, and a whole usual record. */
enum { COMMAND_PIPE = 1 << 20 };

struct command {
	char *line;		/* for sh -c; owned */
	const char *file;	/* its $FILE, the sink's name; NULL: unchanged */
	bool file_known;	/* the command creates a file of this name, or one with a suffix */
	bool mute;		/* standard output is /dev/null, not inherited */
	sigset_t defaults;	/* ignored here, but not to be ignored by the command */
	pthread_mutex_t lock;
	pid_t child;		/* 0: none; changed under lock by the thread that uses the command */
	bool killed;		/* by command_signal(), perhaps before the start; under lock */
};

/* How the shell ended. */
struct command_end {
	bool exited;
	int number;		/* exit status if exited, else the signal */
};

/* Seconds between SIGTERM and SIGKILL, unless the shell ends before. */
static const double TERM_PATIENCE = 2;

enum { WAIT_INTERVAL = 5000 };	/* microseconds, in command_wait() */

static int spawn(struct command *c, int input, pid_t *child)
{
	char name[] = "sh", option[] = "-c";
	char *argv[] = { name, option, c->line, name, (char *)c->file, NULL };
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
		failed = posix_spawn(child, "/bin/sh", &files, &attr, argv, environ);
	posix_spawn_file_actions_destroy(&files);
	posix_spawnattr_destroy(&attr);
	return failed;
}

/* *input: the write end of its standard input, which the caller closes. */
static enum status command_start(struct command *c, int *input, struct error *e)
{
	pid_t child = 0;
	int ends[2], failed;

	/* O_CLOEXEC: another child with the write end would keep the pipe open. */
	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_system(e, errno, "pipe");
	fcntl(ends[1], F_SETPIPE_SZ, COMMAND_PIPE);
	failed = spawn(c, ends[0], &child);
	close(ends[0]);
	if (failed) {
		close(ends[1]);
		return error_system(e, failed, "/bin/sh");
	}
	pthread_mutex_lock(&c->lock);
	c->child = child;
	if (c->killed)
		kill(-child, SIGKILL);
	pthread_mutex_unlock(&c->lock);
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

/*
 * Waits up to the given seconds (negative: forever) until the shell has ended, without reaping it.
 * False: it still runs.
 */
static bool command_wait(const struct command *c, double seconds, struct command_end *end)
{
	double until = clock_seconds() + seconds;

	if (seconds < 0)
		return look(c, 0, end);
	while (!look(c, WNOHANG, end)) {
		if (clock_seconds() >= until)
			return false;
		usleep(WAIT_INTERVAL);
	}
	return true;
}

/* Signals the process group, if any; after SIGKILL, a later start kills at once.  Any thread. */
static void command_signal(struct command *c, int signal)
{
	pthread_mutex_lock(&c->lock);
	c->killed |= signal == SIGKILL;
	if (c->child)
		kill(-c->child, signal);
	pthread_mutex_unlock(&c->lock);
}

/* Reaps the shell, which has ended.  Background processes that it left keep running. */
static void command_reap(struct command *c)
{
	pthread_mutex_lock(&c->lock);
	while (waitpid(c->child, NULL, 0) < 0 && errno == EINTR)
		;
	c->child = 0;
	pthread_mutex_unlock(&c->lock);
}

/*
 * Ends all processes of the command and reaps the shell: SIGTERM first, SIGKILL as soon as the
 * shell has ended or after two seconds.  No effect if nothing runs.
 */
static void command_end(struct command *c)
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

/* --- the sink ------------------------------------------------------------ */

/* "a.gz" and "a" match "a"; "a1" is the name of another output. */
static bool extends(const char *found, const char *base)
{
	size_t length = strlen(base);

	return strncmp(found, base, length) == 0 && !isalnum((unsigned char)found[length]);
}

static bool has_such_file(DIR *directory, const char *base)
{
	const struct dirent *entry;

	/* No other thread uses this stream. */
	// cppcheck-suppress readdirCalled
	while ((entry = readdir(directory)))
		if (extends(entry->d_name, base))
			return true;
	return false;
}

/*
 * After exit status 0: has the command created a file of this name?  It may be a name on another machine if its
 * directory does not exist, and a directory that cannot be read may well contain the file.
 */
static enum status check_file(struct sink *s, struct error *e)
{
	char path[PATH_MAX];
	struct stat st;
	DIR *directory = NULL;
	bool found;

	if (stat(s->name, &st) != 0 && path_directory(s->name, path))
		directory = opendir(path);
	if (!directory)
		return STATUS_OK;
	found = has_such_file(directory, path_base(s->name));
	closedir(directory);
	if (!found && strchr(s->name, '/'))
		return error_set(e, STATUS_SYSTEM, "%s: the command exited with status 0 but "
				 "created no file of this name", s->name);
	s->output_not_found = !found;
	return STATUS_OK;
}

/* Seconds for a command that stopped reading to exit, so that its exit status can be reported. */
static const double END_PATIENCE = 2;

enum { POLL_INTERVAL = 10 };	/* milliseconds, while the command reads the rest of the pipe */

static enum status command_open(struct sink *s, struct error *e)
{
	/* A filter opens the device itself, so it is checked here. */
	if (S_ISBLK(s->identity.type) && !(s->permits & PERMIT_DEVICES) &&
	    contents_refuse_unopened(s->name, s->permits, &s->seen, e))
		return e->status;
	return command_start(s->command, &s->fd, e) ? error_prefix(e, "%s: ", s->name)
						    : STATUS_OK;
}

void sink_command_settings(struct sink *s, bool mute, const sigset_t *defaults)
{
	if (!s->command)
		return;
	s->command->mute = mute;
	s->command->defaults = *defaults;
}

static void close_input(struct sink *s)
{
	if (s->fd >= 0)
		close(s->fd);
	s->fd = -1;
}

static enum status report_end(const struct sink *s, const struct command_end *end, bool early,
			    struct error *e)
{
	if (end->exited && early)
		return error_set(e, STATUS_SYSTEM, "%s: exited with status %d before reading "
				 "all of its input", s->name, end->number);
	if (end->exited)
		return error_set(e, STATUS_SYSTEM, "%s: exited with status %d", s->name,
				 end->number);
	return error_set(e, STATUS_SYSTEM, "%s: was killed by signal %d (%s)", s->name,
			 end->number, strsignal(end->number));
}

/* The command does not read its input. */
static enum status end_early(struct sink *s, struct error *e)
{
	struct command_end end;
	enum status status;

	close_input(s);
	if (command_wait(s->command, END_PATIENCE, &end))
		status = report_end(s, &end, true, e);
	else
		status = error_set(e, STATUS_SYSTEM, "%s: stopped reading its input", s->name);
	command_end(s->command);
	return status;
}

static enum status command_append(struct sink *s, const void *bytes, size_t len,
				  struct error *e)
{
	if (transfer_write(s->fd, bytes, len) == len)
		return STATUS_OK;
	return end_early(s, e);
}

static bool is_empty(int fd)
{
	int waiting = 0;

	return ioctl(fd, FIONREAD, &waiting) < 0 || waiting == 0;
}

/*
 * Waits until the command has read everything from the pipe; false: it never will.  Without this, a
 * command that exits with status 0 and leaves the end of the member unread would count as
 * successful.
 */
static bool has_read_all(const struct sink *s)
{
	struct command_end ignored;

	while (!is_empty(s->fd)) {
		struct pollfd p = { .fd = s->fd };

		/* The pipe has no reader any more. */
		if (poll(&p, 1, POLL_INTERVAL) > 0 && (p.revents & POLLERR))
			return is_empty(s->fd);
		/* A background process may keep the pipe open without reading. */
		if (command_wait(s->command, 0, &ignored))
			return is_empty(s->fd);
	}
	return true;
}

/* True if the command derives another name from $FILE, as in "${FILE%.lz}.xz". */
static bool changes_name(const char *text)
{
	static const char begin[] = "${FILE";

	while ((text = strstr(text, begin))) {
		text += strlen(begin);
		if (*text != '}')
			return true;
	}
	return false;
}

static enum status command_finish(struct sink *s, struct error *e)
{
	struct command_end end;
	enum status status;

	if (!has_read_all(s))
		return end_early(s, e);
	close_input(s);
	command_wait(s->command, -1, &end);
	if (end.exited && end.number == 0) {
		command_reap(s->command);
		return s->command->file_known ? check_file(s, e) : STATUS_OK;
	}
	status = report_end(s, &end, false, e);
	command_end(s->command);
	return status;
}

static void command_abandon(struct sink *s)
{
	command_signal(s->command, SIGKILL);
}

/* Before the pipe is closed: at the end of its input, the command would store a partial member. */
static void command_drop(struct sink *s)
{
	command_end(s->command);
}

/* The command has ended or was not started. */
static void command_free(struct sink *s)
{
	struct command *c = s->command;

	if (!c)
		return;
	pthread_mutex_destroy(&c->lock);
	free(c->line);
	free(c);
	s->command = NULL;
}

static const struct sink_ops command_ops = {
	.memory = COMMAND_PIPE,
	.open = command_open,
	.append = command_append,
	/* Nothing syncs it: whether the member is safe is known only when the command has exited. */
	.finish = command_finish,
	.abandon = command_abandon,
	.drop = command_drop,
	.free = command_free,
};

enum status sink_set_command(struct sink *s, const char *text, const char *file, struct error *e)
{
	/* On the same line, so that line numbers in the shell's messages are those of the user. */
	const char *first = file ? "umask 077; FILE=$1; export FILE; set --" : "umask 077";
	struct command *c;

	s->kind = SINK_COMMAND;
	s->ops = &command_ops;
	if (!text[strspn(text, " \t\n")])
		return error_set(e, STATUS_USAGE, "%s: the command is empty", s->name);
	c = s->command = calloc(1, sizeof(*c));
	if (!c)
		return error_system(e, ENOMEM, "%s", s->name);
	pthread_mutex_init(&c->lock, NULL);
	sigemptyset(&c->defaults);
	/* What signals_prepare() ignores. */
	sigaddset(&c->defaults, SIGPIPE);
	sigaddset(&c->defaults, SIGXFSZ);
	c->file = file;
	c->file_known = file && !changes_name(text);
	if (asprintf(&c->line, "%s; %s", first, text) >= 0)
		return STATUS_OK;
	c->line = NULL;
	return error_system(e, ENOMEM, "%s", s->name);
}
