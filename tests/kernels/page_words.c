// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "page_words.h"

static uint64_t said_of(const struct file *flags, uint64_t pfn)
{
	return pfn < flags->size / 8 ? get_le64(flags->bytes + pfn * 8) : page_said_nothing();
}

enum page_word page_word_of(const struct file *flags, uint64_t pfn)
{
	uint64_t own = said_of(flags, pfn), said = own;

	while (page_said_tail(said) && pfn)
		said = said_of(flags, --pfn);
	return page_word_of_said(page_said_tail(own) ? page_said_with_head(own, said) : said);
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
	if (may_have_changed(kind, word))
		return CHANGE_CHANGED;
	if (has_left_lists(kind, word) && page_core_is_off_lists(core, pfn))
		return CHANGE_MIGRATING;
	/* It is on a list, and was not. */
	if (kind >= PAGE_CACHE_PRIVATE && kind <= PAGE_ANONYMOUS && word == WORD_LARGE)
		return CHANGE_MIGRATING;
	return CHANGE_WRONG;
}

bool page_changes_are_few(const uint64_t pages[CHANGES], uint64_t all)
{
	return all && !pages[CHANGE_WRONG] && pages[CHANGE_CHANGED] <= all / 1000 &&
	       pages[CHANGE_MIGRATING] <= all / 50;
}

const char *page_change_name(enum page_change change)
{
	static const char *const names[CHANGES] = { "changed", "migrating", "wrong" };

	return names[change];
}
