// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An estimate of a made-up machine: the class of each page, samples and their error; what follows from what cannot be
 * read; and sizes.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "estimate/estimate.h"
#include "estimate/room.h"
#include "helper.h"
#include "made_kernel.h"

static void put(const char *name, const char *text)
{
	mkdir("root", 0700);
	mkdir("root/proc", 0700);
	helper_write_file(name, text, strlen(text));
}

static struct estimate_settings settings_of(const char *codec)
{
	struct estimate_settings s;
	struct error e;

	estimate_settings_init(&s);
	s.root = "root";
	s.count_seconds = s.sample_seconds = 1e9;
	ck_assert_int_eq(codec_find(codec, &s.presets[0].codec, &s.presets[0].level, &e), STATUS_OK);
	s.presets_count = 1;
	s.block_size[PACKED_BY_PAGE] = 4096;
	s.block_size[PACKED_BY_BLOCK] = 16384;
	return s;
}

static void make(struct estimate *est, const struct estimate_settings *s)
{
	struct error e;

	ck_assert_msg(estimate_make(est, s, &e) == STATUS_OK, "%s", e.text);
}

/* --- what is kept --------------------------------------------------------------- */

START_TEST(test_keeps)
{
	for (unsigned i = 0; i < CLASSES; i++) {
		/* Zero pages are in every dump. */
		ck_assert(estimate_keeps(i, 0));
		ck_assert(estimate_keeps(i, 1));
	}
	ck_assert(estimate_keeps(CLASS_KERNEL, 31) && estimate_keeps(CLASS_MAP, 31) &&
		  estimate_keeps(CLASS_CPU_FREE, 31));
	ck_assert(!estimate_keeps(CLASS_FREE, 16) && estimate_keeps(CLASS_ANONYMOUS, 16));
	ck_assert(!estimate_keeps(CLASS_HUGETLB, 8) && estimate_keeps(CLASS_FREE, 8));
	ck_assert(!estimate_keeps(CLASS_CLEAN, 2) && !estimate_keeps(CLASS_DIRTY, 2) &&
		  estimate_keeps(CLASS_PRIVATE, 2));
	ck_assert(!estimate_keeps(CLASS_PRIVATE, 4) && !estimate_keeps(CLASS_CLEAN, 4));
	ck_assert(!estimate_keeps(CLASS_POISONED, 2) && !estimate_keeps(CLASS_OFFLINE, 2));
}
END_TEST

/* --- sizes ----------------------------------------------------------------------- */

/* A million pages of the kernel, packed to half, a thousandth of which may be wrong. */
START_TEST(test_bytes)
{
	struct estimate est = { .page_size = 4096, .pages = 1000000, .read_rate = 1e9 };

	est.of[CLASS_KERNEL] = (struct estimate_class){ .pages = 600000, .margin = 1000 };
	est.of[CLASS_FREE] = (struct estimate_class){ .pages = 400000, .margin = 1000 };
	for (unsigned c = 0; c < CLASSES; c++) {
		est.packed[c][PACKED_BY_BLOCK][0] = (struct packed){ .share = 0.5, .seconds = 1e-9 };
		est.packed[c][PACKED_BY_PAGE][0] = (struct packed){ .share = 0.75, .seconds = 1e-9 };
	}
	ck_assert_uint_eq(estimate_pages(&est, 31), 600000);
	ck_assert_uint_ge(estimate_bytes(&est, 31, 0), 600000ull * 2048);
	ck_assert_uint_le(estimate_bytes(&est, 31, 0), 600000ull * 2048 * 101 / 100);
	ck_assert_uint_eq(estimate_margin(&est, 31, 0), 1000 * 2048);
	ck_assert_uint_eq(estimate_pages(&est, 0), 1000000);
	ck_assert_uint_ge(estimate_bytes(&est, 0, 0), 1000000ull * 3072);
	ck_assert_uint_eq(estimate_margin(&est, 0, 0), 2000 * 3072);
	/* 2.4576 GB at 1 GB/s to read and 1 GB/s to pack, and 120 ns for the class of each page. */
	ck_assert_double_eq_tol(estimate_cpu_seconds(&est, 31, 0), 2 * 2.4576 + 0.12, 1e-9);
	ck_assert_double_eq_tol(estimate_cpu_seconds(&est, 0, 0), 2 * 4.096, 1e-9);
	est.settings.form = ESTIMATE_ELF;
	ck_assert_uint_eq(estimate_bytes(&est, 31, 0), 600000ull * 4096);
	est.settings.form = ESTIMATE_KDUMP;
	ck_assert_uint_eq(estimate_bytes(&est, 31, 0), 600000ull * (2048 + 24) + 250000);
}
END_TEST

