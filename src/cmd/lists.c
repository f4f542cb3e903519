// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/size.h"
#include "cmd/lists.h"

enum { LIST_MAX = 4096 };		/* more is a slip of the finger */

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

static enum status append_range(struct numbers *list, char *text, const struct list_kind *kind,
				struct error *e)
{
	char *dash = strchr(text, '-');
	uint64_t first, last;
	enum status status;

	if (dash)
		*dash = '\0';
	status = number_parse(text, kind->option, kind->least, kind->most, &first, e);
	last = first;
	if (!status && dash)
		status = number_parse(dash + 1, kind->option, kind->least, kind->most, &last, e);
	if (!status && last < first)
		return error_set(e, STATUS_USAGE, "%s: %" PRIu64 "-%" PRIu64 " is empty",
				 kind->option, first, last);
	for (; !status && first <= last; first++)
		status = list_append(list, first, e);
	return status;
}

static enum status append_size(struct numbers *list, const char *text,
			       const struct list_kind *kind, struct error *e)
{
	uint64_t value;
	enum status status = size_parse(text, &value, e);

	if (status)
		return error_prefix(e, "%s: ", kind->option);
	if (value < kind->least || value > kind->most)
		return error_set(e, STATUS_USAGE, "%s: %s is out of range; it takes %" PRIu64
				 " to %" PRIu64, kind->option, text, kind->least, kind->most);
	return list_append(list, value, e);
}

static enum status append_items(struct numbers *list, char *text, const struct list_kind *kind,
				struct error *e)
{
	enum status status = STATUS_OK;
	char *item;

	while (!status && (item = strsep(&text, ","))) {
		if (kind->word && strcmp(item, kind->word) == 0)
			status = list_append(list, 0, e);
		else if (kind->sizes)
			status = append_size(list, item, kind, e);
		else
			status = append_range(list, item, kind, e);
	}
	return status;
}

enum status list_parse(struct numbers *list, const char *text, const struct list_kind *kind,
		       struct error *e)
{
	char *copy = strdup(text);
	enum status status;

	if (!copy)
		return error_system(e, ENOMEM, "benchmark");
	list_free(list);
	status = append_items(list, copy, kind, e);
	free(copy);
	return status;
}

static enum status append_codec(struct bench_settings *s, const char *text, struct error *e)
{
	struct bench_codec one;
	enum status status = presets_find(text, &one.presets, e);

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
