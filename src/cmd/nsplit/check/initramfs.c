// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <dirent.h>
#include <link.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/types.h>

#include "cmd/common/shell.h"
#include "cmd/nsplit/check/command.h"
#include "cmd/nsplit/check/initramfs.h"
#include "io/path.h"
#include "system/build_id.h"
#include "system/initramfs.h"
#include "system/rooted.h"

/* Checks if the capture initramfs has the drivers of the disks that it has to mount. */

/* The kernel modules that a block device needs. */

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

/*
 * Appends the modules of the drivers of a block device, of each bus that it is connected to, and of the
 * devices that it is made of, as with LVM.  STATUS_MISSING: sysfs does not know the device, as with a file system
 * of the network, or with btrfs.
 */
static enum status disk_drivers_of(const char *root, dev_t device, struct names *modules, struct error *e)
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

/* Is the file, such as "kernel/fs/ext4/ext4.ko.xz", the module of this name? */
static bool module_is_file(const char *module, const char *file)
{
	const char *slash = strrchr(file, '/');

	for (file = slash ? slash + 1 : file; *module; module++, file++)
		if (same_dash(*module) != same_dash(*file))
			return false;
	return strncmp(file, ".ko", 3) == 0 && (!file[3] || file[3] == '.');
}

/*
 * Is a module part of the kernel of this release?  *known: false if its list cannot be read.  The kernel takes
 * - and _ in the names of modules for the same.
 */
static bool module_is_built_in(const char *root, const char *module, bool *known)
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

/*
 * outputs: the names of outputs; those that are commands or pipes have no disk here.  The root file system is
 * the only one that the initramfs mounts if it does not save the dump itself.
 */
static void nsplit_check_drivers(struct findings *found, const char *root, const struct kdump_system *kdump,
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

/* The shared libraries that this program uses. */

enum { LIBRARIES_MAX = 1000 };

struct gathering {
	struct names *libraries;
	struct error *e;
	enum status status;
};

/* The program itself has no name, and the kernel's own library no directory. */
static int gather(struct dl_phdr_info *info, size_t size, void *arg)
{
	struct gathering *gathering = arg;
	const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

	(void)size;
	if (slash)
		gathering->status = names_append(gathering->libraries, slash + 1, LIBRARIES_MAX, gathering->e);
	return gathering->status != STATUS_OK;
}

/* Their names, without directories; none if it is linked statically. */
static enum status libraries_used(struct names *libraries, struct error *e)
{
	struct gathering gathering = { .libraries = libraries, .e = e };

	dl_iterate_phdr(gather, &gathering);
	return gathering.status;
}

struct looked {
	struct findings *found;
	const char *root;
	const struct kdump_system *kdump;
	struct initramfs initramfs;
};

/* The configuration is a copy. */
static const char config_file[] = "/etc/nsplit.conf";
/* The module for dracut translates its names, so that only the time shows whether it was changed. */
static const char disks_file[] = "/etc/nsplit-disks.conf";

/* --- older than what it is made from -------------------------------------------------------------- */

static bool is_older(const struct looked *looked, const char *name)
{
	struct rooted found;
	struct stat image, file;

	return rooted_find(looked->root, name, &found) && stat(found.path, &file) == 0 &&
	       stat(looked->kdump->initramfs.path, &image) == 0 && image.st_mtime < file.st_mtime;
}

static void check_age(struct looked *looked, const char *name)
{
	if (is_older(looked, name))
		found_kind(looked->found, FINDING_INITRAMFS_STALE, "the capture initramfs %s is older than %s; "
			   "make it again", looked->kdump->initramfs.name, name);
}

/* --- nsplit ------------------------------------------------------------------------------------- */

/* Where nsplit is the collector of kdump-utils, a script has its name, which calls this one. */
static const char *find_nsplit(const struct initramfs *initramfs)
{
	static const char *const names[] = { "usr/libexec/nsplit/nsplit", "usr/bin/nsplit", "bin/nsplit" };
	const char *file = NULL;

	for (int i = 0; !file && i < 3; i++)
		file = initramfs_find(initramfs, names[i]);
	return file;
}

static void unreadable(struct looked *looked, const char *what, const struct error *e)
{
	found_kind(looked->found, FINDING_INITRAMFS_UNKNOWN, "%s in the capture initramfs %s: %s", what,
		   looked->kdump->initramfs.name, e->text);
}

static void check_build(struct looked *looked, const char *file)
{
	char ours[BUILD_ID_LENGTH], theirs[BUILD_ID_LENGTH], path[64];
	FILE *contents;
	struct error e;

	if (initramfs_read(&looked->initramfs, file, &contents, &e)) {
		unreadable(looked, "whether nsplit is the same build", &e);
		return;
	}
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fileno(contents));
	if (!build_id_of("/proc/self/exe", ours) || !build_id_of(path, theirs))
		found_kind(looked->found, FINDING_INITRAMFS_UNKNOWN, "whether nsplit in the capture initramfs "
			   "%s is the same build: it has no build id", looked->kdump->initramfs.name);
	else if (strcmp(ours, theirs) != 0)
		found_kind(looked->found, FINDING_INITRAMFS_OTHER_BUILD, "nsplit in the capture initramfs %s "
			   "is not the same build as this program; make it again",
			   looked->kdump->initramfs.name);
	else
		found_good(looked->found, "nsplit in the capture initramfs %s is the same build as this program",
			   looked->kdump->initramfs.name);
	fclose(contents);
}

