// SPDX-License-Identifier: GPL-2.0-or-later
/* Describes the pages that a capture with layers kept and left out. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/size.h"
#include "base/text.h"
#include "cmd/common/left_out.h"
#include "cmd/njoin/describe.h"

enum { STATE_TEXT_LENGTH = 32 };

/* In JSON. */
static const char *const state_words[CLASS_STATES] = {
	[CLASS_SAVED] = "saved",
	[CLASS_PLANNED_OUT] = "undecided",
	[CLASS_LEFT_OUT] = "left_out",
	[CLASS_SAVED_AFTER_ALL] = "saved_after_all",
	[CLASS_TWICE] = "stored_once",
};

static const char *describe_state(const struct set *set, unsigned number, char text[STATE_TEXT_LENGTH])
{
	unsigned layer = class_layer(&set->classes, number);

	switch (class_state(&set->classes, number)) {
	case CLASS_PLANNED_OUT:
		return "not decided";
	case CLASS_LEFT_OUT:
		return "no layer";
	case CLASS_SAVED_AFTER_ALL:
		snprintf(text, STATE_TEXT_LENGTH, "layer %u, after all", layer);
		break;
	case CLASS_TWICE:
		return "stored once";
	default:
		snprintf(text, STATE_TEXT_LENGTH, "layer %u", layer);
	}
	return text;
}

/* Layers up to this one are complete.  If only records are left, nobody knows where the source ends. */
static unsigned complete_layers(const struct set *set, const struct layer_totals *t)
{
	return set->assumed ? 0 : layer_totals_complete(t, &set->classes);
}

/* Why classes were saved after all; NULL: unknown. */
static const char *reason_of(const struct set *set)
{
	for (unsigned i = 0; i < set->count; i++)
		if (set->members[i].footer.reason[0])
			return set->members[i].footer.reason;
	return NULL;
}

static bool is_there(const struct class_totals *t, unsigned number)
{
	return t->kept[number] || t->left_out[number] || t->missing[number];
}

static bool is_shown(const struct set *set, const struct layer_totals *t, unsigned number)
{
	enum class_state state = class_state(&set->classes, number);

	return is_there(&t->memory, number) || (state != CLASS_SAVED && state != CLASS_TWICE);
}

/* --- text ------------------------------------------------------------------------------ */

/* Returns what separates it from the next amount. */
static const char *print_amount(const char *separator, uint64_t bytes, const char *word)
{
	char size[SIZE_TEXT_LENGTH];

	if (!bytes)
		return separator;
	printf("%s %s %s", separator, size_format(bytes, size), word);
	return ",";
}

static void print_class(const struct set *set, const struct class_totals *t, unsigned number)
{
	char state[STATE_TEXT_LENGTH], label[CLASS_LABEL_LENGTH];
	const char *separator;

	printf("captured: %s:", class_label(number, label));
	separator = print_amount("", t->kept[number], "kept");
	separator = print_amount(separator, t->left_out[number], "left out");
	print_amount(separator, t->missing[number], "missing");
	printf("%s (%s)\n", is_there(t, number) ? "" : " nothing", describe_state(set, number, state));
}

void captured_print(const struct set *set, const struct layer_totals *t)
{
	char size[SIZE_TEXT_LENGTH], reason[REASON_TEXT_LENGTH + 1];

	printf("layers: %u complete\n", complete_layers(set, t));
	for (unsigned i = 0; i < CLASSES; i++)
		if (is_shown(set, t, i))
			print_class(set, &t->memory, i);
	if (layer_totals_second(t))
		printf("captured: second places: %s that the source has twice, counted once\n",
		       size_format(layer_totals_second(t), size));
	if (t->memory.unknown)
		printf("captured: of unknown class: %s missing\n", size_format(t->memory.unknown, size));
	if (t->memory.unreadable)
		printf("captured: unreadable: %s\n", size_format(t->memory.unreadable, size));
	if (!reason_of(set))
		return;
	snprintf(reason, sizeof(reason), "%s", reason_of(set));
	printf("captured: reason: %s\n", text_make_printable(reason));
}

/* --- JSON ------------------------------------------------------------------------------ */

static void json_class(struct json *json, const struct set *set, const struct class_totals *t,
		       unsigned number)
{
	unsigned layer = class_layer(&set->classes, number);

	json_object(json, NULL);
	json_number(json, "number", number);
	json_text(json, "name", layer_class_name(number));
	json_text(json, "state", state_words[class_state(&set->classes, number)]);
	if (layer)
		json_number(json, "layer", layer);
	json_number(json, "kept", t->kept[number]);
	json_number(json, "left_out", t->left_out[number]);
	json_number(json, "missing", t->missing[number]);
	json_close_object(json);
}

void captured_json(struct json *json, const struct set *set, const struct layer_totals *t)
{
	json_object(json, "captured");
	json_number(json, "layers_complete", complete_layers(set, t));
	json_array(json, "classes");
	for (unsigned i = 0; i < CLASSES; i++)
		if (is_shown(set, t, i))
			json_class(json, set, &t->memory, i);
	json_close_array(json);
	json_number(json, "second_place_bytes", layer_totals_second(t));
	json_number(json, "second_place_left_out", layer_totals_sum(t->second.left_out));
	json_number(json, "missing_of_unknown_class", t->memory.unknown);
	json_number(json, "unreadable", t->memory.unreadable);
	if (reason_of(set))
		json_text(json, "reason", reason_of(set));
	json_close_object(json);
}
