// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "core/page_class.h"

/* The lowest level comes first: zero has no class. */
static const char *const words[] = { "zero", "cache", "private", "user", "free" };

enum { WORDS = sizeof(words) / sizeof(words[0]) };

enum page_class page_class_of(enum page_kind kind)
{
	switch (kind) {
	case PAGE_CACHE_CLEAN:
	case PAGE_CACHE_DIRTY:
		return PAGE_CLASS_CACHE;
	case PAGE_CACHE_PRIVATE:
		return PAGE_CLASS_PRIVATE;
	case PAGE_ANONYMOUS:
	case PAGE_HUGETLB:
		return PAGE_CLASS_USER;
	case PAGE_FREE:
	case PAGE_UNACCEPTED:
	case PAGE_OFFLINE:
		return PAGE_CLASS_FREE;
	default:
		return PAGE_CLASSES;
	}
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
	if (digits && !text[digits] && *level <= DUMP_LEVEL_ALL)
		return STATUS_OK;
	if (digits && text[digits] == ',')
		return error_set(e, STATUS_USAGE, "'%s' is a list of dump levels; use a single one", text);
	return error_set(e, STATUS_USAGE, "'%s' is not a dump level, which is a number from 0 to %d: "
			 "the sum of 1 (zero), 2 (cache), 4 (private), 8 (user) and 16 (free)", text,
			 DUMP_LEVEL_ALL);
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
