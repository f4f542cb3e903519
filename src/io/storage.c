// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bytes.h"
#include "io/path.h"
#include "io/storage.h"

enum {
	SECTOR = 512,		/* unit of sysfs, whatever the sector size of the disk is */
	PARTS_MAX = 4096,	/* more than any stack of devices has; limits a loop in a broken one */
};

/* --- the list ----------------------------------------------------------------------- */

static bool has_part(const struct storage *s, const struct storage_part *p)
{
	for (size_t i = 0; i < s->count; i++) {
		const struct storage_part *q = &s->parts[i];

		if (q->device == p->device && q->inode == p->inode && q->from == p->from &&
		    q->to == p->to && q->exact == p->exact)
			return true;
	}
	return false;
}

static enum status add(struct storage *s, struct storage_part part, struct error *e)
{
	if (has_part(s, &part))
		return STATUS_OK;
	if (s->count == PARTS_MAX) {
		s->unknown = true;
		return STATUS_OK;
	}
	if (!array_grow(&s->parts, s->count, sizeof(*s->parts)))
		return error_system(e, ENOMEM, "list of devices");
	s->parts[s->count++] = part;
	return STATUS_OK;
}

static uint64_t add_capped(uint64_t a, uint64_t b)
{
	return b > UINT64_MAX - a ? UINT64_MAX : a + b;
}

/* Maps a part of a device that is stored on the next one at [offset, offset + length). */
static struct storage_part below(const struct storage_part *above, uint64_t offset, uint64_t length)
{
	return (struct storage_part){
		.from = add_capped(offset, min_u64(above->from, length)),
		.to = add_capped(offset, min_u64(above->to, length)),
		.exact = above->exact,
	};
}

/* --- sysfs -------------------------------------------------------------------------- */

static bool read_text(int directory, const char *name, char *text, size_t size)
{
	int fd = openat(directory, name, O_RDONLY | O_CLOEXEC);
	ssize_t got;

	if (fd < 0)
		return false;
	got = read(fd, text, size - 1);
	close(fd);
	if (got <= 0)
		return false;
	text[got] = '\0';
	text[strcspn(text, "\n")] = '\0';
	return true;
}

static bool read_number(int directory, const char *name, uint64_t *number)
{
	char text[32];

	return read_text(directory, name, text, sizeof(text)) &&
	       sscanf(text, "%" SCNu64, number) == 1;
}

/* Reads a device number such as "8:1". */
static bool read_device(int directory, const char *name, dev_t *device)
{
	unsigned major, minor;
	char text[32];

	if (!read_text(directory, name, text, sizeof(text)) ||
	    sscanf(text, "%u:%u", &major, &minor) != 2)
		return false;
	*device = makedev(major, minor);
	return true;
}

/* If the device is a partition. */
static enum status add_disk(struct storage *s, int directory, const struct storage_part *above,
			    struct error *e)
{
	uint64_t start, size;
	struct storage_part part;
	dev_t device;

	if (faccessat(directory, "partition", F_OK, 0) < 0)
		return STATUS_OK;
	if (!read_number(directory, "start", &start) || !read_number(directory, "size", &size) ||
	    !read_device(directory, "../dev", &device)) {
		s->unknown = true;
		return STATUS_OK;
	}
	part = below(above, start * SECTOR, size * SECTOR);
	part.device = device;
	return add(s, part, e);
}

