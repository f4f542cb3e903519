// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A file that was truncated grows again with the next append: its size is right, and what was cut off
 * reads as zeros.  So the first bytes are compared, and a hole is looked for.  Not noticed: a file
 * that loses less than one record before the next append; where the file system does not report holes,
 * one that keeps its first bytes; and bytes that are overwritten elsewhere.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alignment.h"
#include "io/path.h"
#include "io/sink_look.h"

/* The file that the output's name leads to.  False, with errno: none. */
static bool find_by_name(const struct sink *s, struct identity *found)
{
	struct stat st;

	if (stat(s->name, &st) < 0)
		return false;
	*found = identity_of(&st);
	return true;
}

bool sink_is_at_name(const struct sink *s)
{
	struct identity found;

	return find_by_name(s, &found) && identity_equal(&found, &s->identity);
}

/* NFS and FUSE rename a file that is removed while it is open, and remove it when it is closed. */
static bool has_hidden_name(int fd)
{
	char link[32], target[PATH_MAX];
	const char *base;
	ssize_t length;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	length = readlink(link, target, sizeof(target) - 1);
	if (length < 0)
		return false;
	target[length] = '\0';
	base = path_base(target);
	return strncmp(base, ".nfs", 4) == 0 || strncmp(base, ".fuse_hidden", 12) == 0;
}

/*
 * Some file systems report no links of any file, and some another number of the same file each time, so only
 * a file whose name finds nothing, or twice the same other file, is removed.
 */
static bool name_is_lost(const struct sink *s)
{
	struct identity first, again;

	if (!find_by_name(s, &first) || !find_by_name(s, &again))
		return errno == ENOENT;
	return identity_equal(&first, &again);
}

bool sink_is_removed(const struct sink *s)
{
	struct stat st;

	return s->kind == SINK_FILE && !sink_is_at_name(s) && name_is_lost(s) &&
	       ((fstat(s->fd, &st) == 0 && !st.st_nlink) || has_hidden_name(s->fd));
}

/* False: they cannot be read, which says nothing about what was written. */
static bool reads(struct sink *s, uint64_t offset, uint8_t found[SINK_HEAD])
{
	struct error ignored;

	return sink_read(s, found, SINK_HEAD, offset, &ignored) == STATUS_OK;
}

/* After EIO, the output fails while its data can still be read from the source again. */
static enum status look_at_head(struct sink *s, struct error *e)
{
	uint8_t found[SINK_HEAD];
	enum status status = sink_read(s, found, SINK_HEAD, 0, e);

	if (status)
		return e->errnum == EIO ? status : STATUS_OK;
	if (memcmp(found, s->head, SINK_HEAD) != 0)
		return error_set(e, STATUS_SYSTEM, "%s: was overwritten during the capture", s->name);
	return STATUS_OK;
}

static bool reads_as_zeros(struct sink *s, uint64_t offset)
{
	static const uint8_t zeros[SINK_HEAD];
	uint8_t found[SINK_HEAD];

	return reads(s, offset, found) && memcmp(found, zeros, SINK_HEAD) == 0;
}

/*
 * Some file systems make a hole of zeros that are written.  But no append behind s->hollow begins with zeros, so
 * such a hole is never longer than an append.
 */
static bool has_lost_appends(struct sink *s)
{
	off_t hole, data = (off_t)s->hollow;

	while ((hole = lseek(s->fd, data, SEEK_HOLE)) >= 0 && (uint64_t)hole < s->length) {
		data = lseek(s->fd, hole, SEEK_DATA);
		if (data <= hole || (uint64_t)data > s->length)
			data = (off_t)s->length;
		if ((uint64_t)(data - hole) > s->longest)
			return reads_as_zeros(s, (uint64_t)hole);
	}
	return false;
}

static enum status look_at_file(struct sink *s, uint64_t size, struct error *e)
{
	s->moved = !sink_is_at_name(s);
	if (sink_is_removed(s))
		return error_set(e, STATUS_SYSTEM, "%s: was removed during the capture", s->name);
	/* Some file systems report a new size, which is a multiple of ALIGNMENT, only when the file is closed. */
	if (size < s->length && (size < s->extended || size % ALIGNMENT || reads_as_zeros(s, size)))
		return error_set(e, STATUS_SYSTEM, "%s: was truncated to %" PRIu64 " bytes during the "
				 "capture", s->name, size);
	if (has_lost_appends(s))
		return error_set(e, STATUS_SYSTEM, "%s: was truncated during the capture", s->name);
	return STATUS_OK;
}

enum status sink_look(struct sink *s, uint64_t size, struct error *e)
{
	enum status status = s->kind == SINK_FILE ? look_at_file(s, size, e) : STATUS_OK;

	return !status && s->length ? look_at_head(s, e) : status;
}
