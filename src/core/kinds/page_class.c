// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "core/kinds/page_class.h"

/* The lowest level comes first: zero has no class. */
static const char *const words[] = { "zero", "cache", "private", "user", "free" };

enum { WORDS = sizeof(words) / sizeof(words[0]) };

const struct page_kind_classes page_kind_classes[PAGE_KINDS] = {
	[PAGE_UNKNOWN] = { "unknown", PAGE_CLASSES, CLASS_KERNEL },
	[PAGE_OTHER] = { "other", PAGE_CLASSES, CLASS_KERNEL },
	[PAGE_IMAGE] = { "image", PAGE_CLASSES, CLASS_KERNEL },
	[PAGE_MAP] = { "map", PAGE_CLASSES, CLASS_MAP },
	[PAGE_RESERVED] = { "reserved", PAGE_CLASSES, CLASS_KERNEL },
	[PAGE_SLAB] = { "slab", PAGE_CLASSES, CLASS_KERNEL },
	[PAGE_KMALLOC] = { "large_kmalloc", PAGE_CLASSES, CLASS_KERNEL },
	[PAGE_TABLE] = { "page_table", PAGE_CLASSES, CLASS_KERNEL },
	[PAGE_TYPED] = { "typed", PAGE_CLASSES, CLASS_KERNEL },
	[PAGE_CACHE_PRIVATE] = { "cache_private", PAGE_CLASS_PRIVATE, CLASS_PRIVATE },
	[PAGE_CACHE_DIRTY] = { "cache_dirty", PAGE_CLASS_CACHE, CLASS_DIRTY },
	[PAGE_CACHE_CLEAN] = { "cache_clean", PAGE_CLASS_CACHE, CLASS_CLEAN },
	[PAGE_ANONYMOUS] = { "anonymous", PAGE_CLASS_USER, CLASS_ANONYMOUS },
	[PAGE_HUGETLB] = { "hugetlb", PAGE_CLASS_USER, CLASS_HUGETLB },
	[PAGE_CPU_FREE] = { "cpu_free", PAGE_CLASSES, CLASS_CPU_FREE },
	[PAGE_FREE] = { "free", PAGE_CLASS_FREE, CLASS_FREE },
	[PAGE_UNACCEPTED] = { "unaccepted", PAGE_CLASS_FREE, CLASS_UNACCEPTED },
	[PAGE_OFFLINE] = { "offline", PAGE_CLASS_FREE, CLASS_OFFLINE },
	[PAGE_POISONED] = { "poisoned", PAGE_CLASSES, CLASS_POISONED },
};

/* The row of a class of captures; that of unknown pages for a class of later versions. */
static const struct page_kind_classes *row_of(unsigned layer_class)
{
	for (enum page_kind kind = 0; kind < PAGE_KINDS; kind++)
		if (page_kind_classes[kind].captured == layer_class)
			return &page_kind_classes[kind];
	return &page_kind_classes[PAGE_UNKNOWN];
}

unsigned page_class_of_captured(unsigned layer_class)
{
	enum page_class class = row_of(layer_class)->dumped;

	return class < PAGE_CLASSES ? PAGE_CLASS_BIT(class) : 0;
}

unsigned page_classes_left_out(const struct class_table *table)
{
	unsigned classes = 0;

	for (unsigned i = 0; i < CLASSES; i++)
		if (class_state(table, i) == CLASS_LEFT_OUT && !class_is_marked(i))
			classes |= page_class_of_captured(i);
	return classes;
}

const char *page_class_name(enum page_class c)
{
	return words[c + 1];
}

unsigned dump_level_classes(unsigned level)
{
	if (level & DUMP_LEVEL_PRIVATE)
		level |= DUMP_LEVEL_CACHE;
	return (level & DUMP_LEVEL_ALL) >> 1;
}

unsigned dump_level_of_classes(unsigned classes)
{
	return classes << 1;
}

enum status dump_level_read(const char *text, unsigned *level, struct error *e)
{
	size_t digits = strspn(text, "0123456789");

	*level = 0;
	for (size_t i = 0; i < digits && *level <= DUMP_LEVEL_ALL; i++)
		*level = *level * 10 + (unsigned)(text[i] - '0');
	if (!text[digits] && *level <= DUMP_LEVEL_ALL)
		return STATUS_OK;
	if (digits && text[digits] == ',')
		return error_set(e, STATUS_USAGE, "'%s' is a list of dump levels; use a single one", text);
	return error_set(e, STATUS_USAGE, "'%s' is not a dump level, which is a number from 0 to %d: "
			 "the sum of 1 (zero), 2 (cache), 4 (private), 8 (user) and 16 (free)", text,
			 DUMP_LEVEL_ALL);
}

const char *dump_level_word(unsigned n)
{
	return n < WORDS ? words[n] : NULL;
}

static unsigned level_of_word(const char *word, size_t len)
{
	for (unsigned i = 0; i < WORDS; i++)
		if (strlen(words[i]) == len && memcmp(words[i], word, len) == 0)
			return 1U << i;
	return 0;
}

enum status dump_level_read_words(const char *text, unsigned *level, struct error *e)
{
	*level = 0;
	for (;;) {
		size_t len = strcspn(text, ",");
		unsigned one = level_of_word(text, len);

		if (!one)
			return error_set(e, STATUS_USAGE, "unknown class of pages '%.*s'; the classes are "
					 "zero, cache, private, user and free", (int)len, text);
		*level |= one;
		if (!text[len])
			return STATUS_OK;
		text += len + 1;
	}
}
