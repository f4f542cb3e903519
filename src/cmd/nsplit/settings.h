// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The settings of nsplit: each is a long option, or a key of the configuration file, or both, and
 * takes the same values in either place.  nsplit.1 and nsplit.conf.5 describe them.
 */
#ifndef NSPLIT_CMD_NSPLIT_SETTINGS_H
#define NSPLIT_CMD_NSPLIT_SETTINGS_H

#include "base/option_table.h"
#include "cmd/nsplit/options.h"

/* The settings that its setters take are a struct nsplit_options. */
extern const struct option_table nsplit_option_table;

/* May the option or key be repeated, with one more value each time? */
bool setting_is_list(const struct option_entry *entry);
/* Clears what would be added to: such a list, or --dump-level and --exclude together. */
void setting_begin(struct nsplit_options *o, const struct option_entry *entry);

/* The defaults; settings_init_sizes() sets those of blocks and chunks only. */
void settings_init(struct nsplit_options *o);
void settings_init_sizes(struct nsplit_options *o);
void settings_init_codec(struct nsplit_options *o);

#endif
