// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/names.h"
#include "cmd/common/outputs.h"
#include "io/path.h"

/* Two equal commands would most likely write to the same file. */
static bool same_command(const struct sink *a, const struct sink *b)
{
	return a->kind == SINK_COMMAND && b->kind == SINK_COMMAND &&
	       strcmp(a->name, b->name) == 0;
}

/* Outputs without an identity (null:, or a missing directory) are equal to none. */
static bool same_file(const struct identity *a, const struct identity *b)
{
	return (a->device || a->inode) && identity_equal(a, b);
}

static enum status refuse_source(const char *name, const struct identity *id,
				 const struct source *source, struct error *e)
{
	if (!same_file(id, &source->identity))
		return STATUS_OK;
	if (strcmp(name, source->name) == 0)
		return error_set(e, STATUS_USAGE, "%s: is the source", name);
	return error_set(e, STATUS_USAGE, "%s: is the source, %s", name, source->name);
}

enum status outputs_refuse_source(const char *name, const struct source *source,
				  struct error *e)
{
	struct identity id;
	struct stat st;

	if (stat(name, &st) < 0)
		return STATUS_OK;
	id = identity_of(&st);
	return refuse_source(name, &id, source, e);
}

enum status outputs_refuse_repeated(const struct sink *sinks, unsigned i,
				    const struct source *source, struct error *e)
{
	const struct sink *sink = &sinks[i];

	if (refuse_source(sink->name, &sink->identity, source, e))
		return STATUS_USAGE;
	for (unsigned j = 0; j < i; j++)
		if (same_file(&sink->identity, &sinks[j].identity) ||
		    same_command(sink, &sinks[j]))
			return names_refuse_repeated(sink->name, sinks[j].name, e);
	return STATUS_OK;
}

enum status outputs_refuse_holes(const struct sink *sinks, size_t count, struct error *e)
{
	size_t nulls = 0;

	for (size_t i = 0; i < count; i++)
		nulls += sinks[i].kind == SINK_NULL;
	if (nulls == 0 || nulls == count)
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "null: discards its data, so it cannot be combined with "
			 "other outputs");
}

enum status outputs_refuse_file(const char *option, const char *name, const struct source *source,
				const struct sink *sinks, size_t count, struct error *e)
{
	struct identity id;
	struct stat st;

	if (stat(name, &st) == 0)
		id = identity_of(&st);
	else if (errno == ENOENT && lstat(name, &st) == 0)
		return error_set(e, STATUS_USAGE, "%s=%s: is a dangling symbolic link", option, name);
	else if (!identity_of_new(&id, name))
		return STATUS_OK;	/* it cannot be written: outputs_write_errno() */
	if (same_file(&id, &source->identity))
		return error_set(e, STATUS_USAGE, "%s=%s: is the source", option, name);
	for (size_t i = 0; i < count; i++)
		if (same_file(&id, &sinks[i].identity) && id.type != S_IFCHR)
			return error_set(e, STATUS_USAGE, "%s=%s: is an output", option, name);
	return STATUS_OK;
}

int outputs_write_errno(const char *name)
{
	char directory[PATH_MAX];
	struct stat st;

	if (stat(name, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return EISDIR;
		return faccessat(AT_FDCWD, name, W_OK, AT_EACCESS) ? errno : 0;
	}
	if (errno != ENOENT || !path_directory(name, directory))
		return errno;
	return faccessat(AT_FDCWD, directory, W_OK | X_OK, AT_EACCESS) ? errno : 0;
}

int outputs_replace_errno(const char *name)
{
	char real[PATH_MAX], directory[PATH_MAX];
	struct stat st;

	if (stat(name, &st) < 0 || !S_ISREG(st.st_mode))
		return outputs_write_errno(name);
	if (!realpath(name, real) || !path_directory(real, directory))
		return errno;
	return faccessat(AT_FDCWD, directory, W_OK | X_OK, AT_EACCESS) ? errno : 0;
}

bool outputs_take_stdout(const struct sink *sinks, size_t count)
{
	struct identity id;
	struct stat st;

	if (fstat(STDOUT_FILENO, &st) < 0)
		return false;
	id = identity_of(&st);
	for (size_t i = 0; i < count; i++)
		if (same_file(&id, &sinks[i].identity))
			return true;
	return false;
}
