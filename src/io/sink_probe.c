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

static enum status probe_new(struct sink *s, struct error *e)
{
	if (path_would_be_device(s->name))
		return error_system(e, ENODEV, "%s", s->name);
	return identity_of_new(&s->identity, s->name) ? STATUS_OK : sink_creation_error(s, errno, e);
}

/* For files, outputs of filters included, and block devices. */
static void find_memory(struct sink *s)
{
	if (S_ISBLK(s->identity.type))
		in_memory_device(s->identity.device, s->in_memory);
	else if (s->kind == SINK_FILE || (s->kind == SINK_COMMAND && s->name[0] != '|'))
		in_memory_file(s->name, s->in_memory);
}

static enum status probe_name(struct sink *s, const char *name, struct error *e)
{
	enum status status = existing_probe(name, s->permits, &s->identity, e);
	mode_t type = s->identity.type;

	if (status)
		return status;
	if (!type)
		return probe_new(s, e);
	if (s->is_stdout || S_ISCHR(type) || S_ISFIFO(type)) {
		s->kind = SINK_STREAM;
		s->ops = &sink_stream_ops;
	} else if (S_ISBLK(type)) {
		s->kind = SINK_BLOCK_DEVICE;
	}
	if (s->kind == SINK_BLOCK_DEVICE && !(s->permits & PERMIT_DEVICES))
		return contents_refuse_unopened(s->name, s->permits, &s->seen, e);
	return STATUS_OK;
}

/* Most filters write to a file of this name; but it may also be a name on another machine. */
static enum status probe_filter(struct sink *s, const char *filter, struct error *e)
{
	struct stat st;

	if (stat(s->name, &st) != 0 || S_ISDIR(st.st_mode))
		identity_of_new(&s->identity, s->name);
	else if (probe_name(s, s->name, e))
		return e->status;
	return sink_set_command(s, filter, s->name, e);
}

static enum status probe(struct sink *s, const char *name, struct error *e)
{
	if (strcmp(name, "null:") == 0) {
		s->kind = SINK_NULL;
		s->ops = &sink_null_ops;
		return STATUS_OK;
	}
	return name[0] == '|' ? sink_set_command(s, name + 1, NULL, e) : probe_name(s, name, e);
}

enum status sink_probe(struct sink *s, const char *name, const char *filter, unsigned permits,
		       enum direct_mode direct, struct error *e)
{
	enum status status;

	*s = (struct sink){
		.permits = permits,
		.fd = -1,
		.kind = SINK_FILE,
		.ops = &sink_file_ops,
		.capacity = UINT64_MAX,
		.direct_wanted = direct,
		.is_stdout = !filter && strcmp(name, "-") == 0,
	};
	s->name = strdup(s->is_stdout ? "standard output" : name);
	if (!s->name)
		return error_system(e, ENOMEM, "%s", name);
	status = filter ? probe_filter(s, filter, e) : probe(s, name, e);
	s->unavailable = !filter && status == STATUS_SYSTEM;
	if (!status)
		find_memory(s);
	return status;
}