/* If it is a volume.  Only its driver knows which parts of these devices it uses. */
static enum status add_slaves(struct storage *s, int directory, struct error *e)
{
	int fd = openat(directory, "slaves", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *slaves = fd < 0 ? NULL : fdopendir(fd);
	enum status status = STATUS_OK;

	if (!slaves) {
		if (fd >= 0)
			close(fd);
		return STATUS_OK;
	}
	// cppcheck-suppress readdirCalled
	for (const struct dirent *d; !status && (d = readdir(slaves));) {
		struct storage_part part = { .to = UINT64_MAX };
		char name[NAME_MAX + sizeof("/dev")];

		if (d->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/dev", d->d_name);
		if (read_device(dirfd(slaves), name, &part.device))
			status = add(s, part, e);
		else
			s->unknown = true;
	}
	closedir(slaves);
	return status;
}

/* Opens the device of a sysfs directory by its usual name in /dev; -1: failed. */
static int open_device(int directory)
{
	char through[64], target[PATH_MAX], name[PATH_MAX];
	ssize_t length;
	struct stat st;
	dev_t device;
	int fd;

	snprintf(through, sizeof(through), "/proc/self/fd/%d", directory);
	length = readlink(through, target, sizeof(target) - 1);
	if (length <= 0 || !read_device(directory, "dev", &device))
		return -1;
	target[length] = '\0';
	snprintf(name, sizeof(name), "/dev/%.*s", NAME_MAX, path_base(target));
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISBLK(st.st_mode) && st.st_rdev == device)
		return fd;
	if (fd >= 0)
		close(fd);
	return -1;
}

/*
 * Asks the driver for the file of a loop device.  The name in sysfs may not work: the file may have
 * been removed, or be in another mount namespace.
 */
static bool ask_loop_driver(int directory, dev_t *device, ino_t *inode)
{
	struct loop_info64 info = { 0 };
	int fd = open_device(directory);
	bool known;

	if (fd < 0)
		return false;
	known = ioctl(fd, LOOP_GET_STATUS64, &info) == 0;
	close(fd);
	*device = (dev_t)(info.lo_rdevice ? info.lo_rdevice : info.lo_device);
	*inode = info.lo_rdevice ? 0 : (ino_t)info.lo_inode;
	return known;
}

static bool stat_loop_file(int directory, dev_t *device, ino_t *inode)
{
	char name[PATH_MAX];
	struct identity id;
	struct stat st;

	if (!read_text(directory, "loop/backing_file", name, sizeof(name)) || stat(name, &st) < 0)
		return false;
	id = identity_of(&st);
	*device = id.device;
	*inode = id.inode;
	return true;
}

static enum status add_loop_file(struct storage *s, int directory,
				 const struct storage_part *above, struct error *e)
{
	uint64_t offset = 0, limit = 0;
	struct storage_part part;

	/* Not a loop device, or one that is not in use. */
	if (faccessat(directory, "loop/backing_file", F_OK, 0) < 0)
		return STATUS_OK;
	read_number(directory, "loop/offset", &offset);
	read_number(directory, "loop/sizelimit", &limit);
	part = below(above, offset, limit ? limit : UINT64_MAX);
	if (!ask_loop_driver(directory, &part.device, &part.inode) &&
	    !stat_loop_file(directory, &part.device, &part.inode)) {
		s->unknown = true;
		return STATUS_OK;
	}
	return add(s, part, e);
}

static enum status add_below_device(struct storage *s, const struct storage_part *above,
				    const char *sysfs, struct error *e)
{
	char name[PATH_MAX];
	enum status status;
	int directory;

	snprintf(name, sizeof(name), "%s/dev/block/%u:%u", sysfs, major(above->device),
		 minor(above->device));
	directory = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (directory < 0) {
		s->unknown = true;
		return STATUS_OK;
	}
	status = add_disk(s, directory, above, e);
	if (!status)
		status = add_slaves(s, directory, e);
	if (!status)
		status = add_loop_file(s, directory, above, e);
	close(directory);
	return status;
}

/* -------------------------------------------------------------------------------------- */

/* Which part of its device the file system uses for a file is not known. */
static enum status add_below_file(struct storage *s, dev_t device, struct error *e)
{
	if (major(device) == 0)		/* not a block device: tmpfs, network, btrfs */
		return STATUS_OK;
	return add(s, (struct storage_part){ .device = device, .to = UINT64_MAX }, e);
}

/* For a new file, its directory: the file will use an unknown part of the file system. */
static struct storage_part itself(const struct identity *id)
{
	return (struct storage_part){
		.device = id->device,
		.inode = id->inode,
		.to = UINT64_MAX,
		.exact = id->type != 0,
	};
}

enum status storage_find(struct storage *s, const struct identity *id, const char *sysfs,
			 struct error *e)
{
	enum status status;

	*s = (struct storage){ 0 };
	if (id->type && !S_ISREG(id->type) && !S_ISBLK(id->type))
		return STATUS_OK;
	status = add(s, itself(id), e);
	/* The loop also visits the parts that it adds. */
	for (size_t i = 0; i < s->count && !status; i++) {
		struct storage_part part = s->parts[i];

		status = part.inode ? add_below_file(s, part.device, e)
				    : add_below_device(s, &part, sysfs, e);
	}
	return status;
}

void storage_free(struct storage *s)
{
	free(s->parts);
	*s = (struct storage){ 0 };
}

static bool parts_shared(const struct storage_part *a, const struct storage_part *b)
{
	return a->device == b->device && a->inode == b->inode && (a->exact || b->exact) &&
	       a->from < b->to && b->from < a->to;
}

bool storage_shared(const struct storage *a, const struct storage *b)
{
	for (size_t i = 0; i < a->count; i++)
		for (size_t k = 0; k < b->count; k++)
			if (parts_shared(&a->parts[i], &b->parts[k]))
				return true;
	return false;
}
