// SPDX-License-Identifier: GPL-2.0-or-later
/* Pages that are left out, compared with a model that has an entry for each frame. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "core/pages.h"
#include "helper.h"
#include "made_core.h"

enum { PAGE = 4096, FRAMES = 1200, TRIALS = 40 };

/*
 * Whole pages in two segments that overlap, ragged pages, and some that are missing: in one segment,
 * or in both.
 */
struct trial {
	struct segment segments[4];
	struct range missing[3];
	struct made_core made;
	struct core core;
	struct pages all, pages;	/* as found, and with pages left out */
	bool out[FRAMES];
};

static void begin(struct trial *t)
{
	const struct absent absent = { .missing = t->missing, .missing_count = LENGTH(t->missing) };
	struct error e;

	*t = (struct trial){ .segments = {
		{ .paddr = 0x10000, .filesz = 600 * PAGE, .memsz = 600 * PAGE },
		{ .paddr = 0x20000, .filesz = 40 * PAGE, .memsz = 40 * PAGE },
		{ .paddr = 700 * PAGE + 512, .filesz = 20 * PAGE, .memsz = 20 * PAGE },
		{ .paddr = 1000 * PAGE, .filesz = 100 * PAGE, .memsz = 100 * PAGE },
	} };
	made_core_init(&t->made, t->segments, LENGTH(t->segments), EM_X86_64, NULL, false);
	t->missing[0] = (struct range){ t->segments[0].offset + 20 * PAGE, 4 * PAGE };
	t->missing[1] = (struct range){ t->segments[0].offset + 300 * PAGE + 5, 60 * PAGE };
	t->missing[2] = (struct range){ t->segments[3].offset + 50 * PAGE, 1 };
	ck_assert_int_eq(core_open(&t->core, &t->made.source, &e), STATUS_OK);
	ck_assert_int_eq(pages_find(&t->all, &t->core, PAGE, &absent, &e), STATUS_OK);
	ck_assert_int_eq(pages_find(&t->pages, &t->core, PAGE, &absent, &e), STATUS_OK);
	ck_assert_uint_eq(t->pages.lost, 61 + 1);
	ck_assert_uint_eq(t->pages.count, 600 + 21 + 100 - 62);
}

static void end(struct trial *t)
{
	pages_free(&t->all);
	pages_free(&t->pages);
	core_close(&t->core);
	made_core_free(&t->made);
}

static void leave_out(struct trial *t, uint64_t pfn, uint64_t count)
{
	pages_leave_out(&t->pages, pfn, count);
	for (uint64_t i = 0; i < count; i++)
		t->out[pfn + i] = true;
}

/* The page of a frame before anything was left out; NULL: the core does not have it. */
static const struct page_range *found(const struct trial *t, uint64_t pfn)
{
	size_t i = page_ranges_from(t->all.ranges, t->all.ranges_count, pfn);

	return i < t->all.ranges_count && t->all.ranges[i].pfn <= pfn ? &t->all.ranges[i] : NULL;
}

static bool keeps(const struct trial *t, uint64_t pfn)
{
	return found(t, pfn) && !t->out[pfn];
}

/* Pages in one run are in one range, and all kept. */
static uint64_t run_length(const struct trial *t, uint64_t pfn, uint64_t end)
{
	uint64_t next = pfn;

	while (next < end && keeps(t, next) && found(t, next) == found(t, pfn))
		next++;
	return next - pfn;
}

static void check_run(const struct trial *t, const struct page_range *run, uint64_t pfn, uint64_t end)
{
	const struct page_range *range = found(t, pfn);

	ck_assert_uint_eq(run->pfn, pfn);
	ck_assert_uint_eq(run->count, run_length(t, pfn, end));
	ck_assert_uint_eq(run->rank, pages_rank(&t->pages, pfn));
	ck_assert(run->ragged == range->ragged);
	if (!run->ragged)
		ck_assert_uint_eq(run->offset, range->offset + (pfn - range->pfn) * PAGE);
}

static void check_frames(const struct trial *t)
{
	uint64_t rank = 0;

	for (uint64_t pfn = 0; pfn < FRAMES; pfn++) {
		uint64_t stop = pfn + 1 + (uint64_t)rand() % 100, next = pfn;
		struct page_range run;

		ck_assert_uint_eq(pages_rank(&t->pages, pfn), rank);
		while (next < stop && (next >= FRAMES || !keeps(t, next)))
			next++;
		ck_assert(pages_next_run(&t->pages, pfn, stop, &run) == (next < stop));
		if (next < stop)
			check_run(t, &run, next, stop < FRAMES ? stop : FRAMES);
		if (!keeps(t, pfn))
			continue;
		run = pages_run_of_rank(&t->pages, rank++);
		check_run(t, &run, pfn, FRAMES);
	}
	ck_assert_uint_eq(t->pages.count, rank);
	ck_assert_uint_eq(t->pages.in_core, t->all.count);
}

