// SPDX-License-Identifier: GPL-2.0-or-later
/* kdump-utils of Fedora and RHEL: /etc/kdump.conf. */
#include "config.h"

#include "system/kdump_find.h"

static const char utils_config[] = "/etc/kdump.conf";
static const char sysconfig[] = "/etc/sysconfig/kdump";
static const char *const command_line[] = { "KDUMP_COMMANDLINE", "KDUMP_COMMANDLINE_APPEND" };

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

void kdump_find_utils(const char *root, struct kdump_system *kdump)
{
	char value[SETTING_LENGTH], release[128], name[PATH_MAX];

	*kdump = (struct kdump_system){ .kind = KDUMP_UTILS, .name = "kdump-utils", .config = utils_config,
					.from_initramfs = true };
	if (!kdump_is_enabled(root, "kdump.service"))
		kdump->disabled = "kdump.service is not enabled";
	find_utils_target(root, kdump);
	find_utils_directory(root, kdump);
	if (!setting_of_kdump(root, utils_config, "core_collector", value))
		snprintf(value, sizeof(value), "makedumpfile -l --message-level 7 -d 31");
	kdump_set_collector(kdump, value);
	kdump_set_caller(root, kdump);
	kdump->cpus = kdump_cpus_set(root, sysconfig, command_line, "");
	kdump_release(root, release);
	snprintf(name, sizeof(name), "/var/lib/kdump/initramfs-%skdump.img", release);
	if (!rooted_exists(root, name))
		snprintf(name, sizeof(name), "/boot/initramfs-%skdump.img", release);
	kdump_set_initramfs(root, name, kdump);
}
