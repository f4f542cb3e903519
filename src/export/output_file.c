// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "export/output_file.h"
#include "io/path.h"
#include "io/transfer.h"

enum { ZEROS = 64 * 1024 };

/* Of the temporary name, for mkostemp(). */
static const char SUFFIX[] = ".XXXXXX";

static enum status no_memory(const struct output_file *o, struct error *e)
{
	return error_system(e, ENOMEM, "%s", o->name ? o->name : "output");
}

static enum status probe_existing(struct output_file *o, const struct stat *st, struct error *e)
{
	o->identity = identity_of(st);
	if (S_ISCHR(st->st_mode) || S_ISFIFO(st->st_mode))
		return STATUS_OK;
	if (S_ISDIR(st->st_mode) || S_ISSOCK(st->st_mode))
		return error_set(e, STATUS_USAGE, "%s: is a %s", o->name,
				 S_ISDIR(st->st_mode) ? "directory" : "socket");
	if (!o->force)
		return error_set(e, STATUS_USAGE, "%s: %s; use -f to overwrite", o->name,
				 S_ISBLK(st->st_mode) ? "is a block device" : "exists already");
	o->seekable = true;
	if (S_ISBLK(st->st_mode)) {
		o->sparse = false;	/* it holds something else where nothing is written */
		return STATUS_OK;
	}
	o->target = realpath(o->name, NULL);
	return o->target ? STATUS_OK : error_system(e, errno, "%s", o->name);
}

static enum status probe_stdout(struct output_file *o, struct error *e)
{
	struct stat st;

	if (fstat(STDOUT_FILENO, &st) < 0)
		return error_system(e, errno, "%s", o->name);
	if (isatty(STDOUT_FILENO))
		return error_set(e, STATUS_USAGE, "%s: is a terminal; a core is no text", o->name);
	o->identity = identity_of(&st);
	return STATUS_OK;
}

enum status output_file_probe(struct output_file *o, const char *name, bool force, bool sparse,
			 struct error *e)
{
	struct stat st;

	*o = (struct output_file){ .fd = -1, .force = force, .sparse = sparse };
	o->is_stdout = strcmp(name, "-") == 0;
	o->name = strdup(o->is_stdout ? "standard output" : name);
	if (!o->name)
		return no_memory(o, e);
	if (o->is_stdout)
		return probe_stdout(o, e);
	if (stat(name, &st) == 0)
		return probe_existing(o, &st, e);
	if (errno != ENOENT)
		return error_system(e, errno, "%s", name);
	if (lstat(name, &st) == 0)
		return error_set(e, STATUS_USAGE, "%s: is a dangling symbolic link", name);
	o->seekable = true;
	o->target = strdup(name);
	return o->target ? STATUS_OK : no_memory(o, e);
}

/*
 * The number of bytes of the file's name, which has len bytes, that fit into the temporary name in
 * front of its suffix.  A character of several bytes (UTF-8) is never cut in two: some file systems
 * refuse such names.
 */
static size_t kept_of_name(const char *directory, const char *name, size_t len)
{
	long most = pathconf(directory, _PC_NAME_MAX);
	size_t room = (most > 0 ? (size_t)most : NAME_MAX) - strlen(SUFFIX);

	if (len <= room)
		return len;
	while (room && ((unsigned char)name[room] & 0xc0) == 0x80)
		room--;
	return room;
}

static enum status open_temporary(struct output_file *o, struct error *e)
{
	const char *base = path_base(o->target);
	char directory[PATH_MAX];
	size_t kept;

	if (!path_directory(o->target, directory))
		return error_system(e, errno, "%s", o->name);
	kept = kept_of_name(directory, base, strlen(base));
	if (asprintf(&o->temporary, "%.*s%s", (int)((size_t)(base - o->target) + kept), o->target,
		     SUFFIX) < 0) {
		o->temporary = NULL;
		return no_memory(o, e);
	}
	o->fd = mkostemp(o->temporary, O_CLOEXEC);	/* mode 0600, and never an old file */
	if (o->fd >= 0)
		return STATUS_OK;
	free(o->temporary);
	o->temporary = NULL;
	return error_system(e, errno, "%s", o->name);
}

