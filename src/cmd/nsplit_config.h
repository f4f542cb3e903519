// SPDX-License-Identifier: GPL-2.0-or-later
/* The configuration of nsplit; nsplit.conf.5 describes it. */
#ifndef NSPLIT_CMD_NSPLIT_CONFIG_H
#define NSPLIT_CMD_NSPLIT_CONFIG_H

#include "cmd/nsplit_options.h"

/* What the command line says of it; the last that it says counts. */
struct config_choice {
	const char *file;	/* NULL: none was named */
	bool none;		/* read none */
};

/*
 * Takes the settings of the file that was chosen, or else of the one that NSPLIT_CONFIG in the
 * environment names (empty: none), or else of /etc/nsplit.conf, which need not be there.
 * o->config says which.  STATUS_USAGE: what a line says makes no sense.
 */
enum status nsplit_config_read(struct nsplit_options *o, const struct config_choice *choice,
			       struct error *e);

#endif
