// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "system/kdump_system.h"

static const char tools_config[] = "/etc/default/kdump-tools";
static const char utils_config[] = "/etc/kdump.conf";
/* Of kdump-utils, too. */
static const char suse_config[] = "/etc/sysconfig/kdump";
static const char units[] = "/etc/systemd/system";
static const char initramfs_config[] = "/etc/initramfs-tools/conf.d/nsplit";
/* What kdump-tools-save enable makes. */
static const char saver_link[] = "/etc/systemd/system/kdump-tools-dump.service.d/nsplit.conf";
static const char release_file[] = "/proc/sys/kernel/osrelease";

/* Where the scripts look for programs. */
static const char *const directories[] = { "/usr/sbin", "/usr/bin", "/sbin", "/bin", "/usr/local/bin" };

static void release_of(const char *root, char release[128])
{
	if (!rooted_line(root, release_file, release, 128))
		*release = '\0';
}

/* --- the collector ------------------------------------------------------------------------------ */

static const char *base_of(const char *name)
{
	const char *slash = strrchr(name, '/');

	return slash ? slash + 1 : name;
}

static bool is_nsplit(const char *name)
{
	return strcmp(base_of(name), "nsplit") == 0;
}

/* As a shell would find it.  The file is the program's if it exists. */
static bool find_program(const char *root, const char *name, struct rooted *program)
{
	char path[PATH_MAX];

	if (strchr(name, '/'))
		return rooted_find(root, name, program);
	for (size_t i = 0; i < sizeof(directories) / sizeof(*directories); i++)
		if ((size_t)snprintf(path, sizeof(path), "%s/%s", directories[i], name) < sizeof(path) &&
		    rooted_find(root, path, program))
			return true;
	return false;
}

static void find_caller(const char *root, struct kdump_system *kdump)
{
	if (!find_program(root, kdump->collector, &kdump->program))
		kdump->caller = KDUMP_CALLS_MISSING;
	else if (is_nsplit(kdump->collector))
		kdump->caller = KDUMP_CALLS_NSPLIT;
	else
		kdump->caller = is_nsplit(kdump->program.name) ? KDUMP_CALLS_LINK : KDUMP_CALLS_OTHER;
}

/* "nsplit -c -d 31": the program and its options. */
static void set_collector(struct kdump_system *kdump, const char *command)
{
	size_t length = strcspn(command, " \t");

	memcpy(kdump->collector, command, length);
	kdump->collector[length] = '\0';
	command += length;
	command += strspn(command, " \t");
	memmove(kdump->options, command, strlen(command) + 1);
}

/* --- whether it is enabled ---------------------------------------------------------------------- */

static bool ends_in_wants(const char *name)
{
	const char *dot = strrchr(name, '.');

	return dot && (strcmp(dot, ".wants") == 0 || strcmp(dot, ".requires") == 0);
}

static bool is_wanted(const char *root, const char *target, const char *service)
{
	char name[PATH_MAX];
	struct rooted found;

	snprintf(name, sizeof(name), "%s/%s/%s", units, target, service);
	return rooted_find(root, name, &found);
}

/* As systemctl enable does it: by a link in a directory of a unit that wants it. */
static bool is_enabled(const char *root, const char *service)
{
	struct rooted found;
	struct dirent *entry;
	bool enabled = false;
	DIR *directory;

	/* Without systemd, this cannot be known, and nothing is reported. */
	if (!rooted_find(root, units, &found))
		return true;
	directory = opendir(found.path);
	if (!directory)
		return true;
	while ((entry = readdir(directory)))
		enabled |= ends_in_wants(entry->d_name) && is_wanted(root, entry->d_name, service);
	closedir(directory);
	return enabled;
}

/* --- the capture kernel's CPUs ------------------------------------------------------------------ */