static void check_libraries(struct looked *looked)
{
	struct names libraries = { 0 };
	struct error e;

	if (libraries_used(&libraries, &e))
		unreadable(looked, "the libraries", &e);
	for (size_t i = 0; i < libraries.count; i++)
		if (!initramfs_find_base(&looked->initramfs, libraries.names[i]))
			found_kind(looked->found, FINDING_INITRAMFS_LIBRARY, "the capture initramfs %s lacks a "
				   "library that nsplit needs: %s", looked->kdump->initramfs.name,
				   libraries.names[i]);
	names_free(&libraries);
}

/* With the original makedumpfile in it, there is a dump. */
static void check_nsplit(struct looked *looked)
{
	const char *file = find_nsplit(&looked->initramfs);

	if (file) {
		check_build(looked, file);
		check_libraries(looked);
	} else if (looked->kdump->caller == KDUMP_CALLS_NSPLIT) {
		found_kind(looked->found, FINDING_INITRAMFS_NO_NSPLIT, "the capture initramfs %s contains no "
			   "nsplit; make it again", looked->kdump->initramfs.name);
	} else {
		found_kind(looked->found, FINDING_INITRAMFS_STALE, "the capture initramfs %s contains no "
			   "nsplit, and so another makedumpfile; make it again",
			   looked->kdump->initramfs.name);
	}
}

/* --- nsplit.conf -------------------------------------------------------------------------------- */

/* Where kdump reads standard output, the module for dracut appends this line. */
static bool is_appended(const char *line)
{
	return strcmp(line, "output = -\n") == 0 || strcmp(line, "\n") == 0;
}

/* Without a newline at the end, fgets() may be given one more line than the other file has. */
static bool same_line(char *a, char *b)
{
	a[strcspn(a, "\n")] = '\0';
	b[strcspn(b, "\n")] = '\0';
	return strcmp(a, b) == 0;
}

static bool same_config(FILE *outside, FILE *inside)
{
	char a[4096], b[4096];

	while (fgets(a, sizeof(a), outside))
		if (!fgets(b, sizeof(b), inside) || !same_line(a, b))
			return false;
	while (fgets(b, sizeof(b), inside))
		if (!is_appended(b))
			return false;
	return true;
}

