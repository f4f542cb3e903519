// SPDX-License-Identifier: GPL-2.0-or-later
/* Which pages are in a core, and where. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/pages.h"
#include "helper.h"
#include "made_core.h"

enum { PAGE = 4096 };

/* Finds the pages of these segments; the caller frees both. */
static void find(struct pages *pages, struct core *core, struct made_core *m,
		 struct segment *segments, size_t count, uint32_t page_size,
		 const struct range *missing, size_t missing_count)
{
	const struct absent absent = { .missing = missing, .missing_count = missing_count };
	struct error e;

	made_core_init(m, segments, count, EM_X86_64, NULL, false);
	ck_assert_int_eq(core_open(core, &m->source, &e), STATUS_OK);
	ck_assert_msg(pages_find(pages, core, page_size, &absent, &e) == STATUS_OK, "%s", e.text);
}

static void done(struct pages *pages, struct core *core, struct made_core *m)
{
	pages_free(pages);
	core_close(core);
	made_core_free(m);
}

static void assert_run(const struct pages *pages, size_t i, uint64_t pfn, uint64_t count,
		       uint64_t offset, uint64_t rank)
{
	ck_assert_uint_lt(i, pages->ranges_count);
	ck_assert_uint_eq(pages->ranges[i].pfn, pfn);
	ck_assert_uint_eq(pages->ranges[i].count, count);
	ck_assert_uint_eq(pages->ranges[i].rank, rank);
	ck_assert(pages->ranges[i].ragged == !offset);
	if (offset)
		ck_assert_uint_eq(pages->ranges[i].offset, offset);
}

static void assert_run_of_rank(const struct pages *pages, uint64_t rank, uint64_t pfn,
			       uint64_t count)
{
	struct page_range run = pages_run_of_rank(pages, rank);

	ck_assert_uint_eq(run.pfn, pfn);
	ck_assert_uint_eq(run.count, count);
	ck_assert_uint_eq(run.rank, rank);
}

static void assert_next_run(const struct pages *pages, uint64_t from, uint64_t end, uint64_t pfn,
			    uint64_t count)
{
	struct page_range run;

	ck_assert(pages_next_run(pages, from, end, &run));
	ck_assert_uint_eq(run.pfn, pfn);
	ck_assert_uint_eq(run.count, count);
}

static void assert_run_in_source(const struct pages *pages, uint64_t from, uint64_t end,
				 uint64_t pfn, uint64_t count)
{
	struct page_range run;

	ck_assert(pages_next_run_in_source(pages, from, end, &run));
	ck_assert_uint_eq(run.pfn, pfn);
	ck_assert_uint_eq(run.count, count);
}