/* On a command line; the last word counts. */
static unsigned cpus_in(const char *words)
{
	static const char *const keys[] = { "nr_cpus=", "maxcpus=" };
	unsigned cpus = 0;

	for (const char *word = words; *word; word += strcspn(word, " "), word += strspn(word, " "))
		for (int i = 0; i < 2; i++)
			if (strncmp(word, keys[i], strlen(keys[i])) == 0)
				cpus = (unsigned)strtoul(word + strlen(keys[i]), NULL, 10);
	return cpus;
}

/* --- each system -------------------------------------------------------------------------------- */

static void get(const char *root, const char *file, const char *key, const char *absent,
		char value[SETTING_LENGTH])
{
	if (!setting_of_shell(root, file, key, value) || !*value)
		snprintf(value, SETTING_LENGTH, "%s", absent);
}

static void find_initramfs(const char *root, const char *name, struct kdump_system *kdump)
{
	snprintf(kdump->initramfs_wanted, sizeof(kdump->initramfs_wanted), "%s", name);
	if (!rooted_find(root, name, &kdump->initramfs))
		*kdump->initramfs.path = '\0';
}

static bool captures_in_initramfs(const char *root)
{
	char value[SETTING_LENGTH];

	return setting_of_shell(root, initramfs_config, "NSPLIT_CAPTURE", value) && strcmp(value, "y") == 0;
}

/* The first of these that is set; its value is prefixed with what it is. */
static void find_tools_target(const char *root, struct kdump_system *kdump)
{
	static const char *const keys[] = { "SSH", "NFS", "FTP" };
	static const char *const kinds[] = { "ssh", "nfs", "ftp" };
	char value[SETTING_LENGTH];

	for (int i = 0; i < 3; i++) {
		get(root, tools_config, keys[i], "", value);
		if (!*value)
			continue;
		snprintf(kdump->target, sizeof(kdump->target), "%s %.1000s", kinds[i], value);
		if (i == 0)
			get(root, tools_config, "SSH_KEY", "/root/.ssh/kdump_id_rsa", kdump->key);
		return;
	}
}

/* A symbolic link is there even if it leads nowhere. */
static bool has_link(const char *root, const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	return (size_t)snprintf(path, sizeof(path), "%s%s", root, name) < sizeof(path) &&
	       lstat(path, &st) == 0;
}

/* nsplit's unit calls kdump-tools-save, which leaves other machines to kdump-tools and so to makedumpfile. */
static void find_tools_collector(const char *root, struct kdump_system *kdump)
{
	bool saver = rooted_exists(root, saver_link);

	kdump->saver_broken = !saver && has_link(root, saver_link);
	kdump->from_initramfs = captures_in_initramfs(root);
	set_collector(kdump, kdump->from_initramfs || (saver && !*kdump->target) ? "nsplit" : "makedumpfile");
	find_caller(root, kdump);
	/* The script of the initramfs takes the level of nsplit.conf, and saves to the disks that it has mounted. */
	if (kdump->from_initramfs)
		return;
	get(root, tools_config, "MAKEDUMP_ARGS", "-F -c -d 31", kdump->options);
	get(root, tools_config, "KDUMP_COREDIR", "/var/crash", kdump->directory);
}

static void find_tools(const char *root, struct kdump_system *kdump)
{
	char value[SETTING_LENGTH];

	*kdump = (struct kdump_system){ .kind = KDUMP_TOOLS, .name = "kdump-tools", .config = tools_config };
	get(root, tools_config, "USE_KDUMP", "0", value);
	if (strcmp(value, "0") == 0)
		kdump->disabled = "USE_KDUMP is not 1 in /etc/default/kdump-tools";
	else if (!is_enabled(root, "kdump-tools.service"))
		kdump->disabled = "kdump-tools.service is not enabled";
	find_tools_target(root, kdump);
	find_tools_collector(root, kdump);
	get(root, tools_config, "KDUMP_CMDLINE_APPEND", "nr_cpus=1", value);
	kdump->cpus = cpus_in(value);
	get(root, tools_config, "KDUMP_INITRD", "/var/lib/kdump/initrd.img", value);
	find_initramfs(root, value, kdump);
}

