// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <grp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/size.h"
#include "cmd/nsplit-mount/access.h"

enum { READABLE = S_IRUSR | S_IRGRP | S_IROTH };

enum status mount_access_set_mode(struct mount_access *a, const char *text, struct error *e)
{
	char *end;
	unsigned long mode;

	errno = 0;
	mode = strtoul(text, &end, 8);
	if (*text < '0' || *text > '7' || *end || errno || mode & ~(unsigned long)READABLE ||
	    !(mode & S_IRUSR))
		return error_set(e, STATUS_USAGE, "--mode must be 0400, 0440, 0404 or 0444, not '%s'",
				 text);
	a->mode = (mode_t)mode;
	a->mode_given = true;
	return STATUS_OK;
}

/* Reads the file: getgrnam() may ask the network and needs shared libraries in a static program. */
static bool find_group(const char *name, gid_t *group)
{
	FILE *file = fopen("/etc/group", "re");
	const struct group *entry;
	bool found = false;

	/* Options are read by the only thread. */
	// cppcheck-suppress fgetgrentCalled
	while (file && !found && (entry = fgetgrent(file))) {
		found = strcmp(entry->gr_name, name) == 0;
		if (found)
			*group = entry->gr_gid;
	}
	if (file)
		fclose(file);
	return found;
}

enum status mount_access_set_group(struct mount_access *a, const char *text, struct error *e)
{
	struct error ignored;
	uint64_t number;

	a->group_given = true;
	if (find_group(text, &a->group))
		return STATUS_OK;
	/* The last number, (gid_t)-1, means "no change". */
	if (number_parse(text, "--group", 0, UINT32_MAX - 1, &number, &ignored))
		return error_set(e, STATUS_USAGE, "--group: '%s' is neither a number nor a group in "
				 "/etc/group; give the number of the group", text);
	a->group = (gid_t)number;
	return STATUS_OK;
}

/* --- options of -o ---------------------------------------------------------------------- */

/* True if a comma-separated list has an option NAME or, if the name ends in "=", NAME=VALUE. */
static bool has_option(const char *list, const char *name)
{
	size_t len = strlen(name);
	bool with_value = name[len - 1] == '=';

	while (*list) {
		size_t here = strcspn(list, ",");

		if (with_value ? !strncmp(list, name, len) : here == len && !strncmp(list, name, len))
			return true;
		list += here + (list[here] == ',');
	}
	return false;
}

static bool any_has_option(const struct names *lists, const char *name)
{
	for (size_t i = 0; i < lists->count; i++)
		if (has_option(lists->names[i], name))
			return true;
	return false;
}

/* Other FUSE programs get these from the high-level part of libfuse, which is not used here. */
static enum status refuse_options(const struct names *fuse, struct error *e)
{
	static const char *const modes[] = { "umask=", "fmask=", "dmask=", NULL };

	for (size_t i = 0; modes[i]; i++)
		if (any_has_option(fuse, modes[i]))
			return error_set(e, STATUS_USAGE, "-o %s is not supported; use --mode, as in "
					 "--mode=0440", modes[i]);
	if (any_has_option(fuse, "gid="))
		return error_set(e, STATUS_USAGE, "-o gid= is not supported; use --group");
	if (any_has_option(fuse, "uid="))
		return error_set(e, STATUS_USAGE, "-o uid= is not supported: the files belong to the user "
				 "who mounts them; use --group and --mode to let others read them");
	return STATUS_OK;
}

enum status mount_access_complete(struct mount_access *a, const struct names *fuse, struct error *e)
{
	enum status status = refuse_options(fuse, e);

	if (!a->mode_given)
		a->mode = a->group_given ? S_IRUSR | S_IRGRP : S_IRUSR;
	if (!a->group_given)
		a->group = getgid();
	if (!status && a->mode & (S_IRGRP | S_IROTH) && !any_has_option(fuse, "allow_other"))
		return error_set(e, STATUS_USAGE, "%s requires -o allow_other to let others read the "
				 "files", a->mode_given ? "--mode" : "--group");
	return status;
}
