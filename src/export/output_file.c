// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/text.h"
#include "export/output_file.h"
#include "io/existing.h"
#include "io/transfer.h"

/* --- free space ---------------------------------------------------------- */

bool free_space_of(const struct output_file *o, struct space *space)
{
	return output_file_seekable(o) && space_of_fd(o->fd, space);
}

enum status free_space_check(const struct output_file *o, uint64_t bytes,
			     void (*warn)(const struct error *e), struct error *e)
{
	char needed[SIZE_TEXT_LENGTH], available[SIZE_TEXT_LENGTH];
	struct space space;

	if (!free_space_of(o, &space) || bytes <= space.bytes)
		return STATUS_OK;
	size_format(bytes, needed);
	size_format(space.bytes, available);
	if (space.is_device)
		return error_set(e, STATUS_SYSTEM, "%s: has %s, but %s are needed; nothing was "
				 "written; choose a larger device", o->name, available, needed);
	if (space.certain)
		return error_set(e, STATUS_SYSTEM, "%s: its file system has %s free, but at "
				 "least %s are needed; nothing was written; free some space, or "
				 "choose another output", o->name, available, needed);
	error_set(e, STATUS_OK, "%s: may have too little space: at least %s needed, %s free; "
		  "writing it anyway", o->name, needed, available);
	if (warn)
		warn(e);
	return STATUS_OK;
}

/* --- files --------------------------------------------------------------- */

enum { ZEROS = 64 * 1024 };

/* The end of a temporary name, for mkostemp(). */
static const char SUFFIX[] = ".XXXXXX";

bool output_file_seekable(const struct output_file *o)
{
	return o->kind == OUTPUT_FILE || o->kind == OUTPUT_DEVICE;
}

static enum status error_of(const struct output_file *o, struct error *e)
{
	return error_system(e, errno, "%s", o->name);
}

static enum status no_memory(const struct output_file *o, struct error *e)
{
	return error_system(e, ENOMEM, "%s", o->name ? o->name : "output");
}

enum status output_file_probe(struct output_file *o, const char *name, unsigned permits, bool sparse,
			      struct error *e)
{
	bool is_stdout = strcmp(name, "-") == 0;
	mode_t type;

	*o = (struct output_file){ .kind = OUTPUT_STDOUT, .permits = permits, .sparse = sparse };
	o->name = strdup(is_stdout ? "standard output" : name);
	if (!o->name)
		return no_memory(o, e);
	if (existing_probe(name, permits, &o->identity, e))
		return e->status;
	type = o->identity.type;
	if (is_stdout)
		return STATUS_OK;
	if (S_ISBLK(type)) {
		o->kind = OUTPUT_DEVICE;
		o->sparse = false;	/* what is not written keeps its old contents */
		return permits & PERMIT_DUMPS ? STATUS_OK : holding_refuse(holding_of(name), name, e);
	}
	o->kind = !type || S_ISREG(type) ? OUTPUT_FILE : OUTPUT_STREAM;
	if (o->kind == OUTPUT_STREAM)
		return STATUS_OK;
	o->target = type ? realpath(name, NULL) : strdup(name);
	return o->target ? STATUS_OK : error_of(o, e);
}

/*
 * The number of bytes of a file name that fit into the temporary name before its suffix.  A
 * multibyte character (UTF-8) is never cut in two: some file systems refuse such names.
 */
static size_t length_to_keep(const char *directory, const char *name)
{
	long max = pathconf(directory, _PC_NAME_MAX);
	size_t kept = (max > 0 ? (size_t)max : NAME_MAX) - strlen(SUFFIX), len = strlen(name);

	if (len <= kept)
		return len;
	while (kept && ((unsigned char)name[kept] & 0xc0) == 0x80)
		kept--;
	return kept;
}

/* A file that another process is writing is not replaced. */
static enum status refuse_locked(const struct output_file *o, struct error *e)
{
	int fd = o->identity.type ? open(o->target, O_WRONLY | O_CLOEXEC | O_NOCTTY) : -1;
	enum status status = fd < 0 ? STATUS_OK : file_lock(fd, o->name, e);

	if (fd >= 0)
		close(fd);
	return status;
}

static enum status open_temporary(struct output_file *o, struct error *e)
{
	const char *base = path_base(o->target);
	char directory[PATH_MAX];
	size_t kept;

	if (refuse_locked(o, e))
		return e->status;
	if (!path_directory(o->target, directory))
		return error_of(o, e);
	kept = length_to_keep(directory, base);
	if (asprintf(&o->temporary, "%.*s%s", (int)((size_t)(base - o->target) + kept), o->target,
		     SUFFIX) < 0) {
		o->temporary = NULL;
		return no_memory(o, e);
	}
	o->fd = mkostemp(o->temporary, O_CLOEXEC);	/* mode 0600, and never an old file */
	return o->fd < 0 ? path_creation_error(e, errno, o->name) : STATUS_OK;
}

enum status output_file_open(struct output_file *o, struct error *e)
{
	enum status status = STATUS_OK;