/* --- what cannot be read -------------------------------------------------------- */

START_TEST(test_meminfo)
{
	struct estimate_settings s = settings_of("lzo");
	struct estimate est;

	put("root/proc/meminfo", "MemTotal:       1048576 kB\nMemFree:         524288 kB\nBuffers:   1024 kB\n"
				 "Cached:          261120 kB\nSwapCached:  0 kB\nAnonPages:       131072 kB\n"
				 "HugePages_Total:      16\nHugepagesize:       2048 kB\n");
	put("root/proc/zoneinfo", "Node 0, zone    DMA32\n  pages free     3840\n        min      8\n  pagesets\n"
				  "    cpu: 0\n              count:    60\n              high:     62\n"
				  "    cpu: 1\n              count: 40\n              high:  62\n");
	make(&est, &s);
	ck_assert_str_eq(est.pages_from, "/proc/meminfo");
	ck_assert(!est.contents_read);
	ck_assert_str_eq(est.pages_why.text, "root/proc/iomem does not say where the memory is");
	ck_assert_str_eq(est.contents_why.text, "root/proc/kcore: No such file or directory");
	ck_assert_uint_eq(est.pages, 1 << 18);
	ck_assert_uint_eq(est.of[CLASS_FREE].pages, 1 << 17);
	ck_assert_uint_eq(est.of[CLASS_CLEAN].pages, 1 << 16);
	ck_assert_uint_eq(est.of[CLASS_ANONYMOUS].pages, 1 << 15);
	ck_assert_uint_eq(est.of[CLASS_HUGETLB].pages, 1 << 13);
	/* A struct page has 64 bytes. */
	ck_assert_uint_eq(est.of[CLASS_MAP].pages, 1 << 12);
	/* And 100 pages are in the lists of CPUs. */
	ck_assert_uint_eq(est.of[CLASS_CPU_FREE].pages, 100);
	ck_assert_uint_eq(est.of[CLASS_KERNEL].pages, (1 << 15) - (1 << 13) - (1 << 12) - 100);
	/* Shares that are known, and a time that was measured. */
	ck_assert_double_eq_tol(est.packed[CLASS_KERNEL][PACKED_BY_BLOCK][0].share, 1 / 3.6, 1e-6);
	ck_assert_double_gt(est.packed[CLASS_KERNEL][PACKED_BY_BLOCK][0].seconds, 0);
	ck_assert_uint_eq(est.sample_bytes, 0);
}
END_TEST

START_TEST(test_nothing)
{
	struct estimate_settings s = settings_of("lzo");
	struct estimate est;
	struct error e;

	put("root/proc/meminfo", "nothing\n");
	ck_assert_int_eq(estimate_make(&est, &s, &e), STATUS_SYSTEM);
	ck_assert_str_eq(e.text, "root/proc/meminfo: has no line MemTotal");
	s.root = "nowhere";
	ck_assert_int_eq(estimate_make(&est, &s, &e), STATUS_SYSTEM);
	ck_assert_str_eq(e.text, "nowhere/proc/meminfo: No such file or directory");
}
END_TEST

/* The file is not a core of the memory. */
START_TEST(test_no_kcore)
{
	struct estimate_settings s = settings_of("raw");
	struct estimate est;

	put("root/proc/meminfo", "MemTotal: 1024 kB\n");
	put("root/proc/kcore", "no core");
	put("root/proc/iomem", "00000000-000fffff : System RAM\n");
	make(&est, &s);
	ck_assert_str_eq(est.pages_why.text, "root/proc/kpageflags: No such file or directory");
	ck_assert_msg(strncmp(est.contents_why.text, "root/proc/kcore: ", 17) == 0, "%s", est.contents_why.text);
	ck_assert_uint_eq(est.pages, 256);
}
END_TEST

/* --- a machine whose memory can be read -------------------------------------------- */

