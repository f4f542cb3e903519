// SPDX-License-Identifier: GPL-2.0-or-later
/* Zones and their counts of free blocks, found by the lists that free blocks are in. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "core/kinds/page_zones.h"
#include "helper.h"
#include "made_map.h"

static struct made_map mm;
static struct page_evidence evidence;

static void make(const char *keys, const char *change)
{
	struct error e;

	made_map_init_image(&mm, keys, change);
	ck_assert_msg(made_map_open(&mm, &e) == STATUS_OK, "%s", e.text);
}

static void end(void)
{
	page_evidence_free(&evidence);
	made_map_free(&mm);
}

static void survey(void)
{
	static uint8_t kinds[MADE_FRAMES];
	struct page_cursor cursor;
	struct error e;

	page_evidence_free(&evidence);
	page_cursor_init(&cursor, &mm.map, &mm.virt);
	ck_assert_int_eq(page_range_survey(&cursor, 0, MADE_FRAMES, kinds, &evidence, &e), STATUS_OK);
}

static void find(struct page_zones *zones)
{
	struct error e;

	ck_assert_int_eq(page_zones_find(zones, &mm.map, &mm.virt, &evidence, &e), STATUS_OK);
}

static void survey_and_find(struct page_zones *zones)
{
	survey();
	find(zones);
}

/* For each list that is not empty, its first and its last block lead to the zone. */
START_TEST(test_one)
{
	struct page_zones zones;

	make(_i ? made_keys_old : made_keys_new, NULL);
	survey_and_find(&zones);
	ck_assert_uint_eq(zones.count, 0);
	for (unsigned order = 0; order < MADE_ORDERS; order++)
		for (unsigned i = 0; i < 3 && order < 10; i++)
			made_zone_add(&mm, MADE_ZONE, (order + i / 2) % MADE_LISTS,
				      1024 * (uint64_t)(i + 1) + ((uint64_t)1 << order), order);
	made_zone_add(&mm, MADE_ZONE, 5, 4096, 10);
	survey_and_find(&zones);
	ck_assert_uint_eq(zones.count, 1);
	for (unsigned order = 0; order < MADE_ORDERS; order++) {
		ck_assert_uint_eq(zones.blocks[order], order < 10 ? 3 : 1);
		ck_assert_uint_eq(evidence.blocks[order], zones.blocks[order]);
	}
	/* Each list of order 0: those of other orders are at the same distance. */
	ck_assert_uint_eq(evidence.anchors_count, MADE_LISTS);
	ck_assert_uint_eq(evidence.marks.all, 31);
	ck_assert_uint_eq(evidence.marks.wrong, 0);
	end();
}
END_TEST

/* A single block in any of the lists is enough. */
START_TEST(test_any_list)
{
	for (unsigned list = 0; list < MADE_LISTS; list++)
		for (unsigned order = 0; order < MADE_ORDERS; order += 5) {
			struct page_zones zones;

			make(made_keys_new, NULL);
			made_zone_add(&mm, MADE_ZONE, list, 4096, order);
			survey_and_find(&zones);
			ck_assert_uint_eq(zones.count, 1);
			ck_assert_uint_eq(zones.blocks[order], 1);
			end();
		}
}
END_TEST

START_TEST(test_several)
{
	/* The second begins where the first one ends; the third is not aligned as the others are. */
	const uint64_t at[] = { MADE_ZONE, MADE_ZONE + MADE_ORDERS * MADE_AREA, MADE_ZONE + 0x3008 };
	struct page_zones zones;

	make(made_keys_new, NULL);
	for (size_t i = 0; i < LENGTH(at); i++) {
		made_zone_init(&mm, at[i]);
		for (uint64_t n = 0; n <= i; n++)
			made_zone_add(&mm, at[i], (unsigned)i, 4096 + 1024 * i + 8 * n, 3);
	}
	survey_and_find(&zones);
	ck_assert_uint_eq(zones.count, 3);
	ck_assert_uint_eq(zones.blocks[3], 6);
	ck_assert_uint_eq(evidence.blocks[3], 6);
	end();
}
END_TEST

