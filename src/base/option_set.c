// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/option_set.h"
#include "base/size.h"
#include "base/text.h"

static void store(void *settings, const struct option_call *call, const void *value, size_t width)
{
	assert(call->entry->width == width);
	memcpy((char *)settings + call->entry->offset, value, width);
}

static void store_unsigned(void *settings, const struct option_call *call, uint64_t value)
{
	uint32_t narrow = (uint32_t)value;

	if (call->entry->width == sizeof(narrow))
		store(settings, call, &narrow, sizeof(narrow));
	else
		store(settings, call, &value, sizeof(value));
}

/* "A or B", "A, B or C". */
static void list_choices(const char *const *choices, char *list, size_t size)
{
	*list = '\0';
	for (size_t i = 0; choices[i]; i++)
		text_append(list, size, "%s%s", i == 0 ? "" : choices[i + 1] ? ", " : " or ", choices[i]);
}

static enum status find_choice(const struct option_call *call, const char *const *choices,
			       uint32_t *number, struct error *e)
{
	char list[128];

	for (*number = 0; choices[*number]; ++*number)
		if (strcmp(choices[*number], call->text) == 0)
			return STATUS_OK;
	list_choices(choices, list, sizeof(list));
	return error_set(e, STATUS_USAGE, "%s must be %s, not '%s'", call->called, list,
			 call->text);
}

static enum status set_bool(void *settings, const struct option_call *call, bool yes,
			    struct error *e)
{
	static const char *const choices[] = { "yes", "no", NULL };
	uint32_t number;
	enum status status = find_choice(call, choices, &number, e);
	bool value = number == 0 ? yes : !yes;

	if (!status)
		store(settings, call, &value, sizeof(value));
	return status;
}

enum status option_set_bool(void *settings, const struct option_call *call, struct error *e)
{
	return set_bool(settings, call, true, e);
}

enum status option_clear_bool(void *settings, const struct option_call *call, struct error *e)
{
	return set_bool(settings, call, false, e);
}

enum status option_set_number(void *settings, const struct option_call *call, struct error *e)
{
	uint64_t number;
	enum status status = number_parse(call->text, call->called, call->entry->least,
					  call->entry->most, &number, e);

	if (!status)
		store_unsigned(settings, call, number);
	return status;
}

enum status option_parse_size(const struct option_call *call, const char *text, uint64_t *size,
			      struct error *e)
{
	const struct option_entry *entry = call->entry;

	if (size_parse(text, size, e))
		return error_prefix(e, "%s: ", call->called);
	if (*size < entry->least || *size > entry->most)
		return error_set(e, STATUS_USAGE,
				 "%s %s is out of range; use %" PRIu64 " to %" PRIu64,
				 call->called, text, entry->least, entry->most);
	return STATUS_OK;
}

enum status option_set_size(void *settings, const struct option_call *call, struct error *e)
{
	uint64_t size;
	enum status status = option_parse_size(call, call->text, &size, e);

	if (!status)
		store_unsigned(settings, call, size);
	return status;
}

enum status option_set_choice(void *settings, const struct option_call *call, struct error *e)
{
	uint32_t number;
	enum status status = find_choice(call, call->entry->choices, &number, e);

	if (!status)
		store(settings, call, &number, sizeof(number));
	return status;
}

enum status option_set_text(void *settings, const struct option_call *call, struct error *e)
{
	(void)e;
	store(settings, call, &call->text, sizeof(call->text));
	return STATUS_OK;
}
