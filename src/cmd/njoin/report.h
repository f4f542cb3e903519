// SPDX-License-Identifier: GPL-2.0-or-later
/* Messages about damaged members and unreadable parts of the source, and a count of both. */
#ifndef NSPLIT_CMD_NJOIN_REPORT_H
#define NSPLIT_CMD_NJOIN_REPORT_H

#include "cmd/common/message.h"

struct dump;

struct njoin_findings {
	bool plain;			/* the members are a plain core or a dump, which nobody has captured */
	const struct dump *dump;	/* a dump; borrowed */
	uint64_t dump_pages;		/* that are missing, if all of it was read */
	/* Any thread adds to these. */
	struct message_list unreadable;	/* ranges */
	struct message_list damage;	/* records and members */
};

/* Results of njoin, from best to worst.  The worst finding determines the exit status. */
enum njoin_finding {
	FOUND_PERFECT,
	FOUND_UNREADABLE,		/* data that could not be read when it was captured */
	FOUND_INCOMPLETE,		/* data that is missing or damaged */
	FOUND_FAILURE,			/* an error that ended the work */
	FOUND_USAGE,			/* wrong options or operands, or an output that was refused */
};

/* Reports an error that ends the work. */
enum njoin_finding njoin_failed(const struct error *e);

/*
 * A line of --info and --list, without its newline.  They read only indexes, so they do not see damaged
 * records.
 */
extern const char records_not_checked[];

/* arg is struct njoin_findings.  Any thread may call these. */
void njoin_report_unreadable(void *arg, uint64_t offset, uint64_t length);
void njoin_report_damage(void *arg, const struct error *e);

/* Reports the number of unreadable ranges that were not listed. */
void njoin_report_more_unreadable(const struct njoin_findings *f);

#endif
