// SPDX-License-Identifier: GPL-2.0-or-later
/* The result of a capture of a drill, in one sentence. */
#ifndef NSPLIT_CMD_NSPLIT_DRILL_REPORT_H
#define NSPLIT_CMD_NSPLIT_DRILL_REPORT_H

#include "cmd/nsplit/drill/run.h"

enum drill_verified {
	VERIFIED_NOTHING,	/* the capture has failed or was stopped */
	NOT_STORED,		/* null: */
	NOT_VERIFIED,		/* a part is where njoin cannot read it */
	NO_CHECKSUMS,
	VERIFIED,
	VERIFIED_DAMAGED,
};

struct drill_result {
	unsigned outputs, failed;
	enum drill_verified verified;
	unsigned here;		/* outputs that are files or devices of this machine */
	bool removed;		/* nothing of it is left in these */
	/* By drill_result_take(): */
	int exit_status;
	bool captured;		/* the figures are known */
	bool memory_short;	/* for a capture, which was tried even so */
	uint64_t source_bytes, member_bytes;
	double seconds;
	uint64_t memory;	/* bytes that there were; UINT64_MAX: no limit */
	bool limited, peak_known;
	uint64_t peak;
};

void drill_result_take(struct drill_result *r, const struct drill_run *run);

/* Would a crash have made a complete dump, with all outputs, and is nothing left of the drill? */
bool drill_result_good(const struct drill_result *r);

/* fallback: its name, or NULL.  quiet: a good result is not reported. */
void drill_result_report(const struct drill_result *r, const char *fallback, bool quiet);

#endif
