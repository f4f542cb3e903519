// SPDX-License-Identifier: GPL-2.0-or-later
/* The findings of a check: counted, and printed as messages. */
#ifndef NSPLIT_CMD_NSPLIT_FINDINGS_H
#define NSPLIT_CMD_NSPLIT_FINDINGS_H

#include <stdbool.h>

#include "base/error.h"

struct findings {
	bool verbose;		/* otherwise only problems are printed */
	unsigned good;
	unsigned problems;
	unsigned notes;
	unsigned unchecked;
	int exit_status;	/* EXIT_USAGE if a problem is in the command line, else EXIT_FAILED */
};

/* Begin the line with "ok: ", "note: " and "not checked: ". */
void found_good(struct findings *found, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* A finding that does not prevent a dump, but should be known. */
void found_note(struct findings *found, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
void found_unchecked(struct findings *found, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/* Reports the error unless the status is STATUS_OK.  Returns whether it is. */
bool found_no_error(struct findings *found, enum status status, const struct error *e);

/* The last line: how many of each. */
void findings_count(const struct findings *found);

#endif
