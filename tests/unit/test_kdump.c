// SPDX-License-Identifier: GPL-2.0-or-later
/* The kdump-compressed form byte by byte: headers, bitmaps, descriptors. */
#include "config.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* 5 pages from address 0x3000, 2 of which are not in the file; the last page frame is 0x40000. */
static void make_usual(struct made *m)
{
	struct segment s[] = {
		{ .paddr = 0x3000, .filesz = 3 * PAGE, .memsz = 5 * PAGE },
		{ .paddr = 0x40000000, .filesz = PAGE, .memsz = PAGE },
	};

	make(m, s, LENGTH(s));
}

START_TEST(test_header)
{
	uint8_t *head, *want;
	struct made m;
	struct kdump_part part;

	make_usual(&m);
	part = kdump_whole(&m.pages);
	ck_assert_uint_eq(m.kdump.bitmap1, 65536);
	ck_assert_uint_eq(m.kdump.bitmap2, 65536 + 9 * PAGE);
	ck_assert_uint_eq(m.kdump.descriptors, 65536 + 18 * PAGE);
	ck_assert_uint_eq(m.kdump.data, 65536 + 18 * PAGE + 4 * 24);
	head = malloc(m.kdump.bitmap1);
	want = calloc(1, m.kdump.bitmap1);
	memset(head, 0xaa, m.kdump.bitmap1);
	kdump_put_head(&m.kdump, &part, KDUMP_ZLIB | KDUMP_INCOMPLETE, head);
	memcpy(want, "KDUMP   ", 8);
	put_le32(want + 8, 6);
	memcpy(want + 12, "Linux", 5);
	memcpy(want + 142, "6.1.0-test", 10);
	memcpy(want + 272, "x86_64", 6);
	/* uts_find() chooses nodename, version and domainname: see test_core. */
	memcpy(want + 77, head + 77, 65);
	memcpy(want + 207, head + 207, 65);
	memcpy(want + 337, head + 337, 65);
	put_le64(want + 408, 1700000000);
	put_le32(want + 424, 0x9);
	put_le32(want + 428, PAGE);
	put_le32(want + 432, 15);
	put_le32(want + 436, 18);
	put_le32(want + 440, 0x40001);
	put_le32(want + 460, 1);
	put_le64(want + PAGE, 4194304);
	put_le64(want + PAGE + 40, strlen(info_text));
	put_le64(want + PAGE + 48, PAGE + 104);
	put_le64(want + PAGE + 56, m.core.notes_size);
	put_le64(want + PAGE + 96, 0x40001);
	memcpy(want + PAGE + 104, m.core.notes, m.core.notes_size);
	/* It is within the notes, with the same text. */
	put_le64(want + PAGE + 32, get_le64(head + PAGE + 32));
	ck_assert_uint_ge(get_le64(head + PAGE + 32), PAGE + 104);
	ck_assert_mem_eq(head + get_le64(head + PAGE + 32), info_text, strlen(info_text));
	ck_assert_mem_eq(head, want, m.kdump.bitmap1);
	free(head);
	free(want);
	done(&m);
}
END_TEST

START_TEST(test_part)
{
	struct kdump_part part = { .first = 64, .end = 0x1000000c0, .split = true };
	uint8_t *whole, *head;
	struct made m;
	struct kdump_part all;

	make_usual(&m);
	all = kdump_whole(&m.pages);
	whole = malloc(m.kdump.bitmap1);
	head = malloc(m.kdump.bitmap1);
	kdump_put_head(&m.kdump, &all, KDUMP_LZO, whole);
	kdump_put_head(&m.kdump, &part, KDUMP_LZO, head);
	/* crash compares the first header of all parts. */
	ck_assert_mem_eq(head, whole, PAGE);
	put_le32(whole + PAGE + 12, 1);
	put_le64(whole + PAGE + 16, 64);
	put_le64(whole + PAGE + 24, UINT32_MAX);
	put_le64(whole + PAGE + 80, 64);
	put_le64(whole + PAGE + 88, 0x1000000c0);
	ck_assert_mem_eq(head, whole, m.kdump.bitmap1);
	free(whole);
	free(head);
	done(&m);
}
END_TEST

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

/* What the headers say can be read again. */
START_TEST(test_decode)
{
	struct kdump_part part = { .first = 64, .end = 0x30000, .split = true };
	struct kdump_header h;
	struct made m;
	uint8_t *head;

	make_usual(&m);
	m.kdump.dump_level = 24;
	head = malloc(m.kdump.bitmap1);
	kdump_put_head(&m.kdump, &part, KDUMP_LZO | KDUMP_INCOMPLETE, head);
	ck_assert_int_eq(kdump_header_decode(&h, head), STATUS_OK);
	ck_assert_int_eq(kdump_sub_header_decode(&h, head + PAGE), STATUS_OK);
	ck_assert_uint_eq(h.version, 6);
	ck_assert_uint_eq(h.flags, KDUMP_LZO | KDUMP_INCOMPLETE);
	ck_assert_uint_eq(h.block_size, PAGE);
	ck_assert_str_eq(h.uts + UTS_MOVED + offsetof(struct uts, machine), "x86_64");
	ck_assert_uint_eq(h.bitmap1, m.kdump.bitmap1);
	ck_assert_uint_eq(h.bitmap1 + h.bitmap_size, m.kdump.bitmap2);
	ck_assert_uint_eq(kdump_descriptors_offset(&h), m.kdump.descriptors);
	ck_assert_uint_eq(h.frames, 0x40001);
	ck_assert_uint_eq(h.level, 24);
	ck_assert(h.split && h.first_page == 64 && h.end_page == 0x30000);
	ck_assert_uint_eq(h.notes, PAGE + 104);
	ck_assert_uint_eq(h.notes_size, m.core.notes_size);
	ck_assert_uint_eq(h.vmcoreinfo_size, strlen(info_text));
	free(head);
	done(&m);
}
END_TEST

