// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "system/kdump_find.h"

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
		kdump_find_tools(root, kdump);
	else if (kdump_find_program(root, "kdumpctl", &found))
		kdump_find_utils(root, kdump);
	else if (kdump_find_program(root, "mkdumprd", &found))
		kdump_find_suse(root, kdump);
	else if (kdump_captures_in_initramfs(root))
		kdump_find_initramfs(root, kdump);
	else
		*kdump = (struct kdump_system){ .name = "none", .cpus = 1 };
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
