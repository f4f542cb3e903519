// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/nearest.h"
#include "cmd/nsplit/check/command.h"
#include "cmd/nsplit/config_file.h"
#include "cmd/nsplit/load_config.h"
#include "cmd/nsplit/setting_values.h"
#include "cmd/nsplit/settings.h"
#include "io/existing.h"

static const char default_file[] = "/etc/nsplit.conf";

struct lines_read {
	struct nsplit_options *options;
	const struct mistake_reporter *reporter;
	unsigned line_of[OPTIONS_MAX];	/* by the number of the entry; 0: not set so far */
};

static enum status refuse_unknown(const struct option_table *table, const char *key,
				  struct error *e)
{
	struct nearest nearest;

	nearest_begin(&nearest, key);
	for (size_t i = 0; i < table->count; i++)
		if (table->entries[i].key || table->entries[i].key_only)
			nearest_offer(&nearest, table->entries[i].name);
	if (nearest.best)
		return error_set(e, STATUS_USAGE, "unknown key '%s'; do you mean '%s'? "
				 "nsplit.conf(5) lists all", key, nearest.best);
	return error_set(e, STATUS_USAGE, "unknown key '%.100s'; see nsplit.conf(5)", key);
}

static bool has_command(const struct option_call *call)
{
	return call->entry->set == setting_set_filter || call->entry->set == setting_add_commands ||
	       (call->entry->set == setting_add_outputs && *call->text == '|');
}

/* A command of which others may write the program is not run either; its directory of PATH is trusted. */
static enum status refuse_program(const struct option_call *call, struct error *e)
{
	char program[COMMAND_WORD_LENGTH];

	if (!command_program(call->text + (*call->text == '|'), program) || !strchr(program, '/') || access(program, F_OK))
		return STATUS_OK;
	return writers_refuse(program, e) ? error_prefix(e, "%s: ", call->called) : STATUS_OK;
}

static enum status take_line(void *arg, unsigned number, const char *key, const char *value,
			     struct error *e)
{
	const struct option_table *table = &nsplit_option_table;
	const struct option_call call = {
		.table = table, .entry = option_table_key(table, key),
		.called = key, .text = value,
	};
	struct lines_read *read = arg;
	enum status status;
	unsigned *line;

	if (!call.entry)
		return refuse_unknown(table, key, e);
	line = &read->line_of[option_table_number(table, call.entry)];
	/* Refused, because it is unclear which of the two lines is meant. */
	if (*line && !setting_is_list(call.entry))
		return error_set(e, STATUS_USAGE, "key '%s' is already set in line %u", key, *line);
	if (has_command(&call) && read->options->config_unsafe.status) {
		read->options->config_commands = true;
		return STATUS_OK;
	}
	status = has_command(&call) ? refuse_program(&call, e) : STATUS_OK;
	if (!status)
		status = option_set(read->options, &call, e);
	if (!status)
		*line = number;
	return status;
}

static void skip_line(void *arg, struct error *e)
{
	const struct lines_read *read = arg;

	read->reporter->report(read->reporter->arg, e);
}

/* NULL: none. */
static const char *file_to_read(const struct config_choice *choice)
{
	const char *file = choice->file;

	if (choice->none)
		return NULL;
	if (!file)
		file = getenv("NSPLIT_CONFIG");
	if (!file)
		return default_file;
	return *file ? file : NULL;
}

enum status nsplit_config_read(struct nsplit_options *o, const struct mistake_reporter *reporter, struct error *e)
{
	struct lines_read read = { .options = o, .reporter = reporter };
	const struct config_reader reader = {
		.line = take_line, .skipped = reporter ? skip_line : NULL, .arg = &read,
	};
	enum status status;

	o->config = file_to_read(&o->config_choice);
	if (!o->config)
		return STATUS_OK;
	if (access(o->config, F_OK) == 0)
		writers_refuse(o->config, &o->config_unsafe);
	status = config_read(o->config, &reader, &o->config_text, e);
	if (status == STATUS_SYSTEM && e->errnum == ENOENT && o->config == default_file) {
		o->config = NULL;
		return STATUS_OK;
	}
	if (!status || status == STATUS_NO_MEMORY || !reporter)
		return status;
	skip_line(&read, e);
	return STATUS_OK;
}
