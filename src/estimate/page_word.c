// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stddef.h>

#include "estimate/page_word.h"

/* include/uapi/linux/kernel-page-flags.h, and from 32 on include/linux/kernel-page-flags.h */
enum {
	DIRTY = 4, LRU = 5, SLAB = 7, BUDDY = 10, ANON = 12, SWAPCACHE = 13, SWAPBACKED = 14, HEAD = 15,
	TAIL = 16, HUGE = 17, HWPOISON = 19, NOPAGE = 20, THP = 22, OFFLINE = 23, PGTABLE = 26, RESERVED = 32,
	PRIVATE = 35,
};

const char *page_word_name(enum page_word word)
{
	static const char *const names[WORDS] = {
		"nopage", "hwpoison", "offline", "buddy", "slab", "pgtable", "huge", "anon", "private", "dirty",
		"lru", "reserved", "large", "compound", "other", "none",
	};

	return names[word];
}

uint64_t page_said_nothing(void)
{
	return (uint64_t)1 << NOPAGE;
}

bool page_said_tail(uint64_t said)
{
	return said >> TAIL & 1;
}

bool page_said_head(uint64_t said)
{
	return said >> HEAD & 1;
}

uint64_t page_said_with_head(uint64_t tail, uint64_t head)
{
	const uint64_t own = (uint64_t)1 << TAIL | (uint64_t)1 << HWPOISON;

	return head | (tail & own);
}

enum page_word page_word_of_said(uint64_t said)
{
	static const struct { int bit; enum page_word word; } order[] = {
		{ NOPAGE, WORD_NOPAGE }, { HWPOISON, WORD_HWPOISON }, { OFFLINE, WORD_OFFLINE },
		{ BUDDY, WORD_BUDDY }, { SLAB, WORD_SLAB }, { PGTABLE, WORD_PGTABLE },
		{ HUGE, WORD_HUGE }, { RESERVED, WORD_RESERVED }, { ANON, WORD_ANON },
	};
	const uint64_t swap = (uint64_t)1 << SWAPCACHE | (uint64_t)1 << SWAPBACKED;

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (said >> order[i].bit & 1)
			return order[i].word;
	if (said >> LRU & 1 || (said & swap) == swap)
		return said >> PRIVATE & 1 ? WORD_PRIVATE : said >> DIRTY & 1 ? WORD_DIRTY : WORD_LRU;
	/* Memory of processes and files that is on no list; other pages of several frames lack THP. */
	if (said >> THP & 1)
		return WORD_LARGE;
	if (said >> HEAD & 1 || said >> TAIL & 1)
		return WORD_COMPOUND;
	return said ? WORD_OTHER : WORD_NONE;
}

enum layer_class page_word_class(enum page_word word)
{
	switch (word) {
	case WORD_HWPOISON:
		return CLASS_POISONED;
	case WORD_OFFLINE:
		return CLASS_OFFLINE;
	case WORD_BUDDY:
		return CLASS_FREE;
	case WORD_HUGE:
		return CLASS_HUGETLB;
	case WORD_ANON:
		return CLASS_ANONYMOUS;
	case WORD_PRIVATE:
		return CLASS_PRIVATE;
	case WORD_DIRTY:
		return CLASS_DIRTY;
	case WORD_LRU:
		return CLASS_CLEAN;
	default:
		return CLASS_KERNEL;
	}
}
