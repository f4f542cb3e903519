// SPDX-License-Identifier: GPL-2.0-or-later
/* Which classes can be believed: each check just below and just above what it allows. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "core/kinds/page_filter.h"
#include "core/kinds/page_trust.h"
#include "helper.h"
#include "made_map.h"

enum {
	CACHE = PAGE_CLASS_BIT(PAGE_CLASS_CACHE), PRIVATE = PAGE_CLASS_BIT(PAGE_CLASS_PRIVATE),
	USER = PAGE_CLASS_BIT(PAGE_CLASS_USER), FREE = PAGE_CLASS_BIT(PAGE_CLASS_FREE),
	FILES = CACHE | PRIVATE, ALL = FILES | USER | FREE,
	OFFLINE = PAGE_CLASS_BIT(JUDGED_OFFLINE), POISONED = PAGE_CLASS_BIT(JUDGED_POISONED), EVERY = ALL | OFFLINE | POISONED,
};

/* Facts of a healthy machine, which a case changes. */
static struct page_keys keys;
static struct page_evidence evidence;
static struct page_facts facts;

static void make_healthy(void)
{
	keys = (struct page_keys){ .area_size = 104, .area_lists = 6, .lru = 8, .orders = 11 };
	evidence = (struct page_evidence){
		.parts_with_slabs = 40, .heads = { .all = 8000 }, .tails = { .all = 8000 }, .marks = { .all = 8000 }, .own = { .all = 8000 },
		.file_mappings = { .all = 200 }, .anonymous_mappings = { .all = 200 },
	};
	facts = (struct page_facts){
		.keys = &keys, .evidence = &evidence, .cpus = 2, .frames = 163840,
		.zones = { .count = 3 },
		.vote = { .frames = 1000, .reserved = 800, .unmapped = 790, .pointers = 8000, .tables = 300, .mapped = 8000,
			  .symbols = 30 },
	};
	for (unsigned o = 0; o < 11; o++)
		evidence.blocks[o] = facts.zones.blocks[o] = 100;
}

#define CHANGE(name, ...) static void name(void) { __VA_ARGS__; }
#define OFF(test) snprintf(keys.off[PAGE_TEST_##test], sizeof(keys.off[0]), "no " #test)
#define NO_COUNT "VMCOREINFO does not have what is needed to find the kernel's own count of free blocks"
#define IN_TABLES(n) n " of 300 page tables of the kernel are such pages"
#define IN_SYMBOLS(n) n " of 30 symbols in VMCOREINFO are in such pages"
#define IN_IMAGE(n) n " pointers in the kernel image, of 8000, lead to such pages"