/* Classes are those that a capture finds, whatever /proc/kpageflags says. */
START_TEST(test_kcore)
{
	struct estimate_settings s = settings_of("lzo");
	static struct made_map mm;
	struct estimate est;

	made_kernel_init(&mm);
	put("root/proc/meminfo", "MemTotal: 1024 kB\n");
	put("root/proc/iomem", "00000000-01ffffff : System RAM\n");
	put("root/proc/kpageflags", "");
	helper_write_file("root/proc/kcore", mm.m.bytes, mm.m.size);
	make(&est, &s);
	ck_assert_str_eq(est.pages_from, "/proc/kcore");
	ck_assert_msg(est.contents_read, "%s", est.contents_why.text);
	ck_assert_uint_eq(est.pages, MADE_FRAMES);
	ck_assert_uint_eq(est.pages_seen, MADE_FRAMES);
	ck_assert_uint_eq(est.of[CLASS_CLEAN].pages, MADE_CACHES);
	ck_assert_uint_eq(est.of[CLASS_PRIVATE].pages, MADE_PRIVATES);
	ck_assert_uint_eq(est.of[CLASS_ANONYMOUS].pages, MADE_USERS + MADE_HUGES);
	ck_assert_uint_eq(est.of[CLASS_HUGETLB].pages, MADE_HUGETLBS);
	ck_assert_uint_eq(est.of[CLASS_FREE].pages, MADE_FREES + MADE_FEWS);
	ck_assert_uint_eq(est.of[CLASS_OFFLINE].pages, MADE_OFFLINES);
	ck_assert_uint_eq(est.of[CLASS_POISONED].pages, 1);
	/* Of free pages and those of processes, which are 4 MiB each and more, only some are read. */
	ck_assert_uint_ge(est.sample_bytes, (est.of[CLASS_KERNEL].pages + MADE_CACHES + MADE_PRIVATES) * 4096 + (5 << 20));
	ck_assert_uint_le(est.sample_bytes, (est.of[CLASS_KERNEL].pages + MADE_CACHES + MADE_PRIVATES) * 4096 + (9 << 20));
	/* Hardly any page has much in it. */
	ck_assert_double_lt(est.packed[CLASS_KERNEL][PACKED_BY_PAGE][0].share, 0.2);
	ck_assert_double_gt(est.packed[CLASS_KERNEL][PACKED_BY_PAGE][0].share, 0);
	ck_assert_double_lt(est.packed[CLASS_ANONYMOUS][PACKED_BY_PAGE][0].share, 0.2);
	ck_assert_double_gt(est.packed[CLASS_ANONYMOUS][PACKED_BY_PAGE][0].share, 0);
	made_map_free(&mm);
}
END_TEST

/* --- /proc/kpageflags ------------------------------------------------------------- */

/* Bits of the file. */
enum {
	DIRTY = 4, LRU = 5, SLAB = 7, BUDDY = 10, MMAP = 11, ANON = 12, SWAPCACHE = 13, SWAPBACKED = 14, HEAD = 15,
	TAIL = 16, HUGE = 17, HWPOISON = 19, NOPAGE = 20, THP = 22, OFFLINE = 23, PGTABLE = 26, RESERVED = 32,
	PRIVATE = 35,
};

#define BIT(n) ((uint64_t)1 << (n))

static int flags_file(void)
{
	put("root/proc/meminfo", "MemTotal: 1024 kB\n");
	return open("root/proc/kpageflags", O_RDWR | O_CREAT | O_TRUNC, 0600);
}

static void put_flags(int fd, uint64_t pfn, uint64_t count, uint64_t said)
{
	uint64_t *all = malloc(count * sizeof(*all));

	ck_assert_ptr_nonnull(all);
	for (uint64_t i = 0; i < count; i++)
		all[i] = said;
	ck_assert_int_eq(pwrite(fd, all, count * sizeof(*all), (off_t)(pfn * sizeof(*all))),
			 (ssize_t)(count * sizeof(*all)));
	free(all);
}

static struct estimate count(const char *iomem, uint64_t pages_max)
{
	struct estimate_settings s = settings_of("lzo");
	struct estimate est;

	s.pages_max = pages_max;
	put("root/proc/iomem", iomem);
	make(&est, &s);
	ck_assert_str_eq(est.pages_from, "/proc/kpageflags");
	return est;
}

/* Of the kernel's pages and its map; 64 frames are one page of it. */
static uint64_t kernel_pages(const struct estimate *est)
{
	return est->of[CLASS_KERNEL].pages + est->of[CLASS_MAP].pages;
}

