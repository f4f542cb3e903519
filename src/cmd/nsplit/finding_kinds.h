// SPDX-License-Identifier: GPL-2.0-or-later
/* What nsplit --check-params can find: the names and severities, which scripts rely on. */
#ifndef NSPLIT_CMD_NSPLIT_FINDING_KINDS_H
#define NSPLIT_CMD_NSPLIT_FINDING_KINDS_H

/* From worst to best. */
enum finding_severity {
	FOUND_ERROR,		/* the dump would be lost */
	FOUND_WARNING,		/* there would be a dump, but not the one that was asked for */
	FOUND_NOTE,		/* this may be intended */
	FOUND_UNCHECKED,	/* this cannot be known, or not here */
	FOUND_GOOD,
	FOUND_SEVERITIES,
};

/* In the order of the table in finding_kinds.c and of nsplit(1), FINDINGS. */
enum finding_kind {
	FINDING_NONE,		/* what is in order has no name */
	FINDING_SOURCE_UNUSABLE,
	FINDING_SOURCE_LENGTH,
	FINDING_PAGES,
	FINDING_SPEED,
	FINDING_KEXEC_MISSING,
	FINDING_CRASHKERNEL_MISSING,
	FINDING_CRASHKERNEL_FAILED,
	FINDING_CRASHKERNEL_UNKNOWN,
	FINDING_KERNEL_NOT_LOADED,
	FINDING_KERNEL_UNKNOWN,
	FINDING_OOPS_NO_DUMP,
	FINDING_OOPS_UNKNOWN,
	FINDING_OUTPUT_REFUSED,
	FINDING_OUTPUT_UNUSABLE,
	FINDING_OUTPUT_IN_MEMORY,
	FINDING_OUTPUT_NOT_MOUNTED,
	FINDING_OUTPUT_NOT_IN_FSTAB,
	FINDING_OUTPUT_ON_ROOT,
	FINDING_OUTPUT_SAVES_NOTHING,
	FINDING_OUTPUT_UNKNOWN,
	FINDING_OUTPUTS_NONE,
	FINDING_OUTPUTS_CONFLICT,
	FINDING_COMMAND_WRONG,
	FINDING_COMMAND_ENVIRONMENT,
	FINDING_STATS_UNWRITABLE,
	FINDING_SPACE_TOO_SMALL,
	FINDING_SPACE_UNKNOWN,
	FINDING_MEMORY_LIMIT,
	FINDING_MEMORY_TOO_SMALL,
	FINDING_MEMORY_SHORT,
	FINDING_MEMORY_UNKNOWN,
	FINDING_MEMORY_INITRAMFS,
	FINDING_KINDS,
};

/* The name that scripts see, such as "kernel-not-loaded". */
const char *finding_name(enum finding_kind kind);
enum finding_severity finding_severity(enum finding_kind kind);

/* "error", "warning", "note", "unchecked" or "ok". */
const char *finding_severity_name(enum finding_severity severity);

#endif
