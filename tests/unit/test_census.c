// SPDX-License-Identifier: GPL-2.0-or-later
/* Pages by class, from a made-up /proc/kpageflags: the class of each, samples, and their error. */
#include "config.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "estimate/census.h"
#include "helper.h"

/* Bits of the file. */
enum {
	DIRTY = 4, LRU = 5, SLAB = 7, BUDDY = 10, MMAP = 11, ANON = 12, SWAPCACHE = 13, SWAPBACKED = 14, HEAD = 15,
	TAIL = 16, HUGE = 17, HWPOISON = 19, NOPAGE = 20, THP = 22, OFFLINE = 23, PGTABLE = 26, RESERVED = 32,
	PRIVATE = 35,
};

#define BIT(n) ((uint64_t)1 << (n))

/* --- words ------------------------------------------------------------------- */

static const struct {
	uint64_t said;
	enum page_word word;
	enum layer_class class;
} words[] = {
	{ 0, WORD_NONE, CLASS_KERNEL },
	{ BIT(NOPAGE), WORD_NOPAGE, CLASS_KERNEL },
	{ BIT(HWPOISON) | BIT(ANON), WORD_HWPOISON, CLASS_POISONED },
	{ BIT(OFFLINE), WORD_OFFLINE, CLASS_OFFLINE },
	{ BIT(BUDDY), WORD_BUDDY, CLASS_FREE },
	{ BIT(SLAB) | BIT(HEAD), WORD_SLAB, CLASS_KERNEL },
	{ BIT(PGTABLE), WORD_PGTABLE, CLASS_KERNEL },
	{ BIT(HUGE) | BIT(HEAD) | BIT(ANON), WORD_HUGE, CLASS_HUGETLB },
	{ BIT(ANON) | BIT(LRU) | BIT(SWAPBACKED) | BIT(MMAP), WORD_ANON, CLASS_ANONYMOUS },
	{ BIT(LRU) | BIT(PRIVATE) | BIT(DIRTY), WORD_PRIVATE, CLASS_PRIVATE },
	{ BIT(LRU) | BIT(DIRTY), WORD_DIRTY, CLASS_DIRTY },
	{ BIT(LRU), WORD_LRU, CLASS_CLEAN },
	{ BIT(SWAPCACHE) | BIT(SWAPBACKED), WORD_LRU, CLASS_CLEAN },
	{ BIT(SWAPBACKED) | BIT(MMAP), WORD_OTHER, CLASS_KERNEL },
	{ BIT(RESERVED), WORD_RESERVED, CLASS_KERNEL },
	{ BIT(RESERVED) | BIT(LRU), WORD_RESERVED, CLASS_KERNEL },
	{ BIT(THP) | BIT(HEAD), WORD_LARGE, CLASS_KERNEL },
	{ BIT(TAIL), WORD_COMPOUND, CLASS_KERNEL },
};

START_TEST(test_word)
{
	ck_assert_int_eq(page_word_of_said(words[_i].said), words[_i].word);
	ck_assert_int_eq(page_word_class(words[_i].word), words[_i].class);
}
END_TEST

/* --- files ------------------------------------------------------------------- */

static int flags_file(void)
{
	mkdir("root", 0700);
	mkdir("root/proc", 0700);
	return open("root/proc/kpageflags", O_RDWR | O_CREAT | O_TRUNC, 0600);
}

static void put(int fd, uint64_t pfn, uint64_t count, uint64_t said)
{
	uint64_t *all = malloc(count * sizeof(*all));

	ck_assert_ptr_nonnull(all);
	for (uint64_t i = 0; i < count; i++)
		all[i] = said;
	ck_assert_int_eq(pwrite(fd, all, count * sizeof(*all), (off_t)(pfn * sizeof(*all))),
			 (ssize_t)(count * sizeof(*all)));
	free(all);
}

