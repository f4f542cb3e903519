// SPDX-License-Identifier: GPL-2.0-or-later
/* Files of dumps: recognition, and the flattened form with pieces in any order, overlapping, and cut. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "helper.h"
#include "made_dump.h"
#include "set/dump_file.h"
#include "set/spool.h"

enum { SIZE = 20000, FLAT_HEADER = 4096 };

START_TEST(test_recognise)
{
	helper_write_file("plain", "KDUMP   \6\0\0\0\0\0\0\0", 16);
	helper_write_file("flat", "makedumpfile\0\0\0\0", 16);
	helper_write_file("short", "KDUMP   ", 8);
	helper_write_file("old", "DISKDUMP\6\0\0\0\0\0\0\0", 16);
	helper_write_file("other", "makedumpfile is ", 16);
	helper_write_file("plain wrong", "KTUMP  !\6\0\0\0\0\0\0\0", 16);
	helper_write_file("plain very wrong", "KTUMQ  !\6\0\0\0\0\0\0\0", 16);
	helper_write_file("flat wrong", "makedtmpfile\0\0\10\0", 16);
	ck_assert_int_eq(dump_recognise("plain wrong"), DUMP_PLAIN);
	ck_assert_int_eq(dump_recognise("plain very wrong"), DUMP_NONE);
	ck_assert_int_eq(dump_recognise("flat wrong"), DUMP_FLATTENED);
	ck_assert_int_eq(dump_recognise("plain"), DUMP_PLAIN);
	ck_assert_int_eq(dump_recognise("flat"), DUMP_FLATTENED);
	ck_assert_int_eq(dump_recognise("short"), DUMP_NONE);
	ck_assert_int_eq(dump_recognise("old"), DUMP_NONE);
	ck_assert_int_eq(dump_recognise("other"), DUMP_NONE);
	ck_assert_int_eq(dump_recognise("."), DUMP_NONE);
	ck_assert_int_eq(dump_recognise("absent"), DUMP_NONE);
	ck_assert_int_eq(dump_recognise("/dev/null"), DUMP_NONE);
}
END_TEST

/* Opens bytes as a file, or as a stream. */
static enum status open_bytes(struct dump_file *f, const uint8_t *bytes, size_t size, bool stream, struct error *e)
{
	const struct set_settings settings = { .spool = "." };
	enum dump_form form = dump_form_of(bytes);
	enum status status;
	FILE *cat;

	helper_write_file("file", bytes, size);
	if (!stream)
		return dump_file_open(f, "file", form, e);
	cat = popen("cat file", "r");
	ck_assert_ptr_nonnull(cat);
	status = dump_stream_open(f, form, dup(fileno(cat)), &settings, e);
	pclose(cat);
	return status;
}

static uint8_t *put_piece(uint8_t *dst, uint64_t offset, uint64_t size, uint8_t byte)
{
	for (unsigned i = 0; i < 8; i++) {
		dst[i] = (uint8_t)(offset >> (56 - 8 * i));
		dst[8 + i] = (uint8_t)(size >> (56 - 8 * i));
	}
	if (size > SIZE)
		return dst + 16;
	memset(dst + 16, byte, size);
	return dst + 16 + size;
}

static uint8_t *begin_flat(uint8_t *flat)
{
	memset(flat, 0, FLAT_HEADER);
	memcpy(flat, "makedumpfile", 12);
	return flat + FLAT_HEADER;
}

/* The dump has exactly these bytes. */
static void assert_dump(const struct dump_file *f, const uint8_t *want, size_t size)
{
	uint8_t *got = malloc(size);
	struct error e;
	size_t read;

	ck_assert_uint_eq(f->size, size);
	ck_assert_int_eq(dump_file_read(f, got, size, 0, HOLES_MISSING, &read, &e), STATUS_OK);
	ck_assert_mem_eq(got, want, size);
	for (size_t at = 0; at < size; at += 997) {
		ck_assert_int_eq(dump_file_read(f, got, min_u64(1500, size - at), at, HOLES_MISSING, &read, &e), STATUS_OK);
		ck_assert_mem_eq(got, want + at, min_u64(1500, size - at));
	}
	ck_assert(dump_file_has(f, 0, size, HOLES_MISSING) && !dump_file_has(f, 0, size + 1, HOLES_ZERO) &&
		  !dump_file_has(f, size, 1, HOLES_ZERO));
	free(got);
}

