// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *	page_sets CORE KPAGEFLAGS LEVEL OURS [THEIRS]
 *
 * Judges which pages OURS lacks, a dump of the core that njoin -d LEVEL made: they are exactly those
 * of the kinds that the level names, as makedumpfile(8) describes it; and the kernel itself said so of
 * them just before it panicked (page_words.h).  Prints how many pages of each class it lacks.
 *
 * With THEIRS, which makedumpfile -d LEVEL made: it lacks the same pages as OURS, but for the reasons
 * below.  Prints how many differ for which reason.
 *
 * Exit status 1: something is not so; 2: no comparison.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "core/kinds/page_class.h"
#include "page_words.h"

/* Which pages a kdump-compressed file has, by its second bitmap. */
struct kdump_set {
	struct file file;
	uint64_t end;			/* of the page frames in it */
	const uint8_t *bitmap;
	uint32_t level;			/* in its header */
	bool incomplete;
};

enum {
	STATUS = 424, BLOCK_SIZE = 428, SUB_BLOCKS = 432, BITMAP_BLOCKS = 436,
	SUB_LEVEL = 8, SUB_MAX_MAPNR_64 = 96, SUB_LENGTH = 104,
	INCOMPLETE = 0x8,
};

static void die(const char *name)
{
	fprintf(stderr, "%s: not a complete kdump-compressed file\n", name);
	exit(2);
}

/* Exits with status 2 if it is no such file. */
static struct kdump_set kdump_set_open(const char *name)
{
	struct kdump_set set = { .file = file_map(name) };
	const uint8_t *header = set.file.bytes, *sub;
	uint64_t block, bitmaps, length;

	if (set.file.size < BITMAP_BLOCKS + 4 || memcmp(header, "KDUMP   ", 8))
		die(name);
	block = get_le32(header + BLOCK_SIZE);
	bitmaps = (1 + (uint64_t)get_le32(header + SUB_BLOCKS)) * block;
	length = get_le32(header + BITMAP_BLOCKS) * block;
	if (set.file.size < block + SUB_LENGTH || set.file.size < bitmaps + length)
		die(name);
	sub = header + block;
	set.end = get_le64(sub + SUB_MAX_MAPNR_64);
	set.level = get_le32(sub + SUB_LEVEL);
	set.incomplete = get_le32(header + STATUS) & INCOMPLETE;
	set.bitmap = header + bitmaps + length / 2;
	if (set.end > length / 2 * 8)
		die(name);
	return set;
}

static bool kdump_set_has(const struct kdump_set *set, uint64_t pfn)
{
	return pfn < set->end && set->bitmap[pfn / 8] >> (pfn % 8) & 1;
}

enum { LEVEL_CACHE = 2, LEVEL_PRIVATE = 4, LEVEL_USER = 8, LEVEL_FREE = 16 };

/* Why makedumpfile lacks a page and njoin does not. */
enum reason {
	/* It leaves out pages that are not completely in the core. */
	REASON_PART,
	/* It leaves these out at every level. */
	REASON_OFFLINE, REASON_POISONED,
	/*
	 * It does not know OFFSET(page.compound_info), of kernels since 7.1, and takes each frame of a
	 * page of several for a page of its own.  What such a frame has at the place of the mapping is
	 * something else, and if bit 0 of it is set, makedumpfile believes that the page is anonymous.
	 */
	REASON_TAIL,
	REASON_NONE, REASONS
};

static const char *const reasons[REASONS] = {
	"only partly in the core", "offline", "poisoned", "wrongly, of several frames",
	"for no known reason",
};

struct judgement {
	unsigned level;
	uint64_t pages, left_out[PAGE_KINDS];	/* in the core; of these, not in OURS */
	uint64_t not_as_kind[2][PAGE_KINDS];	/* left out or, with index 1, kept */
	uint64_t changes[CHANGES];		/* of pages that were left out */
	uint64_t only_ours[PAGE_KINDS][WORDS];	/* left out */
	uint64_t only_theirs[PAGE_KINDS][WORDS][REASONS];
	uint64_t example;			/* a frame that is wrong */
};

struct judge {
	struct page_core core;
	struct file flags;
	struct kdump_set ours, theirs;
	bool has_theirs;
	struct judgement found;
};

