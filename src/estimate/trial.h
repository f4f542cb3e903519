// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A short trial of a file system: a file without a name is written in the directory of an output, synced, and
 * gone afterwards, also if this process is killed.  It is made by another process, since a call on a file
 * system that hangs does not return.
 */
#ifndef NSPLIT_ESTIMATE_TRIAL_H
#define NSPLIT_ESTIMATE_TRIAL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

struct trial {
	uint64_t bytes;			/* that were written and synced */
	double seconds;
	double cpu_seconds;		/* of them; a file system in memory, or with a page cache, takes the CPU */
};

/* What a trial may take. */
struct trial_limits {
	uint64_t bytes;
	double write_seconds;		/* to write them; then they are synced */
	double seconds;			/* to wait for the end of it */
};

/*
 * Writes next to the file name, which need not exist.  Any failure says why there is no result; the error
 * begins with the directory's name.
 */
enum status trial_make(struct trial *trial, const char *name, const struct trial_limits *limits, struct error *e);

#endif
