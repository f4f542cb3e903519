// SPDX-License-Identifier: GPL-2.0-or-later
/* kdump of openSUSE and SLES: /etc/sysconfig/kdump. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "system/kdump_find.h"

static const char suse_config[] = "/etc/sysconfig/kdump";
static const char *const command_line[] = { "KDUMP_COMMANDLINE", "KDUMP_COMMANDLINE_APPEND" };

/* "user:password@host/directory": it must not be printed. */
static void remove_password(char *url)
{
	char *at = strrchr(url, '@');
	char *colon = at ? memchr(url, ':', (size_t)(at - url)) : NULL;

	if (colon)
		memmove(colon, at, strlen(at) + 1);
}

/* A URL, of which a directory is one, too. */
static void find_suse_target(const char *root, struct kdump_system *kdump)
{
	char value[SETTING_LENGTH], *colon;

	kdump_get(root, suse_config, "KDUMP_SAVEDIR", "/var/crash", value);
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
	remove_password(colon + 3);
	snprintf(kdump->target, sizeof(kdump->target), "%.64s %.900s", value, colon + 3);
	if (strcmp(value, "ssh") != 0)
		return;
	/* Names without a directory are in root's. */
	kdump_get(root, suse_config, "KDUMP_SSH_IDENTITY", "", value);
	value[strcspn(value, " ")] = '\0';
	if (*value)
		snprintf(kdump->key, sizeof(kdump->key), "%s%.1000s", *value == '/' ? "" : "/root/.ssh/", value);
}

/* Is the first word the program itself? */
static bool is_nsplit(const char *command)
{
	size_t length = strcspn(command, " \t");
	const char *slash = memrchr(command, '/', length), *name = slash ? slash + 1 : command;

	return strncmp(name, "nsplit", (size_t)(command + length - name)) == 0 && command + length - name == 6;
}

/*
 * KDUMP_TRANSFER='nsplit-kdump-transfer "$KDUMP_SAVEDIR" -c -d 31 || ...': the options of nsplit are between the
 * directory and what is called if it fails.
 */
static void find_suse_collector(const char *root, struct kdump_system *kdump)
{
	static const char transfer[] = "nsplit-kdump-transfer";
	char value[SETTING_LENGTH], *end, *options;

	kdump_get(root, suse_config, "KDUMP_TRANSFER", "", value);
	if (strncmp(value, transfer, strlen(transfer)) == 0) {
		end = strstr(value, "||");
		if (end)
			*end = '\0';
		options = strstr(value, " -");
		kdump_set_collector(kdump, "nsplit");
		snprintf(kdump->options, sizeof(kdump->options), "%s", options ? options + 1 : "");
	} else {
		if (is_nsplit(value))
			kdump->misuse = "KDUMP_TRANSFER calls nsplit itself, without a source and an output; call "
					"nsplit-kdump-transfer";
		kdump_set_collector(kdump, *value ? value : "makedumpfile");
		kdump_get(root, suse_config, "KDUMP_DUMPLEVEL", "31", value);
		snprintf(kdump->options, sizeof(kdump->options), "-d %.64s", value);
	}
	kdump_set_caller(root, kdump);
}

void kdump_find_suse(const char *root, struct kdump_system *kdump)
{
	char value[SETTING_LENGTH], release[128], name[PATH_MAX];

	*kdump = (struct kdump_system){ .kind = KDUMP_SUSE, .name = "SUSE kdump", .config = suse_config,
					.from_initramfs = true };
	if (!kdump_is_enabled(root, "kdump.service"))
		kdump->disabled = "kdump.service is not enabled";
	find_suse_target(root, kdump);
	find_suse_collector(root, kdump);
	kdump_get(root, suse_config, "KDUMP_CPUS", "32", value);
	kdump->cpus = kdump_fewer_cpus((unsigned)strtoul(value, NULL, 10),
				       kdump_cpus_set(root, suse_config, command_line, ""));
	/* Before kdump 2.0, it was beside the kernel. */
	kdump_release(root, release);
	snprintf(name, sizeof(name), "/boot/initrd-%s-kdump", release);
	kdump_set_initramfs(root, rooted_exists(root, name) ? name : "/var/lib/kdump/initrd", kdump);
}