static const struct {
	uint64_t said;
	enum layer_class class;
} words[] = {
	{ 0, CLASS_KERNEL },
	{ BIT(NOPAGE), CLASS_KERNEL },
	{ BIT(HWPOISON) | BIT(ANON), CLASS_POISONED },
	{ BIT(OFFLINE), CLASS_OFFLINE },
	{ BIT(BUDDY), CLASS_FREE },
	{ BIT(SLAB) | BIT(HEAD), CLASS_KERNEL },
	{ BIT(PGTABLE), CLASS_KERNEL },
	{ BIT(HUGE) | BIT(HEAD) | BIT(ANON), CLASS_HUGETLB },
	{ BIT(ANON) | BIT(LRU) | BIT(SWAPBACKED) | BIT(MMAP), CLASS_ANONYMOUS },
	{ BIT(LRU) | BIT(PRIVATE) | BIT(DIRTY), CLASS_PRIVATE },
	{ BIT(LRU) | BIT(DIRTY), CLASS_DIRTY },
	{ BIT(LRU), CLASS_CLEAN },
	{ BIT(SWAPCACHE) | BIT(SWAPBACKED), CLASS_CLEAN },
	{ BIT(SWAPBACKED) | BIT(MMAP), CLASS_KERNEL },
	{ BIT(RESERVED), CLASS_KERNEL },
	{ BIT(RESERVED) | BIT(LRU), CLASS_KERNEL },
	{ BIT(THP) | BIT(HEAD), CLASS_KERNEL },
	{ BIT(TAIL), CLASS_KERNEL },
};

START_TEST(test_word)
{
	int fd = flags_file();
	struct estimate est;

	put_flags(fd, 0, 512, words[_i].said);
	close(fd);
	est = count("00000000-001fffff : System RAM\n", 1 << 20);
	ck_assert_uint_eq(words[_i].class == CLASS_KERNEL ? kernel_pages(&est) : est.of[words[_i].class].pages, 512);
}
END_TEST

/* Ranges that begin and end within windows, and in the middle of a page; the file is too short for the last one. */
START_TEST(test_all)
{
	int fd = flags_file();
	struct estimate est;

	put_flags(fd, 3, 50, BIT(BUDDY));
	put_flags(fd, 53, 50, BIT(LRU));
	put_flags(fd, 1000, 1000, BIT(ANON));
	put_flags(fd, 2000, 25, BIT(SLAB));
	close(fd);
	est = count("00003000-00066fff : System RAM\n003e8200-007e81ff : System RAM\n01388000-01391fff : System RAM\n",
		    1 << 20);
	ck_assert_uint_eq(est.pages, 100 + 1025 + 10);
	ck_assert_uint_eq(est.pages_seen, est.pages);
	ck_assert_uint_eq(est.of[CLASS_FREE].pages, 50);
	ck_assert_uint_eq(est.of[CLASS_CLEAN].pages, 50);
	ck_assert_uint_eq(est.of[CLASS_ANONYMOUS].pages, 1000);
	ck_assert_uint_eq(kernel_pages(&est), 25 + 10);
	for (unsigned i = 0; i < CLASSES; i++)
		ck_assert_uint_eq(est.of[i].margin, 0);
}
END_TEST

/* A huge page of 4 windows, before Linux 6.9: its tails have no flags but their own. */
START_TEST(test_tails)
{
	int fd = flags_file();
	struct estimate est;

	put_flags(fd, 0, 4096, 0);
	put_flags(fd, 2048, 1, BIT(HUGE) | BIT(HEAD));
	put_flags(fd, 2049, 1023, BIT(TAIL));
	/* One of them has an error; the page after them is a tail of nothing. */
	put_flags(fd, 3000, 1, BIT(TAIL) | BIT(HWPOISON));
	put_flags(fd, 3073, 1, BIT(TAIL));
	close(fd);
	est = count("00000000-00ffffff : System RAM\n", 1 << 20);
	ck_assert_uint_eq(est.of[CLASS_HUGETLB].pages, 1023);
	ck_assert_uint_eq(est.of[CLASS_POISONED].pages, 1);
	ck_assert_uint_eq(kernel_pages(&est), 4096 - 1024);
}
END_TEST

/* 256 GiB. */
enum { FRAMES_LARGE = 64 << 20, SLABS = 1 << 20, WINDOW = 256, EVERY = 64, ANONS = 32 };
static const char large[] = "00000000-3fffffffff : System RAM\n";

