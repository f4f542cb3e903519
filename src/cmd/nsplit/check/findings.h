// SPDX-License-Identifier: GPL-2.0-or-later
/* The findings of a check, in the order in which they were made. */
#ifndef NSPLIT_CMD_NSPLIT_CHECK_FINDINGS_H
#define NSPLIT_CMD_NSPLIT_CHECK_FINDINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "cmd/nsplit/check/finding_kinds.h"

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
