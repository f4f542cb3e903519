// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/alignment.h"
#include "base/bytes.h"
#include "cmd/nsplit/drill/outputs.h"
#include "format/kdump.h"
#include "format/superblock.h"
#include "io/path.h"
#include "io/transfer.h"

/* Block devices that a drill writes to: blank before, and blank again afterwards. */

/* Bytes at either end that count; bytes that are read or written, and that are cleared, at a time. */
enum { END = 1 << 20, PIECE = 64 << 10, STEP = 64 << 20 };
enum { OPEN_TRIES = 200, OPEN_INTERVAL = 10000 };	/* microseconds */

static bool open_device(const char *name, int flags, int *fd, uint64_t *size, struct error *e)
{
	off_t end = -1;

	*fd = open(name, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (*fd >= 0)
		end = lseek(*fd, 0, SEEK_END);
	*size = end < 0 ? 0 : (uint64_t)end;
	if (end >= 0)
		return true;
	error_system(e, errno, "%s", name);
	if (*fd >= 0)
		close(*fd);
	return false;
}

static enum status refuse_between(int fd, const char *name, uint64_t from, uint64_t to, struct error *e)
{
	uint8_t piece[PIECE];

	while (from < to) {
		size_t length = (size_t)min_u64(to - from, PIECE);

		if (transfer_pread(fd, piece, length, from) < length)
			return error_system(e, errno ? errno : EIO, "%s", name);
		if (!bytes_are_zero(piece, length))
			return error_set(e, STATUS_USAGE, "%s: is not blank, and a drill overwrites no device that holds "
					 "something", name);
		from += length;
	}
	return STATUS_OK;
}

/* STATUS_USAGE: its first and last MiB are not all zeros.  A member of an earlier dump is not blank either. */
static enum status drill_device_refuse(const char *name, struct error *e)
{
	enum status status;
	uint64_t size;
	int fd;

	if (!open_device(name, O_RDONLY, &fd, &size, e))
		return e->status;
	status = refuse_between(fd, name, 0, min_u64(size, END), e);
	if (!status && size > END)
		status = refuse_between(fd, name, size - END, size, e);
	close(fd);
	return status;
}

/* The device may do that without writing; from and to are multiples of ALIGNMENT, or its end. */
static bool clear_by_device(int fd, uint64_t from, uint64_t to)
{
	uint64_t range[2] = { from, to - from };

	return ioctl(fd, BLKZEROOUT, range) == 0;
}

static bool clear_by_writing(int fd, uint64_t from, uint64_t to)
{
	const uint8_t zeros[PIECE] = { 0 };

	while (from < to) {
		size_t length = (size_t)min_u64(to - from, PIECE);

		if (transfer_pwrite(fd, zeros, length, from) < length)
			return false;
		from += length;
	}
	return true;
}

/* In steps, since a signal may not end the process during one. */
static bool clear_between(int fd, uint64_t from, uint64_t to)
{
	while (from < to) {
		uint64_t next = from + min_u64(to - from, STEP);

		if (!clear_by_device(fd, from, next) && !clear_by_writing(fd, from, next))
			return false;
		from = next;
	}
	return true;
}

/* Exclusive: it is refused if somebody has mounted it meanwhile.  A capture that was killed may take a while to end. */
static bool open_exclusive(const char *name, int *fd, uint64_t *size)
{
	struct error e;
	unsigned tries = 0;

	while (!open_device(name, O_RDWR | O_EXCL, fd, size, &e)) {
		errno = e.errnum;
		if (errno != EBUSY || ++tries == OPEN_TRIES)
			return false;
		usleep(OPEN_INTERVAL);
	}
	return true;
}

static bool clear(const char *name, uint64_t bytes)
{
	uint64_t size, written, last;
	bool cleared;
	int errnum, fd;

	if (!open_exclusive(name, &fd, &size))
		return false;
	written = min_u64(max_u64(round_up(bytes + ALIGNMENT, ALIGNMENT), END), size);
	last = size > END ? round_down(size - END, ALIGNMENT) : 0;
	cleared = clear_between(fd, 0, written) && clear_between(fd, max_u64(last, written), size) && fsync(fd) == 0;
	errnum = errno;
	if (close(fd) < 0 && cleared)
		return false;
	errno = errnum;
	return cleared;
}

static void __attribute__((noreturn)) clear_in_child(const char *name, uint64_t bytes)
{
	/* It asks for a report; there is none. */
	signal(SIGUSR1, SIG_IGN);
	_exit(clear(name, bytes) ? 0 : errno);
}

/*
 * Overwrites with zeros that many bytes at its beginning, at least one MiB, and the last MiB, which has the second
 * footer; what is between them may be of others.  That may take long, so it is done by a child, which a signal ends.
 */
static enum status drill_device_clear(const char *name, uint64_t bytes, struct drill_signals *signals, struct error *e)
{
	pid_t child;
	int status;

	if (drill_fork(signals, &child, e))
		return e->status;
	if (!child)
		clear_in_child(name, bytes);
	status = drill_wait(signals, child);
	if (WIFSIGNALED(status))
		return error_set(e, STATUS_STOPPED, "%s: is not blank again, since a signal has ended that; it may hold what "
				 "the drill has written", name);
	return WEXITSTATUS(status) ? error_system(e, WEXITSTATUS(status), "%s: cannot be made blank again", name) :
				     STATUS_OK;
}

/* --- before --------------------------------------------------------------------- */

static bool keeps_nothing(const struct stat *st)
{
	const struct identity id = identity_of(st);

	return identity_keeps_nothing(&id);
}

static enum status refuse_character_device(const struct stat *st, const char *name, struct error *e)
{
	if (!S_ISCHR(st->st_mode) || keeps_nothing(st))
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "%s: is a character device, and a drill cannot remove what it writes to it", name);
}

