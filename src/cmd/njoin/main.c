// SPDX-License-Identifier: GPL-2.0-or-later
/* njoin: restores the source of a capture from its members, or describes it. */
#include "config.h"

#include "base/signals.h"
#include "cmd/common/message.h"
#include "cmd/njoin/njoin.h"

int main(int argc, char **argv)
{
	struct njoin_options options;
	int status;

	message_open_standard();
	signals_hold_requests();
	status = njoin_options_read(&options, argc, argv);
	if (status == OPTIONS_READ) {
		message_begin();
		status = njoin_run(&options);
	}
	njoin_options_free(&options);
	status = message_close_output(status);
	message_end();
	return status;
}