	switch (o->kind) {
	case OUTPUT_FILE:
		status = open_temporary(o, e);
		break;
	case OUTPUT_STDOUT:
		o->fd = dup(STDOUT_FILENO);
		break;
	case OUTPUT_STREAM:
		o->fd = open(o->name, O_WRONLY | O_CLOEXEC | O_NOCTTY);
		break;
	case OUTPUT_DEVICE:
		/* O_EXCL: fails if the device is mounted. */
		o->fd = open(o->name, O_WRONLY | O_CLOEXEC | O_NOCTTY | O_EXCL);
		break;
	}
	if (!status && o->fd < 0)
		status = error_of(o, e);
	if (!status)
		o->state = OUTPUT_OPEN;
	return status;
}

static enum status put(struct output_file *o, uint64_t offset, const uint8_t *data, size_t len,
		       struct error *e)
{
	bool seekable = output_file_seekable(o);
	size_t done = seekable ? transfer_pwrite(o->fd, data, len, offset)
			       : transfer_write(o->fd, data, len);

	if (done < len)
		return error_of(o, e);
	if (!seekable)
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

/* Fills the gap between what was written to a stream and offset with zeros. */
static enum status advance(struct output_file *o, uint64_t offset, struct error *e)
{
	if (output_file_seekable(o))
		return STATUS_OK;
	assert(offset >= o->position);
	return put_zeros(o, o->position, offset - o->position, e);
}

enum status output_file_write(struct output_file *o, uint64_t offset, const uint8_t *data,
			      uint64_t len, struct error *e)
{
	enum status status = advance(o, offset, e);

	return status ? status : put(o, offset, data, len, e);
}

enum status output_file_write_zeros(struct output_file *o, uint64_t offset, uint64_t len,
				    struct error *e)
{
	enum status status = advance(o, offset, e);

	if (status || (o->sparse && output_file_seekable(o)))
		return status;
	return put_zeros(o, offset, len, e);
}

enum status copy_deliver(void *arg, const struct delivery *delivery, struct error *e)
{
	struct copy *copy = arg;
	uint64_t offset = delivery->offset - copy->from;

	return delivery->data ? output_file_write(copy->output, offset, delivery->data, delivery->length, e) :
				output_file_write_zeros(copy->output, offset, delivery->length, e);
}

bool output_file_remove(struct output_file *o)
{
	if (o->kind != OUTPUT_FILE || o->state != OUTPUT_FINISHED)
		return true;
	if (o->identity.type)
		return false;
	unlink(o->target);
	o->state = OUTPUT_UNOPENED;
	return true;
}

/* Gives a file its own name. */
static enum status rename_temporary(struct output_file *o, struct error *e)
{
	unsigned flags = o->permits & PERMIT_OVERWRITE ? 0 : RENAME_NOREPLACE;
	enum status status;

	if (o->permits & PERMIT_OVERWRITE)
		digest_file_remove(o->name);
	if (renameat2(AT_FDCWD, o->temporary, AT_FDCWD, o->target, flags) < 0 &&
	    /* Some file systems support no flags; then output_file_probe() was the only check. */
	    ((errno != EINVAL && errno != ENOSYS) || rename(o->temporary, o->target) < 0))
		return error_of(o, e);
	o->state = OUTPUT_FINISHED;
	status = path_sync_directory(o->target, e);
	if (status)
		output_file_remove(o);
	return status;
}

/* A pipe cannot be synced. */
static enum status sync_file(const struct output_file *o, struct error *e)
{
	return fsync(o->fd) < 0 && errno != EINVAL && errno != ENOTSUP ? error_of(o, e) : STATUS_OK;
}

enum status output_file_flush(const struct output_file *o, struct error *e)
{
	enum status status = sync_file(o, e);

	return status || !o->temporary ? status : path_sync_directory(o->temporary, e);
}

enum status output_file_sync(struct output_file *o, uint64_t size, struct error *e)
{
	if (!output_file_seekable(o) && size > o->position) {
		enum status status = put_zeros(o, o->position, size - o->position, e);

		if (status)
			return status;
	}
	if (o->kind == OUTPUT_FILE && ftruncate(o->fd, (off_t)size) < 0)
		return error_of(o, e);
	if (sync_file(o, e))
		return e->status;
	o->state = OUTPUT_SYNCED;
	return close(o->fd) < 0 ? error_of(o, e) : STATUS_OK;
}

enum status output_file_finish(struct output_file *o, uint64_t size, struct error *e)
{
	enum status status = o->state == OUTPUT_OPEN ? output_file_sync(o, size, e) : STATUS_OK;

	if (status)
		return status;
	if (o->kind == OUTPUT_FILE)
		return rename_temporary(o, e);
	o->state = OUTPUT_FINISHED;
	return STATUS_OK;
}

/* First the temporary name, so that the file does not get its own one after that. */
void output_file_abandon(const struct output_file *o)
{
	if (o->kind == OUTPUT_FILE && o->state != OUTPUT_UNOPENED && unlink(o->temporary) < 0 &&
	    errno == ENOENT && !o->identity.type)
		unlink(o->target);
}

void output_file_free(struct output_file *o)
{
	if (o->state == OUTPUT_OPEN)
		close(o->fd);
	if (o->kind == OUTPUT_FILE && (o->state == OUTPUT_OPEN || o->state == OUTPUT_SYNCED))
		unlink(o->temporary);
	free(o->name);
	free(o->target);
	free(o->temporary);
	*o = (struct output_file){ 0 };
}
