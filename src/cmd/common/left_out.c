// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

enum { LEFT_OUT_LENGTH = (PAGE_CLASSES + 2) * (SIZE_TEXT_LENGTH + 48) };

static void add_pages(char line[LEFT_OUT_LENGTH], const char *name, uint64_t count, uint32_t page_size)
{
	char size[SIZE_TEXT_LENGTH];

	text_append(line, LEFT_OUT_LENGTH, "%s%s %" PRIu64 " page%s (%s)", *line ? ", " : "", name, count, plural(count),
		    size_format(count * page_size, size));
}

/* "left out: cache 1200 pages (4.7 MiB), free 90000 pages (351.6 MiB)" */
void left_out_report(const struct page_filter *filter, uint32_t page_size)
{
	char line[LEFT_OUT_LENGTH] = "";

	for (enum page_class c = 0; c < PAGE_CLASSES; c++)
		if (filter->classes & PAGE_CLASS_BIT(c))
			add_pages(line, page_class_name(c), page_filter_count(filter, c), page_size);
	for (enum page_kind kind = 0; kind < PAGE_KINDS; kind++)
		if (filter->marked >> kind & 1 && filter->of_kind[kind])
			add_pages(line, page_kind_name(kind), filter->of_kind[kind], page_size);
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
		message("no pages are left out%s: %s", filter->asked & ASK_MARKED ?
			", and those that must not be touched are read like all others" : "", filter->no_kinds);
		return;
	}
	for (enum page_class c = 0; c < PAGE_CLASSES; c++)
		if (kept & PAGE_CLASS_BIT(c))
			kept &= ~report_kept(&filter->trust, c, kept);
	for (unsigned i = 0; i < 2; i++)
		if (filter->doubted >> (PAGE_OFFLINE + i) & 1)
			message("%s pages are read, after all others: %s", page_kind_name(PAGE_OFFLINE + i),
				filter->trust.why[JUDGED_OFFLINE + i]);
}

/*
 * The word for a class of captures: that of dump levels, as far as it belongs to one; "offline" and "poisoned", which
 * are left out at every level; or "map", or "kernel" for all others.
 */
static const char *class_word(unsigned number)
{
	unsigned dumped = page_class_of_captured(number);

	if (number == CLASS_CPU_FREE || number == CLASS_FIRST)
		return layer_class_name(CLASS_KERNEL);
	if (class_is_marked(number))
		return layer_class_name(number);
	for (enum page_class c = 0; c < PAGE_CLASSES; c++)
		if (dumped == PAGE_CLASS_BIT(c))
			return page_class_name(c);
	return layer_class_name(number);
}

const char *class_label(unsigned number, char text[CLASS_LABEL_LENGTH])
{
	const char *word = class_word(number), *name = layer_class_name(number);

	if (strcmp(word, name) == 0)
		return word;
	snprintf(text, CLASS_LABEL_LENGTH, "%s (%s)", word, name);
	return text;
}

/* Pages in the lists of CPUs are captured after all others of the kernel, and are free, but for few. */
static const char *amount_word(unsigned number)
{
	return number == CLASS_CPU_FREE ? layer_class_name(number) : class_word(number);
}

/* The sum of the classes from this one on that have the same word; 0 if it was added before. */
static uint64_t take_word(const uint64_t of_class[CLASSES], unsigned number)
{
	const char *word = amount_word(number);
	uint64_t sum = 0;

	for (unsigned i = 0; i < CLASSES; i++) {
		bool same = strcmp(amount_word(i), word) == 0;

		if (same && i < number && of_class[i])
			return 0;
		sum += same ? of_class[i] : 0;
	}
	return sum;
}

uint64_t class_amounts_format(const uint64_t of_class[CLASSES], uint64_t unknown,
			      char text[CLASS_AMOUNTS_LENGTH])
{
	uint64_t sum = unknown;
	char size[SIZE_TEXT_LENGTH], list[CLASS_AMOUNTS_LENGTH] = "";

	for (unsigned i = 0; i < CLASSES; i++) {
		uint64_t amount = of_class[i] ? take_word(of_class, i) : 0;

		sum += of_class[i];
		if (amount)
			text_append(list, CLASS_AMOUNTS_LENGTH, "%s%s %s", *list ? ", " : "", amount_word(i),
				    size_format(amount, size));
	}
	if (unknown)
		text_append(list, CLASS_AMOUNTS_LENGTH, "%sunknown %s", *list ? ", " : "", size_format(unknown, size));
	snprintf(text, CLASS_AMOUNTS_LENGTH, *list ? "%s (%s)" : "%s", size_format(sum, size), list);
	return sum;
}