CHANGE(nothing, (void)0)
CHANGE(no_cache, OFF(CACHE))
CHANGE(no_user, OFF(USER))
CHANGE(no_free, OFF(FREE))
CHANGE(no_area, keys.area_size = 0)
CHANGE(no_lru, keys.lru = 0)
CHANGE(no_image, facts.vote.frames = facts.vote.reserved = facts.vote.pointers = 0)
CHANGE(image_enough, facts.vote.reserved = 125)
CHANGE(image_freed, facts.vote.reserved = 124)
CHANGE(image_unmapped, facts.vote.unmapped = 400)
CHANGE(image_mapped, facts.vote.unmapped = 399)
CHANGE(no_pointers, facts.vote.pointers = 0)
CHANGE(one_slab, evidence.parts_with_slabs = 1)
CHANGE(no_slabs, evidence.parts_with_slabs = 0)
CHANGE(vote_cache_8, facts.vote.to_class[PAGE_CLASS_CACHE] = 8)
CHANGE(vote_cache_9, facts.vote.to_class[PAGE_CLASS_CACHE] = 9)
CHANGE(vote_private_8, facts.vote.to_class[PAGE_CLASS_PRIVATE] = 8)
CHANGE(vote_private_9, facts.vote.to_class[PAGE_CLASS_PRIVATE] = 9)
CHANGE(vote_user_8, facts.vote.to_class[PAGE_CLASS_USER] = 8)
CHANGE(vote_user_9, facts.vote.to_class[PAGE_CLASS_USER] = 9)
CHANGE(vote_free_40, facts.vote.to_class[PAGE_CLASS_FREE] = 40)
CHANGE(vote_free_41, facts.vote.to_class[PAGE_CLASS_FREE] = 41)
CHANGE(vote_few_3, facts.vote.pointers = 20; facts.vote.to_class[PAGE_CLASS_USER] = 3)
CHANGE(vote_few_4, facts.vote.pointers = 20; facts.vote.to_class[PAGE_CLASS_USER] = 4)
CHANGE(tables_1, for (int c = 0; c < JUDGED; c++) facts.vote.tables_of_class[c] = 1)
CHANGE(tables_2, for (int c = 0; c < JUDGED; c++) facts.vote.tables_of_class[c] = 2)
CHANGE(tables_user, facts.vote.tables_of_class[PAGE_CLASS_USER] = 2)
CHANGE(mapped_8, facts.vote.mapped_of_class[PAGE_CLASS_FREE] = 8)
CHANGE(mapped_9, facts.vote.mapped_of_class[PAGE_CLASS_FREE] = 9)
CHANGE(mapped_user, facts.vote.mapped_of_class[PAGE_CLASS_USER] = 8000)
CHANGE(symbol, facts.vote.symbols_of_class[PAGE_CLASS_FREE] = 1)
CHANGE(symbol_offline, facts.vote.symbols_of_class[JUDGED_OFFLINE] = 1)
CHANGE(symbol_poisoned, facts.vote.symbols_of_class[JUDGED_POISONED] = 3)
CHANGE(symbols_poisoned, facts.vote.symbols_of_class[JUDGED_POISONED] = 4)
CHANGE(no_marks, strcpy(keys.off[PAGE_TEST_OFFLINE], "no MARKS"); strcpy(keys.off[PAGE_TEST_POISONED], "no MARKS"))
CHANGE(vote_marked_8, facts.vote.to_class[JUDGED_OFFLINE] = facts.vote.to_class[JUDGED_POISONED] = 8)
CHANGE(vote_marked_9, facts.vote.to_class[JUDGED_OFFLINE] = facts.vote.to_class[JUDGED_POISONED] = 9)
CHANGE(mapped_marked, facts.vote.mapped_of_class[JUDGED_OFFLINE] = facts.vote.mapped_of_class[JUDGED_POISONED] = 9)
CHANGE(own_marked_8, evidence.own_marked[0] = evidence.own_marked[1] = 8)
CHANGE(own_marked_9, evidence.own_marked[0] = evidence.own_marked[1] = 9)
CHANGE(most_offline, evidence.marked[0] = 163840 - 8000)
CHANGE(all_offline, evidence.marked[0] = 163840 - 7999)
CHANGE(poisoned_74, evidence.marked[1] = 74)
CHANGE(poisoned_75, evidence.marked[1] = 75)
CHANGE(own_8, evidence.own.wrong = 8)
CHANGE(own_9, evidence.own.wrong = 9)
CHANGE(tails_8, evidence.tails.wrong = 8)
CHANGE(tails_9, evidence.tails.wrong = 9)
CHANGE(tails_4000, evidence.tails.wrong = 4000)
CHANGE(tails_4001, evidence.tails.wrong = 4001)
CHANGE(heads_8, evidence.heads.wrong = 8)
CHANGE(heads_9, evidence.heads.wrong = 9)
CHANGE(few_heads_3, evidence.heads = ((struct page_tally){ 3, 3 }))
CHANGE(few_heads_4, evidence.heads = ((struct page_tally){ 4, 4 }))
CHANGE(files_10, evidence.file_mappings.wrong = 10)
CHANGE(files_11, evidence.file_mappings.wrong = 11)
CHANGE(few_files_3, evidence.file_mappings = ((struct page_tally){ 4, 3 }))
CHANGE(few_files_all, evidence.file_mappings = ((struct page_tally){ 1, 1 }))
CHANGE(anonymous_10, evidence.anonymous_mappings.wrong = 10)
CHANGE(anonymous_11, evidence.anonymous_mappings.wrong = 11)
CHANGE(no_samples, evidence.file_mappings.all = evidence.anonymous_mappings.all = 0)
CHANGE(marks_8, evidence.marks.wrong = 8)
CHANGE(marks_9, evidence.marks.wrong = 9)
CHANGE(no_blocks, for (int o = 0; o < 11; o++) evidence.blocks[o] = 0)
CHANGE(blocks_less, no_blocks(); evidence.blocks[4] = 1)
CHANGE(blocks_2, evidence.blocks[0]++; evidence.blocks[10]++)
CHANGE(blocks_3, evidence.blocks[0]++; evidence.blocks[10] += 2)
CHANGE(blocks_moved, evidence.blocks[3] += 3; evidence.blocks[4] -= 50)
CHANGE(no_zones, facts.zones = ((struct page_zones){ 0 }))
CHANGE(anchors_lost, evidence.anchors_lost = true)
CHANGE(first_reason, OFF(FREE); evidence.tails.wrong = 9; facts.vote.to_class[PAGE_CLASS_USER] = 100;
       facts.vote.to_class[PAGE_CLASS_FREE] = 100; facts.vote.tables_of_class[PAGE_CLASS_CACHE] = 2)