static void find_utils_target(const char *root, struct kdump_system *kdump)
{
	static const char *const keys[] = { "ssh", "nfs" };
	char value[SETTING_LENGTH];

	for (int i = 0; i < 2; i++) {
		if (!setting_of_kdump(root, utils_config, keys[i], value))
			continue;
		snprintf(kdump->target, sizeof(kdump->target), "%s %.1000s", keys[i], value);
		if (i == 0 && !setting_of_kdump(root, utils_config, "sshkey", kdump->key))
			snprintf(kdump->key, sizeof(kdump->key), "/root/.ssh/kdump_id_rsa");
		return;
	}
}

/* A path on another file system, such as that of "ext4 LABEL=crash", is not one of this system. */
static void find_utils_directory(const char *root, struct kdump_system *kdump)
{
	static const char *const elsewhere[] = { "ext3", "ext4", "xfs", "btrfs", "minix", "raw", "virtiofs" };
	char value[SETTING_LENGTH];

	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(*elsewhere); i++)
		if (setting_of_kdump(root, utils_config, elsewhere[i], value))
			return;
	if (!*kdump->target && !setting_of_kdump(root, utils_config, "path", kdump->directory))
		snprintf(kdump->directory, sizeof(kdump->directory), "/var/crash");
}

static void find_utils(const char *root, struct kdump_system *kdump)
{
	char value[SETTING_LENGTH], release[128], name[PATH_MAX];

	*kdump = (struct kdump_system){ .kind = KDUMP_UTILS, .name = "kdump-utils", .config = utils_config,
					.from_initramfs = true };
	if (!is_enabled(root, "kdump.service"))
		kdump->disabled = "kdump.service is not enabled";
	find_utils_target(root, kdump);
	find_utils_directory(root, kdump);
	if (!setting_of_kdump(root, utils_config, "core_collector", value))
		snprintf(value, sizeof(value), "makedumpfile -l --message-level 7 -d 31");
	set_collector(kdump, value);
	find_caller(root, kdump);
	get(root, suse_config, "KDUMP_COMMANDLINE_APPEND", "", value);
	kdump->cpus = cpus_in(value);
	release_of(root, release);
	snprintf(name, sizeof(name), "/var/lib/kdump/initramfs-%skdump.img", release);
	if (!rooted_exists(root, name))
		snprintf(name, sizeof(name), "/boot/initramfs-%skdump.img", release);
	find_initramfs(root, name, kdump);
}

/* A URL, of which a directory is one, too. */
static void find_suse_target(const char *root, struct kdump_system *kdump)
{
	char value[SETTING_LENGTH], *colon;

	get(root, suse_config, "KDUMP_SAVEDIR", "/var/crash", value);
	/* There may be several; the first one counts here. */
	value[strcspn(value, " ")] = '\0';
	if (strncmp(value, "file:", 5) == 0)
		memmove(value, value + 5, strlen(value + 5) + 1);
	if (strncmp(value, "//", 2) == 0)
		memmove(value, value + 2, strlen(value + 2) + 1);
	colon = strstr(value, "://");
	if (!colon) {
		snprintf(kdump->directory, sizeof(kdump->directory), "%s", value);
		return;
	}
	*colon = '\0';
	snprintf(kdump->target, sizeof(kdump->target), "%.64s %.900s", value, colon + 3);
	if (strcmp(value, "ssh") != 0)
		return;
	/* Names without a directory are in root's. */
	get(root, suse_config, "KDUMP_SSH_IDENTITY", "", value);
	value[strcspn(value, " ")] = '\0';
	if (*value)
		snprintf(kdump->key, sizeof(kdump->key), "%s%.1000s", *value == '/' ? "" : "/root/.ssh/", value);
}

/*
 * KDUMP_TRANSFER='nsplit-kdump-transfer "$KDUMP_SAVEDIR" -c -d 31 || ...': the options of nsplit are between the
 * directory and what is called if it fails.
 */