static enum status place_of_device(const struct nsplit_options *o, const char *name, enum drill_place *place,
				   struct error *e)
{
	if (o->filter)
		return error_set(e, STATUS_USAGE, "%s: is a block device, and a drill cannot remove what a filter writes "
				 "to it", name);
	/* Without force, the capture refuses it, as after a crash. */
	*place = o->force ? DRILL_DEVICE : DRILL_REFUSED;
	return o->force ? drill_device_refuse(name, e) : STATUS_OK;
}

static enum status place_of_existing(const struct nsplit_options *o, const char *name, const struct stat *st,
				     enum drill_place *place, struct error *e)
{
	if (S_ISREG(st->st_mode))
		return error_set(e, STATUS_USAGE, "%s: already exists, and a drill overwrites no file; remove it or name "
				 "another one, such as one with {now}", name);
	if (S_ISBLK(st->st_mode))
		return place_of_device(o, name, place, e);
	*place = keeps_nothing(st) ? DRILL_NOWHERE :
		 S_ISFIFO(st->st_mode) || S_ISCHR(st->st_mode) ? DRILL_ELSEWHERE : DRILL_REFUSED;
	return refuse_character_device(st, name, e);
}

static enum status place_of_stdout(struct error *e)
{
	struct stat st;

	return fstat(STDOUT_FILENO, &st) < 0 ? STATUS_OK : refuse_character_device(&st, "standard output", e);
}

enum status drill_place_of(const struct nsplit_options *o, const char *name, enum drill_place *place,
			   struct error *e)
{
	struct stat st;

	*place = DRILL_ELSEWHERE;
	if (strcmp(name, "-") == 0)
		return place_of_stdout(e);
	if (*name == '|')
		return STATUS_OK;
	if (strcmp(name, "null:") == 0) {
		*place = DRILL_NOWHERE;
		return STATUS_OK;
	}
	if (stat(name, &st) == 0)
		return place_of_existing(o, name, &st, place, e);
	*place = o->filter ? DRILL_FILTERED : DRILL_FILE;
	return STATUS_OK;
}

bool drill_is_there(const char *name)
{
	struct stat st;

	return lstat(name, &st) == 0;
}

static char *name_of_drill(const char *name)
{
	static const char suffix[] = ".drill";
	size_t base = (size_t)(path_base(name) - name), kept = strlen(name) - base;
	char *own;

	if (kept > NAME_MAX - strlen(suffix))
		kept = NAME_MAX - strlen(suffix);
	return asprintf(&own, "%.*s%s", (int)(base + kept), name, suffix) < 0 ? NULL : own;
}

bool drill_remove_left(const char *output)
{
	char *name = name_of_drill(output);
	struct stat st;
	bool removed = name && lstat(name, &st) == 0 && S_ISREG(st.st_mode) && st.st_uid == geteuid();
	enum holding holding = removed ? holding_of(name) : HOLDS_OTHER;

	removed = (holding == HOLDS_CORE || holding == HOLDS_DUMP || holding == HOLDS_MEMBER) && unlink(name) == 0;
	free(name);
	return removed;
}

