// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/nsplit/check/initramfs.h"
#include "cmd/nsplit/check/system.h"
#include "core/kinds/page_class.h"
#include "system/build_id.h"
#include "system/rooted.h"

static const char mode_file[] = "/sys/kernel/security/lockdown";
/* Of the vendor that the UEFI specification gives its own variables: 4 bytes of attributes, and the value. */
static const char secure_boot_file[] =
	"/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c";

enum { ATTRIBUTES = 4 };

static const char *const names[] = {
	[LOCKDOWN_UNKNOWN] = "unknown", [LOCKDOWN_NONE] = "none",
	[LOCKDOWN_INTEGRITY] = "integrity", [LOCKDOWN_CONFIDENTIALITY] = "confidentiality",
};

/* "none [integrity] confidentiality" */
static enum lockdown_mode read_mode(const char *root)
{
	char line[128], *begin, *end;

	if (!rooted_line(root, mode_file, line, sizeof(line)))
		return LOCKDOWN_UNKNOWN;
	begin = strchr(line, '[');
	end = begin ? strchr(begin, ']') : NULL;
	if (!end)
		return LOCKDOWN_UNKNOWN;
	*end = '\0';
	for (int mode = LOCKDOWN_NONE; mode <= LOCKDOWN_CONFIDENTIALITY; mode++)
		if (strcmp(begin + 1, names[mode]) == 0)
			return (enum lockdown_mode)mode;
	return LOCKDOWN_UNKNOWN;
}

struct lockdown lockdown_of(const char *root)
{
	struct lockdown lockdown = { .mode = read_mode(root) };
	FILE *file = rooted_open(root, secure_boot_file);
	unsigned char bytes[ATTRIBUTES + 1];

	if (!file)
		return lockdown;
	lockdown.secure_boot_known = fread(bytes, sizeof(bytes), 1, file) == 1;
	lockdown.secure_boot = lockdown.secure_boot_known && bytes[ATTRIBUTES];
	fclose(file);
	return lockdown;
}

const char *lockdown_name(enum lockdown_mode mode)
{
	return names[mode];
}

/* The network interfaces of the machine. */

enum network_state {
	NETWORK_UNKNOWN,	/* sysfs cannot be read */
	NETWORK_DOWN,		/* no interface but the loopback is up */
	NETWORK_UP,
};

static const char interfaces[] = "/sys/class/net";

/* Virtual interfaces, such as tunnels, do not know their state. */
static bool is_up(const char *root, const char *interface)
{
	char name[PATH_MAX], state[32];

	snprintf(name, sizeof(name), "%s/%s/operstate", interfaces, interface);
	return rooted_line(root, name, state, sizeof(state)) &&
	       (strcmp(state, "up") == 0 || strcmp(state, "unknown") == 0);
}

static enum network_state network_of(const char *root)
{
	enum network_state network = NETWORK_DOWN;
	struct rooted found;
	struct dirent *entry;
	DIR *directory;

	if (!rooted_find(root, interfaces, &found))
		return NETWORK_UNKNOWN;
	directory = opendir(found.path);
	if (!directory)
		return NETWORK_UNKNOWN;
	// cppcheck-suppress readdirCalled
	while ((entry = readdir(directory)))
		if (entry->d_name[0] != '.' && strcmp(entry->d_name, "lo") != 0 && is_up(root, entry->d_name))
			network = NETWORK_UP;
	closedir(directory);
	return network;
}

static const char disks_config[] = "/etc/nsplit-disks.conf";

/* --- who is called ------------------------------------------------------------------------------ */

static void check_enabled(struct findings *found, const struct kdump_system *kdump)
{
	if (kdump->disabled)
		found_kind(found, FINDING_KDUMP_DISABLED, "%s: %s, so no capture kernel will be loaded after the "
			   "next boot", kdump->name, kdump->disabled);
}

/* A collector of another build has other defects, and perhaps other options. */
static void check_build(struct findings *found, const struct kdump_system *kdump)
{
	char ours[BUILD_ID_LENGTH], theirs[BUILD_ID_LENGTH];

	if (!build_id_of("/proc/self/exe", ours) || !build_id_of(kdump->program.path, theirs))
		found_kind(found, FINDING_COLLECTOR_UNKNOWN, "whether %s is the same build as this program",
			   kdump->program.name);
	else if (strcmp(ours, theirs) != 0)
		found_kind(found, FINDING_COLLECTOR_OTHER_BUILD, "%s calls %s, which is not the same build as "
			   "this program", kdump->name, kdump->program.name);
}

static void check_misuse(struct findings *found, const struct kdump_system *kdump)
{
	const char *where = kdump_origin(kdump);
	const char *mode = kdump->caller == KDUMP_CALLS_LINK ? kdump_mode_in(kdump->options) : NULL;

	if (kdump->misuse)
		found_kind(found, FINDING_COLLECTOR_SAVES_NOTHING, "%s: %s", where, kdump->misuse);
	else if (mode)
		found_kind(found, FINDING_COLLECTOR_SAVES_NOTHING, "%s: with %.*s, makedumpfile saves nothing", where,
			   (int)strcspn(mode, " \t"), mode);
}

