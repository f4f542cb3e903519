// SPDX-License-Identifier: GPL-2.0-or-later
/* From the name of an output to a sink that can be opened. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "io/existing.h"
#include "io/path.h"
#include "io/sink.h"

/* --- outputs in RAM, where a dump is lost when the machine restarts ------ */

/* "ram0" and "zram12".  The digit excludes other names, such as "random". */
static bool is_ram_disk(const char *device)
{
	const char *number = device + (*device == 'z');

	return strncmp(number, "ram", 3) == 0 && isdigit((unsigned char)number[3]);
}

/* The same for a block device. */
static bool in_memory_device(dev_t device, char what[IN_MEMORY_LENGTH])
{
	char link[64], target[PATH_MAX];
	ssize_t length;

	snprintf(link, sizeof(link), "/sys/dev/block/%u:%u", major(device), minor(device));
	length = readlink(link, target, sizeof(target) - 1);
	if (length <= 0)
		return false;
	target[length] = '\0';
	if (!is_ram_disk(path_base(target)))
		return false;
	snprintf(what, IN_MEMORY_LENGTH, "%s", path_base(target));
	return true;
}

/* If this line of mountinfo is the mount of the device: its upperdir=, within line; else NULL. */
static char *upper_of(char *line, dev_t device)
{
	unsigned major_number, minor_number;
	char *upper;

	if (sscanf(line, "%*u %*u %u:%u", &major_number, &minor_number) != 2 ||
	    makedev(major_number, minor_number) != device)
		return NULL;
	upper = strstr(line, ",upperdir=");
	if (!upper)
		return NULL;
	upper += strlen(",upperdir=");
	upper[strcspn(upper, ",\n")] = '\0';
	return upper;
}

/* Files of an overlay are written to its upper directory, if that is still visible here. */
static bool upper_file_system(dev_t device, struct statfs *fs)
{
	FILE *mounts = fopen("/proc/self/mountinfo", "re");
	size_t size = 0;
	char *line = NULL;
	bool found = false;

	while (mounts && !found && getline(&line, &size, mounts) > 0) {
		const char *upper = upper_of(line, device);

		found = upper && statfs(upper, fs) == 0;
	}
	free(line);
	if (mounts)
		fclose(mounts);
	return found;
}

static bool is_memory(const struct statfs *fs, char what[IN_MEMORY_LENGTH])
{
	if (fs->f_type != TMPFS_MAGIC && fs->f_type != RAMFS_MAGIC)
		return false;
	snprintf(what, IN_MEMORY_LENGTH, "%s", fs->f_type == TMPFS_MAGIC ? "tmpfs" : "ramfs");
	return true;
}

/*
 * For a file, existing or not.  True: what is "tmpfs", "ramfs", or the device of its file system,
 * such as "zram0".  False: the file is on a disk or another machine, or this cannot be found out.
 */
static bool in_memory_file(const char *name, char what[IN_MEMORY_LENGTH])
{
	char directory[PATH_MAX];
	const char *existing = name;
	struct statfs fs;
	struct stat st;

	if (stat(existing, &st) < 0) {
		existing = directory;
		if (!path_directory(name, directory) || stat(existing, &st) < 0)
			return false;
	}
	if (statfs(existing, &fs) < 0)
		return false;
	if (fs.f_type == OVERLAYFS_SUPER_MAGIC && !upper_file_system(st.st_dev, &fs))
		return false;
	return is_memory(&fs, what) || in_memory_device(st.st_dev, what);
}

/* --- what a name means --------------------------------------------------- */

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
		return sink_set_command(s, name + 1, NULL, e);
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
	if (sink_set_command(s, filter, s->name, e))
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