static struct census take(const struct range *ram, size_t count, uint64_t pages_max)
{
	const struct range_list list = { (struct range *)ram, count };
	const struct census_settings settings = {
		.root = "root", .ram = &list, .page_size = 4096, .pages_max = pages_max, .seconds_max = 1e9,
	};
	struct census census;
	struct error e;

	ck_assert_msg(census_take(&census, &settings, &e) == STATUS_OK, "%s", e.text);
	return census;
}

/* --- small machines ------------------------------------------------------------ */

/* Ranges that begin and end within windows, and in the middle of a page; the file is too short for the last one. */
START_TEST(test_all)
{
	static const struct range ram[] = {
		{ 3 * 4096, 100 * 4096 }, { 1000 * 4096 + 512, 1024 * 4096 }, { 5000 * 4096, 10 * 4096 },
	};
	int fd = flags_file();
	struct census c;

	put(fd, 3, 50, BIT(BUDDY));
	put(fd, 53, 50, BIT(LRU));
	put(fd, 1000, 1000, BIT(ANON));
	put(fd, 2000, 25, BIT(SLAB));
	c = take(ram, LENGTH(ram), 1 << 20);
	ck_assert_uint_eq(c.pages, 100 + 1025 + 10);
	ck_assert_uint_eq(c.pages_seen, c.pages);
	ck_assert_uint_eq(c.windows_seen, 1 + 5 + 1);
	ck_assert_uint_eq(census_pages(&c, CLASS_FREE), 50);
	ck_assert_uint_eq(census_pages(&c, CLASS_CLEAN), 50);
	ck_assert_uint_eq(census_pages(&c, CLASS_ANONYMOUS), 1000);
	ck_assert_uint_eq(census_pages(&c, CLASS_KERNEL), 25 + 10);
	ck_assert_uint_eq(c.words[WORD_NOPAGE], 10);
	for (unsigned i = 0; i < CLASSES; i++)
		ck_assert_uint_eq(census_margin(&c, i), 0);
	close(fd);
}
END_TEST

/* A huge page of 4 windows, before Linux 6.9: its tails have no flags but their own. */
START_TEST(test_tails)
{
	static const struct range ram[] = { { 0, 4096 * 4096ull } };
	int fd = flags_file();
	struct census c;

	put(fd, 0, 4096, 0);
	put(fd, 2048, 1, BIT(HUGE) | BIT(HEAD));
	put(fd, 2049, 1023, BIT(TAIL));
	/* One of them has an error; the page after them is a tail of nothing. */
	put(fd, 3000, 1, BIT(TAIL) | BIT(HWPOISON));
	put(fd, 3073, 1, BIT(TAIL));
	c = take(ram, LENGTH(ram), 1 << 20);
	ck_assert_uint_eq(census_pages(&c, CLASS_HUGETLB), 1023);
	ck_assert_uint_eq(census_pages(&c, CLASS_POISONED), 1);
	ck_assert_uint_eq(c.words[WORD_COMPOUND], 1);
	close(fd);
}
END_TEST

/* Frames of the memory map are what they are, whatever their flags say. */
START_TEST(test_map)
{
	static struct range ram = { 0, 1024 * 4096 }, own = { 100, 200 };
	const struct range_list list = { &ram, 1 }, map = { &own, 1 };
	const struct census_settings settings = {
		.root = "root", .ram = &list, .page_size = 4096, .map = &map, .pages_max = 1 << 20, .seconds_max = 1e9,
	};
	int fd = flags_file();
	struct census c;
	struct error e;

	put(fd, 0, 1024, BIT(RESERVED));
	ck_assert_int_eq(census_take(&c, &settings, &e), STATUS_OK);
	ck_assert_uint_eq(census_pages(&c, CLASS_MAP), 200);
	ck_assert_uint_eq(census_pages(&c, CLASS_KERNEL), 824);
	close(fd);
}
END_TEST

/* --- 256 GiB ------------------------------------------------------------------- */

enum { FRAMES_LARGE = 64 << 20, SLABS = 1 << 20, EVERY = 64, ANONS = 32, FEW = 4 * CENSUS_WINDOW };

