// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The kinds of findings of nsplit --check-params, whose names and severities scripts rely on, and the findings of a check,
 * in the order in which they were made.
 */
#ifndef NSPLIT_CMD_NSPLIT_CHECK_FINDINGS_H
#define NSPLIT_CMD_NSPLIT_CHECK_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* From worst to best. */
enum finding_severity {
	FOUND_ERROR,		/* the dump would be lost */
	FOUND_WARNING,		/* there would be a dump, but not the one that was asked for */
	FOUND_NOTE,		/* this may be intended */
	FOUND_UNCHECKED,	/* this cannot be known, or not here */
	FOUND_GOOD,
	FOUND_SEVERITIES,
};

/* In the order of the table in findings.c and of nsplit-check(1), FINDINGS. */
enum finding_kind {
	FINDING_NONE,		/* what is in order has no name */
	FINDING_CONFIG_UNSAFE,
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
	FINDING_OUTPUT_NOT_STORED,
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
	FINDING_SYSTEM_UNKNOWN,
	FINDING_KDUMP_NONE,
	FINDING_KDUMP_DISABLED,
	FINDING_COLLECTOR_MISSING,
	FINDING_COLLECTOR_NOT_NSPLIT,
	FINDING_COLLECTOR_BROKEN,
	FINDING_COLLECTOR_OTHER_BUILD,
	FINDING_COLLECTOR_OPTIONS,
	FINDING_COLLECTOR_SAVES_NOTHING,
	FINDING_COLLECTOR_LEVEL,
	FINDING_COLLECTOR_UNKNOWN,
	FINDING_LOCKDOWN_KEXEC,
	FINDING_LOCKDOWN,
	FINDING_SSH_KEY_MISSING,
	FINDING_NETWORK_DOWN,
	FINDING_DISK_MISSING,
	FINDING_INITRAMFS_MISSING,
	FINDING_INITRAMFS_UNKNOWN,
	FINDING_INITRAMFS_STALE,
	FINDING_INITRAMFS_NO_NSPLIT,
	FINDING_INITRAMFS_OTHER_BUILD,
	FINDING_INITRAMFS_LIBRARY,
	FINDING_INITRAMFS_CONFIG,
	FINDING_INITRAMFS_KEY,
	FINDING_INITRAMFS_PROGRAM,
	FINDING_DRIVER_MISSING,
	FINDING_DRIVER_UNKNOWN,
	FINDING_KINDS,
};

/* The name that scripts see, such as "kernel-not-loaded". */
const char *finding_name(enum finding_kind kind);
/* FINDING_SYSTEM_UNKNOWN for a name that is none of these: nsplit-check-system is of another version. */
enum finding_kind finding_of_name(const char *name);
enum finding_severity finding_severity(enum finding_kind kind);

/* "error", "warning", "note", "unchecked" or "ok". */
const char *finding_severity_name(enum finding_severity severity);

struct finding {
	enum finding_kind kind;
	enum finding_severity severity;
	bool usage;		/* of an error: the command line or the configuration is wrong */
	char *text;		/* one sentence; owned */
};

/* Zero at the beginning; findings_free() at the end. */
struct findings {
	struct finding *list;
	size_t count;
	bool incomplete;	/* there was no memory for one */
};

/* What is in order. */
void found_good(struct findings *found, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* A finding, with the severity of its kind. */
void found_kind(struct findings *found, enum finding_kind kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

/* The same for an error, unless the status is STATUS_OK.  Returns whether it is. */
bool found_no_error(struct findings *found, enum finding_kind kind, enum status status,
		    const struct error *e);

/* Changes the severity of the findings of a kind, from number first on. */
void findings_set_severity(struct findings *found, enum finding_kind kind, size_t first,
			   enum finding_severity severity);

/* How many have a severity. */
unsigned findings_of(const struct findings *found, enum finding_severity severity);

/* EXIT_USAGE if an error is in the command line or the configuration, EXIT_FAILED for others. */
int findings_exit_status(const struct findings *found);

/*
 * Prints them as messages: errors and warnings only, or if verbose all of them, and as the last line how
 * many there are of each.
 */
void findings_print(const struct findings *found, bool verbose);

void findings_free(struct findings *found);

#endif
