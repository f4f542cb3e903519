// SPDX-License-Identifier: GPL-2.0-or-later
/* How njoin ends: its exit status, or a signal. */
#ifndef NSPLIT_CMD_NJOIN_EXIT_H
#define NSPLIT_CMD_NJOIN_EXIT_H

#include "cmd/njoin.h"

/* Results of njoin, from best to worst.  The worst finding determines the exit status. */
enum njoin_finding {
	FOUND_PERFECT,
	FOUND_UNREADABLE,		/* data that could not be read when it was captured */
	FOUND_INCOMPLETE,		/* data that is missing or damaged */
	FOUND_FAILURE,			/* an error that ended the work */
	FOUND_USAGE,			/* wrong options or operands, or an output that was refused */
};

enum exit_status njoin_exit_status(const struct njoin_options *o, enum njoin_finding worst);

/* Reports an error that ends the work. */
enum njoin_finding njoin_failed(const struct error *e);

/* Removes unfinished output files and dies of the signal that asked to stop. */
void njoin_die(struct njoin *njoin);

#endif
