// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading any bytes of a set, in any order; those of sets with layers are compared with
 * tests/unit/layer_oracle.c, for random sets, whole and damaged.
 */
#include "config.h"

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "corpus.h"
#include "fakevmcore/pattern.h"
#include "helper.h"
#include "layer_random.h"
#include "set/plain.h"
#include "set/read/range.h"

enum { SIZE = 10 * MAKER_CHUNK - 777 };

/* One reader for all reads, so that the record of the previous read is used again. */
START_TEST(test_any_range)
{
	const struct codec_entry *entry = &codec_entries()[_i];
	uint8_t *source = maker_source(SIZE), *bytes = malloc(SIZE);
	struct range_reader reader;
	struct error e;
	struct set set;

	if (!entry->codec)
		return;
	maker_make_set(source, SIZE, 3, entry->codec);
	maker_open(&set, "m{0..2}");
	ck_assert_int_eq(range_reader_init(&reader, &set, &e), STATUS_OK);
	for (uint64_t i = 0; i < 2000; i++) {
		uint64_t drawn = pattern_mix(i * PATTERN_STEP);
		uint64_t offset = i % 3 ? drawn % SIZE : drawn % (SIZE / 4096) * 4096;
		size_t most = i % 10 ? 6000 : 4 * MAKER_CHUNK;
		size_t len = min_u64((drawn >> 32) % most, SIZE - offset);

		ck_assert_msg(range_read(&reader, offset, len, bytes, &e) == STATUS_OK, "%s",
			      e.text);
		ck_assert_msg(memcmp(bytes, source + offset, len) == 0, "%zu bytes at %zu differ",
			      len, (size_t)offset);
	}
	ck_assert_int_eq(range_read(&reader, 0, SIZE, bytes, &e), STATUS_OK);
	ck_assert_mem_eq(bytes, source, SIZE);
	range_reader_free(&reader);
	set_close(&set);
	free(source);
	free(bytes);
}
END_TEST

/* In place, for those who have it open. */
static void write_over(const char *name, const uint8_t *bytes, size_t len)
{
	int fd = open(name, O_WRONLY);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(pwrite(fd, bytes, len, 0), (ssize_t)len);
	close(fd);
}

/* A member that is cut short for a while, _i: in front of the record, or within it. */
START_TEST(test_temporary_error)
{
	static const off_t lengths[] = { ALIGNMENT + 100, 2 * ALIGNMENT };
	uint8_t *source = helper_noise(MAKER_CHUNK), *whole, bytes[4096];
	struct range_reader reader;
	struct maker m;
	struct error e;
	struct set set;
	size_t len;

	maker_init(&m, 0, 1, MAKER_CHUNK);
	maker_begin(&m);
	maker_add_record(&m, source, 0, MAKER_CHUNK);
	maker_end(&m, "m");
	maker_open(&set, "m");
	ck_assert_int_eq(range_reader_init(&reader, &set, &e), STATUS_OK);
	whole = helper_read_file("m", &len);
	ck_assert_int_eq(truncate("m", lengths[_i]), 0);
	for (int again = 0; again < 2; again++)
		ck_assert_int_eq(range_read(&reader, 0, 4096, bytes, &e), STATUS_CUT);
	write_over("m", whole, len);
	ck_assert_msg(!range_read(&reader, 0, 4096, bytes, &e), "%s", e.text);
	ck_assert_mem_eq(bytes, source, 4096);
	range_reader_free(&reader);
	set_close(&set);
	free(source);
	free(whole);
}
END_TEST

/* A plain core that is cut short after it was opened. */
START_TEST(test_plain_cut)
{
	enum { PLAIN = (2 << 20) + 777, END = (1 << 20) + 5000 };
	uint8_t *bytes = helper_noise(PLAIN), byte;
	struct range_reader reader;
	struct error e;
	struct set set;

	memcpy(bytes, ELFMAG, SELFMAG);
	helper_write_file("core", bytes, PLAIN);
	ck_assert_msg(plain_open(&set, "core", &e) == STATUS_OK, "%s", e.text);
	ck_assert_int_eq(truncate("core", END), 0);
	ck_assert_int_eq(range_reader_init(&reader, &set, &e), STATUS_OK);
	ck_assert_int_eq(range_read(&reader, END - 1, 1, &byte, &e), STATUS_OK);
	ck_assert_uint_eq(byte, bytes[END - 1]);
	ck_assert_int_eq(range_read(&reader, END, 1, &byte, &e), STATUS_MISSING);
	ck_assert_str_eq(e.text, "core: cut short: it ends before byte 1053577");
	range_reader_free(&reader);
	set_close(&set);
	free(bytes);
}
END_TEST

