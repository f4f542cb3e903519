// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/digest.h"
#include "base/option_table.h"
#include "base/text.h"
#include "cmd/nsplit/setting_values.h"

enum { SINK_TIMEOUT_MAX = 1000000 };	/* seconds */

/* --- codec --------------------------------------------------------------- */

enum status setting_choose_codec(struct nsplit_options *o, const char *text, struct error *e)
{
	struct capture_settings *c = &o->capture;
	enum status status = presets_find(text, &c->presets, e);

	if (status)
		return status;
	if (c->presets.count == 1)
		preset_format(&c->presets.list[0], o->codec_text);
	else
		snprintf(o->codec_text, sizeof(o->codec_text), "%s", text);
	c->codec_text = o->codec_text;
	return STATUS_OK;
}

enum status setting_set_codec(void *settings, const struct option_call *call, struct error *e)
{
	return setting_choose_codec(settings, call->text, e);
}

/* Of the options that are called like their codec. */
enum status setting_set_named_codec(void *settings, const struct option_call *call, struct error *e)
{
	return setting_choose_codec(settings, call->entry->name, e);
}

/* --- sizes and numbers --------------------------------------------------- */

enum status setting_set_block_size(void *settings, const struct option_call *call, struct error *e)
{
	struct nsplit_options *o = settings;
	uint64_t size;

	if (size_parse(call->text, &size, e))
		return error_prefix(e, "%s: ", call->called);
	if (!block_size_valid(size))
		return error_set(e, STATUS_USAGE, "%s must be a power of two from 4096 to 1048576, "
				 "not '%s'", call->called, call->text);
	o->capture.block_size = (uint32_t)size;
	o->block_size_given = true;
	return STATUS_OK;
}

enum status setting_set_chunk_size(void *settings, const struct option_call *call, struct error *e)
{
	struct nsplit_options *o = settings;
	enum status status = option_set_size(settings, call, e);

	o->capture.chunk_size_free &= status != STATUS_OK;
	return status;
}

enum status setting_set_threads(void *settings, const struct option_call *call, struct error *e)
{
	struct nsplit_options *o = settings;
	enum status status = option_set_number(settings, call, e);

	o->threads_given |= !status;
	return status;
}

/* Digits, optionally with a decimal point between them. */
enum status setting_set_sink_timeout(void *settings, const struct option_call *call, struct error *e)
{
	struct nsplit_options *o = settings;
	const char *text = call->text;
	size_t whole = strspn(text, "0123456789"), fraction = 0;
	double seconds;

	if (whole && text[whole] == '.')
		fraction = 1 + strspn(text + whole + 1, "0123456789");
	if (!whole || fraction == 1 || text[whole + fraction])
		return error_set(e, STATUS_USAGE, "%s '%s' is not a number of seconds",
				 call->called, text);
	seconds = strtod(text, NULL);
	if (seconds > SINK_TIMEOUT_MAX || (seconds > 0 && seconds < 0.1))
		return error_set(e, STATUS_USAGE, "%s %s is out of range; use 0.1 to %d "
				 "seconds, or 0", call->called, text, SINK_TIMEOUT_MAX);
	o->capture.sink_timeout = seconds;
	return STATUS_OK;
}

/* --- the set ------------------------------------------------------------- */

enum status setting_set_uuid(void *settings, const struct option_call *call, struct error *e)
{
	struct nsplit_options *o = settings;

	if (!uuid_parse(call->text, &o->capture.id.uuid))
		return error_set(e, STATUS_USAGE, "%s: '%s' is not a UUID", call->called, call->text);
	o->uuid_given = true;
	return STATUS_OK;
}

/* "--no-digest" is always possible. */
enum status setting_set_digest(void *settings, const struct option_call *call, struct error *e)
{
	struct nsplit_options *o = settings;
	enum status status;
	bool wanted = o->capture.digest;

	status = option_set_bool(settings, call, e);
	if (status || !o->capture.digest || digest_supported())
		return status;
	o->capture.digest = wanted;
	return error_set(e, STATUS_USAGE, "%s: this build of nsplit cannot compute digests, because it was made "
			 "without the library nettle", call->called);
}

/* --- commands ------------------------------------------------------------ */

/* Will the shell replace $FILE or ${FILE...} in it? */
static bool uses_file(const char *text)
{
	while ((text = strchr(text, '$'))) {
		text++;
		text += *text == '{';
		if (strncmp(text, "FILE", 4) == 0 && !isalnum((unsigned char)text[4]) &&
		    text[4] != '_')
			return true;
	}
	return false;
}

