// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How the text of an option, or of a key of the configuration file, becomes a setting of nsplit: the setters
 * that the table in settings.c needs besides those of base/option_set.h.
 */
#ifndef NSPLIT_CMD_NSPLIT_SETTING_VALUES_H
#define NSPLIT_CMD_NSPLIT_SETTING_VALUES_H

#include "base/names.h"
#include "base/option_table.h"
#include "cmd/nsplit/options.h"

/* As -C does. */
enum status setting_choose_codec(struct nsplit_options *o, const char *text, struct error *e);

/* The list to which an entry of the table adds its values; only for those whose setter is a setting_add_*(). */
struct names *setting_list(struct nsplit_options *o, const struct option_entry *entry);

/* In all of them, settings are a struct nsplit_options.  They change nothing if they return STATUS_USAGE. */
enum status setting_set_codec(void *settings, const struct option_call *call, struct error *e);
enum status setting_set_named_codec(void *settings, const struct option_call *call, struct error *e);
enum status setting_set_block_size(void *settings, const struct option_call *call, struct error *e);
enum status setting_set_chunk_size(void *settings, const struct option_call *call, struct error *e);
enum status setting_set_sink_timeout(void *settings, const struct option_call *call, struct error *e);
enum status setting_set_uuid(void *settings, const struct option_call *call, struct error *e);
enum status setting_set_digest(void *settings, const struct option_call *call, struct error *e);
enum status setting_set_filter(void *settings, const struct option_call *call, struct error *e);
enum status setting_set_config(void *settings, const struct option_call *call, struct error *e);
enum status setting_set_no_config(void *settings, const struct option_call *call, struct error *e);
enum status setting_set_threads(void *settings, const struct option_call *call, struct error *e);
enum status setting_set_drill(void *settings, const struct option_call *call, struct error *e);
enum status setting_add_commands(void *settings, const struct option_call *call, struct error *e);
enum status setting_add_outputs(void *settings, const struct option_call *call, struct error *e);

/* --- {now} in the names of outputs, which names in a configuration file have no shell for --- */

/* The time as YYYYMMDDHHMMSS, in UTC, since an initramfs seldom knows its time zone. */
void stamp_now(char stamp[STAMP_LENGTH + 1]);
/*
 * Like names_expand(), after replacing each {now} in pattern by stamp.  In a command, only {now} and
 * ranges of numbers are replaced.
 */
enum status stamp_expand(struct names *list, const char *pattern, const char *stamp, size_t limit,
			 struct error *e);

#endif
