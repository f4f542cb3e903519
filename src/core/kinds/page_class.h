// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Classes of pages that a dump may leave out, and the dump levels that select them.  Numbers and
 * words are those of makedumpfile(8), -d.  A table shows how they correspond to the kinds of pages and to
 * the finer classes of captures (doc/format.md, section 7).
 */
#ifndef NSPLIT_CORE_KINDS_PAGE_CLASS_H
#define NSPLIT_CORE_KINDS_PAGE_CLASS_H

#include "base/error.h"
#include "core/kinds/page_kind.h"
#include "format/format.h"

/* In the order of their levels. */
enum page_class {
	PAGE_CLASS_CACHE,		/* of files; the file system holds no data for the page */
	PAGE_CLASS_PRIVATE,		/* of files; it does */
	PAGE_CLASS_USER,		/* anonymous memory and hugetlb */
	PAGE_CLASS_FREE,		/* free, unaccepted, offline */
	PAGE_CLASSES			/* none of them: kept in every dump */
};

enum {
	DUMP_LEVEL_ZERO = 1,		/* accepted, but zero pages take no room in any case */
	DUMP_LEVEL_CACHE = 2,
	DUMP_LEVEL_PRIVATE = 4,		/* implies DUMP_LEVEL_CACHE */
	DUMP_LEVEL_USER = 8,
	DUMP_LEVEL_FREE = 16,
	DUMP_LEVEL_ALL = 31,
};

/* Sets of classes have the bit PAGE_CLASS_BIT(c) for each of them. */
#define PAGE_CLASS_BIT(c) (1U << (c))

struct page_kind_classes {
	const char *name;		/* of the kind, for keys in JSON */
	enum page_class dumped;		/* of dump levels; PAGE_CLASSES: kept at every level */
	enum layer_class captured;	/* of captures: CLASS_KERNEL, or of this kind only */
};

extern const struct page_kind_classes page_kind_classes[PAGE_KINDS];

static inline const char *page_kind_name(enum page_kind kind)
{
	return page_kind_classes[kind].name;
}

static inline enum page_class page_class_of(enum page_kind kind)
{
	return page_kind_classes[kind].dumped;
}

static inline enum layer_class page_captured_as(enum page_kind kind)
{
	return page_kind_classes[kind].captured;
}

/* Of a class of captures, or a number of a later version: the class of dump levels, as a set. */
unsigned page_class_of_captured(unsigned layer_class);
/* The same of all that a capture has left out, unless they are marked. */
unsigned page_classes_left_out(const struct class_table *table);

/* The word of --exclude= for a class. */
const char *page_class_name(enum page_class c);

/* The classes that a level leaves out, and the level of a set of classes, without DUMP_LEVEL_ZERO. */
unsigned dump_level_classes(unsigned level);
unsigned dump_level_of_classes(unsigned classes);

/*
 * The level of -d: "0" to "31".  An empty text is 0, as for makedumpfile: scripts pass the value of a setting that may
 * be empty.  STATUS_USAGE: the text is something else.
 */
enum status dump_level_read(const char *text, unsigned *level, struct error *e);

/* The words of --exclude: number n, or NULL after the last one. */
const char *dump_level_word(unsigned n);

/* The same for words with commas between them, such as "free,user". */
enum status dump_level_read_words(const char *text, unsigned *level, struct error *e);

#endif
