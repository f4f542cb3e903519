// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cmd/common/left_out.h"
#include "cmd/common/message.h"

void left_out_add_level(struct left_out_option *o, unsigned level)
{
	o->given = true;
	o->classes |= dump_level_classes(level);
	o->zero |= level & DUMP_LEVEL_ZERO;
}

static enum status add(void *settings, const struct option_call *call,
		       enum status (*read)(const char *text, unsigned *level, struct error *e),
		       struct error *e)
{
	struct left_out_option *o = (void *)((char *)settings + call->entry->offset);
	unsigned level;

	o->given = true;
	if (read(call->text, &level, e))
		return error_prefix(e, "%s: ", call->called);
	left_out_add_level(o, level);
	return STATUS_OK;
}

enum status left_out_set_level(void *settings, const struct option_call *call, struct error *e)
{
	return add(settings, call, dump_level_read, e);
}

enum status left_out_set_words(void *settings, const struct option_call *call, struct error *e)
{
	if (strcmp(call->text, "none") != 0)
		return add(settings, call, dump_level_read_words, e);
	memset((char *)settings + call->entry->offset, 0, call->entry->width);
	return STATUS_OK;
}

const char *class_list_format(unsigned classes, char text[CLASS_LIST_LENGTH])
{
	text[0] = '\0';
	for (enum page_class c = 0; c < PAGE_CLASSES; c++)
		if (classes & PAGE_CLASS_BIT(c))
			text_append(text, CLASS_LIST_LENGTH, "%s%s", *text ? ", " : "", page_class_name(c));
	return text;
}

/* "left out: cache 1200 pages (4.7 MiB), free 90000 pages (351.6 MiB)" */
void left_out_report(const struct page_filter *filter, uint32_t page_size)
{
	char line[PAGE_CLASSES * (SIZE_TEXT_LENGTH + 48)] = "";

	for (enum page_class c = 0; c < PAGE_CLASSES; c++) {
		uint64_t count = page_filter_count(filter, c);
		char size[SIZE_TEXT_LENGTH];

		if (filter->classes & PAGE_CLASS_BIT(c))
			text_append(line, sizeof(line), "%s%s %" PRIu64 " page%s (%s)", *line ? ", " : "",
				    page_class_name(c), count, plural(count),
				    size_format(count * page_size, size));
	}
	if (*line)
		message("left out: %s", line);
}

/* All that are kept for the same reason as the first one.  Returns them. */
static unsigned report_kept(const struct page_trust *trust, enum page_class first, unsigned kept)
{
	char names[CLASS_LIST_LENGTH];
	unsigned same = 0;

	for (enum page_class c = first; c < PAGE_CLASSES; c++)
		if (kept & PAGE_CLASS_BIT(c) && !strcmp(trust->why[c], trust->why[first]))
			same |= PAGE_CLASS_BIT(c);
	class_list_format(same, names);
	if (same == PAGE_CLASS_BIT(first))
		message("pages of class %s are kept: %s", names, trust->why[first]);
	else
		message("pages of classes %s are kept: %s", names, trust->why[first]);
	return same;
}

void left_out_report_kept(const struct page_filter *filter)
{
	unsigned kept = filter->asked & ~filter->classes;

	if (kept && filter->no_kinds[0]) {
		message("no pages are left out: %s", filter->no_kinds);
		return;
	}
	for (enum page_class c = 0; c < PAGE_CLASSES; c++)
		if (kept & PAGE_CLASS_BIT(c))
			kept &= ~report_kept(&filter->trust, c, kept);
}

static uint64_t sum_of(const uint64_t of_class[CLASSES])
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < CLASSES; i++)
		sum += of_class[i];
	return sum;
}

uint64_t class_amounts_format(const uint64_t of_class[CLASSES], char text[CLASS_AMOUNTS_LENGTH])
{
	uint64_t sum = sum_of(of_class);
	char size[SIZE_TEXT_LENGTH];
	const char *separator = " (";

	snprintf(text, CLASS_AMOUNTS_LENGTH, "%s", size_format(sum, size));
	for (unsigned i = 0; i < CLASSES; i++) {
		if (!of_class[i])
			continue;
		text_append(text, CLASS_AMOUNTS_LENGTH, "%s%s %s", separator, layer_class_name(i),
			    size_format(of_class[i], size));
		separator = ", ";
	}
	if (sum)
		text_append(text, CLASS_AMOUNTS_LENGTH, ")");
	return sum;
}

uint64_t class_amounts_format_source(const uint64_t memory[CLASSES], const uint64_t second[CLASSES],
				     char text[CLASS_AMOUNTS_LENGTH])
{
	uint64_t sum = class_amounts_format(memory, text), more = sum_of(second);
	char size[SIZE_TEXT_LENGTH];

	if (more)
		text_append(text, CLASS_AMOUNTS_LENGTH, ", and %s in second places", size_format(more, size));
	return sum + more;
}
