// SPDX-License-Identifier: GPL-2.0-or-later
/* nsplit: captures a core on N threads to K outputs.  Under the name makedumpfile, it does what that program does. */
#include "config.h"

#include "cmd/makedumpfile/makedumpfile.h"
#include "cmd/nsplit/crash_machine.h"
#include "cmd/nsplit/nsplit.h"

/* Runs --check-params, --drill or --estimate. */
static int before_a_crash(struct nsplit *nsplit, struct drill_capture *c, int argc, char **argv)
{
	struct nsplit_options *o = &nsplit->options;
	struct crash_machine machine;
	struct error e;
	int status;

	if (crash_machine_begin(&machine, o, argc, argv, &e))
		status = message_usage_error(&e);
	else if (o->check_params)
		status = nsplit_check(o, &machine);
	else if (o->drill)
		status = nsplit_drill(nsplit, &machine, c, argc, argv);
	else
		status = nsplit_estimate(o, &machine);
	status = nsplit_end(nsplit, status);
	crash_machine_end(&machine);
	return status;
}

int main(int argc, char **argv)
{
	struct drill_capture c;
	struct nsplit nsplit;
	int status;

	message_open_standard();
	if (makedumpfile_is_meant(&argc, argv))
		return makedumpfile_main(argc, argv);
	drill_capture_begin(&c, &argc, argv);
	nsplit_begin(&nsplit);
	status = nsplit_options_read(&nsplit.options, argc, argv);
	if (status == OPTIONS_READ &&
	    (nsplit.options.check_params || nsplit.options.drill || nsplit.options.estimate))
		return before_a_crash(&nsplit, &c, argc, argv);
	if (status == OPTIONS_READ) {
		nsplit_supervise(&nsplit, NULL);
		status = nsplit_run(&nsplit);
	}
	return nsplit_end(&nsplit, status);
}