enum status output_file_open(struct output_file *o, struct error *e)
{
	int exclusive = S_ISBLK(o->identity.type) ? O_EXCL : 0;	/* not while it is mounted */

	if (o->target)
		return open_temporary(o, e);
	if (o->is_stdout)
		o->fd = dup(STDOUT_FILENO);
	else
		o->fd = open(o->name, O_WRONLY | O_CLOEXEC | O_NOCTTY | exclusive);
	return o->fd < 0 ? error_system(e, errno, "%s", o->name) : STATUS_OK;
}

static enum status put(struct output_file *o, uint64_t offset, const uint8_t *data, size_t len,
		       struct error *e)
{
	size_t done = o->seekable ? transfer_pwrite(o->fd, data, len, offset)
				  : transfer_write(o->fd, data, len);

	if (done < len)
		return error_system(e, errno, "%s", o->name);
	if (!o->seekable)
		o->position += len;
	return STATUS_OK;
}

static enum status put_zeros(struct output_file *o, uint64_t offset, uint64_t len, struct error *e)
{
	static const uint8_t zeros[ZEROS];

	while (len) {
		size_t n = min_u64(len, ZEROS);
		enum status status = put(o, offset, zeros, n, e);

		if (status)
			return status;
		offset += n;
		len -= n;
	}
	return STATUS_OK;
}

enum status output_file_write(struct output_file *o, uint64_t offset, const uint8_t *data,
			 uint64_t len, struct error *e)
{
	enum status status = STATUS_OK;

	if (!o->seekable && offset < o->position)
		return error_set(e, STATUS_USAGE, "%s: records come out of order, and a stream "
				 "cannot go back to byte %" PRIu64 "; give a file with -o",
				 o->name, offset);
	if (!o->seekable)
		status = put_zeros(o, o->position, offset - o->position, e);
	if (status)
		return status;
	if (data)
		return put(o, offset, data, len, e);
	if (o->sparse && o->seekable)
		return STATUS_OK;
	return put_zeros(o, offset, len, e);
}

bool output_file_remove(struct output_file *o)
{
	if (!o->named)
		return true;
	if (o->identity.type)
		return false;
	unlink(o->target);
	o->named = false;
	return true;
}

static enum status give_name(struct output_file *o, struct error *e)
{
	unsigned flags = o->force ? 0 : RENAME_NOREPLACE;
	enum status status;

	if (renameat2(AT_FDCWD, o->temporary, AT_FDCWD, o->target, flags) < 0 &&
	    /* Some file systems know no flags; then the check of output_file_probe() must do. */
	    ((errno != EINVAL && errno != ENOSYS) || rename(o->temporary, o->target) < 0))
		return error_system(e, errno, "%s", o->name);
	free(o->temporary);
	o->temporary = NULL;
	o->named = true;
	status = path_sync_directory(o->target, e);
	if (status)
		output_file_remove(o);
	return status;
}

enum status output_file_settle(struct output_file *o, uint64_t size, struct error *e)
{
	int fd = o->fd;

	if (!o->seekable && size > o->position) {
		enum status status = put_zeros(o, o->position, size - o->position, e);

		if (status)
			return status;
	}
	if (o->target && ftruncate(fd, (off_t)size) < 0)
		return error_system(e, errno, "%s", o->name);
	/* A pipe has nothing to make safe. */
	if (fsync(fd) < 0 && errno != EINVAL && errno != ENOTSUP)
		return error_system(e, errno, "%s", o->name);
	o->fd = -1;
	return close(fd) < 0 ? error_system(e, errno, "%s", o->name) : STATUS_OK;
}

enum status output_file_finish(struct output_file *o, uint64_t size, struct error *e)
{
	enum status status = o->fd < 0 ? STATUS_OK : output_file_settle(o, size, e);

	if (status)
		return status;
	return o->temporary ? give_name(o, e) : STATUS_OK;
}

void output_file_abandon(const struct output_file *o)
{
	if (o->temporary)
		unlink(o->temporary);
}

void output_file_free(struct output_file *o)
{
	if (o->fd >= 0)
		close(o->fd);
	output_file_abandon(o);
	free(o->name);
	free(o->target);
	free(o->temporary);
	*o = (struct output_file){ .fd = -1 };
}