/*
 * The first 4 GiB are slabs, and in each 64th MiB there are 32 pages of processes.  The rest of the file is a
 * hole: the kernel says nothing of these pages.
 */
static void make_large(void)
{
	int fd = flags_file();

	ck_assert_int_eq(ftruncate(fd, (off_t)FRAMES_LARGE * 8), 0);
	put_flags(fd, 0, SLABS, BIT(BUDDY));
	for (uint64_t pfn = SLABS; pfn < FRAMES_LARGE; pfn += EVERY * WINDOW)
		put_flags(fd, pfn, ANONS, BIT(ANON));
	close(fd);
}

static void assert_within(const struct estimate *est, enum layer_class class, uint64_t pages, double most)
{
	const struct estimate_class *c = &est->of[class];
	uint64_t off = c->pages > pages ? c->pages - pages : pages - c->pages;

	ck_assert_msg(off <= c->margin, "class %u: %lu and not %lu, +-%lu", class, (unsigned long)c->pages,
		      (unsigned long)pages, (unsigned long)c->margin);
	ck_assert_uint_gt(c->margin, 0);
	ck_assert_double_le((double)c->margin, most * FRAMES_LARGE);
}

START_TEST(test_large)
{
	const uint64_t anons = (FRAMES_LARGE - SLABS) / (EVERY * WINDOW) * ANONS;
	struct estimate est;

	make_large();
	for (uint64_t most = 1 << 18; most <= 16 << 20; most *= 8) {
		est = count(large, most);
		/* The time that it takes is counted in pages. */
		ck_assert_uint_le(est.pages_seen, most);
		ck_assert_uint_ge(est.pages_seen, most - WINDOW);
		ck_assert_uint_eq(est.pages, FRAMES_LARGE);
		assert_within(&est, CLASS_ANONYMOUS, anons, 0.01);
		/* Any beginning of the sample finds its part of the first 4 GiB, but for a few windows. */
		assert_within(&est, CLASS_FREE, SLABS, 0.05);
		ck_assert_double_eq_tol((double)est.of[CLASS_FREE].pages, SLABS,
					4.0 * WINDOW * FRAMES_LARGE / (double)est.pages_seen);
	}
	/* The error becomes smaller: 0.2 % of all pages at most. */
	assert_within(&est, CLASS_FREE, SLABS, 0.002);
}
END_TEST

/* As many pages as are asked for, but one window at least. */
START_TEST(test_least)
{
	struct estimate est;

	make_large();
	est = count(large, 0);
	ck_assert_uint_eq(est.pages_seen, WINDOW);
	ck_assert_uint_eq(est.of[CLASS_KERNEL].margin, FRAMES_LARGE);
}
END_TEST

/* --- what is known of other machines -------------------------------------------------- */

/* The share of the kernel's pages with LZO, of 1000 pages without the map, of which 256 MiB have 4096 pages. */
static double lzo_share(uint64_t reserved, uint64_t slab, uint64_t rest, uint64_t cpu_free, const char *release)
{
	struct estimate_settings s = settings_of("lzo");
	int fd = flags_file();
	struct estimate est;
	char text[64];

	put_flags(fd, 0, 65536, BIT(BUDDY));
	put_flags(fd, 0, 1024 + reserved, BIT(RESERVED));
	put_flags(fd, 10000, slab, BIT(SLAB));
	put_flags(fd, 20000, rest, 0);
	close(fd);
	put("root/proc/iomem", "00000000-0fffffff : System RAM\n");
	snprintf(text, sizeof(text), "    cpu: 0\n              count: %lu\n", (unsigned long)cpu_free);
	put("root/proc/zoneinfo", text);
	ck_assert(!mkdir("root/proc/sys", 0700) || errno == EEXIST);
	ck_assert(!mkdir("root/proc/sys/kernel", 0700) || errno == EEXIST);
	unlink("root/proc/sys/kernel/osrelease");
	if (release)
		put("root/proc/sys/kernel/osrelease", release);
	make(&est, &s);
	ck_assert(!est.contents_read);
	ck_assert_uint_eq(est.of[CLASS_MAP].pages, 1024);
	return est.packed[CLASS_KERNEL][PACKED_BY_BLOCK][0].share;
}

