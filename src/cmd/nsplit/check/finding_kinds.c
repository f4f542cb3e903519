// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "cmd/nsplit/check/finding_kinds.h"

/* tests/cli/nsplit-check-names.sh compares these lines with nsplit(1). */
static const struct {
	const char *name;
	enum finding_severity severity;
} kinds[FINDING_KINDS] = {
	[FINDING_NONE] = { "", FOUND_GOOD },
	[FINDING_CONFIG_UNSAFE] = { "config-unsafe", FOUND_WARNING },
	[FINDING_SOURCE_UNUSABLE] = { "source-unusable", FOUND_ERROR },
	[FINDING_SOURCE_LENGTH] = { "source-length", FOUND_UNCHECKED },
	[FINDING_PAGES] = { "pages", FOUND_UNCHECKED },
	[FINDING_SPEED] = { "speed", FOUND_UNCHECKED },
	[FINDING_KEXEC_MISSING] = { "kexec-missing", FOUND_ERROR },
	[FINDING_CRASHKERNEL_MISSING] = { "crashkernel-missing", FOUND_ERROR },
	[FINDING_CRASHKERNEL_FAILED] = { "crashkernel-failed", FOUND_ERROR },
	[FINDING_CRASHKERNEL_UNKNOWN] = { "crashkernel-unknown", FOUND_UNCHECKED },
	[FINDING_KERNEL_NOT_LOADED] = { "kernel-not-loaded", FOUND_ERROR },
	[FINDING_KERNEL_UNKNOWN] = { "kernel-unknown", FOUND_UNCHECKED },
	[FINDING_OOPS_NO_DUMP] = { "oops-no-dump", FOUND_NOTE },
	[FINDING_OOPS_UNKNOWN] = { "oops-unknown", FOUND_UNCHECKED },
	[FINDING_OUTPUT_REFUSED] = { "output-refused", FOUND_ERROR },
	[FINDING_OUTPUT_UNUSABLE] = { "output-unusable", FOUND_WARNING },
	[FINDING_OUTPUT_IN_MEMORY] = { "output-in-memory", FOUND_ERROR },
	[FINDING_OUTPUT_NOT_MOUNTED] = { "output-not-mounted", FOUND_ERROR },
	[FINDING_OUTPUT_NOT_IN_FSTAB] = { "output-not-in-fstab", FOUND_NOTE },
	[FINDING_OUTPUT_ON_ROOT] = { "output-on-root", FOUND_NOTE },
	[FINDING_OUTPUT_SAVES_NOTHING] = { "output-saves-nothing", FOUND_NOTE },
	[FINDING_OUTPUT_NOT_STORED] = { "output-not-stored", FOUND_WARNING },
	[FINDING_OUTPUT_UNKNOWN] = { "output-unknown", FOUND_UNCHECKED },
	[FINDING_OUTPUTS_NONE] = { "outputs-none", FOUND_UNCHECKED },
	[FINDING_OUTPUTS_CONFLICT] = { "outputs-conflict", FOUND_ERROR },
	[FINDING_COMMAND_WRONG] = { "command-wrong", FOUND_WARNING },
	[FINDING_COMMAND_ENVIRONMENT] = { "command-environment", FOUND_UNCHECKED },
	[FINDING_STATS_UNWRITABLE] = { "stats-unwritable", FOUND_WARNING },
	[FINDING_SPACE_TOO_SMALL] = { "space-too-small", FOUND_ERROR },
	[FINDING_SPACE_UNKNOWN] = { "space-unknown", FOUND_UNCHECKED },
	[FINDING_MEMORY_LIMIT] = { "memory-limit", FOUND_ERROR },
	[FINDING_MEMORY_TOO_SMALL] = { "memory-too-small", FOUND_ERROR },
	[FINDING_MEMORY_SHORT] = { "memory-short", FOUND_WARNING },
	[FINDING_MEMORY_UNKNOWN] = { "memory-unknown", FOUND_UNCHECKED },
	[FINDING_MEMORY_INITRAMFS] = { "memory-initramfs", FOUND_UNCHECKED },
	[FINDING_SYSTEM_UNKNOWN] = { "system-unknown", FOUND_WARNING },
	[FINDING_KDUMP_NONE] = { "kdump-none", FOUND_NOTE },
	[FINDING_KDUMP_DISABLED] = { "kdump-disabled", FOUND_ERROR },
	[FINDING_COLLECTOR_MISSING] = { "collector-missing", FOUND_ERROR },
	[FINDING_COLLECTOR_NOT_NSPLIT] = { "collector-not-nsplit", FOUND_WARNING },
	[FINDING_COLLECTOR_BROKEN] = { "collector-broken", FOUND_WARNING },
	[FINDING_COLLECTOR_OTHER_BUILD] = { "collector-other-build", FOUND_WARNING },
	[FINDING_COLLECTOR_OPTIONS] = { "collector-options", FOUND_WARNING },
	[FINDING_COLLECTOR_SAVES_NOTHING] = { "collector-saves-nothing", FOUND_ERROR },
	[FINDING_COLLECTOR_LEVEL] = { "collector-level", FOUND_WARNING },
	[FINDING_COLLECTOR_UNKNOWN] = { "collector-unknown", FOUND_UNCHECKED },
	[FINDING_LOCKDOWN_KEXEC] = { "lockdown-kexec", FOUND_ERROR },
	[FINDING_LOCKDOWN] = { "lockdown", FOUND_NOTE },
	[FINDING_SSH_KEY_MISSING] = { "ssh-key-missing", FOUND_ERROR },
	[FINDING_NETWORK_DOWN] = { "network-down", FOUND_ERROR },
	[FINDING_DISK_MISSING] = { "disk-missing", FOUND_WARNING },
	[FINDING_INITRAMFS_MISSING] = { "initramfs-missing", FOUND_WARNING },
	[FINDING_INITRAMFS_UNKNOWN] = { "initramfs-unknown", FOUND_UNCHECKED },
	[FINDING_INITRAMFS_STALE] = { "initramfs-stale", FOUND_WARNING },
	[FINDING_INITRAMFS_NO_NSPLIT] = { "initramfs-no-nsplit", FOUND_ERROR },
	[FINDING_INITRAMFS_OTHER_BUILD] = { "initramfs-other-build", FOUND_WARNING },
	[FINDING_INITRAMFS_LIBRARY] = { "initramfs-library", FOUND_ERROR },
	[FINDING_INITRAMFS_CONFIG] = { "initramfs-config", FOUND_WARNING },
	[FINDING_INITRAMFS_KEY] = { "initramfs-key", FOUND_ERROR },
	[FINDING_INITRAMFS_PROGRAM] = { "initramfs-program", FOUND_WARNING },
	[FINDING_DRIVER_MISSING] = { "driver-missing", FOUND_ERROR },
	[FINDING_DRIVER_UNKNOWN] = { "driver-unknown", FOUND_UNCHECKED },
};

const char *finding_name(enum finding_kind kind)
{
	return kinds[kind].name;
}

enum finding_kind finding_of_name(const char *name)
{
	for (int kind = 0; kind < FINDING_KINDS; kind++)
		if (strcmp(kinds[kind].name, name) == 0)
			return (enum finding_kind)kind;
	return FINDING_SYSTEM_UNKNOWN;
}

enum finding_severity finding_severity(enum finding_kind kind)
{
	return kinds[kind].severity;
}

const char *finding_severity_name(enum finding_severity severity)
{
	static const char *const names[FOUND_SEVERITIES] = {
		[FOUND_ERROR] = "error", [FOUND_WARNING] = "warning", [FOUND_NOTE] = "note",
		[FOUND_UNCHECKED] = "unchecked", [FOUND_GOOD] = "ok",
	};

	return names[severity];
}