/* Bytes that several pieces have are one of theirs or missing, at random; holes are zeros only if they may be. */
START_TEST(test_overlaps)
{
	enum { PIECES = 60, SPAN = 3000 };
	uint8_t *flat = malloc(FLAT_HEADER + PIECES * (16 + 400) + 16);
	bool has[SPAN + 400][PIECES + 1];

	srand((unsigned)_i);
	for (unsigned round = 0; round < 10; round++) {
		uint8_t *dst = begin_flat(flat), got;
		unsigned pieces = 1 + (unsigned)rand() % PIECES, overlaps = 0;
		struct dump_file f;
		struct error e;
		size_t read;

		memset(has, 0, sizeof(has));
		for (unsigned i = 1; i <= pieces; i++) {
			size_t at = 65 + (size_t)rand() % SPAN, length = 1 + (size_t)rand() % 300;

			dst = put_piece(dst, at, length, (uint8_t)i);
			for (size_t k = at; k < at + length; k++) {
				overlaps += has[k][0];
				has[k][0] = has[k][i] = true;
			}
		}
		dst = put_piece(dst, UINT64_MAX, UINT64_MAX, 0);
		ck_assert_int_eq(open_bytes(&f, flat, (size_t)(dst - flat), round & 1, &e), STATUS_OK);
		ck_assert(!f.findings.count == !overlaps);
		for (size_t at = 0; at < f.size; at++) {
			ck_assert(dump_file_has(&f, at, 1, HOLES_ZERO));
			ck_assert_int_eq(dump_file_read(&f, &got, 1, at, HOLES_ZERO, &read, &e), STATUS_OK);
			ck_assert(got ? has[at][got] : overlaps || !has[at][0]);
			ck_assert(dump_file_has(&f, at, 1, HOLES_MISSING) == (got != 0));
		}
		for (size_t at = 0, next; at < f.size; at = next + 1) {
			next = dump_file_next_data(&f, at);
			for (; at < next; at++)
				ck_assert(!dump_file_has(&f, at, 1, HOLES_MISSING));
		}
		dump_file_close(&f);
		/* Without the mark of the end, a hole may have had a piece. */
		ck_assert_int_eq(open_bytes(&f, flat, (size_t)(dst - flat) - 1, round & 1, &e), STATUS_OK);
		for (size_t at = 0; at < f.size; at++)
			ck_assert(dump_file_has(&f, at, 1, HOLES_ZERO) == dump_file_has(&f, at, 1, HOLES_MISSING));
		dump_file_close(&f);
	}
	free(flat);
}
END_TEST

/* Which bytes count if pieces overlap, and whether that is reported. */
START_TEST(test_which_counts)
{
	static const struct {
		struct {
			uint64_t offset, length;
		} pieces[9];
		bool reported;
		const char *want;		/* from the offset first on: the number of a piece, or '.' */
		uint64_t first;
	} cases[] = {
		/* A header is written again; so are program headers, and whatever is continued in both places. */
		{ { { 0, 4 }, { 4, 4 }, { 0, 4 } }, false, "33332222", 0 },
		{ { { 4100, 4 }, { 4096, 4 }, { 4104, 4 }, { 4096, 2 } }, false, "44221111", 4096 },
		{ { { 60, 8 }, { 68, 4 }, { 64, 2 } }, false, "111133112222", 60 },
		{ { { 500, 4 }, { 504, 4 }, { 500, 4 }, { 504, 2 } }, false, "33334422", 500 },
		/* A piece that belongs elsewhere, before and behind the one that it overlaps. */
		{ { { 500, 4 }, { 504, 4 }, { 502, 4 }, { 513, 2 } }, true, "11112222.....44", 500 },
		{ { { 500, 4 }, { 504, 4 }, { 502, 4 }, { 512, 2 } }, true, "11112222....44", 500 },
		/* Shuffled, and with holes, it is whole. */
		{ { { 500, 4 }, { 516, 4 }, { 508, 4 }, { 532, 4 }, { 524, 4 }, { 548, 4 }, { 540, 4 }, { 564, 4 }, { 556, 4 } },
		  false, "1111....3333....2222....5555....4444....7777....6666....9999....8888", 500 },
		{ { { 500, 4 }, { 504, 4 }, { 512, 4 }, { 508, 4 }, { 516, 4 } }, false, "11112222444433335555", 500 },
		{ { { 500, 4 }, { 504, 4 }, { 500, 4 }, { 512, 2 }, { 508, 4 } }, true, "11112222555544", 500 },
		{ { { 498, 4 }, { 500, 4 }, { 504, 4 } }, true, "22223333", 500 },
		/* It cannot be known which one does. */
		{ { { 500, 4 }, { 502, 4 } }, true, "11..22", 500 },
		{ { { 500, 6 }, { 502, 2 } }, true, "11..11", 500 },
		{ { { 502, 2 }, { 500, 6 }, { 503, 3 } }, true, "22....", 500 },
	};
	uint8_t flat[FLAT_HEADER + 400];

	for (size_t i = 0; i < LENGTH(cases); i++)
		for (unsigned stream = 0; stream < 2; stream++) {
			uint8_t *dst = begin_flat(flat), got;
			struct dump_file f;
			struct error e;
			size_t read;

			for (unsigned k = 0; k < LENGTH(cases[i].pieces) && cases[i].pieces[k].length; k++)
				dst = put_piece(dst, cases[i].pieces[k].offset, cases[i].pieces[k].length,
						(uint8_t)('1' + k));
			dst = put_piece(dst, UINT64_MAX, UINT64_MAX, 0);
			ck_assert_int_eq(open_bytes(&f, flat, (size_t)(dst - flat), stream, &e), STATUS_OK);
			ck_assert_msg((f.findings.count == 1) == cases[i].reported, "case %zu: %zu findings", i,
				      f.findings.count);
			for (size_t k = 0; cases[i].want[k]; k++) {
				if (dump_file_read(&f, &got, 1, cases[i].first + k, HOLES_MISSING, &read, &e))
					got = '.';
				ck_assert_msg(got == cases[i].want[k], "case %zu, byte %zu: %c", i, k, got);
			}
			dump_file_close(&f);
		}
}
END_TEST

