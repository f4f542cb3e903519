// SPDX-License-Identifier: GPL-2.0-or-later
/* Which page frames each file of a split set gets. */
#include "config.h"

#include "export/kdump.h"
#include "helper.h"

enum { PAGE = 4096, CHUNK = 64 * PAGE };

/* Pages whose position in the source is their number, in records of 64 pages of the given sizes. */
struct made {
	struct page_range ranges[8];
	const struct page_range *by_offset[8];
	struct pages pages;
	struct location locations[64], *map[64];
	struct set set;
};

static void make(struct made *m, const struct page_range *ranges, size_t count, const uint32_t *bytes,
		 size_t records)
{
	*m = (struct made){ .pages = { .page_size = PAGE, .ranges = m->ranges, .ranges_count = count } };
	for (size_t i = 0; i < count; i++) {
		m->ranges[i] = ranges[i];
		m->ranges[i].offset = ranges[i].pfn * PAGE;
		m->ranges[i].rank = m->pages.count;
		m->pages.count += ranges[i].count;
		m->pages.end = ranges[i].pfn + ranges[i].count;
	}
	m->pages.in_core = m->pages.count;
	for (size_t i = 0; i < records; i++) {
		m->locations[i].entry = (struct index_entry){
			.source_offset = i * CHUNK,
			.source_length = CHUNK,
			.record_length = bytes[i],
		};
		m->map[i] = &m->locations[i];
	}
	m->set = (struct set){ .map = m->map, .locations = records, .source_size = records * CHUNK,
			       .cell_size = CHUNK };
}

/* The ends of the parts, without the last one. */
static void assert_split(const struct made *m, size_t count, const uint64_t *ends)
{
	struct kdump_part parts[8];
	struct error e;

	ck_assert_msg(kdump_split(&m->pages, &m->set, parts, count, &e) == STATUS_OK, "%s", e.text);
	for (size_t i = 0; i < count; i++) {
		ck_assert(parts[i].split == (count > 1));
		ck_assert_uint_eq(parts[i].first, i ? ends[i - 1] : 0);
		ck_assert_uint_eq(parts[i].end, i + 1 < count ? ends[i] : m->pages.end);
		ck_assert_uint_gt(pages_rank(&m->pages, parts[i].end),
				  pages_rank(&m->pages, parts[i].first));
	}
}

START_TEST(test_balance)
{
	static const struct page_range all = { .pfn = 0, .count = 512 };
	static const uint32_t even[] = { 8, 8, 8, 8, 8, 8, 8, 8 };
	static const uint32_t heavy[] = { 80, 80, 8, 8, 8, 8, 8, 40 };
	static const uint64_t halves[] = { 256 }, thirds[] = { 128, 320 };
	static const uint64_t heavy_halves[] = { 64 }, each[] = { 64, 128, 192, 256, 320, 384, 448 };
	struct made m;

	make(&m, &all, 1, even, LENGTH(even));
	assert_split(&m, 1, NULL);
	assert_split(&m, 2, halves);
	assert_split(&m, 3, thirds);
	assert_split(&m, 8, each);
	/* 240 bytes in total: 120 are reached in the middle of the second record. */
	make(&m, &all, 1, heavy, LENGTH(heavy));
	assert_split(&m, 2, heavy_halves);
	assert_split(&m, 8, each);
}
END_TEST

/* A record of a layer does not say what its pages take. */
START_TEST(test_layers)
{
	static const struct page_range all = { .pfn = 0, .count = 512 };
	static const uint32_t heavy[] = { 80, 8, 8, 8, 1, 1, 1, 1 };
	static const uint64_t halves[] = { 256 };
	struct made m;

	make(&m, &all, 1, heavy, LENGTH(heavy));
	m.set.layers = true;
	assert_split(&m, 2, halves);
}
END_TEST

/* Each part has a page, even if all data is at one end, or if there are gaps. */
START_TEST(test_lawful)
{
	static const struct page_range ranges[] = {
		{ .pfn = 10, .count = 1 }, { .pfn = 70, .count = 3 }, { .pfn = 300, .count = 100 },
	};
	static const uint32_t first[] = { 1000000, 1, 1, 1, 1, 1, 1 };
	static const uint32_t last[] = { 1, 1, 1, 1, 1, 1, 1000000 };
	static const uint64_t low[] = { 64, 128, 320 }, high[] = { 256, 320, 384 };
	static const uint64_t every[] = { 64, 128, 320, 384 }, every_late[] = { 64, 256, 320, 384 };
	struct kdump_part parts[8];
	struct error e;
	struct made m;

	make(&m, ranges, LENGTH(ranges), first, LENGTH(first));
	assert_split(&m, 4, low);
	assert_split(&m, 5, every);
	ck_assert_int_eq(kdump_split(&m.pages, &m.set, parts, 6, &e), STATUS_USAGE);
	ck_assert_str_eq(e.text, "6 outputs: the core's memory can be split into at most 5, "
				 "because parts begin at multiples of 64 pages");
	make(&m, ranges, LENGTH(ranges), last, LENGTH(last));
	assert_split(&m, 4, high);
	assert_split(&m, 5, every_late);
}
END_TEST

/* Each part has a page that is kept, and the shares are those of such pages. */
START_TEST(test_left_out)
{
	static const struct page_range all = { .pfn = 0, .count = 512 };
	static const uint32_t even[] = { 8, 8, 8, 8, 8, 8, 8, 8 };
	static const uint64_t halves[] = { 384 }, each[] = { 256, 320, 384, 448 };
	struct kdump_part parts[8];
	struct error e;
	struct made m;

	make(&m, &all, 1, even, LENGTH(even));
	ck_assert_int_eq(pages_leave_out_begin(&m.pages, &e), STATUS_OK);
	/* Kept: 128 to 159, 310, and all from 320 on. */
	pages_leave_out(&m.pages, 0, 128);
	pages_leave_out(&m.pages, 160, 150);
	pages_leave_out(&m.pages, 311, 9);
	pages_leave_out_end(&m.pages);
	ck_assert_uint_eq(m.pages.count, 32 + 1 + 192);
	assert_split(&m, 2, halves);
	assert_split(&m, 5, each);
	ck_assert_int_eq(kdump_split(&m.pages, &m.set, parts, 6, &e), STATUS_USAGE);
	page_choice_free(&m.pages.choice);
	page_choice_free(&m.pages.lost_choice);
}
END_TEST

START_TEST(test_nothing)
{
	struct kdump_part part;
	struct error e;
	struct made m;

	make(&m, NULL, 0, NULL, 0);
	ck_assert_int_eq(kdump_split(&m.pages, &m.set, &part, 1, &e), STATUS_MISSING);
	ck_assert_str_eq(e.text, "none of the core's memory is present");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kdump_split");
	TCase *tcase = tcase_create("kdump_split");

	tcase_add_test(tcase, test_balance);
	tcase_add_test(tcase, test_layers);
	tcase_add_test(tcase, test_lawful);
	tcase_add_test(tcase, test_left_out);
	tcase_add_test(tcase, test_nothing);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
