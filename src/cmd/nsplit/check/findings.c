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

const char *const finding_severities[FOUND_SEVERITIES] = {
	[FOUND_ERROR] = "error", [FOUND_WARNING] = "warning", [FOUND_NOTE] = "note",
	[FOUND_UNCHECKED] = "unchecked", [FOUND_GOOD] = "ok",
};

static void add(struct findings *found, struct finding finding, const char *name, const char *text)
{
	finding.name = strdup(name);
	finding.text = strdup(text);
	if (finding.name && finding.text && array_grow(&found->list, found->count, sizeof(*found->list))) {
		found->list[found->count++] = finding;
		return;
	}
	free(finding.name);
	free(finding.text);
	found->incomplete = true;
}

void found_add(struct findings *found, enum finding_severity severity, const char *name, const char *format, ...)
{
	char text[sizeof(((struct error *)NULL)->text)];
	va_list values;

	va_start(values, format);
	vsnprintf(text, sizeof(text), format, values);
	va_end(values);
	add(found, (struct finding){ .severity = severity }, name, text);
}

bool found_no_error(struct findings *found, enum finding_severity severity, const char *name, enum status status,
		    const struct error *e)
{
	if (status)
		add(found, (struct finding){ .severity = severity, .usage = status == STATUS_USAGE }, name, e->text);
	return !status;
}

void findings_set_severity(struct findings *found, const char *name, size_t first, enum finding_severity severity)
{
	for (size_t i = first; i < found->count; i++)
		if (strcmp(found->list[i].name, name) == 0)
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

/* What a line begins with, if all are printed; otherwise, an error begins with nothing. */
static const char *const beginnings[FOUND_SEVERITIES] = {
	[FOUND_ERROR] = "problem", [FOUND_WARNING] = "warning", [FOUND_NOTE] = "note",
	[FOUND_UNCHECKED] = "not checked", [FOUND_GOOD] = "ok",
};

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

		if (verbose || finding->severity == FOUND_WARNING)
			message("%s: %s", beginnings[finding->severity], finding->text);
		else if (finding->severity == FOUND_ERROR)
			message("%s", finding->text);
	}
	if (found->incomplete)
		message("there was too little memory for all findings");
	if (verbose)
		print_counts(found);
}

void findings_free(struct findings *found)
{
	for (size_t i = 0; i < found->count; i++) {
		free(found->list[i].name);
		free(found->list[i].text);
	}
	free(found->list);
	*found = (struct findings){ 0 };
}
