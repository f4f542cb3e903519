// SPDX-License-Identifier: GPL-2.0-or-later
/* The layout of flattened files, byte by byte. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "format/flattened.h"
#include "helper.h"
#include "trial_sink.h"

enum { BUFFER = 2 * ALIGNMENT, HEADER = 4096, PERIOD = 1 << 16 };

struct bench {
	struct sink sink;
	struct trial_sink memory;
	struct flattened flat;
	uint8_t *noise;
	size_t at;			/* in the output, for the checks */
};

static enum status append(void *arg, const uint8_t *bytes, size_t len, struct error *e)
{
	return sink_append(arg, bytes, len, e);
}

static void bench_open(struct bench *b)
{
	struct error e;

	*b = (struct bench){ .noise = helper_noise(2 * PERIOD) };
	trial_sink_probe(&b->sink, &b->memory, "flat");
	trial_sink_prepare(&b->sink);
	ck_assert_int_eq(flattened_init(&b->flat, append, &b->sink, "flat", BUFFER, &e), STATUS_OK);
	b->flat.digests = digest_supported();
	ck_assert_int_eq(flattened_begin(&b->flat, &e), STATUS_OK);
}

static void bench_close(struct bench *b)
{
	flattened_free(&b->flat);
	sink_free(&b->sink);
	trial_sink_free(&b->memory);
	free(b->noise);
}

/* A byte of the file has the value at its offset in the noise, which repeats. */
static void write_piece(struct bench *b, uint64_t offset, size_t len)
{
	struct error e;

	ck_assert_int_eq(flattened_write(&b->flat, offset, b->noise + offset % PERIOD, len, &e), STATUS_OK);
}

static uint64_t get_be64(const uint8_t *raw)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < 8; i++)
		v = v << 8 | raw[i];
	return v;
}

/* All bytes have passed in order. */
static void check_digest(const struct bench *b)
{
	uint8_t found[DIGEST_LENGTH], want[DIGEST_LENGTH];
	struct digest digest;

	digest_begin(&digest);
	digest_add(&digest, b->memory.bytes, b->memory.length);
	digest_get(&digest, want);
	digest_get(&b->flat.digest, found);
	ck_assert_mem_eq(found, want, DIGEST_LENGTH);
}

static void end(struct bench *b)
{
	struct error e;

	ck_assert_int_eq(flattened_end(&b->flat, &e), STATUS_OK);
	ck_assert_uint_eq(b->memory.length % ALIGNMENT, 0);
	if (digest_supported())
		check_digest(b);
	b->at = HEADER;
}

/* The next piece. */
static void expect_piece(struct bench *b, uint64_t offset, size_t len)
{
	const uint8_t *raw = b->memory.bytes + b->at;

	ck_assert_uint_le(b->at + 16 + len, b->memory.length);
	ck_assert_uint_eq(get_be64(raw), offset);
	ck_assert_uint_eq(get_be64(raw + 8), len);
	ck_assert_mem_eq(raw + 16, b->noise + offset % PERIOD, len);
	b->at += 16 + len;
}

static void expect_end(struct bench *b)
{
	const uint8_t *raw = b->memory.bytes + b->at;

	ck_assert_uint_eq(get_be64(raw), UINT64_MAX);
	ck_assert_uint_eq(get_be64(raw + 8), UINT64_MAX);
	for (size_t i = b->at + 16; i < b->memory.length; i++)
		ck_assert_uint_eq(b->memory.bytes[i], 0);
	ck_assert_uint_lt(b->memory.length - b->at - 16, ALIGNMENT);
}

START_TEST(test_header)
{
	uint8_t want[HEADER] = "makedumpfile";
	struct bench b;

	bench_open(&b);
	want[23] = want[31] = 1;
	ck_assert_uint_eq(b.memory.length, HEADER);
	ck_assert_mem_eq(b.memory.bytes, want, HEADER);
	end(&b);
	ck_assert_uint_eq(b.memory.length, HEADER + ALIGNMENT);
	expect_end(&b);
	bench_close(&b);
}
END_TEST

/* Writes that follow each other are one piece, others are not; nothing is written for no bytes. */
START_TEST(test_pieces)
{
	struct bench b;

	bench_open(&b);
	write_piece(&b, 100, 0);
	write_piece(&b, 100, 10);
	write_piece(&b, 110, 1);
	write_piece(&b, 111, 0);
	write_piece(&b, 111, 89);
	write_piece(&b, 201, 5);
	write_piece(&b, 0, 100);
	write_piece(&b, 1ULL << 40, 7);
	ck_assert_uint_eq(b.memory.length, HEADER);
	end(&b);
	expect_piece(&b, 100, 100);
	expect_piece(&b, 201, 5);
	expect_piece(&b, 0, 100);
	expect_piece(&b, 1ULL << 40, 7);
	expect_end(&b);
	bench_close(&b);
}
END_TEST

/* With each number of bytes in the buffer when another piece begins, near its end. */
START_TEST(test_buffer_almost_full)
{
	for (size_t left = 0; left <= 40; left++) {
		size_t first = BUFFER - 16 - left;
		struct bench b;

		bench_open(&b);
		write_piece(&b, 0, first);
		write_piece(&b, 20000, 10);
		write_piece(&b, 20010, 30);
		write_piece(&b, 30000, 1);
		end(&b);
		expect_piece(&b, 0, first);
		/* The second one is cut where the buffer ends. */
		if (left > 16 && left < 16 + 40) {
			expect_piece(&b, 20000, left - 16);
			expect_piece(&b, 20000 + left - 16, 40 - (left - 16));
		} else {
			expect_piece(&b, 20000, 40);
		}
		expect_piece(&b, 30000, 1);
		expect_end(&b);
		bench_close(&b);
	}
}
END_TEST

START_TEST(test_failure)
{
	struct bench b;
	struct error e;

	bench_open(&b);
	b.memory.fail_append = 2;
	b.memory.errnum = EPIPE;
	ck_assert_int_eq(flattened_write(&b.flat, 0, b.noise, 4096, &e), STATUS_OK);
	ck_assert_int_eq(flattened_write(&b.flat, 4096, b.noise, BUFFER, &e), STATUS_SYSTEM);
	ck_assert_int_eq(e.errnum, EPIPE);
	bench_close(&b);
	bench_open(&b);
	b.memory.fail_append = 2;
	b.memory.errnum = ENOSPC;
	ck_assert_int_eq(flattened_write(&b.flat, 0, b.noise, 10, &e), STATUS_OK);
	ck_assert_int_eq(flattened_end(&b.flat, &e), STATUS_SYSTEM);
	/* What was not written is not forgotten. */
	ck_assert_uint_eq(b.flat.filled, ALIGNMENT);
	bench_close(&b);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("flattened");

	tcase_add_test(tcase, test_header);
	tcase_add_test(tcase, test_pieces);
	tcase_add_test(tcase, test_buffer_almost_full);
	tcase_add_test(tcase, test_failure);
	return helper_run_case("flattened", tcase);
}