START_TEST(test_overlap)
{
	struct segment s[] = {
		{ .paddr = 0x104000, .filesz = 2 * PAGE, .memsz = 2 * PAGE },
		{ .paddr = 0x1000, .filesz = 3 * PAGE, .memsz = 3 * PAGE },
		{ .paddr = 0x100000, .filesz = 8 * PAGE, .memsz = 9 * PAGE },
	};
	struct page_range run;
	struct pages pages;
	struct core core;
	struct made_core m;

	find(&pages, &core, &m, s, LENGTH(s), PAGE, NULL, 0);
	ck_assert_uint_eq(pages.ranges_count, 2);
	assert_run(&pages, 0, 1, 3, s[1].offset, 0);
	assert_run(&pages, 1, 0x100, 8, s[2].offset, 3);
	ck_assert_uint_eq(pages.count, 11);
	ck_assert_uint_eq(pages.lost, 0);
	ck_assert_uint_eq(pages.end, 0x109);
	ck_assert_uint_eq(pages.ram.count, 2);
	ck_assert_uint_eq(pages.ram.ranges[1].offset, 0x100);
	ck_assert_uint_eq(pages.ram.ranges[1].length, 9);
	ck_assert_uint_eq(pages_rank(&pages, 0), 0);
	ck_assert_uint_eq(pages_rank(&pages, 3), 2);
	ck_assert_uint_eq(pages_rank(&pages, 0x50), 3);
	ck_assert_uint_eq(pages_rank(&pages, 0x102), 5);
	ck_assert_uint_eq(pages_rank(&pages, 0x1000), 11);
	assert_run_of_rank(&pages, 2, 3, 1);
	assert_run_of_rank(&pages, 3, 0x100, 8);
	assert_run_of_rank(&pages, 10, 0x107, 1);
	assert_next_run(&pages, 0, 0x1000, 1, 3);
	assert_next_run(&pages, 3, 0x1000, 3, 1);
	assert_next_run(&pages, 4, 0x103, 0x100, 3);
	ck_assert(!pages_next_run(&pages, 4, 0x100, &run));
	ck_assert(!pages_next_run(&pages, 0x108, 0x1000, &run));
	assert_run_in_source(&pages, 0, m.size, 1, 3);
	/* Only pages that begin there. */
	assert_run_in_source(&pages, s[1].offset + 1, m.size, 2, 2);
	assert_run_in_source(&pages, s[1].offset, s[1].offset + PAGE + 1, 1, 2);
	assert_run_in_source(&pages, s[1].offset + 3 * PAGE, m.size, 0x100, 8);
	ck_assert(!pages_next_run_in_source(&pages, m.size, UINT64_MAX, &run));
	done(&pages, &core, &m);
}
END_TEST

/* Two segments each have a part of the same page; a third is within one page. */
START_TEST(test_ragged)
{
	struct segment s[] = {
		{ .paddr = 0x1000, .filesz = 0x1400, .memsz = 0x1400 },
		{ .paddr = 0x2800, .filesz = 0x1800, .memsz = 0x1800 },
		{ .paddr = 0x8100, .filesz = 0x100, .memsz = 0x100 },
	};
	struct pages pages;
	struct core core;
	struct made_core m;

	find(&pages, &core, &m, s, LENGTH(s), PAGE, NULL, 0);
	ck_assert_uint_eq(pages.ranges_count, 4);
	assert_run(&pages, 0, 1, 1, s[0].offset, 0);
	assert_run(&pages, 1, 2, 1, 0, 1);
	assert_run(&pages, 2, 3, 1, s[1].offset + 0x800, 2);
	assert_run(&pages, 3, 8, 1, 0, 3);
	ck_assert_uint_eq(pages.by_offset_count, 2);
	done(&pages, &core, &m);
}
END_TEST

/* If bytes are missing in one segment, the other one is used if it has them. */
START_TEST(test_missing)
{
	struct segment s[] = {
		{ .paddr = 0x4000, .filesz = 4 * PAGE, .memsz = 4 * PAGE },
		{ .paddr = 0x1000, .filesz = 6 * PAGE, .memsz = 6 * PAGE },
	};
	struct range missing[3];
	struct pages pages;
	struct core core;
	struct made_core m;

	made_core_init(&m, s, LENGTH(s), EM_X86_64, NULL, false);
	made_core_free(&m);
	/*
	 * Missing in the first: half of 0x6000.  In the second: 0x2000, and two bytes across
	 * 0x4000.
	 */
	missing[0] = (struct range){ s[0].offset + 2 * PAGE + 8, 2048 };
	missing[1] = (struct range){ s[1].offset + PAGE, PAGE };
	missing[2] = (struct range){ s[1].offset + 3 * PAGE - 1, 2 };
	find(&pages, &core, &m, s, LENGTH(s), PAGE, missing, LENGTH(missing));
	ck_assert_uint_eq(pages.count, 5);
	ck_assert_uint_eq(pages.lost, 2);
	assert_run(&pages, 0, 1, 1, s[1].offset, 0);
	assert_run(&pages, 1, 4, 2, s[0].offset, 1);
	assert_run(&pages, 2, 6, 1, s[1].offset + 5 * PAGE, 3);
	assert_run(&pages, 3, 7, 1, s[0].offset + 3 * PAGE, 4);
	done(&pages, &core, &m);
}
END_TEST