/* What must not be taken for a zone, or may be. */
START_TEST(test_odd)
{
	const uint64_t area = MADE_ZONE + 2 * MADE_AREA, other = MADE_ZONE + 7 * MADE_AREA;
	const struct { uint64_t address, value; unsigned count; } cases[] = {
		/* A block was removed, and is still counted. */
		{ other + MADE_LISTS * 16, 1, 1 },
		{ other + MADE_LISTS * 16, 2, 0 },
		/* More blocks than there are frames: at most 2048 of order 2. */
		{ area + MADE_LISTS * 16, 2048, 1 },
		{ area + MADE_LISTS * 16, 2049, 0 },
		{ area + MADE_LISTS * 16, UINT64_MAX, 0 },
		/* A list leads to a page on one side only; into the middle of a page; after the last. */
		{ other + 32, MADE_BASE + 5000 * MADE_PAGE + 8, 1 },
		{ other + 32, MADE_BASE + 5000 * MADE_PAGE + 16, 0 },
		{ other + 32, MADE_BASE + MADE_FRAMES * MADE_PAGE + 8, 0 },
		{ other + 32, MADE_BASE, 0 },
		{ other + 32, 0, 0 },
		{ other + 40, MADE_DIRECT, 0 },
	};

	for (size_t i = 0; i < LENGTH(cases); i++) {
		struct page_zones zones;

		make(made_keys_new, NULL);
		made_zone_add(&mm, MADE_ZONE, 1, 4096, 2);
		made_put(&mm, cases[i].address, cases[i].value);
		survey_and_find(&zones);
		ck_assert_msg(zones.count == cases[i].count, "case %zu: %u zones", i, zones.count);
		end();
	}
}
END_TEST

/* Blocks whose list begins nowhere do not keep others from being found. */
START_TEST(test_no_zone)
{
	struct page_zones zones;

	make(made_keys_new, NULL);
	made_zone_add(&mm, MADE_ZONE, 0, 4096, 1);
	for (uint64_t i = 0; i < 8; i++) {
		made_page_free(&mm, 5120 + 2 * i, 1);
		/* Before it, in it, without memory, at the end of addresses. */
		made_put(&mm, MADE_BASE + (5120 + 2 * i) * MADE_PAGE + 8, MADE_ZONE - 256 + i * 64);
		made_put(&mm, MADE_BASE + (5120 + 2 * i) * MADE_PAGE + 16, i % 2 ? i * 8 : -8 * i - 8);
	}
	survey_and_find(&zones);
	ck_assert_uint_eq(zones.count, 1);
	ck_assert_uint_eq(zones.blocks[1], 1);
	ck_assert_uint_eq(evidence.blocks[1], 9);
	end();
}
END_TEST

/* The keys say nothing of lists, or something else. */
START_TEST(test_keys)
{
	static const char *const changes[] = {
		"SIZE(free_area)", "LENGTH(free_area.free_list)", "LENGTH(free_area.free_list)=5",
		"SIZE(free_area)=96", "OFFSET(page.lru)",
	};

	for (size_t i = 0; i < LENGTH(changes); i++) {
		struct page_zones zones;

		make(made_keys_new, changes[i]);
		made_zone_add(&mm, MADE_ZONE, 0, 4096, 1);
		survey_and_find(&zones);
		ck_assert_uint_eq(zones.count, 0);
		ck_assert_uint_eq(evidence.blocks[1], 1);
		end();
	}
}
END_TEST

/* The largest number of lists that is allowed: their array fills the buffer. */
START_TEST(test_many_lists)
{
	static const char keys[] = "SIZE(free_area)=1032\nLENGTH(free_area.free_list)=64\n";
	char all[4096];
	struct page_zones zones;
	struct error e;

	snprintf(all, sizeof(all), "%s%s", keys, made_keys_new);
	made_map_init_image(&mm, all, NULL);
	ck_assert_int_eq(made_map_open(&mm, &e), STATUS_OK);
	ck_assert_uint_eq(mm.keys.area_lists, 64);
	for (uint64_t order = 0; order < MADE_ORDERS; order++)
		for (uint64_t word = 0; word < 129; word++)
			made_put(&mm, MADE_ZONE + order * 1032 + word * 8,
				 word < 128 ? MADE_ZONE + order * 1032 + word / 2 * 16 : 0);
	made_page_free(&mm, 4096, 2);
	for (uint64_t word = 0; word < 2; word++) {
		made_put(&mm, MADE_BASE + 4096 * MADE_PAGE + 8 + 8 * word, MADE_ZONE + 2 * 1032 + 63 * 16);
		made_put(&mm, MADE_ZONE + 2 * 1032 + 63 * 16 + 8 * word, MADE_BASE + 4096 * MADE_PAGE + 8);
	}
	made_put(&mm, MADE_ZONE + 2 * 1032 + 1024, 1);
	survey_and_find(&zones);
	ck_assert_uint_eq(zones.count, 1);
	ck_assert_uint_eq(zones.blocks[2], 1);
	end();
}
END_TEST

/* A block in two lists that lead nowhere. */
static void add_block(struct page_evidence *ev, uint64_t number)
{
	uint8_t page[MADE_PAGE] = { 0 };

	put_le64(page + 8, 2 * number);
	put_le64(page + 16, 2 * number + 1);
	page_evidence_block(ev, &mm.map, page, 0);
}