/* The frame of the page that begins at an offset of the source; 0: none does. */
static uint64_t begins_at(const struct trial *t, uint64_t offset)
{
	for (size_t i = 0; i < t->all.ranges_count; i++) {
		const struct page_range *r = &t->all.ranges[i];

		if (!r->ragged && offset >= r->offset && offset < r->offset + r->count * PAGE &&
		    (offset - r->offset) % PAGE == 0)
			return r->pfn + (offset - r->offset) / PAGE;
	}
	return 0;
}

/* Every page that is kept and not ragged comes once, in pieces of any size. */
static void check_source(const struct trial *t)
{
	uint64_t at = 0, pages = 0, ragged = 0;
	struct page_range run;

	for (uint64_t pfn = 0; pfn < FRAMES; pfn++)
		ragged += keeps(t, pfn) && found(t, pfn)->ragged;
	while (at < t->made.size) {
		uint64_t stop = at + 1 + (uint64_t)rand() % (20 * PAGE);

		while (pages_next_run_in_source(&t->pages, at, stop, &run)) {
			ck_assert_uint_ge(run.offset, at);
			ck_assert_uint_lt(run.offset + (run.count - 1) * PAGE, stop);
			for (uint64_t i = 0; i < run.count; i++) {
				ck_assert_uint_eq(begins_at(t, run.offset + i * PAGE), run.pfn + i);
				ck_assert(keeps(t, run.pfn + i));
			}
			pages += run.count;
			at = run.offset + run.count * PAGE;
		}
		at = at > stop ? at : stop;
	}
	ck_assert_uint_eq(pages + ragged, t->pages.count);
}

/* The frames of memory at an offset of the source; false: there are headers. */
static bool frame_at(const struct trial *t, uint64_t offset, uint64_t *pfn)
{
	for (size_t i = 0; i < LENGTH(t->segments); i++) {
		const struct segment *s = &t->segments[i];

		*pfn = (s->paddr + (offset - s->offset)) / PAGE;
		if (offset >= s->offset && offset < s->offset + s->filesz)
			return true;
	}
	return false;
}

static bool wanted(const struct trial *t, uint64_t offset)
{
	uint64_t pfn;

	return !frame_at(t, offset, &pfn) || !t->out[pfn];
}

static void check_wanted(const struct trial *t)
{
	uint64_t at = 0, length;

	for (uint64_t next = 0; next < t->made.size; next = at + length) {
		at = next;
		if (!pages_next_wanted(&t->pages, &at, t->made.size, &length)) {
			ck_assert_uint_eq(at, t->made.size);
			length = 0;
		}
		for (uint64_t i = next; i < at; i += 256)
			ck_assert(!wanted(t, i));
		for (uint64_t i = at; i < at + length; i += 256)
			ck_assert(wanted(t, i));
	}
}

START_TEST(test_random)
{
	uint64_t lost = 0;
	struct trial t;
	struct error e;

	srand((unsigned)_i);
	begin(&t);
	ck_assert_int_eq(pages_leave_out_begin(&t.pages, &e), STATUS_OK);
	for (int n = rand() % 100; n > 0; n--) {
		uint64_t pfn = (uint64_t)rand() % FRAMES;
		uint64_t count = 1 + (uint64_t)rand() % (_i % 2 ? 80 : 4);

		leave_out(&t, pfn, count < FRAMES - pfn ? count : FRAMES - pfn);
	}
	pages_leave_out_end(&t.pages);
	check_frames(&t);
	check_source(&t);
	check_wanted(&t);
	/* Frames of the two missing ranges. */
	for (uint64_t pfn = 0x10 + 300; pfn <= 0x10 + 360; pfn++)
		lost += !t.out[pfn];
	ck_assert_uint_eq(t.pages.lost, lost + !t.out[1050]);
	end(&t);
}
END_TEST

/* A second choice does not depend on the first one. */
START_TEST(test_again)
{
	struct trial t;
	struct error e;

	begin(&t);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(pages_leave_out_begin(&t.pages, &e), STATUS_OK);
		pages_leave_out(&t.pages, 0, FRAMES);
		pages_leave_out_end(&t.pages);
		ck_assert_uint_eq(t.pages.count + t.pages.lost, 0);
	}
	ck_assert_int_eq(pages_leave_out_begin(&t.pages, &e), STATUS_OK);
	leave_out(&t, 300, 50);
	pages_leave_out_end(&t.pages);
	check_frames(&t);
	ck_assert_int_eq(pages_keep_all(&t.pages, &e), STATUS_OK);
	memset(t.out, 0, sizeof(t.out));
	ck_assert_uint_eq(t.pages.lost, 62);
	check_frames(&t);
	check_wanted(&t);
	end(&t);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("pages_leave_out");

	tcase_add_loop_test(tcase, test_random, 0, TRIALS);
	tcase_add_test(tcase, test_again);
	return helper_run_case("pages_leave_out", tcase);
}
