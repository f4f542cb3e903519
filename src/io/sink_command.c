// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A command that is fed a member.  Only its exit status tells whether it has kept it, so
 * what it was given is good only after sink_finish().
 */
#include "config.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "io/command.h"
#include "io/command_file.h"
#include "io/sink_kinds.h"
#include "io/transfer.h"

/* Seconds in which one that takes no more may still end by itself, and so tell why. */
static const double END_PATIENCE = 2;

enum { LOOK_EACH = 10 };	/* milliseconds, while it takes the rest */

static enum status command_open(struct sink *s, struct error *e)
{
	/* A filter that is given the name of a device opens it itself. */
	if (S_ISBLK(s->identity.type) && !(s->permits & SINK_OVERWRITE_DEVICES) &&
	    contents_refuse_unopened(s->name, &s->seen, e))
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

/* It does not take what it is given. */
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

/* Safe is what it keeps, and that it tells at its end. */
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
 * Waits until it has taken what still lies in the pipe; false: it never will.  Else a command
 * that ends with status 0 and leaves the end of a member unread would be taken for a good one.
 */
static bool has_taken_all(const struct sink *s)
{
	struct command_end ignored;

	while (!is_empty(s->fd)) {
		struct pollfd p = { .fd = s->fd };

		/* Nobody is left who reads. */
		if (poll(&p, 1, LOOK_EACH) > 0 && (p.revents & POLLERR))
			return is_empty(s->fd);
		/* What it left running may hold the pipe open, and read nothing. */
		if (command_wait(s->command, 0, &ignored))
			return is_empty(s->fd);
	}
	return true;
}

/* Does the text make another name of it, as "${FILE%.lz}.xz" does? */
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

/*
 * Status 0 is the command's word that the member is kept; where a filter was to keep it, that
 * can be seen.
 */
static enum status check_kept(struct sink *s, struct error *e)
{
	enum command_file kept;

	if (!s->command->variable || changes_name(s->command->text))
		return STATUS_OK;
	kept = command_file_find(s->name);
	s->unseen = kept == COMMAND_FILE_UNKNOWN;
	if (kept == COMMAND_FILE_MISSING)
		return error_set(e, STATUS_SYSTEM, "%s: the command exited with status 0 but "
				 "created no file of this name", s->name);
	return STATUS_OK;
}

static enum status command_finish(struct sink *s, struct error *e)
{
	struct command_end end;
	enum status status;

	if (!has_taken_all(s))
		return end_early(s, e);
	close_input(s);
	command_wait(s->command, -1, &end);
	if (end.exited && end.number == 0) {
		command_reap(s->command);
		return check_kept(s, e);
	}
	status = report_end(s, &end, false, e);
	command_end(s->command);
	return status;
}

static void command_abandon(struct sink *s)
{
	command_signal(s->command, SIGKILL);
}

/* Ended first: one that saw the end of its input might take a part for the whole. */
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
