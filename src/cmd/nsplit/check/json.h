// SPDX-License-Identifier: GPL-2.0-or-later
/* nsplit --check-params --json: what was found, as a JSON object.  nsplit(1) describes the fields. */
#ifndef NSPLIT_CMD_NSPLIT_CHECK_JSON_H
#define NSPLIT_CMD_NSPLIT_CHECK_JSON_H

#include <stdio.h>

#include "cmd/nsplit/check/memory.h"
#include "cmd/nsplit/check/system.h"
#include "cmd/nsplit/check/findings.h"
#include "cmd/nsplit/options.h"
#include "io/sink.h"

struct check_report {
	const struct nsplit_options *options;
	const struct findings *found;
	const struct source *source;		/* NULL: it could not be opened */
	const struct sink *sinks;		/* one for each output of the options; NULL: not probed */
	const struct crash_kernel *kernel;	/* NULL: this kernel captures */
	struct memory_checked memory;
	const struct system_checked *system;	/* NULL: not looked at */
};

/* Errors are left to ferror(). */
void check_json_write(const struct check_report *report, FILE *file);

#endif