/* A piece that is not possible ends the dump. */
START_TEST(test_wrong_piece)
{
	static const uint64_t wrong[][2] = {
		{ 0, 0 }, { INT64_MAX, 1 }, { (uint64_t)1 << 63, 1 }, { 1, INT64_MAX }, { 1, (uint64_t)1 << 63 },
		{ UINT64_MAX, 1 }, { 1, UINT64_MAX }, { 0, (uint64_t)1 << 48 },
	};
	uint8_t flat[FLAT_HEADER + 100], *end;
	struct dump_file f;
	struct error e;

	for (size_t i = 0; i < LENGTH(wrong); i++)
		for (unsigned stream = 0; stream < 2; stream++) {
			end = put_piece(begin_flat(flat), 0, 3, 7);
			end = put_piece(end, wrong[i][0], wrong[i][1], 0);
			end = put_piece(end, 3, 3, 7);
			end = put_piece(end, UINT64_MAX, UINT64_MAX, 0);
			ck_assert_int_eq(open_bytes(&f, flat, (size_t)(end - flat), stream, &e), STATUS_OK);
			ck_assert(dump_file_is_cut(&f) && !f.cut && !f.findings.count);
			ck_assert(strstr(f.damage, ": damaged at byte 4115: not the header of a piece of a flattened dump; what "
					 "follows it cannot be read"));
			ck_assert_uint_eq(f.size, 3);
			ck_assert(dump_file_has(&f, 0, 3, HOLES_MISSING));
			dump_file_close(&f);
		}
}
END_TEST

/* Pieces take memory, so their number is limited, wherever they belong. */
START_TEST(test_many_pieces)
{
	enum { MOST = 1 << 16 };
	uint8_t *flat = malloc(FLAT_HEADER + (2 * MOST) * 17), *dst = begin_flat(flat);
	struct dump_file f;
	struct error e;

	for (size_t i = 0; i < 2 * MOST; i++)
		dst = put_piece(dst, _i * i, 1, 1);
	for (unsigned stream = 0; stream < 2; stream++) {
		ck_assert_int_eq(open_bytes(&f, flat, (size_t)(dst - flat), stream, &e), STATUS_DAMAGED);
		ck_assert(strstr(e.text, "more pieces than any writer makes"));
		dump_file_close(&f);
	}
	free(flat);
}
END_TEST

START_TEST(test_plain_stream)
{
	uint8_t *bytes = helper_noise(SIZE);
	struct dump_file f;
	struct error e;

	memcpy(bytes, "KDUMP   ", 8);
	for (unsigned stream = 0; stream < 2; stream++) {
		ck_assert_int_eq(open_bytes(&f, bytes, SIZE, stream, &e), STATUS_OK);
		ck_assert(!f.flattened && !f.cut);
		assert_dump(&f, bytes, SIZE);
		ck_assert_uint_eq(dump_file_next_data(&f, SIZE), SIZE);
		dump_file_close(&f);
	}
	free(bytes);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("dump_file");

	helper_use_directory(tcase);
	tcase_add_test(tcase, test_recognise);
	tcase_add_loop_test(tcase, test_overlaps, 0, 4);
	tcase_add_test(tcase, test_which_counts);
	tcase_add_test(tcase, test_wrong_piece);
	tcase_add_loop_test(tcase, test_many_pieces, 1, 3);
	tcase_add_test(tcase, test_plain_stream);
	return helper_run_case("dump_file", tcase);
}