enum status setting_set_filter(void *settings, const struct option_call *call, struct error *e)
{
	if (!call->text[strspn(call->text, " \t\n")])
		return error_set(e, STATUS_USAGE, "%s: the command is empty", call->called);
	if (!uses_file(call->text))
		return error_set(e, STATUS_USAGE, "%s: the command must contain $FILE, the name of "
				 "its output, as in 'gzip > \"$FILE\"'", call->called);
	return option_set_text(settings, call, e);
}

/* --- what nsplit does ---------------------------------------------------- */

/* The last of --config and --no-config takes effect. */
enum status setting_set_config(void *settings, const struct option_call *call, struct error *e)
{
	struct nsplit_options *o = settings;

	(void)e;
	o->config_choice = (struct config_choice){ .file = call->text };
	return STATUS_OK;
}

enum status setting_set_no_config(void *settings, const struct option_call *call, struct error *e)
{
	struct nsplit_options *o = settings;

	(void)call;
	(void)e;
	o->config_choice = (struct config_choice){ .none = true };
	return STATUS_OK;
}

enum status setting_set_drill(void *settings, const struct option_call *call, struct error *e)
{
	struct nsplit_options *o = settings;

	if (*call->text && strcmp(call->text, call->entry->choices[0]) != 0)
		return error_set(e, STATUS_USAGE, "%s '%s' is not one of: crash", call->called, call->text);
	o->drill = *call->text ? DRILL_CRASH : DRILL_RUN;
	return STATUS_OK;
}

/* --- {now} --------------------------------------------------------------- */

static const char mark[] = "{now}";

void stamp_now(char stamp[STAMP_LENGTH + 1])
{
	time_t now = time(NULL);
	struct tm tm;

	/* A wrong clock must not prevent a capture. */
	if (!gmtime_r(&now, &tm) || !strftime(stamp, STAMP_LENGTH + 1, "%Y%m%d%H%M%S", &tm))
		strcpy(stamp, "0");
}

static const char *find_mark(const char *pattern, bool command)
{
	const char *found = strstr(pattern, mark);

	while (found && !command && found > pattern && found[-1] == '\\')
		found = strstr(found + 1, mark);
	return found;
}

enum status stamp_expand(struct names *list, const char *pattern, const char *stamp, size_t limit,
			 struct error *e)
{
	/* A command has braces for its shell, which must stay. */
	bool command = pattern[0] == '|';
	const char *found = find_mark(pattern, command);
	enum status status;
	char *name;

	if (!found)
		return command ? names_expand_command(list, pattern, limit, e)
			       : names_expand(list, pattern, limit, e);
	if (asprintf(&name, "%.*s%s%s", (int)(found - pattern), pattern, stamp,
		     found + strlen(mark)) < 0)
		return error_system(e, ENOMEM, "list of names");
	/* The rest of the name may hold another {now}. */
	status = stamp_expand(list, name, stamp, limit, e);
	free(name);
	return status;
}

/* --- lists --------------------------------------------------------------- */

struct names *setting_list(struct nsplit_options *o, const struct option_entry *entry)
{
	return (struct names *)((char *)o + entry->offset);
}

/* {now} and braces as in an output that is a command. */
enum status setting_add_commands(void *settings, const struct option_call *call, struct error *e)
{
	struct nsplit_options *o = settings;
	enum status status;
	char *output;

	if (!call->text[strspn(call->text, " \t\n")])
		return error_set(e, STATUS_USAGE, "%s: the command is empty", call->called);
	if (asprintf(&output, "|%s", call->text) < 0)
		return error_system(e, ENOMEM, "%s", call->called);
	status = stamp_expand(setting_list(o, call->entry), output, o->now, MEMBERS_MAX, e);
	free(output);
	return status ? error_prefix(e, "%s: ", call->called) : STATUS_OK;
}

enum status setting_add_outputs(void *settings, const struct option_call *call, struct error *e)
{
	struct nsplit_options *o = settings;

	if (!*call->text)
		return error_set(e, STATUS_USAGE, "%s: the name of the output is empty",
				 call->called);
	if (stamp_expand(setting_list(o, call->entry), call->text, o->now, MEMBERS_MAX, e))
		return error_prefix(e, "%s: ", call->called);
	return STATUS_OK;
}