/* Numbers that are not possible. */
START_TEST(test_refused)
{
	static const struct {
		unsigned at, bytes;
		uint64_t value;
		enum status status;
	} wrong[] = {
		{ 8, 4, 0x06000000, STATUS_DAMAGED },		/* big-endian, as nothing else */
		{ 272, 4, 0x36383669, STATUS_OK },		/* i686 is only a name */
		{ 428, 4, 0, STATUS_DAMAGED }, { 428, 4, 2048, STATUS_DAMAGED }, { 428, 4, 4097, STATUS_DAMAGED },
		{ 428, 4, 131072, STATUS_DAMAGED }, { 432, 4, 0, STATUS_DAMAGED }, { 436, 4, 17, STATUS_DAMAGED },
		{ PAGE + 96, 8, 9 * PAGE * 8 + 1, STATUS_DAMAGED }, { PAGE + 96, 8, UINT64_MAX, STATUS_DAMAGED },
		/* The places of notes are checked where they are read, and can be found without these numbers. */
		{ PAGE + 48, 8, (uint64_t)1 << 63, STATUS_OK }, { PAGE + 56, 8, (16 << 20) + 1, STATUS_OK },
		{ PAGE + 32, 8, UINT64_MAX, STATUS_OK }, { PAGE + 40, 8, UINT64_MAX, STATUS_OK },
		{ PAGE + 80, 8, 0x30001, STATUS_DAMAGED }, { PAGE + 88, 8, 0x40002, STATUS_DAMAGED },
	};
	struct kdump_part part = { .first = 64, .end = 0x30000, .split = true };
	struct kdump_header h;
	struct made m;
	uint8_t *head;

	make_usual(&m);
	head = malloc(m.kdump.bitmap1);
	for (size_t i = 0; i < LENGTH(wrong); i++) {
		enum status status;

		kdump_put_head(&m.kdump, &part, 0, head);
		if (wrong[i].bytes == 4)
			put_le32(head + wrong[i].at, (uint32_t)wrong[i].value);
		else
			put_le64(head + wrong[i].at, wrong[i].value);
		status = kdump_header_decode(&h, head);
		if (!status)
			status = kdump_sub_header_decode(&h, head + PAGE);
		ck_assert_msg(status == wrong[i].status, "number %zu: %d", i, status);
	}
	free(head);
	done(&m);
}
END_TEST

START_TEST(test_descriptor)
{
	static const uint8_t want[24] = {
		0x88, 0x77, 0x66, 0x55, 0x44, 0x33, 0x22, 0x11, 0xef, 0xbe, 0, 0, 0x20,
	};
	uint8_t got[24];

	memset(got, 0xff, sizeof(got));
	kdump_descriptor_encode(&(struct kdump_descriptor){ 0x1122334455667788, 0xbeef, KDUMP_ZSTD }, got);
	ck_assert_mem_eq(got, want, sizeof(want));
	ck_assert_uint_eq(kdump_descriptor_decode(got).offset, 0x1122334455667788);
	ck_assert_uint_eq(kdump_descriptor_decode(got).size, 0xbeef);
	ck_assert_uint_eq(kdump_descriptor_decode(got).flags, KDUMP_ZSTD);
}
END_TEST

START_TEST(test_flags)
{
	ck_assert_uint_eq(kdump_flag(CODEC_ZLIB), 0x1);
	ck_assert_uint_eq(kdump_flag(CODEC_LZO), 0x2);
	ck_assert_uint_eq(kdump_flag(CODEC_SNAPPY), 0x4);
	ck_assert_uint_eq(kdump_flag(CODEC_ZSTD), 0x20);
	ck_assert_uint_eq(kdump_flag(CODEC_RAW), 0);
	ck_assert_uint_eq(kdump_flag(CODEC_LZ4), 0);
	ck_assert_uint_eq(kdump_flag((enum codec_id)6), 0);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("kdump");
	TCase *tcase = tcase_create("kdump");

	helper_use_directory(tcase);
	tcase_add_test(tcase, test_header);
	tcase_add_test(tcase, test_part);
	tcase_add_test(tcase, test_bitmaps);
	tcase_add_test(tcase, test_decode);
	tcase_add_test(tcase, test_refused);
	tcase_add_test(tcase, test_descriptor);
	tcase_add_test(tcase, test_flags);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
