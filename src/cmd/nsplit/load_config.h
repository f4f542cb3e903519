// SPDX-License-Identifier: GPL-2.0-or-later
/* The configuration file of nsplit; nsplit.conf.5 describes it. */
#ifndef NSPLIT_CMD_NSPLIT_LOAD_CONFIG_H
#define NSPLIT_CMD_NSPLIT_LOAD_CONFIG_H

#include "cmd/nsplit/options.h"

/*
 * Reads the file of o->config_choice, or else the file that NSPLIT_CONFIG in the environment names
 * (empty: none), or else /etc/nsplit.conf, which need not exist.  Sets o->config and
 * o->config_text.  STATUS_USAGE: a line is wrong.
 *
 * If others may write to the file, sets o->config_unsafe, and leaves out its commands.
 *
 * reporter: NULL, or lines that are wrong, and a file that cannot be read, are reported and skipped.
 */
enum status nsplit_config_read(struct nsplit_options *o, const struct mistake_reporter *reporter, struct error *e);

#endif
