// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>
#include <ctype.h>
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/size.h"
#include "cmd/nsplit_settings.h"

enum { CHUNK_SIZE_DEFAULT = 1 << 20 };

enum { SINK_TIMEOUT_MAX = 1000000 };

static enum status set_codec(struct nsplit_options *o, const char *name, const char *text,
			     struct error *e)
{
	struct capture_settings *c = &o->capture;
	enum status status = presets_find(text, &c->presets, e);

	(void)name;
	if (status)
		return status;
	if (c->presets.count == 1)
		preset_format(&c->presets.list[0], o->codec_text);
	else
		snprintf(o->codec_text, sizeof(o->codec_text), "%s", text);
	c->codec_text = o->codec_text;
	return STATUS_OK;
}

static enum status set_threads(struct nsplit_options *o, const char *name, const char *text,
			       struct error *e)
{
	return threads_parse(name, text, &o->capture.threads, e);
}

static enum status parse_size(const char *text, const char *name, uint64_t *size,
			      struct error *e)
{
	return size_parse(text, size, e) ? error_prefix(e, "%s: ", name) : STATUS_OK;
}

static enum status set_block_size(struct nsplit_options *o, const char *name, const char *text,
				  struct error *e)
{
	uint64_t size;
	enum status status = parse_size(text, name, &size, e);

	if (status)
		return status;
	if (!block_size_valid(size))
		return error_set(e, STATUS_USAGE, "%s=%s: takes a power of two from 4096 to "
				 "1048576", name, text);
	o->capture.block_size = (uint32_t)size;
	return STATUS_OK;
}

static enum status set_chunk_size(struct nsplit_options *o, const char *name, const char *text,
				  struct error *e)
{
	uint64_t size;
	enum status status = parse_size(text, name, &size, e);

	if (status)
		return status;
	if (size < BLOCK_SIZE_MIN || size > CHUNK_SIZE_MAX)
		return error_set(e, STATUS_USAGE, "%s=%s: takes 4096 to 67108864", name, text);
	o->capture.chunk_size = (uint32_t)size;
	o->capture.chunk_size_free = false;
	return STATUS_OK;
}

static enum status set_memory_limit(struct nsplit_options *o, const char *name,
				    const char *text, struct error *e)
{
	enum status status = parse_size(text, name, &o->capture.memory_limit, e);

	if (!status && !o->capture.memory_limit)
		return error_set(e, STATUS_USAGE, "%s=%s: nothing works with that", name, text);
	return status;
}

/* Digits, perhaps with a point between them. */
static enum status set_sink_timeout(struct nsplit_options *o, const char *name,
				    const char *text, struct error *e)
{
	size_t whole = strspn(text, "0123456789"), fraction = 0;

	if (whole && text[whole] == '.')
		fraction = 1 + strspn(text + whole + 1, "0123456789");
	if (!whole || fraction == 1 || text[whole + fraction])
		return error_set(e, STATUS_USAGE, "%s='%s' is not a number of seconds", name,
				 text);
	o->capture.sink_timeout = strtod(text, NULL);
	if (o->capture.sink_timeout > SINK_TIMEOUT_MAX ||
	    (o->capture.sink_timeout > 0 && o->capture.sink_timeout < 0.1))
		return error_set(e, STATUS_USAGE, "%s=%s: takes 0.1 to %d seconds, or 0", name,
				 text, SINK_TIMEOUT_MAX);
	return STATUS_OK;
}

static enum status set_uuid(struct nsplit_options *o, const char *name, const char *text,
			    struct error *e)
{
	if (!uuid_parse(text, &o->capture.id.uuid))
		return error_set(e, STATUS_USAGE, "%s: '%s' is not a UUID", name, text);
	o->uuid_given = true;
	return STATUS_OK;
}

static enum status set_direct(struct nsplit_options *o, const char *name, const char *text,
			      struct error *e)
{
	int choice = 0;
	enum status status = choice_parse(name, text, &choice, e);

	o->direct = (enum direct_mode)choice;
	return status;
}

static enum status set_mmap(struct nsplit_options *o, const char *name, const char *text,
			    struct error *e)
{
	int choice = 0;
	enum status status = choice_parse(name, text, &choice, e);

	o->mmap = (enum mmap_mode)choice;
	return status;
}

static enum status set_progress(struct nsplit_options *o, const char *name, const char *text,
				struct error *e)
{
	int choice = 0;
	enum status status = choice_parse(name, text, &choice, e);

	o->progress = (enum progress_mode)choice;
	return status;
}

static enum status set_text(char **value, const char *name, const char *text, struct error *e)
{
	char *copy = strdup(text);

	if (!copy)
		return error_system(e, ENOMEM, "%s=%s", name, text);
	free(*value);
	*value = copy;
	return STATUS_OK;
}

static enum status set_stats(struct nsplit_options *o, const char *name, const char *text,
			     struct error *e)
{
	return set_text(&o->stats_file, name, text, e);
}

/* Does the shell find $FILE or ${FILE...} in it? */
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

static enum status set_filter(struct nsplit_options *o, const char *name, const char *text,
			      struct error *e)
{
	if (!text[strspn(text, " \t\n")])
		return error_set(e, STATUS_USAGE, "%s: there is no command in it", name);
	if (!uses_file(text))
		return error_set(e, STATUS_USAGE, "%s: the command does not use $FILE, the name of "
				 "its output, and so cannot keep the member there", name);
	return set_text(&o->filter, name, text, e);
}

