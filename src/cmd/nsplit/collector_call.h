// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command line with which this system's kdump calls nsplit, as far as it is known here: options, threads,
 * and a file in the directory of its dumps.  --check-params, --estimate and --drill are about that if they are given
 * no operands.
 */
#ifndef NSPLIT_CMD_NSPLIT_COLLECTOR_CALL_H
#define NSPLIT_CMD_NSPLIT_COLLECTOR_CALL_H

#include "cmd/nsplit/options.h"
#include "system/kdump_system.h"

/* The texts that options read from it point to. */
struct collector_call {
	char words[SETTING_LENGTH];
	char level[16], threads[16];
	char output[2 * PATH_MAX];
	char **argv;			/* owned; its words are not */
	int argc;
	int own, own_end;		/* the words of this program's own command line, from own on */
};

enum { CALL_TEXT_LENGTH = 2 * SETTING_LENGTH };

/*
 * The call, with the options of this program's own command line after the others.
 * given: that command line as it was read, and its words.  STATUS_NO_MEMORY.
 */
enum status collector_call_make(struct collector_call *call, const char *root,
				const struct kdump_system *kdump, const struct nsplit_options *given,
				int argc, char **argv, struct error *e);

/* The command line without words of this program's own, for messages; what does not fit is cut off. */
const char *collector_call_format(const struct collector_call *call, char text[CALL_TEXT_LENGTH]);

void collector_call_free(struct collector_call *call);

#endif
