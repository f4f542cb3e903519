// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/nsplit/drill_device.h"
#include "cmd/nsplit/drill_outputs.h"
#include "format/superblock.h"
#include "io/transfer.h"

/* --- before --------------------------------------------------------------------- */

static enum status place_of_existing(const struct nsplit_options *o, const char *name, const struct stat *st,
				     enum drill_place *place, struct error *e)
{
	if (S_ISREG(st->st_mode))
		return error_set(e, STATUS_USAGE, "%s: already exists, and a drill overwrites no file; remove it or name "
				 "another one, such as one with {now}", name);
	/* The capture refuses a directory. */
	if (!S_ISBLK(st->st_mode)) {
		*place = S_ISFIFO(st->st_mode) || S_ISCHR(st->st_mode) ? DRILL_ELSEWHERE : DRILL_FILE;
		return STATUS_OK;
	}
	if (o->filter)
		return error_set(e, STATUS_USAGE, "%s: is a block device, and a drill cannot remove what a filter writes "
				 "to it", name);
	*place = DRILL_DEVICE;
	/* Without force, the capture refuses it, as after a crash. */
	return o->force ? drill_device_refuse(name, e) : STATUS_OK;
}

enum status drill_place_of(const struct nsplit_options *o, const char *name, enum drill_place *place,
			   struct error *e)
{
	struct stat st;

	*place = DRILL_ELSEWHERE;
	if (*name == '|' || strcmp(name, "-") == 0)
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

/* --- after ---------------------------------------------------------------------- */

static bool has_uuid(const char *name, const struct uuid *uuid)
{
	uint8_t raw[SUPERBLOCK_LENGTH];
	struct superblock sb;
	int fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK);
	bool read = fd >= 0 && transfer_pread(fd, raw, sizeof(raw), 0) == sizeof(raw);

	if (fd >= 0)
		close(fd);
	return read && !superblock_decode(&sb, raw) && memcmp(sb.id.uuid.bytes, uuid->bytes, UUID_LENGTH) == 0;
}

static bool is_of_drill(const char *name, enum drill_place place, const struct stat *st,
			const struct drill_made *made, const struct uuid *uuid)
{
	if (!made)
		return has_uuid(name, uuid);
	/* The file of a filter did not exist before. */
	if (place == DRILL_FILTERED)
		return made->ours;
	return made->ours && st->st_dev == made->device && st->st_ino == made->inode;
}

static enum status remove_file(const char *name, enum drill_place place, const struct drill_made *made,
			       const struct uuid *uuid, struct error *e)
{
	struct stat st;

	if (lstat(name, &st) < 0)
		return errno == ENOENT || errno == ENOTDIR ? STATUS_OK : error_system(e, errno, "%s", name);
	if (!S_ISREG(st.st_mode))
		return STATUS_OK;
	if (!is_of_drill(name, place, &st, made, uuid))
		return error_set(e, STATUS_MISSING, "%s: exists now, but was not removed, since it may not be of the drill",
				 name);
	return unlink(name) < 0 ? error_system(e, errno, "%s: cannot be removed", name) : STATUS_OK;
}

static enum status clear_device(const char *name, const struct drill_made *made, const struct uuid *uuid,
				struct error *e)
{
	if (made)
		return made->ours ? drill_device_clear(name, made->bytes, e) : STATUS_OK;
	if (!has_uuid(name, uuid))
		return STATUS_OK;
	if (drill_device_clear(name, 0, e))
		return e->status;
	return error_set(e, STATUS_MISSING, "%s: holds records of the drill behind its first MiB, which is blank again", name);
}

enum status drill_remove(const char *name, enum drill_place place, const struct drill_made *made,
			 const struct uuid *uuid, struct error *e)
{
	if (made && made->hung)
		return error_set(e, STATUS_SYSTEM, "%s: what the drill has written was not removed, because it does not "
				 "answer", name);
	switch (place) {
	case DRILL_FILE:
	case DRILL_FILTERED:
		return remove_file(name, place, made, uuid, e);
	case DRILL_DEVICE:
		return clear_device(name, made, uuid, e);
	default:
		return STATUS_OK;
	}
}