#define PLACE(member) offsetof(struct nsplit_options, member)

/* One more is a line here, and another in the list for getopt if it is an option. */
static const struct setting settings[] = {
	{ "also", OPTION_ALSO, .list = PLACE(also) },
	{ "any-owner", OPTION_ANY_OWNER, .flag = PLACE(any_owner) },
	{ "blocksize", 'b', .set = set_block_size },
	{ "check-params", OPTION_CHECK_PARAMS, .no_key = true, .flag = PLACE(check_params) },
	{ "chunksize", OPTION_CHUNK_SIZE, .set = set_chunk_size },
	{ "compress", 'C', .set = set_codec },
	{ "direct", OPTION_DIRECT, .set = set_direct },
	{ "dry-run", 'n', .no_key = true, .flag = PLACE(dry_run) },
	{ "fallback", OPTION_FALLBACK, .list = PLACE(fallbacks) },
	{ "filter", OPTION_FILTER, .set = set_filter },
	{ "force", 'f', .flag = PLACE(force) },
	{ "mem-limit", OPTION_MEM_LIMIT, .set = set_memory_limit },
	{ "mmap", OPTION_MMAP, .set = set_mmap },
	{ "output", NO_OPTION, .list = PLACE(configured) },
	/* Not a key: after a crash there is nobody to check what the disk holds. */
	{ "overwrite-devices", OPTION_OVERWRITE_DEVICES, .no_key = true,
	  .flag = PLACE(overwrite_devices) },
	{ "progress", OPTION_PROGRESS, .set = set_progress },
	{ "quiet", 'q', .flag = PLACE(quiet) },
	{ "serial", OPTION_SERIAL, .no_key = true, .flag = PLACE(capture.serial) },
	{ "sink-timeout", OPTION_SINK_TIMEOUT, .set = set_sink_timeout },
	{ "stats", OPTION_STATS, .set = set_stats },
	{ "stripe", OPTION_STRIPE, .flag = PLACE(capture.stripe) },
	{ "threads", 'j', .set = set_threads },
	{ "uuid", OPTION_UUID, .no_key = true, .set = set_uuid },
	{ "verbose", 'v', .flag = PLACE(verbose) },
};

enum { SETTINGS = sizeof(settings) / sizeof(settings[0]) };
static_assert(sizeof(settings) / sizeof(settings[0]) <= SETTINGS_MAX,
	      "an array with a place for each is too small");

unsigned setting_number(const struct setting *setting)
{
	return (unsigned)(setting - settings);
}

const struct setting *setting_of_option(int option)
{
	for (int i = 0; i < SETTINGS; i++)
		if (settings[i].option == option)
			return &settings[i];
	return NULL;
}

const struct setting *setting_of_key(const char *key)
{
	for (int i = 0; i < SETTINGS; i++)
		if (!settings[i].no_key && strcmp(settings[i].name, key) == 0)
			return &settings[i];
	return NULL;
}

bool setting_is_list(const struct setting *setting)
{
	return setting->list;
}

static struct names *list_of(const struct setting *setting, struct nsplit_options *o)
{
	return (struct names *)((char *)o + setting->list);
}

void settings_clear_lists(struct nsplit_options *o, const bool given[SETTINGS_MAX])
{
	for (int i = 0; i < SETTINGS; i++)
		if (given[i] && settings[i].list)
			names_free(list_of(&settings[i], o));
}

static enum status set_flag(bool *flag, const char *name, const char *text, struct error *e)
{
	if (!text || strcmp(text, "yes") == 0)
		*flag = true;
	else if (strcmp(text, "no") == 0)
		*flag = false;
	else
		return error_set(e, STATUS_USAGE, "%s takes yes or no, not '%s'", name, text);
	return STATUS_OK;
}

static enum status add_names(struct nsplit_options *o, const struct setting *setting,
			     const char *name, const char *text, struct error *e)
{
	if (!*text)
		return error_set(e, STATUS_USAGE, "%s: names no output", name);
	if (stamp_expand(list_of(setting, o), text, o->now, MEMBERS_MAX, e))
		return error_prefix(e, "%s: ", name);
	return STATUS_OK;
}

enum status setting_set(const struct setting *setting, struct nsplit_options *o, const char *name,
			const char *text, struct error *e)
{
	if (setting->set)
		return setting->set(o, name, text, e);
	if (setting->list)
		return add_names(o, setting, name, text, e);
	return set_flag((bool *)((char *)o + setting->flag), name, text, e);
}

enum status setting_set_option(const struct setting *setting, struct nsplit_options *o,
			       const char *text, struct error *e)
{
	char name[40];

	snprintf(name, sizeof(name), "--%s", setting->name);
	return setting_set(setting, o, name, text, e);
}

void settings_init(struct nsplit_options *o)
{
	struct error ignored;

	*o = (struct nsplit_options){ 0 };
	stamp_now(o->now);
	o->capture.block_size = BLOCK_SIZE_MIN;
	o->capture.chunk_size = CHUNK_SIZE_DEFAULT;
	o->capture.chunk_size_free = true;
	o->capture.threads = threads_default();
	o->capture.sink_timeout = SINK_TIMEOUT_DEFAULT;
	/* It is in every build. */
	set_codec(o, "compress", "raw", &ignored);
}
