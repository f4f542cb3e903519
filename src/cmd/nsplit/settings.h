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

/* Clears what would be added to: a list, or --dump-level and --exclude together. */
void setting_begin(struct nsplit_options *o, const struct option_entry *entry);

/* The defaults; settings_init_sizes() sets those of blocks and chunks only. */
void settings_init(struct nsplit_options *o);
void settings_init_sizes(struct nsplit_options *o);
void settings_init_codec(struct nsplit_options *o);
/* As -C does. */
enum status setting_choose_codec(struct nsplit_options *o, const char *text, struct error *e);

/*
 * Like names_expand(), after replacing each {now} in pattern by stamp.  In a command, only {now} and
 * ranges of numbers are replaced.
 */
enum status stamp_expand(struct names *list, const char *pattern, const char *stamp, size_t limit, struct error *e);

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
