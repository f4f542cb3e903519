// SPDX-License-Identifier: GPL-2.0-or-later
/* The cache of small reads returns what a read without it would return, failures as well. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "helper.h"

enum { SIZE = 400 * SMALL_READS_PIECE + 100, BAD = 5 * SMALL_READS_PIECE + 50 };

struct below {
	uint8_t bytes[SIZE];
	unsigned reads;
	bool stopped;
};

static struct below below;

static enum status read_below(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	struct below *b = arg;

	b->reads++;
	if (b->stopped)
		return error_set(e, STATUS_STOPPED, "stopped");
	/* As a reader of a set does, it has read what comes before. */
	if (offset <= BAD && BAD < offset + len) {
		memcpy(dst, b->bytes + offset, BAD - offset);
		return error_set(e, STATUS_MISSING, "byte %d is missing", BAD);
	}
	memcpy(dst, b->bytes + offset, len);
	return STATUS_OK;
}

static void open_cache(struct small_reads *s, struct core_bytes *bytes, uint64_t size)
{
	const struct core_bytes all = { .size = size, .read = read_below, .arg = &below };
	struct error e;

	for (size_t i = 0; i < SIZE; i++)
		below.bytes[i] = (uint8_t)(i ^ i >> 8 ^ i >> 16);
	below.reads = 0;
	below.stopped = false;
	ck_assert_int_eq(small_reads_open(s, &all, SMALL_READS_PIECE, bytes, &e), STATUS_OK);
	ck_assert_uint_eq(bytes->size, size);
}

START_TEST(test_same)
{
	struct small_reads s;
	struct core_bytes bytes;
	uint8_t dst[2 * SMALL_READS_PIECE];
	struct error e;
	char missing[64];

	snprintf(missing, sizeof(missing), "byte %d is missing", BAD);
	srand(1);
	open_cache(&s, &bytes, SIZE);
	for (int i = 0; i < 20000; i++) {
		size_t len = 1 + (size_t)rand() % (rand() % 4 ? 300 : sizeof(dst));
		uint64_t offset = (uint64_t)rand() % (rand() % 2 ? SIZE - len : 20 * SMALL_READS_PIECE);
		bool bad = offset <= BAD && BAD < offset + len;

		ck_assert_int_eq(bytes.read(bytes.arg, offset, len, dst, &e), bad ? STATUS_MISSING : STATUS_OK);
		if (bad)
			ck_assert_str_eq(e.text, missing);
		else
			ck_assert_int_eq(memcmp(dst, below.bytes + offset, len), 0);
	}
	small_reads_close(&s);
}
END_TEST

START_TEST(test_kept)
{
	struct small_reads s;
	struct core_bytes bytes;
	uint8_t dst[8];
	struct error e;

	open_cache(&s, &bytes, SIZE);
	for (int round = 0; round < 10; round++)
		for (uint64_t i = 0; i < SMALL_READS_PIECES; i++)
			ck_assert_int_eq(bytes.read(bytes.arg, (i + 7) * SMALL_READS_PIECE + i * 8, 8, dst, &e),
					 STATUS_OK);
	ck_assert_uint_eq(below.reads, SMALL_READS_PIECES);
	/* A piece that takes the place of another one. */
	ck_assert_int_eq(bytes.read(bytes.arg, (7 + SMALL_READS_PIECES) * SMALL_READS_PIECE, 8, dst, &e), STATUS_OK);
	ck_assert_int_eq(bytes.read(bytes.arg, 7 * SMALL_READS_PIECE, 8, dst, &e), STATUS_OK);
	ck_assert_uint_eq(below.reads, SMALL_READS_PIECES + 2);
	/* A piece of which only a part can be read leaves nothing of the one whose place it would take. */
	for (uint64_t i = 0; i < 3 * SMALL_READS_PIECES; i++) {
		uint64_t at = (i % 2 ? 80 + i / 2 % SMALL_READS_PIECES : BAD / SMALL_READS_PIECE) * SMALL_READS_PIECE;

		ck_assert_int_eq(bytes.read(bytes.arg, at, 8, dst, &e), STATUS_OK);
		ck_assert_int_eq(memcmp(dst, below.bytes + at, 8), 0);
	}
	/* One that is in use stays, whatever else would take its place. */
	below.reads = 0;
	for (uint64_t i = 160; i < 380; i++) {
		ck_assert_int_eq(bytes.read(bytes.arg, 0, 8, dst, &e), STATUS_OK);
		ck_assert_int_eq(bytes.read(bytes.arg, i * SMALL_READS_PIECE, 8, dst, &e), STATUS_OK);
	}
	ck_assert_uint_eq(below.reads, 1 + 220);
	/* A failure that ends the operation. */
	below.stopped = true;
	ck_assert_int_eq(bytes.read(bytes.arg, 390 * SMALL_READS_PIECE, 8, dst, &e), STATUS_STOPPED);
	small_reads_close(&s);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("small_reads");

	tcase_add_test(tcase, test_same);
	tcase_add_test(tcase, test_kept);
	return helper_run_case("small_reads", tcase);
}