/* --- sets with layers --------------------------------------------------------- */

enum { SETS = 200, DAMAGED = 400, READS = 60 };

/* What is expected of a read. */
static bool is_there(const struct oracle *o, uint64_t offset, uint64_t length)
{
	for (uint64_t g = offset / GRANULE; g < divide_up(offset + length, GRANULE); g++)
		if (o->map[g] != ORACLE_STORED && o->map[g] != ORACLE_LEFT_OUT)
			return false;
	return true;
}

static void try_read(struct range_reader *reader, const struct layer_random *r,
		     const struct oracle *o, uint64_t offset, uint64_t length, uint64_t seed)
{
	uint8_t *bytes = helper_noise(length);
	struct error e;
	enum status status = range_read(reader, offset, length, bytes, &e);

	ck_assert_msg(!status == is_there(o, offset, length), "seed %llu: %llu bytes at %llu of %s: %s",
		      (unsigned long long)seed, (unsigned long long)length,
		      (unsigned long long)offset, o->map, status ? e.text : "read");
	for (uint64_t at = offset; !status && at < offset + length; at++) {
		uint8_t want = o->map[at / GRANULE] == ORACLE_STORED ? r->source[at] : 0;

		if (bytes[at - offset] != want)
			ck_abort_msg("seed %llu: byte %llu", (unsigned long long)seed,
				     (unsigned long long)at);
	}
	free(bytes);
}

static void compare(const struct set *set, struct layer_random *r, const struct oracle *o,
		    uint64_t seed)
{
	struct range_reader reader;
	struct error e;

	ck_assert_int_eq(range_reader_init(&reader, set, &e), STATUS_OK);
	for (uint64_t at = 0; at < set->source_size; at += GRANULE)
		try_read(&reader, r, o, at, min_u64(GRANULE, set->source_size - at), seed);
	for (int i = 0; i < READS; i++) {
		uint64_t offset = layer_random_number(r, set->source_size);
		uint64_t most = min_u64(1 + layer_random_number(r, 1 << layer_random_number(r, 17)),
					set->source_size - offset);

		/* Nothing is loaded. */
		if (i % 16 == 0) {
			range_reader_free(&reader);
			ck_assert_int_eq(range_reader_init(&reader, set, &e), STATUS_OK);
		}
		try_read(&reader, r, o, offset, most, seed);
	}
	range_reader_free(&reader);
}

static void try_one(uint64_t seed, bool damaged)
{
	struct layer_trial t;

	layer_trial_begin(&t, seed, damaged);
	if (t.comparable)
		compare(&t.set, &t.r, &t.o, seed);
	layer_trial_end(&t);
}

START_TEST(test_random_layers)
{
	for (uint64_t seed = 0; seed < SETS; seed++)
		try_one(seed, false);
}
END_TEST

START_TEST(test_damaged_layers)
{
	for (uint64_t seed = 5000; seed < 5000 + DAMAGED; seed++)
		try_one(seed, true);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("range");
	TCase *tcase = tcase_create("range"), *layers = tcase_create("layers");
	int codecs = 0;

	while (codec_entries()[codecs].name)
		codecs++;
	helper_use_directory(tcase);
	helper_use_directory(layers);
	tcase_add_loop_test(tcase, test_any_range, 0, codecs);
	tcase_add_loop_test(tcase, test_temporary_error, 0, 2);
	tcase_add_test(tcase, test_plain_cut);
	tcase_add_test(layers, test_random_layers);
	tcase_add_test(layers, test_damaged_layers);
	tcase_set_timeout(layers, 60);
	suite_add_tcase(suite, tcase);
	suite_add_tcase(suite, layers);
	return helper_run(suite);
}
