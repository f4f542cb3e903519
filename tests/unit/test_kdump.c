// SPDX-License-Identifier: GPL-2.0-or-later
/* The bitmaps of the kdump-compressed form, as a whole and in pieces. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "export/kdump.h"
#include "helper.h"
#include "made_core.h"

enum { PAGE = 4096 };

static const char info_text[] =
	"OSRELEASE=6.1.0-test\nPAGESIZE=4096\nCRASHTIME=1700000000\nNUMBER(phys_base)=4194304\n";

struct made {
	struct made_core core_file;
	struct core core;
	struct vmcoreinfo info;
	struct pages pages;
	struct kdump kdump;
};

static void make(struct made *m, struct segment *segments, size_t count)
{
	struct error e;

	made_core_init(&m->core_file, segments, count, EM_X86_64, info_text, false);
	ck_assert_int_eq(core_open(&m->core, &m->core_file.source, &e), STATUS_OK);
	ck_assert_int_eq(vmcoreinfo_find(&m->core, &m->info, &e), STATUS_OK);
	ck_assert_int_eq(pages_find(&m->pages, &m->core, PAGE, NULL, 0, &e), STATUS_OK);
	kdump_init(&m->kdump, &m->core, &m->info, &m->pages);
}

static void done(struct made *m)
{
	pages_free(&m->pages);
	core_close(&m->core);
	made_core_free(&m->core_file);
}

/* The bitmaps have exactly the bits of the pages, read as a whole or in pieces. */
START_TEST(test_bitmaps)
{
	struct segment s[] = {
		{ .paddr = 0x3000, .filesz = 3 * PAGE, .memsz = 5 * PAGE },
		{ .paddr = 0x9000, .filesz = 40 * PAGE, .memsz = 40 * PAGE },
		{ .paddr = 0x7ffff00, .filesz = 0x200, .memsz = 0x200 },
		{ .paddr = 0x40000000, .filesz = PAGE, .memsz = PAGE },
	};
	uint64_t all, one;
	uint8_t *bytes, *piece;
	struct made m;

	make(&m, s, LENGTH(s));
	one = m.kdump.bitmap2 - m.kdump.bitmap1;
	all = 2 * one;
	bytes = malloc(all);
	piece = malloc(all);
	kdump_put_bitmaps(&m.kdump, 0, all, bytes, NULL);
	for (uint64_t bit = 0; bit < all * 8; bit++) {
		uint64_t pfn = bit % (one * 8), here = bit < one * 8 ? 5 : 3;
		bool want = (pfn >= 3 && pfn < 3 + here) || (pfn >= 9 && pfn < 49) ||
			    pfn == 0x7fff || pfn == 0x8000 || pfn == 0x40000;

		ck_assert_msg((bytes[bit / 8] >> bit % 8 & 1) == want, "bit %lu",
			      (unsigned long)bit);
	}
	for (uint64_t from = 0; from < all; from += 1 + from / 3) {
		for (size_t len = 0; len <= all - from; len += 1 + len / 2) {
			memset(piece, 0x55, all);
			kdump_put_bitmaps(&m.kdump, from, len, piece, NULL);
			ck_assert_mem_eq(piece, bytes + from, len);
			ck_assert(len == all || piece[len] == 0x55);
		}
	}
	for (uint64_t from = 0; from < all; from++) {
		uint64_t next = from;

		while (next < all && !bytes[next])
			next++;
		ck_assert_uint_eq(kdump_bitmaps_next(&m.kdump, from, NULL), next);
		from += next > from + 9 ? next - from - 9 : 0;
	}
	free(bytes);
	free(piece);
	done(&m);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kdump");
	TCase *tcase = tcase_create("kdump");

	helper_use_directory(tcase);
	tcase_add_test(tcase, test_bitmaps);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
