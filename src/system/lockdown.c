// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "system/lockdown.h"
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