/* The levels that leave out pages of a kind.  4 includes 2. */
static unsigned levels_of(enum page_kind kind)
{
	switch (kind) {
	case PAGE_CACHE_DIRTY:
	case PAGE_CACHE_CLEAN:
		return LEVEL_CACHE | LEVEL_PRIVATE;
	case PAGE_CACHE_PRIVATE:
		return LEVEL_PRIVATE;
	case PAGE_ANONYMOUS:
	case PAGE_HUGETLB:
		return LEVEL_USER;
	case PAGE_FREE:
	case PAGE_UNACCEPTED:
	case PAGE_OFFLINE:
		return LEVEL_FREE;
	default:
		return 0;
	}
}

/* --- a page ---------------------------------------------------------------------------- */

/* For a page that the level keeps. */
static bool is_mistaken_tail(struct judge *j, uint64_t pfn)
{
	const struct page_keys *keys = &j->core.keys;
	uint8_t page[STRUCT_PAGE_MAX];
	uint64_t offset;

	return j->found.level & LEVEL_USER &&
	       vmcoreinfo_get(&j->core.info, "OFFSET", "page.compound_info", &offset) &&
	       !vmcoreinfo_get(&j->core.info, "OFFSET", "page.compound_head", &offset) &&
	       page_core_struct(&j->core, pfn, page) && page_is_tail(keys, page) &&
	       get_le64(page + keys->mapping) & 1;
}

static enum reason reason_of(struct judge *j, uint64_t pfn, enum page_kind kind, bool ragged)
{
	if (levels_of(kind) & j->found.level)
		return REASON_NONE;
	if (kind == PAGE_OFFLINE)
		return REASON_OFFLINE;
	if (kind == PAGE_POISONED)
		return REASON_POISONED;
	if (ragged)
		return REASON_PART;
	return is_mistaken_tail(j, pfn) ? REASON_TAIL : REASON_NONE;
}

static void compare_page(struct judge *j, uint64_t pfn, enum page_kind kind, enum page_word word,
			 bool ragged)
{
	bool ours = kdump_set_has(&j->ours, pfn), theirs = kdump_set_has(&j->theirs, pfn);
	struct judgement *found = &j->found;

	if (!ours && theirs)
		found->only_ours[kind][word]++;
	if (ours && !theirs)
		found->only_theirs[kind][word][reason_of(j, pfn, kind, ragged)]++;
}

static void judge_page(struct judge *j, uint64_t pfn, enum page_kind kind, enum page_word word)
{
	bool kept = kdump_set_has(&j->ours, pfn);
	struct judgement *found = &j->found;

	found->pages++;
	if (kept == ((levels_of(kind) & found->level) != 0)) {
		found->not_as_kind[kept][kind]++;
		found->example = pfn;
	}
	if (kept)
		return;
	found->left_out[kind]++;
	if (!page_word_agrees(kind, word))
		found->changes[page_change_of(kind, word, &j->core, pfn)]++;
}

static void each_page(struct judge *j, uint64_t pfn, enum page_kind kind, bool ragged)
{
	enum page_word word = page_word_of(&j->flags, pfn);

	if (j->has_theirs)
		compare_page(j, pfn, kind, word, ragged);
	else
		judge_page(j, pfn, kind, word);
}

static void each_range(struct judge *j, const struct page_range *range)
{
	uint8_t kinds[4096];

	for (uint64_t at = 0; at < range->count; at += sizeof(kinds)) {
		size_t count = min_u64(sizeof(kinds), range->count - at);

		page_core_kinds(&j->core, range->pfn + at, count, kinds);
		for (size_t i = 0; i < count; i++)
			each_page(j, range->pfn + at + i, kinds[i], range->ragged);
	}
}

/* --- what is printed ------------------------------------------------------------------- */

static uint64_t sum_of(const struct judgement *found, unsigned levels)
{
	uint64_t sum = 0;

	for (enum page_kind k = 0; k < PAGE_KINDS; k++)
		if (levels_of(k) == levels)
			sum += found->left_out[k];
	return sum;
}

