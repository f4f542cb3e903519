// SPDX-License-Identifier: GPL-2.0-or-later
/* Which page frames each file of a split set gets. */
#include "config.h"

#include "export/kdump.h"
#include "helper.h"

enum { PAGE = 4096 };

/* Pages whose position in the source is their number. */
struct made {
	struct page_range ranges[8];
	struct pages pages;
};

static void make(struct made *m, const struct page_range *ranges, size_t count)
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
}

/* The ends of the parts, without the last one. */
static void assert_split(const struct made *m, size_t count, const uint64_t *ends)
{
	struct kdump_part parts[8];
	struct error e;

	ck_assert_msg(kdump_split(&m->pages, parts, count, &e) == STATUS_OK, "%s", e.text);
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
	static const uint64_t halves[] = { 256 }, thirds[] = { 128, 320 }, each[] = { 64, 128, 192, 256, 320, 384, 448 };
	struct made m;

	make(&m, &all, 1);
	assert_split(&m, 1, NULL);
	assert_split(&m, 2, halves);
	assert_split(&m, 3, thirds);
	assert_split(&m, 8, each);
}
END_TEST

/* Each part has a page, even if there are gaps. */
START_TEST(test_lawful)
{
	static const struct page_range ranges[] = {
		{ .pfn = 10, .count = 1 }, { .pfn = 70, .count = 3 }, { .pfn = 300, .count = 100 },
	};
	static const uint64_t four[] = { 256, 320, 384 }, every[] = { 64, 256, 320, 384 };
	struct kdump_part parts[8];
	struct error e;
	struct made m;

	make(&m, ranges, LENGTH(ranges));
	assert_split(&m, 4, four);
	assert_split(&m, 5, every);
	ck_assert_int_eq(kdump_split(&m.pages, parts, 6, &e), STATUS_USAGE);
	ck_assert_str_eq(e.text, "6 outputs: the core's memory can be split into at most 5, "
				 "because parts begin at multiples of 64 pages");
}
END_TEST

/* Each part has a page that is kept, and the shares are those of such pages. */
START_TEST(test_left_out)
{
	static const struct page_range all = { .pfn = 0, .count = 512 };
	static const uint64_t halves[] = { 384 }, each[] = { 256, 320, 384, 448 };
	struct kdump_part parts[8];
	struct error e;
	struct made m;

	make(&m, &all, 1);
	ck_assert_int_eq(pages_leave_out_begin(&m.pages, &e), STATUS_OK);
	/* Kept: 128 to 159, 310, and all from 320 on. */
	pages_leave_out(&m.pages, 0, 128);
	pages_leave_out(&m.pages, 160, 150);
	pages_leave_out(&m.pages, 311, 9);
	pages_leave_out_end(&m.pages);
	ck_assert_uint_eq(m.pages.count, 32 + 1 + 192);
	assert_split(&m, 2, halves);
	assert_split(&m, 5, each);
	ck_assert_int_eq(kdump_split(&m.pages, parts, 6, &e), STATUS_USAGE);
	page_choice_free(&m.pages.choice);
	page_choice_free(&m.pages.lost_choice);
}
END_TEST

START_TEST(test_nothing)
{
	struct kdump_part part;
	struct error e;
	struct made m;

	make(&m, NULL, 0);
	ck_assert_int_eq(kdump_split(&m.pages, &part, 1, &e), STATUS_MISSING);
	ck_assert_str_eq(e.text, "none of the core's memory is present");
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("kdump_split");

	tcase_add_test(tcase, test_balance);
	tcase_add_test(tcase, test_lawful);
	tcase_add_test(tcase, test_left_out);
	tcase_add_test(tcase, test_nothing);
	return helper_run_case("kdump_split", tcase);
}
