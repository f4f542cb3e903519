// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command line with which this system's kdump calls nsplit, as far as it is known here: options, threads,
 * and a file in the directory of its dumps.
 */
#ifndef NSPLIT_CMD_NSPLIT_COLLECTOR_CALL_H
#define NSPLIT_CMD_NSPLIT_COLLECTOR_CALL_H

#include "cmd/nsplit/options.h"
#include "system/kdump_system.h"

/* The texts that options read from it point to. */
struct collector_call {
	char words[SETTING_LENGTH];
	char level[16], codec[32], threads[16];
	char output[2 * PATH_MAX];
	char **argv;			/* owned; its words are not; nsplit's, also if kdump calls makedumpfile */
	int argc;
	char text[2 * SETTING_LENGTH];	/* the command line of kdump, for messages; what does not fit is cut off */
};

/* configured: the options of a command line without any, which are those of nsplit.conf.  STATUS_NO_MEMORY. */
enum status collector_call_make(struct collector_call *call, const char *root, const struct kdump_system *kdump,
				const struct nsplit_options *configured, struct error *e);

void collector_call_free(struct collector_call *call);

#endif
