// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>
#include <sys/stat.h>

#include "cmd/nsplit/check/drivers.h"
#include "io/path.h"
#include "system/disk_drivers.h"

struct drivers {
	struct findings *found;
	const char *root;
	const struct kdump_system *kdump;
	const struct initramfs *initramfs;
	struct names modules;
};

/* The disk of a file that may not exist yet, or a device. */
static bool find_device(const char *path, dev_t *device)
{
	char directory[PATH_MAX];
	struct stat st;

	if (stat(path, &st) < 0 &&
	    (!path_directory(path, directory) || stat(directory, &st) < 0))
		return false;
	if (!S_ISBLK(st.st_mode) && !S_ISDIR(st.st_mode) && !S_ISREG(st.st_mode))
		return false;
	*device = S_ISBLK(st.st_mode) ? st.st_rdev : st.st_dev;
	return true;
}

static void add_path(struct drivers *drivers, const char *path)
{
	struct error e;
	dev_t device;

	if (find_device(path, &device) && disk_drivers_of(drivers->root, device, &drivers->modules, &e))
		found_kind(drivers->found, FINDING_DRIVER_UNKNOWN, "which drivers the disk of %s needs: %s",
			   path, e.text);
}

static void add_name(struct drivers *drivers, const char *name)
{
	struct rooted found;

	if (*name && rooted_find(drivers->root, name, &found))
		add_path(drivers, found.path);
}

static void add_all(struct drivers *drivers, const struct names *outputs)
{
	if (!drivers->kdump->from_initramfs) {
		add_name(drivers, "/");
		return;
	}
	add_name(drivers, drivers->kdump->directory);
	for (size_t i = 0; i < outputs->count; i++)
		if (*outputs->names[i] != '|')
			add_path(drivers, outputs->names[i]);
}

static bool is_in_initramfs(const struct initramfs *initramfs, const char *module)
{
	for (size_t i = 0; i < initramfs->files.count; i++)
		if (module_is_file(module, initramfs->files.names[i]))
			return true;
	return false;
}

static void check_module(struct drivers *drivers, const char *module)
{
	bool known, built_in = module_is_built_in(drivers->root, module, &known);

	if (built_in || is_in_initramfs(drivers->initramfs, module))
		found_good(drivers->found, "the capture initramfs has the driver %s", module);
	else if (known)
		found_kind(drivers->found, FINDING_DRIVER_MISSING, "the capture initramfs %s lacks the driver "
			   "%s, so a disk of the dump would not be found", drivers->kdump->initramfs.name,
			   module);
	else
		found_kind(drivers->found, FINDING_DRIVER_UNKNOWN, "whether the driver %s is built into the "
			   "kernel: there is no modules.builtin", module);
}

void nsplit_check_drivers(struct findings *found, const char *root, const struct kdump_system *kdump,
			  const struct initramfs *initramfs, const struct names *outputs)
{
	struct drivers drivers = {
		.found = found, .root = root, .kdump = kdump, .initramfs = initramfs,
	};

	add_all(&drivers, outputs);
	for (size_t i = 0; i < drivers.modules.count; i++)
		check_module(&drivers, drivers.modules.names[i]);
	names_free(&drivers.modules);
}
