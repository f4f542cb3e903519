// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text.h"
#include "cmd/common/message.h"
#include "cmd/nsplit/check/findings.h"

/* tests/cli/nsplit-check-names.sh compares these lines with nsplit-check(1). */
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

static void add(struct findings *found, struct finding finding, const char *text)
{
	finding.text = strdup(text);
	if (finding.text && array_grow(&found->list, found->count, sizeof(*found->list))) {
		found->list[found->count++] = finding;
		return;
	}
	free(finding.text);
	found->incomplete = true;
}

__attribute__((format(printf, 3, 0)))
static void add_formatted(struct findings *found, enum finding_kind kind, const char *format,
			  va_list values)
{
	char text[sizeof(((struct error *)NULL)->text)];

	vsnprintf(text, sizeof(text), format, values);
	add(found, (struct finding){ .kind = kind, .severity = finding_severity(kind) }, text);
}

void found_good(struct findings *found, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	add_formatted(found, FINDING_NONE, format, values);
	va_end(values);
}

void found_kind(struct findings *found, enum finding_kind kind, const char *format, ...)
{
	va_list values;

	va_start(values, format);
	add_formatted(found, kind, format, values);
	va_end(values);
}

bool found_no_error(struct findings *found, enum finding_kind kind, enum status status,
		    const struct error *e)
{
	if (!status)
		return true;
	add(found, (struct finding){
		.kind = kind, .severity = finding_severity(kind), .usage = status == STATUS_USAGE,
	}, e->text);
	return false;
}

void findings_set_severity(struct findings *found, enum finding_kind kind, size_t first,
			   enum finding_severity severity)
{
	for (size_t i = first; i < found->count; i++)
		if (found->list[i].kind == kind)
			found->list[i].severity = severity;
}

unsigned findings_of(const struct findings *found, enum finding_severity severity)
{
	unsigned count = 0;

	for (size_t i = 0; i < found->count; i++)
		count += found->list[i].severity == severity;
	return count;
}

int findings_exit_status(const struct findings *found)
{
	int status = found->incomplete ? EXIT_FAILED : EXIT_PERFECT;

	for (size_t i = 0; i < found->count; i++) {
		if (found->list[i].severity != FOUND_ERROR)
			continue;
		if (found->list[i].usage)
			return EXIT_USAGE;
		status = EXIT_FAILED;
	}
	return status;
}

/* What a line begins with.  If only errors and warnings are printed, an error begins with nothing. */
static const char *beginning(enum finding_severity severity, bool verbose)
{
	switch (severity) {
	case FOUND_ERROR:
		return verbose ? "problem: " : "";
	case FOUND_WARNING:
		return "warning: ";
	case FOUND_NOTE:
		return "note: ";
	case FOUND_UNCHECKED:
		return "not checked: ";
	default:
		return "ok: ";
	}
}

static void print_counts(const struct findings *found)
{
	unsigned errors = findings_of(found, FOUND_ERROR);
	unsigned warnings = findings_of(found, FOUND_WARNING);
	unsigned notes = findings_of(found, FOUND_NOTE);

	message("%u ok, %u problem%s, %u warning%s, %u note%s, %u not checked",
		findings_of(found, FOUND_GOOD), errors, plural(errors), warnings, plural(warnings),
		notes, plural(notes), findings_of(found, FOUND_UNCHECKED));
}

void findings_print(const struct findings *found, bool verbose)
{
	for (size_t i = 0; i < found->count; i++) {
		const struct finding *finding = &found->list[i];

		if (verbose || finding->severity <= FOUND_WARNING)
			message("%s%s", beginning(finding->severity, verbose), finding->text);
	}
	if (found->incomplete)
		message("there was too little memory for all findings");
	if (verbose)
		print_counts(found);
}

void findings_free(struct findings *found)
{
	for (size_t i = 0; i < found->count; i++)
		free(found->list[i].text);
	free(found->list);
	*found = (struct findings){ 0 };
}