static const struct range large[] = { { 0, (uint64_t)FRAMES_LARGE * 4096 } };

/*
 * The first 4 GiB are slabs, and in each 64th MiB there are 32 pages of processes.  The rest of the file is a
 * hole: the kernel says nothing of these pages.
 */
static void make_large(void)
{
	int fd = flags_file();

	ck_assert_int_eq(ftruncate(fd, (off_t)FRAMES_LARGE * 8), 0);
	put(fd, 0, SLABS, BIT(SLAB));
	for (uint64_t pfn = SLABS; pfn < FRAMES_LARGE; pfn += EVERY * CENSUS_WINDOW)
		put(fd, pfn, ANONS, BIT(ANON));
	close(fd);
}

static void assert_within(const struct census *c, enum layer_class class, uint64_t pages, double most)
{
	uint64_t got = census_pages(c, class), margin = census_margin(c, class);
	uint64_t off = got > pages ? got - pages : pages - got;

	ck_assert_msg(off <= margin, "class %u: %lu and not %lu, +-%lu", class, (unsigned long)got,
		      (unsigned long)pages, (unsigned long)margin);
	ck_assert_uint_gt(margin, 0);
	ck_assert_double_le((double)margin, most * FRAMES_LARGE);
}

START_TEST(test_large)
{
	const uint64_t anons = (FRAMES_LARGE - SLABS) / (EVERY * CENSUS_WINDOW) * ANONS;
	struct census c;

	make_large();
	for (uint64_t most = 1 << 18; most <= 16 << 20; most *= 8) {
		c = take(large, 1, most);
		/* The time that it takes is counted in pages. */
		ck_assert_uint_le(c.pages_seen, most);
		ck_assert_uint_ge(c.pages_seen, most - CENSUS_WINDOW);
		ck_assert_uint_eq(c.pages, FRAMES_LARGE);
		assert_within(&c, CLASS_ANONYMOUS, anons, 0.01);
		ck_assert_uint_eq(census_pages(&c, CLASS_FREE), 0);
		/* Any beginning of the sample finds its part of the slabs, but for a few windows. */
		ck_assert_uint_ge((c.words[WORD_SLAB] + FEW) * 64, c.pages_seen);
		ck_assert_uint_le((c.words[WORD_SLAB] - FEW) * 64, c.pages_seen);
	}
	/* The error becomes smaller: 0.2 % of all pages at most. */
	assert_within(&c, CLASS_KERNEL, FRAMES_LARGE - anons, 0.002);
}
END_TEST

/* As many pages as are asked for, but one window at least. */
START_TEST(test_least)
{
	struct census c;

	make_large();
	c = take(large, 1, 0);
	ck_assert_uint_eq(c.windows_seen, 1);
	ck_assert_uint_eq(census_margin(&c, CLASS_KERNEL), FRAMES_LARGE);
}
END_TEST

START_TEST(test_no_file)
{
	const struct range_list list = { (struct range *)large, 1 };
	const struct census_settings settings = { .root = "nowhere", .ram = &list, .page_size = 4096, .pages_max = 1 };
	struct census c;
	struct error e;

	ck_assert_int_eq(census_take(&c, &settings, &e), STATUS_SYSTEM);
	ck_assert_str_eq(e.text, "nowhere/proc/kpageflags: No such file or directory");
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("census");
	TCase *tcase = tcase_create("words"), *files = tcase_create("files");

	tcase_add_loop_test(tcase, test_word, 0, LENGTH(words));
	suite_add_tcase(suite, tcase);
	helper_use_directory(files);
	tcase_add_test(files, test_all);
	tcase_add_test(files, test_tails);
	tcase_add_test(files, test_map);
	tcase_add_test(files, test_large);
	tcase_add_test(files, test_least);
	tcase_add_test(files, test_no_file);
	suite_add_tcase(suite, files);
	return helper_run(suite);
}
