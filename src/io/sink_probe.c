// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "io/command.h"
#include "io/contents.h"
#include "io/existing.h"
#include "io/path.h"
#include "io/sink_kinds.h"
#include "io/sink_probe.h"

static enum status probe_stdout(struct sink *s, struct error *e)
{
	struct stat st;

	if (fstat(STDOUT_FILENO, &st) < 0)
		return error_system(e, errno, "%s", s->name);
	if (isatty(STDOUT_FILENO))
		return error_set(e, STATUS_USAGE, "%s: is a terminal; refusing to write binary "
				 "data to it", s->name);
	s->kind = SINK_STREAM;
	s->ops = &sink_stream_ops;
	s->identity = identity_of(&st);
	return STATUS_OK;
}

static enum status probe_existing(struct sink *s, const struct stat *st, struct error *e)
{
	bool stream = S_ISCHR(st->st_mode) || S_ISFIFO(st->st_mode);

	s->identity = identity_of(st);
	if (existing_refuse(s->name, st, s->permits, e))
		return e->status;
	s->kind = stream ? SINK_STREAM : S_ISBLK(st->st_mode) ? SINK_BLOCK_DEVICE : SINK_FILE;
	s->ops = stream ? &sink_stream_ops : &sink_file_ops;
	if (s->kind == SINK_BLOCK_DEVICE && !(s->permits & PERMIT_DEVICES))
		return contents_refuse_unopened(s->name, s->permits, &s->seen, e);
	return STATUS_OK;
}

static enum status probe_new(struct sink *s, struct error *e)
{
	struct stat st;

	if (lstat(s->name, &st) == 0)
		return error_set(e, STATUS_USAGE, "%s: is a dangling symbolic link", s->name);
	if (path_would_be_device(s->name))
		return error_system(e, ENODEV, "%s", s->name);
	if (!identity_of_new(&s->identity, s->name))
		return sink_creation_error(s, errno, e);
	return STATUS_OK;
}

static struct sink unopened(unsigned permits, enum direct_mode direct)
{
	return (struct sink){
		.permits = permits,
		.fd = -1,
		.kind = SINK_FILE,
		.ops = &sink_file_ops,
		.capacity = UINT64_MAX,
		.direct_wanted = direct,
	};
}

/* file: the value of $FILE, see command_new(). */
static enum status set_command(struct sink *s, const char *text, const char *file,
			       struct error *e)
{
	s->kind = SINK_COMMAND;
	s->ops = &sink_command_ops;
	if (!text[strspn(text, " \t\n")])
		return error_set(e, STATUS_USAGE, "%s: the command is empty", s->name);
	s->command = command_new(text, file);
	return s->command ? STATUS_OK : error_system(e, ENOMEM, "%s", s->name);
}

static enum status probe(struct sink *s, const char *name, unsigned permits,
			 enum direct_mode direct, struct error *e)
{
	struct stat st;

	*s = unopened(permits, direct);
	s->is_stdout = strcmp(name, "-") == 0;
	s->name = strdup(s->is_stdout ? "standard output" : name);
	if (!s->name)
		return error_system(e, ENOMEM, "%s", name);
	if (s->is_stdout)
		return probe_stdout(s, e);
	if (strcmp(name, "null:") == 0) {
		s->kind = SINK_NULL;
		s->ops = &sink_null_ops;
		return STATUS_OK;
	}
	if (name[0] == '|')
		return set_command(s, name + 1, NULL, e);
	if (stat(name, &st) == 0)
		return probe_existing(s, &st, e);
	if (errno == ENOENT)
		return probe_new(s, e);
	return error_system(e, errno, "%s", name);
}

/* For files, outputs of filters included, and block devices. */
static void find_memory(struct sink *s)
{
	if (S_ISBLK(s->identity.type))
		in_memory_device(s->identity.device, s->in_memory);
	else if (s->kind == SINK_FILE || (s->kind == SINK_COMMAND && s->name[0] != '|'))
		in_memory_file(s->name, s->in_memory);
}

enum status sink_probe_filter(struct sink *s, const char *filter, const char *name,
			      unsigned permits, struct error *e)
{
	struct stat st;

	*s = unopened(permits, DIRECT_AUTO);
	s->name = strdup(name);
	if (!s->name)
		return error_system(e, ENOMEM, "%s", name);
	/* Most filters write to a file of this name; but it may also be a name on another machine. */
	if (stat(name, &st) == 0 && !S_ISDIR(st.st_mode)) {
		enum status status = probe_existing(s, &st, e);

		if (status)
			return status;
	} else {
		identity_of_new(&s->identity, name);
	}
	if (set_command(s, filter, name, e))
		return e->status;
	find_memory(s);
	return STATUS_OK;
}

enum status sink_probe(struct sink *s, const char *name, unsigned permits,
		       enum direct_mode direct, struct error *e)
{
	enum status status = probe(s, name, permits, direct, e);

	s->unavailable = status == STATUS_SYSTEM;
	if (!status)
		find_memory(s);
	return status;
}
