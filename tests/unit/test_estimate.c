// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An estimate of a made-up machine: the class of each page, samples and their error; what follows from what cannot be
 * read; and sizes.
 */
#include "config.h"

#include <string.h>
#include <sys/stat.h>

#include "estimate/estimate.h"
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
		/* Zero pages are in every dump, and marked pages in none. */
		ck_assert(estimate_keeps(i, 0) == !class_is_marked(i));
		ck_assert(estimate_keeps(i, 1) == !class_is_marked(i));
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
	ck_assert_uint_eq(estimate_margin(&est, 31), 1000 * 2048);
	ck_assert_uint_eq(estimate_pages(&est, 0), 1000000);
	ck_assert_uint_ge(estimate_bytes(&est, 0, 0), 1000000ull * 3072);
	ck_assert_uint_eq(estimate_margin(&est, 0), 2000 * 3072);
	/* 2.4576 GB at 1 GB/s to read and 1 GB/s to pack, and 120 ns for the class of each page. */
	ck_assert_double_eq_tol(estimate_cpu_seconds(&est, 31), 2 * 2.4576 + 0.12, 1e-9);
	ck_assert_double_eq_tol(estimate_cpu_seconds(&est, 0), 2 * 4.096 + 0.12, 1e-9);
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
	ck_assert_uint_eq(est.of[CLASS_KERNEL].pages, (1 << 15) - (1 << 13) - (1 << 12));
	/* Shares that are known, and a time that was measured. */
	ck_assert_double_eq_tol(est.packed[CLASS_KERNEL][PACKED_BY_BLOCK][0].share, 1 / 3.4, 1e-6);
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
	ck_assert_str_eq(est.pages_why.text, est.contents_why.text);
	ck_assert_msg(strncmp(est.contents_why.text, "root/proc/kcore: ", 17) == 0, "%s", est.contents_why.text);
	ck_assert_uint_eq(est.pages, 256);
}
END_TEST

/* --- a machine whose memory can be read -------------------------------------------- */

/* Pages of each class; the map is not looked for. */
static const struct {
	enum layer_class class;
	uint64_t pages;
} made[] = {
	{ CLASS_CLEAN, MADE_CACHES }, { CLASS_PRIVATE, MADE_PRIVATES }, { CLASS_ANONYMOUS, MADE_USERS + MADE_HUGES },
	{ CLASS_HUGETLB, MADE_HUGETLBS }, { CLASS_FREE, MADE_FREES + MADE_FEWS }, { CLASS_OFFLINE, MADE_OFFLINES },
	{ CLASS_POISONED, 1 },
};

static struct estimate make_of_kcore(const char *iomem, uint64_t pages_max)
{
	struct estimate_settings s = settings_of("lzo");
	static struct made_map mm;
	struct estimate est;

	s.pages_max = pages_max;
	made_kernel_init(&mm);
	put("root/proc/meminfo", "MemTotal: 1024 kB\n");
	put("root/proc/iomem", iomem);
	helper_write_file("root/proc/kcore", mm.m.bytes, mm.m.size);
	made_map_free(&mm);
	make(&est, &s);
	ck_assert_str_eq(est.pages_from, "/proc/kcore");
	ck_assert_uint_eq(est.pages, MADE_FRAMES);
	return est;
}

static const char iomem[] = "00000000-01ffffff : System RAM\n";

/* Classes are those that a capture finds, also if ranges begin and end within windows, and in the middle of a page. */
START_TEST(test_kcore)
{
	static const char *const maps[] = {
		iomem, "00000000-00066fff : System RAM\n00067000-003e8fff : System RAM\n003e9000-01ffffff : System RAM\n",
		"00000000-00066fff : System RAM\n00067200-01fffe00 : System RAM\n",
	};
	struct estimate est = make_of_kcore(maps[_i], 1 << 20);

	ck_assert_msg(est.contents_read, "%s", est.contents_why.text);
	ck_assert_uint_eq(est.pages_seen, MADE_FRAMES);
	for (size_t i = 0; i < LENGTH(made); i++)
		ck_assert_uint_eq(est.of[made[i].class].pages, made[i].pages);
	for (unsigned i = 0; i < CLASSES; i++)
		ck_assert_uint_eq(est.of[i].margin, 0);
	/* Of free pages and those of processes, which are 4 MiB each and more, only some are read. */
	ck_assert_uint_ge(est.sample_bytes, (est.of[CLASS_KERNEL].pages + MADE_CACHES + MADE_PRIVATES) * 4096 + (5 << 20));
	ck_assert_uint_le(est.sample_bytes, (est.of[CLASS_KERNEL].pages + MADE_CACHES + MADE_PRIVATES) * 4096 + (9 << 20));
	/* Hardly any page has much in it. */
	ck_assert_double_lt(est.packed[CLASS_KERNEL][PACKED_BY_PAGE][0].share, 0.2);
	ck_assert_double_gt(est.packed[CLASS_KERNEL][PACKED_BY_PAGE][0].share, 0);
	ck_assert_double_lt(est.packed[CLASS_ANONYMOUS][PACKED_BY_PAGE][0].share, 0.2);
	ck_assert_double_gt(est.packed[CLASS_ANONYMOUS][PACKED_BY_PAGE][0].share, 0);
}
END_TEST

enum { WINDOW = 256 };

/* As many pages as are asked for, but one window at least; the error of what is spread over the memory is smaller than the margin. */
START_TEST(test_sample)
{
	uint64_t most = (uint64_t)_i * WINDOW, kernel = MADE_FRAMES, found, off;
	struct estimate est = make_of_kcore(iomem, most);

	for (size_t i = 0; i < LENGTH(made); i++)
		kernel -= made[i].pages;
	found = est.of[CLASS_KERNEL].pages + est.of[CLASS_MAP].pages;
	off = found > kernel ? found - kernel : kernel - found;
	ck_assert_uint_eq(est.pages_seen, _i ? most : WINDOW);
	ck_assert_msg(off <= est.of[CLASS_KERNEL].margin, "%lu and not %lu, +-%lu", (unsigned long)found,
		      (unsigned long)kernel, (unsigned long)est.of[CLASS_KERNEL].margin);
	if (_i < 2)
		ck_assert_uint_eq(est.of[CLASS_KERNEL].margin, MADE_FRAMES);
	/* Half of all pages leave less doubt. */
	if (_i >= 16)
		ck_assert_uint_lt(est.of[CLASS_KERNEL].margin, MADE_FRAMES / 4);
}
END_TEST

/* --- what is known of other machines -------------------------------------------------- */

/* The better a codec packs, the less is stored; in columns, the map is packed best. */
START_TEST(test_known)
{
	static const char *const codecs[] = { "raw", "lzo", "zstd:1" };
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
	ck_assert_double_lt(est[1].packed[CLASS_MAP][PACKED_BY_BLOCK][0].share * 2,
			    est[1].packed[CLASS_MAP][PACKED_BY_PAGE][0].share);
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
	tcase_add_loop_test(files, test_kcore, 0, 3);
	tcase_add_loop_test(files, test_sample, 0, 32);
	tcase_add_test(files, test_known);
	suite_add_tcase(suite, files);
	return helper_run(suite);
}
