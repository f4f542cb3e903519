// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The findings of nsplit --check-params, in the order in which they were made.  Scripts rely on their names and severities,
 * which nsplit-check(1), FINDINGS, lists; tests/cli/nsplit-check-names.sh compares them.
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

/* "error", "warning", "note", "unchecked" and "ok". */
extern const char *const finding_severities[FOUND_SEVERITIES];

struct finding {
	char *name;		/* that scripts see, such as "kernel-not-loaded"; owned */
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

/* What is in order has the name "". */
void found_add(struct findings *found, enum finding_severity severity, const char *name, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/* The same for an error, unless the status is STATUS_OK.  Returns whether it is. */
bool found_no_error(struct findings *found, enum finding_severity severity, const char *name, enum status status,
		    const struct error *e);

/* Changes the severity of the findings with a name, from number first on. */
void findings_set_severity(struct findings *found, const char *name, size_t first, enum finding_severity severity);

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
