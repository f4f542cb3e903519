// SPDX-License-Identifier: GPL-2.0-or-later
/* nsplit: captures a core on N threads to K outputs. */
#include "config.h"

#include "cmd/nsplit/check.h"
#include "cmd/nsplit/nsplit.h"

int main(int argc, char **argv)
{
	struct nsplit nsplit;
	int status;

	message_open_standard();
	nsplit_begin(&nsplit);
	status = nsplit_options_read(&nsplit.options, argc, argv);
	if (status == OPTIONS_READ && nsplit.options.check_params) {
		status = nsplit_check(&nsplit.options);
	} else if (status == OPTIONS_READ) {
		nsplit_supervise(&nsplit, NULL);
		status = nsplit_run(&nsplit);
	}
	return nsplit_end(&nsplit, status);
}
