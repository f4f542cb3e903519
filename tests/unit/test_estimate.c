// SPDX-License-Identifier: GPL-2.0-or-later
/* An estimate of a made-up machine: what is read of it, what follows from what cannot be read, and sizes. */
#include "config.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "estimate/estimate.h"
#include "estimate/known.h"
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
	s.census_seconds = s.sample_seconds = 1e9;
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
	struct estimate est = { .page_size = 4096, .pages = 1000000, .read_rate = { 1e9, 1e9 } };

	est.of[CLASS_KERNEL] = (struct estimate_class){ .pages = 600000, .margin = 1000 };
	est.of[CLASS_FREE] = (struct estimate_class){ .pages = 400000, .margin = 1000 };
	for (enum content c = 0; c < CONTENTS; c++) {
		est.packed[c][PACKED_BY_BLOCK][0] = (struct packed){ .bytes = 1000, .stored = 500, .seconds = 1e-6 };
		est.packed[c][PACKED_BY_PAGE][0] = (struct packed){ .bytes = 1000, .stored = 750, .seconds = 1e-6 };
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

/* The better a codec packs, the less is stored; in columns, the map is packed best. */
START_TEST(test_known)
{
	for (enum content c = 0; c < CONTENTS; c++)
		for (enum packing p = 0; p < PACKINGS; p++) {
			ck_assert_double_eq(known_share(c, p, CODEC_RAW), 1);
			ck_assert_double_lt(known_share(c, p, CODEC_LZ4), 1);
			ck_assert_double_lt(known_share(c, p, CODEC_LZO), known_share(c, p, CODEC_LZ4));
			ck_assert_double_lt(known_share(c, p, CODEC_ZSTD), known_share(c, p, CODEC_LZO));
		}
	ck_assert_double_lt(known_share(CONTENT_MAP, PACKED_BY_BLOCK, CODEC_LZO) * 2,
			    known_share(CONTENT_MAP, PACKED_BY_PAGE, CODEC_LZO));
}
END_TEST

static double lzo_share(const struct known_kernel *kernel)
{
	return known_kernel_share(kernel, PACKED_BY_BLOCK, CODEC_LZO);
}

/* By what the kernel says of its pages; the map is not among them. */
START_TEST(test_known_kernel)
{
	uint64_t words[WORDS] = { [WORD_RESERVED] = 1000, [WORD_BUDDY] = 5000, [WORD_ANON] = 1 };
	struct known_kernel kernel = { .words = words, .map = 1000 };

	/* Nothing but the map. */
	ck_assert_double_eq(lzo_share(&kernel), known_share(CONTENT_KERNEL, PACKED_BY_BLOCK, CODEC_LZO));
	kernel.map = 0;
	ck_assert_double_eq_tol(lzo_share(&kernel), 0.28, 1e-9);
	kernel.map = 500;
	words[WORD_SLAB] = 500;
	ck_assert_double_eq_tol(lzo_share(&kernel), 0.24, 1e-9);
	words[WORD_NONE] = 400;
	words[WORD_PGTABLE] = 600;
	ck_assert_double_eq_tol(lzo_share(&kernel), 0.16, 1e-9);
	ck_assert_double_gt(known_kernel_share(&kernel, PACKED_BY_PAGE, CODEC_LZO), 0.161);
	ck_assert_double_eq(known_kernel_share(&kernel, PACKED_BY_BLOCK, CODEC_RAW), 1);
	kernel.later = true;
	ck_assert_double_eq_tol(lzo_share(&kernel), 0.30, 1e-9);
	kernel.cpu_free = 1000;
	ck_assert_double_eq_tol(lzo_share(&kernel), 0.175, 1e-9);
}
END_TEST

START_TEST(test_known_release)
{
	static const char release[] = "root/proc/sys/kernel/osrelease";

	ck_assert(known_kernel_is_later("root"));
	put("root/proc/meminfo", "");
	ck_assert_int_eq(mkdir("root/proc/sys", 0700) | mkdir("root/proc/sys/kernel", 0700), 0);
	put(release, "5.10.0-32-amd64");
	ck_assert(!known_kernel_is_later("root"));
	put(release, "6.1.0-50-amd64");
	ck_assert(!known_kernel_is_later("root"));
	put(release, "6.12.9-200.fc41.x86_64");
	ck_assert(known_kernel_is_later("root"));
	put(release, "7.3.4");
	ck_assert(known_kernel_is_later("root"));
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
	ck_assert(!est.kinds_counted && !est.contents_read);
	ck_assert_str_eq(est.kinds_why.text, "root/proc/iomem does not say where the memory is");
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
	ck_assert_double_eq_tol(packed_share(&est.packed[CONTENT_KERNEL][PACKED_BY_BLOCK][0]), 1 / 3.6, 1e-6);
	ck_assert_double_gt(est.packed[CONTENT_KERNEL][PACKED_BY_BLOCK][0].seconds, 0);
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
	ck_assert_str_eq(est.kinds_why.text, "root/proc/kpageflags: No such file or directory");
	ck_assert_msg(strncmp(est.contents_why.text, "root/proc/kcore: ", 17) == 0, "%s", est.contents_why.text);
	ck_assert_uint_eq(est.pages, 256);
}
END_TEST

/* --- a machine whose memory can be read -------------------------------------------- */

static uint64_t said_of(uint64_t pfn)
{
	enum { LRU = 5, BUDDY = 10, ANON = 12, HWPOISON = 19, OFFLINE = 23, RESERVED = 32, PRIVATE = 35 };

	if (pfn == MADE_POISONED)
		return 1 << HWPOISON;
	if (pfn >= MADE_OFFLINE && pfn < MADE_OFFLINE + MADE_OFFLINES)
		return 1 << OFFLINE;
	switch (made_kernel_class(pfn)) {
	case PAGE_CLASS_CACHE:
		return 1 << LRU;
	case PAGE_CLASS_PRIVATE:
		return 1 << LRU | (uint64_t)1 << PRIVATE;
	case PAGE_CLASS_USER:
		return 1 << ANON;
	case PAGE_CLASS_FREE:
		return 1 << BUDDY;
	default:
		return (uint64_t)1 << RESERVED;
	}
}

static void put_flags(uint64_t frames)
{
	int fd = open("root/proc/kpageflags", O_WRONLY | O_CREAT, 0600);

	for (uint64_t pfn = 0; pfn < frames; pfn++) {
		uint64_t said = said_of(pfn);

		ck_assert_int_eq(write(fd, &said, sizeof(said)), sizeof(said));
	}
	close(fd);
}

START_TEST(test_kcore)
{
	struct estimate_settings s = settings_of("lzo");
	static struct made_map mm;
	struct estimate est;

	made_kernel_init(&mm);
	put("root/proc/meminfo", "MemTotal: 1024 kB\n");
	put("root/proc/iomem", "00000000-01ffffff : System RAM\n");
	put_flags(MADE_FRAMES);
	helper_write_file("root/proc/kcore", mm.m.bytes, mm.m.size);
	make(&est, &s);
	ck_assert(est.kinds_counted);
	ck_assert_msg(est.contents_read, "%s", est.contents_why.text);
	ck_assert_uint_eq(est.pages, MADE_FRAMES);
	ck_assert_uint_eq(est.of[CLASS_CLEAN].pages, MADE_CACHES);
	ck_assert_uint_eq(est.of[CLASS_PRIVATE].pages, MADE_PRIVATES);
	ck_assert_uint_eq(est.of[CLASS_ANONYMOUS].pages, MADE_USERS + MADE_HUGES + MADE_HUGETLBS);
	ck_assert_uint_eq(est.of[CLASS_FREE].pages, MADE_FREES + MADE_FEWS);
	ck_assert_uint_eq(est.of[CLASS_OFFLINE].pages, MADE_OFFLINES);
	ck_assert_uint_eq(est.of[CLASS_POISONED].pages, 1);
	/* The map of this machine is not in its memory.  Of larger contents, only some pages are read. */
	ck_assert_uint_eq(est.packed[CONTENT_KERNEL][PACKED_BY_PAGE][0].bytes,
			  (est.of[CLASS_KERNEL].pages + est.of[CLASS_MAP].pages) * 4096);
	ck_assert_uint_eq(est.packed[CONTENT_CACHE][PACKED_BY_PAGE][0].bytes, (MADE_CACHES + MADE_PRIVATES) * 4096);
	ck_assert_uint_le(est.packed[CONTENT_USER][PACKED_BY_PAGE][0].bytes, 4 << 20);
	ck_assert_uint_ge(est.packed[CONTENT_USER][PACKED_BY_PAGE][0].bytes, 2 << 20);
	made_map_free(&mm);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("estimate");
	TCase *tcase = tcase_create("sizes"), *files = tcase_create("files");

	tcase_add_test(tcase, test_keeps);
	tcase_add_test(tcase, test_bytes);
	tcase_add_test(tcase, test_known);
	tcase_add_test(tcase, test_known_kernel);
	suite_add_tcase(suite, tcase);
	helper_use_directory(files);
	tcase_add_test(files, test_known_release);
	tcase_add_test(files, test_meminfo);
	tcase_add_test(files, test_nothing);
	tcase_add_test(files, test_no_kcore);
	tcase_add_test(files, test_kcore);
	suite_add_tcase(suite, files);
	return helper_run(suite);
}
