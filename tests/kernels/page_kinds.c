// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *	page_kinds CORE KPAGEFLAGS
 *
 * Compares the kinds of all pages of a core with what its kernel said of them just before it
 * panicked (page_words.h).  Prints a table of kinds and of the kernel's words.
 * Exit status 1: there are differences that are not expected; 2: no comparison.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "core/kinds/page_class.h"
#include "page_words.h"

struct comparison {
	uint64_t pages[PAGE_KINDS][WORDS];
	uint64_t changes[PAGE_KINDS][WORDS][CHANGES];	/* of these, the ones that do not agree */
	uint64_t examples[PAGE_KINDS][WORDS];		/* a frame of each */
};

static void print_table(const struct comparison *c)
{
	printf("%-14s", "kind");
	for (enum page_word w = 0; w < WORDS; w++)
		printf(" %8s", page_word_name(w));
	printf("\n");
	for (enum page_kind k = 0; k < PAGE_KINDS; k++) {
		printf("%-14s", page_kind_name(k));
		for (enum page_word w = 0; w < WORDS; w++)
			printf(" %8" PRIu64, c->pages[k][w]);
		printf("\n");
	}
}

static void print_change(const struct comparison *c, enum page_kind k, enum page_word w,
			 enum page_change change)
{
	printf("%s: %s, the kernel said %s: %" PRIu64 ", such as frame %#" PRIx64 "\n",
	       page_change_name(change), page_kind_name(k), page_word_name(w), c->changes[k][w][change],
	       c->examples[k][w]);
}

static bool check(const struct comparison *c)
{
	uint64_t all = 0, changed[CHANGES] = { 0 };

	for (enum page_kind k = 0; k < PAGE_KINDS; k++)
		for (enum page_word w = 0; w < WORDS; w++) {
			all += c->pages[k][w];
			for (enum page_change change = 0; change < CHANGES; change++) {
				changed[change] += c->changes[k][w][change];
				if (c->changes[k][w][change])
					print_change(c, k, w, change);
			}
		}
	printf("%" PRIu64 " pages:", all);
	page_changes_print(changed);
	return page_changes_are_few(changed, all);
}

static void compare_page(struct comparison *c, struct page_core *core, uint64_t pfn,
			 enum page_kind kind, enum page_word word)
{
	if (!c->pages[kind][word]++)
		c->examples[kind][word] = pfn;
	if (!page_word_agrees(kind, word))
		c->changes[kind][word][page_change_of(kind, word, core, pfn)]++;
}

static void compare(struct comparison *c, struct page_core *core, const struct file *flags)
{
	const struct pages *pages = &core->pages;
	uint8_t kinds[4096];

	for (size_t i = 0; i < pages->ram.count; i++)
		for (uint64_t at = 0; at < pages->ram.ranges[i].length; at += sizeof(kinds)) {
			uint64_t pfn = pages->ram.ranges[i].offset + at;
			size_t count = min_u64(sizeof(kinds), pages->ram.ranges[i].length - at);

			page_core_kinds(core, pfn, count, kinds);
			for (size_t j = 0; j < count; j++)
				compare_page(c, core, pfn + j, kinds[j], page_word_of(flags, pfn + j));
		}
}

int main(int argc, char **argv)
{
	static struct comparison c;
	static struct page_core core;
	struct file flags;
	bool right = true;

	if (argc != 3) {
		fprintf(stderr, "usage: page_kinds CORE KPAGEFLAGS\n");
		return 2;
	}
	page_core_open(&core, argv[1]);
	flags = file_map(argv[2]);
	for (enum page_test test = 0; test < PAGE_TESTS; test++)
		if (!page_test_made(&core.keys, test)) {
			printf("wrong: %s\n", core.keys.off[test]);
			right = false;
		}
	compare(&c, &core, &flags);
	print_table(&c);
	right = check(&c) && right;
	page_core_close(&core);
	return right ? 0 : 1;
}
