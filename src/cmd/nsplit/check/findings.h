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

/*
 * Each kind with its name and its severity, in the order of nsplit-check(1), FINDINGS.  tests/cli/nsplit-check-names.sh
 * compares these lines with it.
 */
#define FINDINGS \
	FINDING(CONFIG_UNSAFE, "config-unsafe", WARNING) \
	FINDING(SOURCE_UNUSABLE, "source-unusable", ERROR) \
	FINDING(SOURCE_LENGTH, "source-length", UNCHECKED) \
	FINDING(PAGES, "pages", UNCHECKED) \
	FINDING(SPEED, "speed", UNCHECKED) \
	FINDING(KEXEC_MISSING, "kexec-missing", ERROR) \
	FINDING(CRASHKERNEL_MISSING, "crashkernel-missing", ERROR) \
	FINDING(CRASHKERNEL_FAILED, "crashkernel-failed", ERROR) \
	FINDING(CRASHKERNEL_UNKNOWN, "crashkernel-unknown", UNCHECKED) \
	FINDING(KERNEL_NOT_LOADED, "kernel-not-loaded", ERROR) \
	FINDING(KERNEL_UNKNOWN, "kernel-unknown", UNCHECKED) \
	FINDING(OOPS_NO_DUMP, "oops-no-dump", NOTE) \
	FINDING(OOPS_UNKNOWN, "oops-unknown", UNCHECKED) \
	FINDING(OUTPUT_REFUSED, "output-refused", ERROR) \
	FINDING(OUTPUT_UNUSABLE, "output-unusable", WARNING) \
	FINDING(OUTPUT_IN_MEMORY, "output-in-memory", ERROR) \
	FINDING(OUTPUT_NOT_MOUNTED, "output-not-mounted", ERROR) \
	FINDING(OUTPUT_NOT_IN_FSTAB, "output-not-in-fstab", NOTE) \
	FINDING(OUTPUT_ON_ROOT, "output-on-root", NOTE) \
	FINDING(OUTPUT_SAVES_NOTHING, "output-saves-nothing", NOTE) \
	FINDING(OUTPUT_NOT_STORED, "output-not-stored", WARNING) \
	FINDING(OUTPUT_UNKNOWN, "output-unknown", UNCHECKED) \
	FINDING(OUTPUTS_NONE, "outputs-none", UNCHECKED) \
	FINDING(OUTPUTS_CONFLICT, "outputs-conflict", ERROR) \
	FINDING(COMMAND_WRONG, "command-wrong", WARNING) \
	FINDING(COMMAND_ENVIRONMENT, "command-environment", UNCHECKED) \
	FINDING(STATS_UNWRITABLE, "stats-unwritable", WARNING) \
	FINDING(SPACE_TOO_SMALL, "space-too-small", ERROR) \
	FINDING(SPACE_UNKNOWN, "space-unknown", UNCHECKED) \
	FINDING(MEMORY_LIMIT, "memory-limit", ERROR) \
	FINDING(MEMORY_TOO_SMALL, "memory-too-small", ERROR) \
	FINDING(MEMORY_SHORT, "memory-short", WARNING) \
	FINDING(MEMORY_UNKNOWN, "memory-unknown", UNCHECKED) \
	FINDING(MEMORY_INITRAMFS, "memory-initramfs", UNCHECKED) \
	FINDING(SYSTEM_UNKNOWN, "system-unknown", WARNING) \
	FINDING(KDUMP_NONE, "kdump-none", NOTE) \
	FINDING(KDUMP_DISABLED, "kdump-disabled", ERROR) \
	FINDING(COLLECTOR_MISSING, "collector-missing", ERROR) \
	FINDING(COLLECTOR_NOT_NSPLIT, "collector-not-nsplit", WARNING) \
	FINDING(COLLECTOR_BROKEN, "collector-broken", WARNING) \
	FINDING(COLLECTOR_OTHER_BUILD, "collector-other-build", WARNING) \
	FINDING(COLLECTOR_OPTIONS, "collector-options", WARNING) \
	FINDING(COLLECTOR_SAVES_NOTHING, "collector-saves-nothing", ERROR) \
	FINDING(COLLECTOR_LEVEL, "collector-level", WARNING) \
	FINDING(COLLECTOR_UNKNOWN, "collector-unknown", UNCHECKED) \
	FINDING(LOCKDOWN_KEXEC, "lockdown-kexec", ERROR) \
	FINDING(LOCKDOWN, "lockdown", NOTE) \
	FINDING(SSH_KEY_MISSING, "ssh-key-missing", ERROR) \
	FINDING(NETWORK_DOWN, "network-down", ERROR) \
	FINDING(DISK_MISSING, "disk-missing", WARNING) \
	FINDING(INITRAMFS_MISSING, "initramfs-missing", WARNING) \
	FINDING(INITRAMFS_UNKNOWN, "initramfs-unknown", UNCHECKED) \
	FINDING(INITRAMFS_STALE, "initramfs-stale", WARNING) \
	FINDING(INITRAMFS_NO_NSPLIT, "initramfs-no-nsplit", ERROR) \
	FINDING(INITRAMFS_OTHER_BUILD, "initramfs-other-build", WARNING) \
	FINDING(INITRAMFS_LIBRARY, "initramfs-library", ERROR) \
	FINDING(INITRAMFS_CONFIG, "initramfs-config", WARNING) \
	FINDING(INITRAMFS_KEY, "initramfs-key", ERROR) \
	FINDING(INITRAMFS_PROGRAM, "initramfs-program", WARNING) \
	FINDING(DRIVER_MISSING, "driver-missing", ERROR) \
	FINDING(DRIVER_UNKNOWN, "driver-unknown", UNCHECKED)

enum finding_kind {
	FINDING_NONE,		/* what is in order has no name */
#define FINDING(kind, name, severity) FINDING_##kind,
	FINDINGS
#undef FINDING
	FINDING_KINDS,
};

/* The name that scripts see, such as "kernel-not-loaded". */
const char *finding_name(enum finding_kind kind);
/* FINDING_SYSTEM_UNKNOWN for a name that is none of these: nsplit-check-system is of another version. */
enum finding_kind finding_of_name(const char *name);

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
