// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "cmd/config_file.h"
#include "cmd/nsplit_config.h"
#include "cmd/nsplit_settings.h"

static const char default_file[] = "/etc/nsplit.conf";

struct lines_read {
	struct nsplit_options *options;
	unsigned line_of[SETTINGS_MAX];		/* where it stood; 0: nowhere so far */
};

static enum status take_line(void *arg, unsigned number, const char *key, const char *value,
			     struct error *e)
{
	const struct setting *setting = setting_of_key(key);
	struct lines_read *read = arg;
	unsigned *line;

	if (!setting)
		return error_set(e, STATUS_USAGE, "'%.100s' is no key; see nsplit.conf(5)", key);
	line = &read->line_of[setting_number(setting)];
	/* Which of the two is meant, nobody knows. */
	if (*line && !setting_is_list(setting))
		return error_set(e, STATUS_USAGE, "'%s' stands in line %u already", key, *line);
	*line = number;
	return setting_set(setting, read->options, key, value, e);
}

/* The file to read, or NULL. */
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

enum status nsplit_config_read(struct nsplit_options *o, const struct config_choice *choice,
			       struct error *e)
{
	struct lines_read read = { .options = o };
	const struct config_reader reader = { .line = take_line, .arg = &read };
	enum status status;

	o->config = file_to_read(choice);
	if (!o->config)
		return STATUS_OK;
	status = config_read(o->config, &reader, e);
	if (status != STATUS_SYSTEM || e->errnum != ENOENT || o->config != default_file)
		return status;
	o->config = NULL;
	return STATUS_OK;
}