enum status drill_rename(const struct nsplit_options *o, char **name, enum drill_place place, struct error *e)
{
	char *own;

	/* A dangling link is refused, as after a crash. */
	if ((place != DRILL_FILE && place != DRILL_FILTERED) || drill_is_there(*name))
		return STATUS_OK;
	own = name_of_drill(*name);
	if (!own)
		return error_system(e, ENOMEM, "%s", *name);
	free(*name);
	*name = own;
	return drill_place_of(o, own, &place, e);
}

/* --- after ---------------------------------------------------------------------- */

static bool has_uuid(const uint8_t raw[SUPERBLOCK_LENGTH], const struct uuid *uuid)
{
	struct superblock sb;

	return !superblock_decode(&sb, raw) && memcmp(sb.id.uuid.bytes, uuid->bytes, UUID_LENGTH) == 0;
}

static bool has_signature(const uint8_t raw[SUPERBLOCK_LENGTH], enum nsplit_format format)
{
	return (format == NSPLIT_KDUMP && memcmp(raw, KDUMP_SIGNATURE, KDUMP_SIGNATURE_LENGTH) == 0) ||
	       (format == NSPLIT_ELF && memcmp(raw, ELFMAG, SELFMAG) == 0);
}

/* Does it begin as an output of the drill?  recent: it is a file of this user that the time of the drill has made. */
static bool begins_as_drill(const char *name, const struct drill_mark *mark, bool recent)
{
	uint8_t raw[SUPERBLOCK_LENGTH] = { 0 };
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
	size_t length = 0;

	if (fd < 0)
		return false;
	length = transfer_pread(fd, raw, sizeof(raw), 0);
	close(fd);
	if (length < sizeof(raw))
		return recent && !length && !errno;
	return has_uuid(raw, mark->uuid) || (recent && has_signature(raw, mark->format));
}

/* The capture was killed.  The file did not exist before. */
static bool is_of_killed(const char *name, enum drill_place place, const struct stat *st, const struct drill_mark *mark)
{
	bool recent = st->st_uid == geteuid() && st->st_ctim.tv_sec >= mark->begin;

	/* A filter may have stored anything. */
	return place == DRILL_FILTERED ? recent : begins_as_drill(name, mark, recent);
}

static bool is_of_drill(const char *name, enum drill_place place, const struct stat *st,
			const struct drill_made *made, const struct drill_mark *mark)
{
	if (!made)
		return is_of_killed(name, place, st, mark);
	/* The file of a filter did not exist before. */
	if (place == DRILL_FILTERED)
		return made->ours;
	return made->ours && st->st_dev == made->device && st->st_ino == made->inode;
}

static enum status remove_file(const char *name, enum drill_place place, const struct drill_made *made,
			       const struct drill_mark *mark, struct error *e)
{
	struct stat st;

	if (lstat(name, &st) < 0)
		return errno == ENOENT || errno == ENOTDIR ? STATUS_OK : error_system(e, errno, "%s", name);
	if (!S_ISREG(st.st_mode))
		return STATUS_OK;
	if (!is_of_drill(name, place, &st, made, mark))
		return error_set(e, STATUS_MISSING, "%s: exists now, but was not removed, since it may not be of the drill",
				 name);
	return unlink(name) < 0 ? error_system(e, errno, "%s: cannot be removed", name) : STATUS_OK;
}

static enum status clear_device(const char *name, const struct drill_made *made, struct drill_signals *signals,
				struct error *e)
{
	if (made)
		return made->ours ? drill_device_clear(name, made->bytes, signals, e) : STATUS_OK;
	/* It was blank before. */
	if (drill_device_refuse(name, e) != STATUS_USAGE)
		return e->status;
	if (drill_device_clear(name, 0, signals, e))
		return e->status;
	return error_set(e, STATUS_MISSING, "%s: may hold records of the drill behind its first MiB, which is blank again",
			 name);
}

enum status drill_remove(const char *name, enum drill_place place, const struct drill_made *made,
			 const struct drill_mark *mark, struct drill_signals *signals, struct error *e)
{
	if (made && made->hung)
		return error_set(e, STATUS_SYSTEM, "%s: what the drill has written was not removed, because it does not "
				 "answer", name);
	switch (place) {
	case DRILL_FILE:
	case DRILL_FILTERED:
		return remove_file(name, place, made, mark, e);
	case DRILL_DEVICE:
		return clear_device(name, made, signals, e);
	default:
		return STATUS_OK;
	}
}