void nsplit_check_caller(struct findings *found, const struct kdump_system *kdump)
{
	check_misuse(found, kdump);
	switch (kdump->caller) {
	case KDUMP_CALLS_MISSING:
		found_kind(found, FINDING_COLLECTOR_MISSING, "%s calls %s, which does not exist, so there "
			   "would be no dump", kdump->name, kdump->collector);
		return;
	case KDUMP_CALLS_OTHER:
		found_kind(found, FINDING_COLLECTOR_NOT_NSPLIT, "%s calls %s, which is not nsplit",
			   kdump->name, kdump->program.name);
		return;
	case KDUMP_CALLS_LINK:
		found_good(found, "%s calls nsplit as makedumpfile (%s)", kdump->name, kdump->program.name);
		break;
	default:
		found_good(found, "%s calls nsplit (%s)", kdump->name, kdump->program.name);
	}
	check_build(found, kdump);
}

/* makedumpfile takes a list of levels, "31,23"; each is tried if the dump of the one before does not fit. */
static void check_level(struct findings *found, const struct kdump_system *kdump)
{
	const char *text = kdump_level_in(kdump->options), *level = text;
	char *end;

	if (!text)
		return;
	do {
		unsigned long number = strtoul(level, &end, 10);

		if (end == level || number > DUMP_LEVEL_ALL || (*end && *end != ',' && *end != ' ')) {
			found_kind(found, FINDING_COLLECTOR_LEVEL, "%s: '%.*s' is not a dump level; use 0 to %d",
				   kdump->config, (int)strcspn(text, " "), text, DUMP_LEVEL_ALL);
			return;
		}
		level = end + 1;
	} while (*end == ',');
}

static void check_kdump(struct findings *found, const struct kdump_system *kdump)
{
	check_enabled(found, kdump);
	if (kdump->saver_broken)
		found_kind(found, FINDING_COLLECTOR_BROKEN, "%s: the link to nsplit's unit leads nowhere, so "
			   "%s saves the dump itself", kdump->name, kdump->name);
	nsplit_check_caller(found, kdump);
	if (kdump->caller != KDUMP_CALLS_MISSING && !kdump_has_options_of_nsplit(kdump))
		check_level(found, kdump);
}

/* --- other machines ----------------------------------------------------------------------------- */

static void check_target(struct findings *found, const char *root, const struct kdump_system *kdump)
{
	if (!*kdump->target)
		return;
	if (*kdump->key && !rooted_exists(root, kdump->key))
		found_kind(found, FINDING_SSH_KEY_MISSING, "the key for %s does not exist: %s", kdump->target,
			   kdump->key);
	switch (network_of(root)) {
	case NETWORK_DOWN:
		found_kind(found, FINDING_NETWORK_DOWN, "no network interface is up, but the dump goes to "
			   "another machine (%s)", kdump->target);
		break;
	case NETWORK_UP:
		found_good(found, "a network interface is up; the dump goes to another machine (%s)",
			   kdump->target);
		break;
	default:
		break;
	}
}

/* --- further disks ------------------------------------------------------------------------------ */

/* The first word is a device or a directory, unless it is a setting, such as "wait 30". */
static void check_disk_line(struct findings *found, const char *root, char *line)
{
	line += strspn(line, " \t");
	line[strcspn(line, " \t\n")] = '\0';
	if (*line != '/')
		return;
	if (rooted_exists(root, line))
		found_good(found, "%s: %s exists", disks_config, line);
	else
		found_kind(found, FINDING_DISK_MISSING, "%s: %s does not exist, so the dump would be made "
			   "without it", disks_config, line);
}

/* Only the scripts of an initramfs read the file. */
static void check_disks(struct findings *found, const char *root, const struct kdump_system *kdump)
{
	FILE *file = kdump->from_initramfs && kdump->caller == KDUMP_CALLS_NSPLIT ?
		     rooted_open(root, disks_config) : NULL;
	char *line = NULL;
	size_t size = 0;

	if (!file)
		return;
	while (getline(&line, &size, file) >= 0)
		check_disk_line(found, root, line);
	free(line);
	fclose(file);
}

/* --- lockdown ----------------------------------------------------------------------------------- */

/*
 * What is refused after a crash, too, is nothing that nsplit needs.  If the capture kernel is loaded, it was
 * loaded as the lockdown requires.
 */
static void check_lockdown(struct findings *found, const struct lockdown *lockdown,
			   const struct crash_kernel *kernel)
{
	const char *name = lockdown_name(lockdown->mode);

	if (lockdown->mode <= LOCKDOWN_NONE)
		return;
	if (kernel->loaded_known && !kernel->loaded && !kernel->kexec_absent)
		found_kind(found, FINDING_LOCKDOWN_KEXEC, "the kernel is locked down (%s), so a capture kernel "
			   "can only be loaded with kexec -s, and only one with a valid signature", name);
	else
		found_kind(found, FINDING_LOCKDOWN, "the kernel is locked down (%s): the capture works as "
			   "usual, but the module fakevmcore cannot be loaded unless it is signed", name);
}

void nsplit_check_system(struct findings *found, struct system_checked *system,
			 struct crash_kernel *kernel, const struct names *outputs)
{
	system->lockdown = lockdown_of(system->root);
	check_lockdown(found, &system->lockdown, kernel);
	if (system->kdump->kind == KDUMP_NONE) {
		found_kind(found, FINDING_KDUMP_NONE, "no kdump system is known here that loads a capture kernel "
			   "and calls nsplit");
		return;
	}
	check_kdump(found, system->kdump);
	check_target(found, system->root, system->kdump);
	check_disks(found, system->root, system->kdump);
	kernel->initramfs = nsplit_check_initramfs(found, system->root, system->kdump, outputs);
}