/* The number of anchors is limited; each counts once, in any order and of all threads. */
START_TEST(test_too_many)
{
	struct page_evidence half = { 0 };
	struct page_zones zones;

	make(made_keys_new, NULL);
	made_zone_add(&mm, MADE_ZONE, 0, 4096, 1);
	survey();
	for (unsigned again = 0; again < 2; again++)
		for (uint64_t i = PAGE_ANCHORS_MAX / 2; i--;)
			add_block(i % 2 ? &half : &evidence, i);
	ck_assert_uint_eq(half.anchors_count, PAGE_ANCHORS_MAX / 2);
	for (size_t i = 1; i < half.anchors_count; i++)
		ck_assert_uint_gt(half.anchors[i], half.anchors[i - 1]);
	ck_assert(!half.anchors_lost);
	ck_assert(!evidence.anchors_lost);
	page_evidence_merge(&evidence, &half);
	ck_assert(evidence.anchors_lost);
	ck_assert_uint_eq(evidence.anchors_count, PAGE_ANCHORS_MAX);
	ck_assert_uint_eq(evidence.blocks[0], PAGE_ANCHORS_MAX);
	page_evidence_free(&half);
	/* What one thread has lost is lost. */
	page_evidence_merge(&half, &evidence);
	ck_assert(half.anchors_lost);
	page_evidence_free(&half);
	page_evidence_merge(&half, &(struct page_evidence){ .anchors_lost = true });
	ck_assert(half.anchors_lost);
	page_evidence_free(&half);
	/* None of the others is a zone. */
	find(&zones);
	ck_assert_uint_eq(zones.count, 1);
	end();
}
END_TEST

/* Takes all memory that there is without more address space. */
static void **take_heap(void)
{
	void **taken = NULL, **next;

	while ((next = malloc(64))) {
		*next = taken;
		taken = next;
	}
	return taken;
}

static void give_heap(void **taken)
{
	while (taken) {
		void **next = *taken;

		free(taken);
		taken = next;
	}
}

/* Without memory for more anchors, blocks are still counted. */
START_TEST(test_no_memory)
{
	struct page_zones zones;
	struct rlimit before, now;
	unsigned long pages;
	uint64_t added = 0;
	void **taken;
	FILE *file;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
	return;				/* without memory, the sanitizers end the program */
#endif
	make(made_keys_new, NULL);
	made_zone_add(&mm, MADE_ZONE, 0, 4096, 1);
	survey();
	while (evidence.anchors_count + 1 < PAGE_ANCHORS_MAX / 2)
		add_block(&evidence, added++);
	ck_assert(!evidence.anchors_lost);
	file = fopen("/proc/self/statm", "r");
	ck_assert_int_eq(fscanf(file, "%lu", &pages), 1);
	fclose(file);
	ck_assert_int_eq(getrlimit(RLIMIT_AS, &before), 0);
	now = before;
	now.rlim_cur = pages * (rlim_t)sysconf(_SC_PAGESIZE);
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &now), 0);
	taken = take_heap();
	add_block(&evidence, added++);
	give_heap(taken);
	setrlimit(RLIMIT_AS, &before);
	ck_assert(evidence.anchors_lost);
	ck_assert_uint_eq(evidence.anchors_count, PAGE_ANCHORS_MAX / 2);
	ck_assert_uint_eq(evidence.blocks[0], added);
	find(&zones);
	ck_assert_uint_eq(zones.count, 1);
	end();
}
END_TEST

START_TEST(test_stopped)
{
	struct page_zones zones;
	struct error e;

	make(made_keys_new, NULL);
	made_zone_add(&mm, MADE_ZONE, 0, 4096, 1);
	survey();
	/* What cannot be read is no zone. */
	mm.m.missing = mm.segments[0].offset + (MADE_ZONE - MADE_DIRECT);
	mm.m.missing_length = 8;
	ck_assert_int_eq(page_zones_find(&zones, &mm.map, &mm.virt, &evidence, &e), STATUS_OK);
	ck_assert_uint_eq(zones.count, 0);
	mm.m.missing_status = STATUS_STOPPED;
	ck_assert_int_eq(page_zones_find(&zones, &mm.map, &mm.virt, &evidence, &e), STATUS_STOPPED);
	end();
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("page_zones");
	TCase *tcase = tcase_create("page_zones");

	tcase_add_loop_test(tcase, test_one, 0, 2);
	tcase_add_test(tcase, test_any_list);
	tcase_add_test(tcase, test_several);
	tcase_add_test(tcase, test_odd);
	tcase_add_test(tcase, test_no_zone);
	tcase_add_test(tcase, test_keys);
	tcase_add_test(tcase, test_many_lists);
	tcase_add_test(tcase, test_too_many);
	tcase_add_test(tcase, test_no_memory);
	tcase_add_test(tcase, test_stopped);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
