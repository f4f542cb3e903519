// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/option_set.h"
#include "base/size.h"
#include "bench/sleep_codec.h"
#include "cmd/nsplit-bench/lists.h"

enum { LIST_MAX = 4096 };		/* more is a typing error */

enum status list_append(struct numbers *list, uint64_t value, struct error *e)
{
	if (list->count == LIST_MAX)
		return error_set(e, STATUS_USAGE, "more than %d values", LIST_MAX);
	if (!array_grow(&list->values, list->count, sizeof(*list->values)))
		return error_system(e, ENOMEM, "benchmark");
	list->values[list->count++] = value;
	return STATUS_OK;
}

void list_free(struct numbers *list)
{
	free(list->values);
	*list = (struct numbers){ 0 };
}

/* One number or FIRST-LAST; text is cut at the dash. */
static enum status append_numbers(struct numbers *list, const struct option_call *call,
				  char *text, struct error *e)
{
	uint64_t least = call->entry->least, most = call->entry->most;
	char *dash = strchr(text, '-');
	uint64_t first, last;
	enum status status;

	if (dash)
		*dash = '\0';
	status = number_parse(text, call->called, least, most, &first, e);
	last = first;
	if (!status && dash)
		status = number_parse(dash + 1, call->called, least, most, &last, e);
	if (!status && last < first)
		return error_set(e, STATUS_USAGE, "%s: the range %" PRIu64 "-%" PRIu64 " is empty",
				 call->called, first, last);
	for (; !status && first <= last; first++)
		status = list_append(list, first, e);
	return status;
}

static enum status append_size(struct numbers *list, const struct option_call *call, char *text,
			       struct error *e)
{
	uint64_t value;
	enum status status = option_parse_size(call, text, &value, e);

	return status ? status : list_append(list, value, e);
}

static bool is_word(const struct option_entry *entry, const char *text)
{
	return entry->choices && strcmp(text, entry->choices[0]) == 0;
}

static enum status set_list(void *settings, const struct option_call *call,
			    enum status (*append)(struct numbers *list,
						  const struct option_call *call, char *text,
						  struct error *e),
			    struct error *e)
{
	struct numbers *list = (struct numbers *)((char *)settings + call->entry->offset);
	char *copy = strdup(call->text), *rest = copy, *item;
	enum status status = STATUS_OK;

	if (!copy)
		return error_system(e, ENOMEM, "benchmark");
	list_free(list);
	while (!status && (item = strsep(&rest, ",")))
		status = is_word(call->entry, item) ? list_append(list, 0, e) :
						      append(list, call, item, e);
	free(copy);
	return status;
}

enum status list_set_numbers(void *settings, const struct option_call *call, struct error *e)
{
	return set_list(settings, call, append_numbers, e);
}

enum status list_set_sizes(void *settings, const struct option_call *call, struct error *e)
{
	return set_list(settings, call, append_size, e);
}

static enum status append_codec(struct bench_settings *s, const char *text, struct error *e)
{
	struct bench_codec one;
	enum status status = sleep_codec_named(text) ? sleep_codec_find(text, &one.presets, e) :
						       presets_find(text, &one.presets, e);

	if (status)
		return status;
	if (!array_grow(&s->codecs, s->codecs_count, sizeof(*s->codecs)))
		return error_system(e, ENOMEM, "benchmark");
	one.text = strdup(text);
	if (!one.text)
		return error_system(e, ENOMEM, "benchmark");
	s->codecs[s->codecs_count++] = one;
	return STATUS_OK;
}

enum status codecs_parse(struct bench_settings *settings, const char *text, struct error *e)
{
	char *copy = strdup(text), *rest = copy, *item;
	enum status status = STATUS_OK;

	if (!copy)
		return error_system(e, ENOMEM, "benchmark");
	codecs_free(settings);
	while (!status && (item = strsep(&rest, ",")))
		status = append_codec(settings, item, e);
	free(copy);
	return status;
}

void codecs_free(struct bench_settings *settings)
{
	for (size_t i = 0; i < settings->codecs_count; i++)
		free(settings->codecs[i].text);
	free(settings->codecs);
	settings->codecs = NULL;
	settings->codecs_count = 0;
}
