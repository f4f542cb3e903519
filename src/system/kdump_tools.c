// SPDX-License-Identifier: GPL-2.0-or-later
/* kdump-tools of Debian and Ubuntu: /etc/default/kdump-tools, and the link that kdump-tools-save makes. */
#include "config.h"

#include <string.h>
#include <sys/stat.h>

#include "system/kdump_find.h"

static const char tools_config[] = "/etc/default/kdump-tools";
static const char *const command_line[] = { "KDUMP_CMDLINE", "KDUMP_CMDLINE_APPEND" };
/* What kdump-tools-save enable makes. */
static const char saver_link[] = "/etc/systemd/system/kdump-tools-dump.service.d/nsplit.conf";

/* The first of these that is set; its value is prefixed with what it is. */
static void find_tools_target(const char *root, struct kdump_system *kdump)
{
	static const char *const keys[] = { "SSH", "NFS", "FTP" };
	static const char *const kinds[] = { "ssh", "nfs", "ftp" };
	char value[SETTING_LENGTH];

	for (int i = 0; i < 3; i++) {
		kdump_get(root, tools_config, keys[i], "", value);
		if (!*value)
			continue;
		snprintf(kdump->target, sizeof(kdump->target), "%s %.1000s", kinds[i], value);
		if (i == 0)
			kdump_get(root, tools_config, "SSH_KEY", "/root/.ssh/kdump_id_rsa", kdump->key);
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
	kdump->from_initramfs = kdump_captures_in_initramfs(root);
	kdump_set_collector(kdump, kdump->from_initramfs || (saver && !*kdump->target) ? "nsplit" : "makedumpfile");
	kdump_set_caller(root, kdump);
	/* The script of the initramfs takes the level of nsplit.conf, and saves to the disks that it has mounted. */
	if (kdump->from_initramfs)
		return;
	kdump_get(root, tools_config, "MAKEDUMP_ARGS", "-F -c -d 31", kdump->options);
	kdump_get(root, tools_config, "KDUMP_COREDIR", "/var/crash", kdump->directory);
}

void kdump_find_tools(const char *root, struct kdump_system *kdump)
{
	char value[SETTING_LENGTH];

	*kdump = (struct kdump_system){ .kind = KDUMP_TOOLS, .name = "kdump-tools", .config = tools_config };
	kdump_get(root, tools_config, "USE_KDUMP", "0", value);
	if (strcmp(value, "0") == 0)
		kdump->disabled = "USE_KDUMP is not 1 in /etc/default/kdump-tools";
	else if (!kdump_is_enabled(root, "kdump-tools.service"))
		kdump->disabled = "kdump-tools.service is not enabled";
	find_tools_target(root, kdump);
	find_tools_collector(root, kdump);
	kdump->cpus = kdump_cpus_set(root, tools_config, command_line, "nr_cpus=1");
	kdump_get(root, tools_config, "KDUMP_INITRD", "/var/lib/kdump/initrd.img", value);
	kdump_set_initramfs(root, value, kdump);
}