static void check_config(struct looked *looked)
{
	const char *file = initramfs_find(&looked->initramfs, config_file + 1);
	FILE *outside = rooted_open(looked->root, config_file), *inside = NULL;
	struct error e;

	if (file && initramfs_read(&looked->initramfs, file, &inside, &e)) {
		unreadable(looked, config_file, &e);
		check_age(looked, config_file);
	} else if (outside && inside && same_config(outside, inside)) {
		found_good(looked->found, "%s in the capture initramfs is the one of this system", config_file);
	} else if (outside) {
		found_kind(looked->found, FINDING_INITRAMFS_CONFIG, "%s in the capture initramfs %s is not the "
			   "one of this system; make it again", config_file, looked->kdump->initramfs.name);
	} else if (inside && fgetc(inside) != EOF) {
		found_kind(looked->found, FINDING_INITRAMFS_CONFIG, "the capture initramfs %s contains an %s, "
			   "and this system has none; make it again", looked->kdump->initramfs.name, config_file);
	}
	if (outside)
		fclose(outside);
	if (inside)
		fclose(inside);
}

/* --- all ---------------------------------------------------------------------------------------- */

static void check_key(struct looked *looked)
{
	const char *key = looked->kdump->key;

	if (*key == '/' && rooted_exists(looked->root, key) && !initramfs_find(&looked->initramfs, key + 1))
		found_kind(looked->found, FINDING_INITRAMFS_KEY, "the capture initramfs %s lacks the key for "
			   "%s: %s", looked->kdump->initramfs.name, looked->kdump->target, key);
}

/* Is there a file to be copied?  Not if the shell has the command itself. */
static bool is_file(const char *name, const char *word)
{
	struct error e;
	bool found;

	return !shell_finds_file(name, word, &found, &e) && found;
}

static void lacks(struct looked *looked, const char *name, const char *what)
{
	found_kind(looked->found, FINDING_INITRAMFS_PROGRAM, "the capture initramfs %s lacks %s for the output "
		   "%s", looked->kdump->initramfs.name, what, name);
}

static void check_command(struct looked *looked, const char *name)
{
	const struct initramfs *initramfs = &looked->initramfs;
	char word[COMMAND_WORD_LENGTH];

	if (command_program(name + 1, word) && is_file(name, word) &&
	    !(*word == '/' ? initramfs_find(initramfs, word + 1) : initramfs_find_base(initramfs, word)))
		lacks(looked, name, word);
	if (command_key(name + 1, word) && !initramfs_find(initramfs, word + 1))
		lacks(looked, name, word);
}

static void check_commands(struct looked *looked, const struct names *outputs)
{
	for (size_t i = 0; i < outputs->count; i++)
		if (*outputs->names[i] == '|')
			check_command(looked, outputs->names[i]);
}

static bool calls_nsplit(const struct kdump_system *kdump)
{
	return kdump->caller == KDUMP_CALLS_NSPLIT || kdump->caller == KDUMP_CALLS_LINK;
}

/* If kdump-tools saves the dump, it does so from the root file system, and so does nsplit. */
static bool has_copies(const struct kdump_system *kdump)
{
	return kdump->from_initramfs && calls_nsplit(kdump);
}

static void check_contents(struct looked *looked, const struct names *outputs)
{
	if (has_copies(looked->kdump)) {
		check_nsplit(looked);
		check_config(looked);
		check_age(looked, disks_file);
		check_key(looked);
		check_commands(looked, outputs);
	}
	nsplit_check_drivers(looked->found, looked->root, looked->kdump, &looked->initramfs, outputs);
}

uint64_t nsplit_check_initramfs(struct findings *found, const char *root, const struct kdump_system *kdump,
				const struct names *outputs)
{
	struct looked looked = { .found = found, .root = root, .kdump = kdump };
	struct error e;
	uint64_t bytes;

	if (!*kdump->initramfs.path) {
		found_kind(found, FINDING_INITRAMFS_MISSING, "the capture initramfs %s does not exist",
			   kdump->initramfs_wanted);
		return 0;
	}
	if (initramfs_open(&looked.initramfs, kdump->initramfs.path, &e)) {
		found_kind(found, FINDING_INITRAMFS_UNKNOWN, "what is in the capture initramfs %s: %s",
			   kdump->initramfs.name, e.text);
		if (has_copies(kdump)) {
			check_age(&looked, config_file);
			check_age(&looked, disks_file);
		}
	} else {
		check_contents(&looked, outputs);
	}
	/* The root file system takes its place. */
	bytes = kdump->from_initramfs ? looked.initramfs.bytes : 0;
	initramfs_close(&looked.initramfs);
	return bytes;
}