static void find_suse_collector(const char *root, struct kdump_system *kdump)
{
	static const char transfer[] = "nsplit-kdump-transfer";
	char value[SETTING_LENGTH], *end, *options;

	get(root, suse_config, "KDUMP_TRANSFER", "", value);
	if (strncmp(value, transfer, strlen(transfer)) == 0) {
		end = strstr(value, "||");
		if (end)
			*end = '\0';
		options = strstr(value, " -");
		set_collector(kdump, "nsplit");
		snprintf(kdump->options, sizeof(kdump->options), "%s", options ? options + 1 : "");
	} else {
		set_collector(kdump, *value ? value : "makedumpfile");
		get(root, suse_config, "KDUMP_DUMPLEVEL", "31", value);
		snprintf(kdump->options, sizeof(kdump->options), "-d %.64s", value);
	}
	find_caller(root, kdump);
}

static void find_suse(const char *root, struct kdump_system *kdump)
{
	char value[SETTING_LENGTH], release[128], name[PATH_MAX];

	*kdump = (struct kdump_system){ .kind = KDUMP_SUSE, .name = "SUSE kdump", .config = suse_config,
					.from_initramfs = true };
	if (!is_enabled(root, "kdump.service"))
		kdump->disabled = "kdump.service is not enabled";
	find_suse_target(root, kdump);
	find_suse_collector(root, kdump);
	get(root, suse_config, "KDUMP_CPUS", "32", value);
	kdump->cpus = (unsigned)strtoul(value, NULL, 10);
	/* Before kdump 2.0, it was beside the kernel. */
	release_of(root, release);
	snprintf(name, sizeof(name), "/boot/initrd-%s-kdump", release);
	find_initramfs(root, rooted_exists(root, name) ? name : "/var/lib/kdump/initrd", kdump);
}

static void find_own(const char *root, struct kdump_system *kdump)
{
	char release[128], name[PATH_MAX];

	*kdump = (struct kdump_system){ .kind = KDUMP_INITRAMFS, .name = "initramfs-tools",
					.from_initramfs = true };
	set_collector(kdump, "nsplit");
	find_caller(root, kdump);
	release_of(root, release);
	snprintf(name, sizeof(name), "/boot/initrd.img-%s", release);
	find_initramfs(root, name, kdump);
}

/* Those of kdump-tools are directories in a setting, those of an initramfs lines in a file. */
static bool has_more_disks(const char *root, const struct kdump_system *kdump)
{
	char value[SETTING_LENGTH];

	if (kdump->caller != KDUMP_CALLS_NSPLIT)
		return false;
	if (kdump->from_initramfs)
		return rooted_exists(root, "/etc/nsplit-disks.conf");
	return setting_of_shell(root, "/etc/default/nsplit-kdump", "NSPLIT_DIRECTORIES", value) && *value;
}

void kdump_system_find(const char *root, struct kdump_system *kdump)
{
	struct rooted found;

	if (rooted_exists(root, "/usr/sbin/kdump-config"))
		find_tools(root, kdump);
	else if (find_program(root, "kdumpctl", &found))
		find_utils(root, kdump);
	else if (find_program(root, "mkdumprd", &found))
		find_suse(root, kdump);
	else if (captures_in_initramfs(root))
		find_own(root, kdump);
	else
		*kdump = (struct kdump_system){ .name = "none" };
	kdump->more_disks = has_more_disks(root, kdump);
}

bool kdump_has_options_of_nsplit(const struct kdump_system *kdump)
{
	return kdump->caller == KDUMP_CALLS_NSPLIT &&
	       (kdump->kind == KDUMP_UTILS || kdump->kind == KDUMP_SUSE);
}

const char *kdump_level_in(const char *options)
{
	static const char *const begins[] = { "-d", "--dump-level=", "--dump-level " };

	for (const char *word = options; *word; word += strcspn(word, " "), word += strspn(word, " "))
		for (int i = 0; i < 3; i++)
			if (strncmp(word, begins[i], strlen(begins[i])) == 0)
				return word + strlen(begins[i]) + strspn(word + strlen(begins[i]), " ");
	return NULL;
}
