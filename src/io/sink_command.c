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
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/command.h"
#include "io/path.h"
#include "io/sink_kinds.h"
#include "io/transfer.h"

/* Checks that a command which received a file name has created that file. */

enum command_file {
	COMMAND_FILE_FOUND,		/* the file exists, or one with a suffix: "a.gz" for "a" */
	COMMAND_FILE_ELSEWHERE,		/* its directory does not exist: a name on another machine */
	COMMAND_FILE_UNKNOWN,		/* no such file; a name without a directory: unknown */
	COMMAND_FILE_MISSING,		/* no such file, although its directory exists */
};

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

static enum command_file command_file_find(const char *name)
{
	char path[PATH_MAX];
	struct stat st;
	DIR *directory;
	bool found;

	if (stat(name, &st) == 0)
		return COMMAND_FILE_FOUND;
	if (!path_directory(name, path))
		return COMMAND_FILE_ELSEWHERE;
	directory = opendir(path);
	/* A directory that cannot be read may well contain the file. */
	if (!directory)
		return errno == ENOENT || errno == ENOTDIR ? COMMAND_FILE_ELSEWHERE
							  : COMMAND_FILE_FOUND;
	found = has_such_file(directory, path_base(name));
	closedir(directory);
	if (found)
		return COMMAND_FILE_FOUND;
	return strchr(name, '/') ? COMMAND_FILE_MISSING : COMMAND_FILE_UNKNOWN;
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

/* Whether the member is safe is known only when the command has exited. */
static enum status command_sync(struct sink *s, struct error *e)
{
	(void)s, (void)e;
	return STATUS_OK;
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

/* After exit status 0.  For a filter, whether it has created its output can be checked. */
static enum status check_file(struct sink *s, struct error *e)
{
	enum command_file file;

	if (!s->command->variable || changes_name(s->command->text))
		return STATUS_OK;
	file = command_file_find(s->name);
	s->output_not_found = file == COMMAND_FILE_UNKNOWN;
	if (file == COMMAND_FILE_MISSING)
		return error_set(e, STATUS_SYSTEM, "%s: the command exited with status 0 but "
				 "created no file of this name", s->name);
	return STATUS_OK;
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
		return check_file(s, e);
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

static void free_command(struct sink *s)
{
	command_free(s->command);
	s->command = NULL;
}

const struct sink_ops sink_command_ops = {
	.memory = COMMAND_PIPE,
	.open = command_open,
	.append = command_append,
	.sync = command_sync,
	.finish = command_finish,
	.abandon = command_abandon,
	.drop = command_drop,
	.free = free_command,
};
