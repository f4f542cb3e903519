// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "page_words.h"

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

/* Of a page that is no tail, or with the flags of its head. */
static enum page_word word_of_said(uint64_t said)
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

/* A frame beyond the end of the file has no struct page. */
static uint64_t said_of(const struct file *flags, uint64_t pfn)
{
	return pfn < flags->size / 8 ? get_le64(flags->bytes + pfn * 8) : (uint64_t)1 << NOPAGE;
}

/* Before Linux 6.9, the flags of a tail are its own and say little. */
enum page_word page_word_of(const struct file *flags, uint64_t pfn)
{
	uint64_t own = said_of(flags, pfn) & ((uint64_t)1 << TAIL | (uint64_t)1 << HWPOISON), said = said_of(flags, pfn);

	while (said >> TAIL & 1 && pfn)
		said = said_of(flags, --pfn);
	return word_of_said(said | own);
}

static uint32_t words_of(enum page_kind kind)
{
#define W(word) ((uint32_t)1 << WORD_##word)
	switch (kind) {
	case PAGE_UNKNOWN:
		return W(NOPAGE);
	case PAGE_IMAGE:
	case PAGE_MAP:
	case PAGE_RESERVED:
	case PAGE_OTHER:
		return W(RESERVED) | W(LARGE) | W(COMPOUND) | W(OTHER) | W(NONE);
	case PAGE_SLAB:
		return W(SLAB);
	case PAGE_KMALLOC:
		return W(COMPOUND) | W(NONE) | W(OTHER);
	case PAGE_TABLE:
		return W(PGTABLE);
	case PAGE_TYPED:
		return W(COMPOUND) | W(NONE) | W(OTHER) | W(PGTABLE) | W(OFFLINE);
	case PAGE_CACHE_PRIVATE:
		return W(PRIVATE);
	case PAGE_CACHE_DIRTY:
		return W(DIRTY);
	case PAGE_CACHE_CLEAN:
		return W(LRU);
	case PAGE_ANONYMOUS:
		return W(ANON);
	case PAGE_HUGETLB:
		return W(HUGE);
	case PAGE_CPU_FREE:
		return W(NONE);
	case PAGE_FREE:
	case PAGE_UNACCEPTED:
		return W(BUDDY);
	case PAGE_OFFLINE:
		return W(OFFLINE);
	case PAGE_POISONED:
		return W(HWPOISON);
	case PAGE_KINDS:
		break;
	}
#undef W
	return 0;
}

bool page_word_agrees(enum page_kind kind, enum page_word word)
{
	return words_of(kind) >> word & 1;
}

static bool is_of_file(enum page_kind kind, enum page_word word)
{
	return kind >= PAGE_CACHE_PRIVATE && kind <= PAGE_CACHE_CLEAN && word >= WORD_PRIVATE &&
	       word <= WORD_LRU;
}

static bool may_have_changed(enum page_kind kind, enum page_word word)
{
	return kind == PAGE_FREE || kind == PAGE_CPU_FREE || word == WORD_BUDDY || word == WORD_NONE ||
	       is_of_file(kind, word);
}

/* The page is not on an LRU list, and was. */
static bool has_left_lists(enum page_kind kind, enum page_word word)
{
	return (kind == PAGE_OTHER || kind == PAGE_IMAGE) && word >= WORD_ANON && word <= WORD_LRU;
}

enum page_change page_change_of(enum page_kind kind, enum page_word word, struct page_core *core,
				uint64_t pfn)
{
	if (kind == PAGE_FREE && word == WORD_NONE)
		return CHANGE_GIVEN_BACK;
	/* Of all frames of a huge page at once. */
	if (kind == PAGE_ANONYMOUS && word == WORD_NONE && page_core_is_compound(core, pfn))
		return CHANGE_MIGRATING;
	if (may_have_changed(kind, word))
		return CHANGE_CHANGED;
	if (has_left_lists(kind, word) && page_core_is_off_lists(core, pfn))
		return CHANGE_MIGRATING;
	/* It is on a list, and was not, such as a new page with buffers, whose CPU puts several on a list at once. */
	if (kind >= PAGE_CACHE_PRIVATE && kind <= PAGE_ANONYMOUS &&
	    (word == WORD_LARGE || (word == WORD_OTHER && !page_core_is_off_lists(core, pfn))))
		return CHANGE_MIGRATING;
	return CHANGE_WRONG;
}

bool page_changes_are_few(const uint64_t pages[CHANGES], uint64_t all)
{
	return all && !pages[CHANGE_WRONG] && pages[CHANGE_CHANGED] <= all / 1000 &&
	       pages[CHANGE_GIVEN_BACK] <= all / 50 && pages[CHANGE_MIGRATING] <= all / 50;
}

const char *page_change_name(enum page_change change)
{
	static const char *const names[CHANGES] = { "changed", "given back", "migrating", "wrong" };

	return names[change];
}

void page_changes_print(const uint64_t pages[CHANGES])
{
	for (enum page_change change = 0; change < CHANGES; change++)
		printf("%s %" PRIu64 " %s", change ? "," : "", pages[change], page_change_name(change));
	printf("\n");
}
