// SPDX-License-Identifier: GPL-2.0-or-later
/* nsplit: captures a core on N threads to K outputs.  Under the name makedumpfile, it does what that program does. */
#include "config.h"

#include "cmd/makedumpfile/makedumpfile.h"
#include "cmd/nsplit/check/check.h"
#include "cmd/nsplit/drill/drill.h"
#include "cmd/nsplit/estimate/estimate.h"
#include "cmd/nsplit/nsplit.h"

int main(int argc, char **argv)
{
	struct nsplit nsplit;
	int status;

	message_open_standard();
	if (makedumpfile_is_meant(&argc, argv))
		return makedumpfile_main(argc, argv);
	nsplit_begin(&nsplit);
	status = nsplit_options_read(&nsplit.options, argc, argv);
	if (status == OPTIONS_READ && nsplit.options.check_params) {
		status = nsplit_check(&nsplit.options, argc, argv);
	} else if (status == OPTIONS_READ && nsplit.options.drill) {
		status = nsplit_drill(&nsplit);
	} else if (status == OPTIONS_READ && nsplit.options.estimate) {
		status = nsplit_estimate(&nsplit.options);
	} else if (status == OPTIONS_READ) {
		nsplit_supervise(&nsplit, NULL);
		status = nsplit_run(&nsplit);
	}
	return nsplit_end(&nsplit, status);
}
