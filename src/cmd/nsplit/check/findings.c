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

static const struct {
	const char *name;
	enum finding_severity severity;
} kinds[FINDING_KINDS] = {
	[FINDING_NONE] = { "", FOUND_GOOD },
#define FINDING(kind, name, severity) [FINDING_##kind] = { name, FOUND_##severity },
	FINDINGS
#undef FINDING
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
	add(found, (struct finding){ .kind = kind, .severity = kinds[kind].severity }, text);
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
		.kind = kind, .severity = kinds[kind].severity, .usage = status == STATUS_USAGE,
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