/* By what the kernel says of its pages; the map is not among them. */
START_TEST(test_known_kernel)
{
	ck_assert_double_eq_tol(lzo_share(0, 0, 0, 0, "5.10.0-32-amd64"), 1 / 3.6, 1e-6);
	ck_assert_double_eq_tol(lzo_share(1000, 0, 0, 0, "5.10.0-32-amd64"), 0.28, 1e-6);
	ck_assert_double_eq_tol(lzo_share(500, 500, 0, 0, "6.1.0-50-amd64"), 0.24, 1e-6);
	ck_assert_double_eq_tol(lzo_share(500, 500, 1000, 0, "6.1.0-50-amd64"), 0.16, 1e-6);
	ck_assert_double_eq_tol(lzo_share(500, 500, 1000, 0, "6.2"), 0.30, 1e-6);
	ck_assert_double_eq_tol(lzo_share(500, 500, 1000, 0, "7.3.4"), 0.30, 1e-6);
	/* A release that is unknown is a later one. */
	ck_assert_double_eq_tol(lzo_share(500, 500, 1000, 0, NULL), 0.30, 1e-6);
	ck_assert_double_eq_tol(lzo_share(500, 500, 1000, 1000, "6.12.9-200.fc41.x86_64"), 0.175, 1e-6);
}
END_TEST

/* The better a codec packs, the less is stored; in columns, the map is packed best. */
START_TEST(test_known)
{
	static const char *const codecs[] = { "raw", "lz4", "lzo", "zstd:1" };
	struct estimate est[LENGTH(codecs)];

	put("root/proc/meminfo", "MemTotal: 1024 kB\n");
	for (size_t i = 0; i < LENGTH(codecs); i++) {
		struct estimate_settings s = settings_of(codecs[i]);

		make(&est[i], &s);
	}
	for (unsigned c = 0; c < CLASSES; c++)
		for (enum packing p = 0; p < PACKINGS; p++) {
			ck_assert_double_eq(est[0].packed[c][p][0].share, 1);
			for (size_t i = 1; i < LENGTH(codecs); i++)
				ck_assert_double_lt(est[i].packed[c][p][0].share, est[i - 1].packed[c][p][0].share);
		}
	ck_assert_double_lt(est[2].packed[CLASS_MAP][PACKED_BY_BLOCK][0].share * 2,
			    est[2].packed[CLASS_MAP][PACKED_BY_PAGE][0].share);
}
END_TEST

/* --- room ------------------------------------------------------------------------ */

START_TEST(test_dumps)
{
	struct room_output of[2] = {
		{ .space_known = true, .space = { .bytes = 1000 } },
		{ .space_known = true, .space = { .bytes = 3000, .is_device = true } },
	};
	struct room room = { .of = of, .count = 1, .space_known = true, .bytes = 1000 };

	ck_assert_uint_eq(room_dumps_of(&of[0], 300), 3);
	ck_assert_uint_eq(room_dumps_of(&of[0], 1001), 0);
	ck_assert_uint_eq(room_dumps_of(&of[0], 0), 0);
	ck_assert_uint_eq(room_dumps_of(&of[1], 300), 1);
	ck_assert_uint_eq(room_dumps_of(&of[1], 3001), 0);
	ck_assert_uint_eq(room_dumps(&room, 300), 3);
	room.count = 2;
	room.bytes = 4000;
	ck_assert_uint_eq(room_dumps(&room, 3500), 1);
	ck_assert_uint_eq(room_dumps(&room, 100), 1);
	room.space_known = false;
	ck_assert_uint_eq(room_dumps(&room, 100), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("estimate");
	TCase *tcase = tcase_create("sizes"), *files = tcase_create("files");

	tcase_add_test(tcase, test_keeps);
	tcase_add_test(tcase, test_bytes);
	tcase_add_test(tcase, test_dumps);
	suite_add_tcase(suite, tcase);
	helper_use_directory(files);
	tcase_add_test(files, test_meminfo);
	tcase_add_test(files, test_nothing);
	tcase_add_test(files, test_no_kcore);
	tcase_add_test(files, test_kcore);
	tcase_add_loop_test(files, test_word, 0, LENGTH(words));
	tcase_add_test(files, test_all);
	tcase_add_test(files, test_tails);
	tcase_add_test(files, test_large);
	tcase_add_test(files, test_least);
	tcase_add_test(files, test_known_kernel);
	tcase_add_test(files, test_known);
	suite_add_tcase(suite, files);
	return helper_run(suite);
}