static void print_classes(const struct judgement *found)
{
	printf("left out, of %" PRIu64 " pages: cache %" PRIu64 " private %" PRIu64 " user %" PRIu64
	       " free %" PRIu64 "\n", found->pages, sum_of(found, LEVEL_CACHE | LEVEL_PRIVATE),
	       sum_of(found, LEVEL_PRIVATE), sum_of(found, LEVEL_USER), sum_of(found, LEVEL_FREE));
}

/*
 * The header says what was done: 4 includes 2.  Pages of zeros are never left out, so 1 is only said to have been asked
 * for, which members do not know.
 */
static bool check_header(const struct judge *j)
{
	uint32_t level = j->found.level | (j->found.level & LEVEL_PRIVATE ? LEVEL_CACHE : 0), ours = j->ours.level;
	bool right = ours == level || ours == (level & ~1U);

	if (j->ours.incomplete)
		printf("wrong: the header says that pages are missing\n");
	if (!right)
		printf("wrong: the header says level %" PRIu32 "\n", ours);
	return !j->ours.incomplete && right;
}

static bool check_kinds(const struct judgement *found)
{
	static const char *const what[] = { "left out", "kept" };
	bool right = true;

	for (int kept = 0; kept < 2; kept++)
		for (enum page_kind k = 0; k < PAGE_KINDS; k++)
			if (found->not_as_kind[kept][k]) {
				printf("wrong: %" PRIu64 " pages of %s are %s; the last wrong frame: %#" PRIx64 "\n",
				       found->not_as_kind[kept][k], page_kind_name(k), what[kept],
				       found->example);
				right = false;
			}
	return right;
}

static bool check_words(const struct judgement *found)
{
	if (page_changes_are_few(found->changes, found->pages))
		return true;
	printf("wrong: the kernel said otherwise of pages that are left out:");
	page_changes_print(found->changes);
	return false;
}

static bool print_difference(const char *what, uint64_t pages, enum page_kind k, enum page_word w)
{
	if (pages)
		printf("makedumpfile %s: %" PRIu64 " %s, the kernel said %s\n", what, pages,
		       page_kind_name(k), page_word_name(w));
	return pages;
}

static bool check_theirs(const struct judgement *found)
{
	uint64_t sums[REASONS] = { 0 };
	bool right = true;

	for (enum page_kind k = 0; k < PAGE_KINDS; k++)
		for (enum page_word w = 0; w < WORDS; w++)
			for (enum reason r = 0; r < REASONS; r++)
				sums[r] += found->only_theirs[k][w][r];
	printf("makedumpfile leaves out more:");
	for (enum reason r = 0; r < REASONS; r++)
		printf("%s %" PRIu64 " %s", r ? "," : "", sums[r], reasons[r]);
	printf("\n");
	for (enum page_kind k = 0; k < PAGE_KINDS; k++)
		for (enum page_word w = 0; w < WORDS; w++) {
			const uint64_t *only = found->only_theirs[k][w];

			print_difference("leaves out wrongly", only[REASON_TAIL], k, w);
			if (print_difference("leaves out for no known reason", only[REASON_NONE], k, w) ||
			    print_difference("keeps for no known reason", found->only_ours[k][w], k, w))
				right = false;
		}
	return right;
}

static bool check_ours(const struct judge *j)
{
	bool right = check_header(j);

	print_classes(&j->found);
	right = check_kinds(&j->found) && right;
	return check_words(&j->found) && right;
}

int main(int argc, char **argv)
{
	static struct judge j;
	bool right;

	if (argc != 5 && argc != 6) {
		fprintf(stderr, "usage: page_sets CORE KPAGEFLAGS LEVEL OURS [THEIRS]\n");
		return 2;
	}
	page_core_open(&j.core, argv[1]);
	j.flags = file_map(argv[2]);
	j.found.level = (unsigned)atoi(argv[3]);
	j.ours = kdump_set_open(argv[4]);
	j.has_theirs = argc == 6;
	if (j.has_theirs)
		j.theirs = kdump_set_open(argv[5]);
	for (size_t i = 0; i < j.core.pages.ranges_count; i++)
		each_range(&j, &j.core.pages.ranges[i]);
	right = j.has_theirs ? check_theirs(&j.found) : check_ours(&j);
	page_core_close(&j.core);
	return right ? 0 : 1;
}
