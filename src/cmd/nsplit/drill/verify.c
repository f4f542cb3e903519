// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <sys/wait.h>

#include "cmd/njoin/njoin.h"
#include "cmd/nsplit/drill/verify.h"

static int verify(const struct names *members, enum progress_mode progress, bool quiet)
{
	struct njoin_options j;
	enum status made = STATUS_OK;
	struct error e;
	int status = EXIT_FAILED;

	signals_hold_requests();
	message_begin(true);
	njoin_options_init(&j);
	j.mode = NJOIN_VERIFY;
	j.progress = progress;
	j.quiet = quiet;
	for (size_t i = 0; i < members->count && !made; i++)
		made = names_append(&j.members, members->names[i], MEMBERS_MAX, &e);
	if (made)
		message("drill: %s", e.text);
	else
		status = njoin_run(&j);
	njoin_options_free(&j);
	status = message_close_output(status);
	message_end();
	return status;
}

bool drill_verify(const struct names *members, enum progress_mode progress, bool quiet, struct drill_signals *signals)
{
	struct error e;
	pid_t child;
	int status;

	if (drill_fork(signals, &child, &e)) {
		message("drill: %s", e.text);
		return false;
	}
	if (!child)
		exit(verify(members, progress, quiet));
	status = drill_wait(signals, child);
	return WIFEXITED(status) && !WEXITSTATUS(status);
}
