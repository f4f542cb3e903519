// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "system/disk_drivers.h"
#include "system/rooted.h"

static const char devices[] = "/sys/devices/";

enum {
	MODULES_MAX = 1000,
	/* LVM on LUKS on RAID is three; more than this is a loop. */
	LEVELS_MAX = 8,
};

static bool has_name(const struct names *names, const char *name)
{
	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->names[i], name) == 0)
			return true;
	return false;
}

static enum status add_driver(const char *root, const char *device, struct names *modules, struct error *e)
{
	static const char driver[] = "/driver/module";
	char name[PATH_MAX + sizeof(driver)];
	struct rooted found;
	const char *module;

	snprintf(name, sizeof(name), "%s%s", device, driver);
	if (!rooted_find(root, name, &found))
		return STATUS_OK;
	module = strrchr(found.name, '/') + 1;
	return has_name(modules, module) ? STATUS_OK : names_append(modules, module, MODULES_MAX, e);
}

static enum status add_device(const char *root, const char *name, int level, struct names *modules,
			      struct error *e);

/* The devices that a device is made of. */
static enum status add_parts(const char *root, const char *device, int level, struct names *modules,
			     struct error *e)
{
	enum status status = STATUS_OK;
	char name[2 * PATH_MAX];
	struct dirent *entry;
	struct rooted found;
	DIR *directory;

	snprintf(name, sizeof(name), "%s/slaves", device);
	directory = rooted_find(root, name, &found) ? opendir(found.path) : NULL;
	// cppcheck-suppress readdirCalled
	while (!status && directory && (entry = readdir(directory))) {
		if (entry->d_name[0] == '.')
			continue;
		snprintf(name, sizeof(name), "%s/slaves/%s", device, entry->d_name);
		status = add_device(root, name, level + 1, modules, e);
	}
	if (directory)
		closedir(directory);
	return status;
}

/* A name below /sys that leads to a device: it and those above it. */
static enum status add_device(const char *root, const char *name, int level, struct names *modules,
			      struct error *e)
{
	enum status status = STATUS_OK;
	struct rooted found;

	if (level == LEVELS_MAX || !rooted_find(root, name, &found))
		return STATUS_OK;
	while (!status && strncmp(found.name, devices, strlen(devices)) == 0) {
		status = add_driver(root, found.name, modules, e);
		if (!status)
			status = add_parts(root, found.name, level, modules, e);
		*strrchr(found.name, '/') = '\0';
	}
	return status;
}

enum status disk_drivers_of(const char *root, dev_t device, struct names *modules, struct error *e)
{
	char name[64];

	snprintf(name, sizeof(name), "/sys/dev/block/%u:%u", major(device), minor(device));
	if (!rooted_exists(root, name))
		return error_set(e, STATUS_MISSING, "sysfs does not know its device");
	return add_device(root, name, 0, modules, e);
}

static char same_dash(char c)
{
	return c == '-' ? '_' : c;
}

bool module_is_file(const char *module, const char *file)
{
	const char *slash = strrchr(file, '/');

	for (file = slash ? slash + 1 : file; *module; module++, file++)
		if (same_dash(*module) != same_dash(*file))
			return false;
	return strncmp(file, ".ko", 3) == 0 && (!file[3] || file[3] == '.');
}

bool module_is_built_in(const char *root, const char *module, bool *known)
{
	char release[128], name[PATH_MAX], *line = NULL;
	size_t size = 0;
	bool found = false;
	FILE *file;

	*known = false;
	if (!rooted_line(root, "/proc/sys/kernel/osrelease", release, sizeof(release)))
		return false;
	snprintf(name, sizeof(name), "/lib/modules/%s/modules.builtin", release);
	file = rooted_open(root, name);
	if (!file)
		return false;
	*known = true;
	while (!found && getline(&line, &size, file) >= 0) {
		line[strcspn(line, "\n")] = '\0';
		found = module_is_file(module, line);
	}
	free(line);
	fclose(file);
	return found;
}