/* refused: classes that are, and why[class % 2], or why[0] if that is NULL. */
static const struct {
	void (*change)(void);
	unsigned refused;
	const char *why;
} cases[] = {
	{ nothing, 0, NULL },
	{ no_cache, FILES, "no CACHE" }, { no_user, USER, "no USER" }, { no_free, FREE, "no FREE" },
	{ no_area, FREE, NO_COUNT }, { no_lru, FREE, NO_COUNT },
	{ no_image, EVERY, "no segment of the core is the kernel image, by which the kinds of pages are checked" },
	{ image_enough, 0, NULL },
	{ image_unmapped, 0, NULL },
	{ image_mapped, EVERY, "401 of the 800 reserved pages of the kernel image seem to be mapped by processes" },
	{ image_freed, EVERY, "only 124 of the 1000 pages of the kernel image are marked as reserved" },
	{ no_pointers, EVERY, "the kernel image has no pointers by which the kinds of pages are checked" },
	{ one_slab, 0, NULL }, { no_slabs, EVERY, "no page of a slab was found" },
	{ vote_cache_8, 0, NULL }, { vote_cache_9, CACHE, IN_IMAGE("9") },
	{ vote_private_8, 0, NULL }, { vote_private_9, PRIVATE, IN_IMAGE("9") },
	{ vote_user_8, 0, NULL }, { vote_user_9, USER, IN_IMAGE("9") },
	{ vote_free_40, 0, NULL }, { vote_free_41, FREE, IN_IMAGE("41") },
	{ vote_few_3, 0, NULL },
	{ vote_few_4, USER, "4 pointers in the kernel image, of 20, lead to such pages" },
	{ tables_1, 0, NULL }, { tables_2, EVERY, IN_TABLES("2") }, { tables_user, USER, IN_TABLES("2") },
	{ mapped_8, 0, NULL }, { mapped_9, FREE, "9 of 8000 pages that vmalloc() uses are such pages" },
	{ mapped_user, 0, NULL },
	{ symbol, ALL,
	  "1 of 30 symbols in VMCOREINFO are in pages that seem to be free, or of files or processes" },
	{ no_marks, OFFLINE | POISONED, "no MARKS" },
	{ symbol_offline, OFFLINE, IN_SYMBOLS("1") }, { symbol_poisoned, 0, NULL }, { symbols_poisoned, POISONED, IN_SYMBOLS("4") },
	{ vote_marked_8, 0, NULL }, { vote_marked_9, OFFLINE | POISONED, IN_IMAGE("9") },
	{ mapped_marked, OFFLINE | POISONED, "9 of 8000 pages that vmalloc() uses are such pages" },
	{ own_marked_8, 0, NULL },
	{ own_marked_9, OFFLINE | POISONED, "9 of 8000 pages of the memory map itself are such pages" },
	{ most_offline, 0, NULL },
	{ all_offline, OFFLINE, "155841 of 163840 pages have this mark, and the memory map alone is more than the others" },
	{ poisoned_74, 0, NULL }, { poisoned_75, POISONED, "75 pages have this mark, which are too many" },
	{ own_8, 0, NULL },
	{ own_9, ALL, "9 of 8000 pages of the memory map itself seem to be free, or of files or processes" },
	{ tails_8, 0, NULL },
	{ tails_9, FILES | USER,
	  "9 of 8000 pages of several frames do not include struct pages that claim to belong to them" },
	{ tails_4000, FILES | USER,
	  "4000 of 8000 pages of several frames do not include struct pages that claim to belong to them" },
	{ tails_4001, EVERY,
	  "4001 of 8000 pages of several frames do not include struct pages that claim to belong to them" },
	{ heads_8, 0, NULL }, { heads_9, FILES | USER, "9 of 8000 pages of several frames have only one" },
	{ few_heads_3, 0, NULL }, { few_heads_4, FILES | USER, "4 of 4 pages of several frames have only one" },
	{ files_10, 0, NULL },
	{ files_11, FILES | USER, "the mappings of 11 of 200 pages of files do not lead to kernel objects" },
	{ few_files_3, 0, NULL },
	{ few_files_all, FILES | USER, "the mappings of 1 of 1 pages of files do not lead to kernel objects" },
	{ anonymous_10, 0, NULL },
	{ anonymous_11, FILES | USER, "the mappings of 11 of 200 anonymous pages do not lead to slabs" },
	{ no_samples, 0, NULL },
	{ marks_8, 0, NULL },
	{ marks_9, FREE | OFFLINE, "9 of 8000 pages are marked as the first ones of free blocks, but cannot be" },
	{ blocks_less, 0, NULL }, { blocks_2, 0, NULL },
	{ blocks_3, FREE, "1103 free blocks were found, 3 more than the kernel counts" },
	{ blocks_moved, FREE, "1053 free blocks were found, 3 more than the kernel counts" },
	{ no_zones, FREE, "the kernel's own count of free blocks was not found" },
	{ no_blocks, FREE, "no free block was found, but every kernel keeps some" },
	{ anchors_lost, FREE, "free blocks are in more lists than a kernel has, or than there is memory for" },
};

