// SPDX-License-Identifier: GPL-2.0-or-later
/* Zones and their counts of free blocks, found by the lists that free blocks are in. */
#include "config.h"

#include <string.h>

#include "core/kinds/page_trust.h"
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
	ck_assert_int_eq(page_survey_part(&cursor, 0, MADE_FRAMES, false, kinds, &evidence, &e), STATUS_OK);
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

int main(void)
{
	TCase *tcase = tcase_create("page_zones");

	tcase_add_loop_test(tcase, test_one, 0, 2);
	tcase_add_test(tcase, test_any_list);
	tcase_add_test(tcase, test_odd);
	tcase_add_test(tcase, test_no_zone);
	tcase_add_test(tcase, test_keys);
	tcase_add_test(tcase, test_too_many);
	return helper_run_case("page_zones", tcase);
}