/* Memory that the source has twice is read from its other place; without it, from where the lower segment has it. */
START_TEST(test_elsewhere)
{
	struct segment s[] = {
		{ .paddr = 0x4000, .filesz = 4 * PAGE, .memsz = 4 * PAGE },
		{ .paddr = 0x1000, .filesz = 9 * PAGE, .memsz = 9 * PAGE },
	};
	struct absent absent = { .elsewhere_count = 1 };
	struct range second;
	struct pages pages;
	struct core core;
	struct made_core m;
	struct error e;

	find(&pages, &core, &m, s, LENGTH(s), PAGE, NULL, 0);
	assert_run(&pages, 0, 1, 9, s[1].offset, 0);
	pages_free(&pages);
	second = (struct range){ .offset = s[1].offset + 3 * PAGE, .length = 4 * PAGE };
	absent.elsewhere = &second;
	ck_assert_int_eq(pages_find(&pages, &core, PAGE, &absent, &e), STATUS_OK);
	ck_assert_uint_eq(pages.ranges_count, 3);
	assert_run(&pages, 0, 1, 3, s[1].offset, 0);
	assert_run(&pages, 1, 4, 4, s[0].offset, 3);
	assert_run(&pages, 2, 8, 2, s[1].offset + 7 * PAGE, 7);
	ck_assert_uint_eq(pages.lost, 0);
	done(&pages, &core, &m);
}
END_TEST

/* If one part of a page that two segments share is missing, the other part is not used. */
START_TEST(test_ragged_missing)
{
	struct segment s[] = {
		{ .paddr = 0x1000, .filesz = 0x1400, .memsz = 0x1400 },
		{ .paddr = 0x2800, .filesz = 0x1800, .memsz = 0x1800 },
	};
	struct range missing;
	struct pages pages;
	struct core core;
	struct made_core m;

	made_core_init(&m, s, LENGTH(s), EM_X86_64, NULL, false);
	made_core_free(&m);
	missing = _i ? (struct range){ s[0].offset + 0x13ff, 1 }
		     : (struct range){ s[1].offset - 1, 2 };
	find(&pages, &core, &m, s, LENGTH(s), PAGE, &missing, 1);
	ck_assert_uint_eq(pages.count, 2);
	ck_assert_uint_eq(pages.lost, 1);
	assert_run(&pages, 0, 1, 1, s[0].offset, 0);
	assert_run(&pages, 1, 3, 1, s[1].offset + 0x800, 1);
	done(&pages, &core, &m);
}
END_TEST

/* No kernel writes a core with the same bytes at two physical addresses. */
START_TEST(test_shared_bytes)
{
	struct segment s[] = {
		{ .paddr = 0x1000, .filesz = 4 * PAGE, .memsz = 4 * PAGE },
		{ .paddr = 0x10000, .filesz = PAGE, .memsz = PAGE },
	};
	struct pages pages;
	struct core core;
	struct made_core m;
	struct error e;

	made_core_init(&m, s, LENGTH(s), EM_X86_64, NULL, false);
	ck_assert_int_eq(core_open(&core, &m.source, &e), STATUS_OK);
	core.segments[1].offset = core.segments[0].offset + PAGE;
	ck_assert_int_eq(pages_find(&pages, &core, PAGE, NULL, &e), STATUS_DAMAGED);
	ck_assert_str_eq(e.text, "ELF header of the source: segments share bytes of the file");
	done(&pages, &core, &m);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("pages");

	tcase_add_test(tcase, test_overlap);
	tcase_add_test(tcase, test_ragged);
	tcase_add_test(tcase, test_missing);
	tcase_add_test(tcase, test_elsewhere);
	tcase_add_loop_test(tcase, test_ragged_missing, 0, 2);
	tcase_add_test(tcase, test_shared_bytes);
	return helper_run_case("pages", tcase);
}