START_TEST(test_checks)
{
	struct page_trust trust;

	make_healthy();
	cases[_i].change();
	page_trust_judge(&trust, &facts);
	ck_assert_uint_eq(page_trust_classes(&trust), ALL & ~cases[_i].refused);
	for (unsigned c = 0; c < JUDGED; c++)
		ck_assert_str_eq(trust.why[c], cases[_i].refused & PAGE_CLASS_BIT(c) ? cases[_i].why : "");
}
END_TEST

START_TEST(test_first_reason)
{
	struct page_trust trust;

	make_healthy();
	first_reason();
	page_trust_judge(&trust, &facts);
	ck_assert_uint_eq(page_trust_classes(&trust), 0);
	ck_assert_str_eq(trust.why[PAGE_CLASS_FREE], "no FREE");
	for (enum page_class c = 0; c < PAGE_CLASS_FREE; c++)
		ck_assert_str_eq(trust.why[c], "9 of 8000 pages of several frames do not include struct pages that "
				 "claim to belong to them");
}
END_TEST

/* --- a whole core ------------------------------------------------------------------------ */

static void ignore(void *arg, uint64_t pfn, size_t count, const uint8_t *kinds)
{
	(void)arg;
	(void)pfn;
	(void)count;
	(void)kinds;
}

static void judge(struct made_map *mm, struct page_trust *trust)
{
	const struct virt *virts[] = { &mm->virt };
	const struct page_survey_settings settings = { .map = &mm->map, .virts = virts, .threads = 1,
						       .deliver = ignore };
	struct page_evidence found = { 0 };
	struct page_facts collected;
	struct error e;

	ck_assert_int_eq(page_survey_run(&settings, &found, &e), STATUS_OK);
	ck_assert_int_eq(page_facts_collect(&collected, &mm->map, &mm->virt, &found, NULL, &e), STATUS_OK);
	ck_assert_uint_eq(collected.cpus, 1);
	page_trust_judge(trust, &collected);
	page_evidence_free(&found);
}

/* One more free block than the kernel counts is accepted for one CPU, and two are not. */
START_TEST(test_core)
{
	struct page_trust trust;
	struct made_map mm;
	struct error e;

	made_map_init_image(&mm, _i ? made_keys_old : made_keys_new, NULL);
	ck_assert_int_eq(made_map_open(&mm, &e), STATUS_OK);
	for (uint64_t i = 0; i < 10; i++)
		made_zone_add(&mm, MADE_ZONE, (unsigned)i % MADE_LISTS, 4096 + 64 * i, (unsigned)i % 6);
	judge(&mm, &trust);
	for (unsigned c = 0; c < JUDGED; c++)
		ck_assert_str_eq(trust.why[c], "");
	made_put(&mm, MADE_ZONE + MADE_LISTS * 16, 1);
	judge(&mm, &trust);
	ck_assert_uint_eq(page_trust_classes(&trust), ALL);
	made_put(&mm, MADE_ZONE + MADE_LISTS * 16, 0);
	judge(&mm, &trust);
	ck_assert_uint_eq(page_trust_classes(&trust), FILES | USER);
	ck_assert_str_eq(trust.why[PAGE_CLASS_FREE],
			 "10 free blocks were found, 2 more than the kernel counts");
	made_map_free(&mm);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("page_trust");

	tcase_add_loop_test(tcase, test_checks, 0, LENGTH(cases));
	tcase_add_test(tcase, test_first_reason);
	tcase_add_loop_test(tcase, test_core, 0, 2);
	return helper_run_case("page_trust", tcase);
}
