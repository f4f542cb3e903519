// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading any bytes of a set, in any order. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "corpus.h"
#include "fakevmcore/pattern.h"
#include "helper.h"
#include "set/range.h"
#include "set_maker.h"

enum { SIZE = 10 * MAKER_CHUNK - 777 };

static void no_warning(void *arg, const struct error *e)
{
	(void)arg;
	ck_abort_msg("a warning: %s", e->text);
}

static void open_set(struct set *set, const char *pattern)
{
	const struct set_settings settings = { .warn = no_warning };
	struct names names = { 0 };
	struct error e;

	ck_assert_int_eq(names_expand(&names, pattern, 100, &e), STATUS_OK);
	ck_assert_msg(set_open(set, &names, &settings, &e) == STATUS_OK, "%s", e.text);
	names_free(&names);
}

static enum status read_one(const struct set *set, uint64_t offset, size_t len, uint8_t *dst,
			    struct error *e)
{
	struct range_reader reader;
	enum status status;

	ck_assert_int_eq(range_reader_init(&reader, set, e), STATUS_OK);
	status = range_read(&reader, offset, len, dst, e);
	range_reader_free(&reader);
	return status;
}

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
	open_set(&set, "m{0..2}");
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

START_TEST(test_hole)
{
	uint8_t *source = maker_source(SIZE), bytes[8192];
	struct error e;
	struct set set;

	maker_make_set(source, SIZE, 3, NULL);
	open_set(&set, "m{0..1}");	/* chunks 2, 5 and 8 are in the third member */
	ck_assert_int_eq(read_one(&set, 2 * MAKER_CHUNK - 4096, 4096, bytes, &e), STATUS_OK);
	ck_assert_int_eq(read_one(&set, 2 * MAKER_CHUNK - 4096, 4097, bytes, &e), STATUS_MISSING);
	ck_assert_str_eq(e.text, "byte 32768 is not in any member");
	ck_assert_mem_eq(bytes, source + 2 * MAKER_CHUNK - 4096, 4096);
	ck_assert_int_eq(read_one(&set, 3 * MAKER_CHUNK - 1, 1, bytes, &e), STATUS_MISSING);
	ck_assert_int_eq(read_one(&set, 3 * MAKER_CHUNK, 1, bytes, &e), STATUS_OK);
	set_close(&set);
	free(source);
}
END_TEST

START_TEST(test_unreadable)
{
	uint8_t *source = maker_source(2 * MAKER_CHUNK), bytes[8192];
	struct error e;
	struct maker m;
	struct set set;

	maker_init(&m, 0, 1, 2 * MAKER_CHUNK);
	maker_begin(&m);
	maker_add_record(&m, source, 0, MAKER_CHUNK);
	maker_add_unreadable(&m, MAKER_CHUNK, MAKER_CHUNK);
	maker_add_footer(&m);
	maker_write(&m, "m");
	maker_free(&m);
	open_set(&set, "m");
	ck_assert_int_eq(read_one(&set, MAKER_CHUNK - 1, 1, bytes, &e), STATUS_OK);
	ck_assert_int_eq(read_one(&set, MAKER_CHUNK + 5000, 1, bytes, &e), STATUS_MISSING);
	ck_assert_str_eq(e.text, "byte 20480 could not be read during the capture");
	set_close(&set);
	free(source);
}
END_TEST

/*
 * Makes a set of two members that hold the same chunk; damaged: how many of these records are
 * damaged.
 */
static void damaged_says(unsigned damaged, enum status want)
{
	uint8_t *source = maker_source(MAKER_CHUNK), bytes[4096];
	struct error e;
	struct set set;

	for (uint32_t i = 0; i < 2; i++) {
		char name[8];
		struct maker m;

		maker_init(&m, i, 2, MAKER_CHUNK);
		maker_begin(&m);
		maker_add_record(&m, source, 0, MAKER_CHUNK);
		maker_add_footer(&m);
		if (i < damaged)
			maker_flip(&m, UNIT + 600);
		snprintf(name, sizeof(name), "m%u", i);
		maker_write(&m, name);
		maker_free(&m);
	}
	open_set(&set, "m{0..1}");
	ck_assert_int_eq(read_one(&set, 4096, 4096, bytes, &e), want);
	if (want == STATUS_OK)
		ck_assert_mem_eq(bytes, source + 4096, 4096);
	else
		ck_assert_str_eq(e.text, "m0: damaged at byte 4096: record of bytes 0 to 16383 of "
				 "the source");
	set_close(&set);
	free(source);
}

START_TEST(test_damage)
{
	damaged_says(0, STATUS_OK);
	damaged_says(1, STATUS_OK);
	damaged_says(2, STATUS_DAMAGED);
}
END_TEST

/* Two members hold the same chunk; each lacks a different block. */
static void write_liar(const uint8_t *source, uint32_t number, uint32_t bad_block)
{
	struct record record;
	struct maker m;
	size_t at;
	char name[8];

	maker_init(&m, number, 2, MAKER_CHUNK);
	maker_begin(&m);
	at = maker_add_record(&m, source, 0, MAKER_CHUNK);
	maker_add_footer(&m);
	ck_assert_int_eq(record_decode(&record, m.bytes + at, MAKER_CHUNK), STATUS_OK);
	at += record.payload_offset;
	for (uint32_t i = 0; i < bad_block; i++)
		at += record_entry_length(get_le32(m.bytes + UNIT + RECORD_HEADER_LENGTH + 4 * i));
	/* No LZO data begins with this byte. */
	memset(m.bytes + at, 0, 8);
	record.body_checksum = record_body_checksum(&record, m.bytes + UNIT);
	record_encode(&record, m.bytes + UNIT);
	snprintf(name, sizeof(name), "m%u", number);
	maker_write(&m, name);
	maker_free(&m);
}

/*
 * A record with correct checksums whose block cannot be unpacked: that block is taken from the
 * duplicate.
 */
START_TEST(test_unpackable)
{
	uint8_t source[MAKER_CHUNK], bytes[MAKER_CHUNK];
	struct range_reader reader;
	struct error e;
	struct set set;

	corpus_fill(CORPUS_TEXT, 1, source, MAKER_CHUNK);
	write_liar(source, 0, 1);
	write_liar(source, 1, 2);
	open_set(&set, "m{0..1}");
	ck_assert_int_eq(range_reader_init(&reader, &set, &e), STATUS_OK);
	for (int i = 0; i < 2; i++) {
		memset(bytes, 0, sizeof(bytes));
		ck_assert_msg(range_read(&reader, 0, MAKER_CHUNK, bytes, &e) == STATUS_OK, "%s",
			      e.text);
		ck_assert_mem_eq(bytes, source, MAKER_CHUNK);
	}
	range_reader_free(&reader);
	set_close(&set);
	open_set(&set, "m0");
	ck_assert_int_eq(read_one(&set, 0, MAKER_CHUNK, bytes, &e), STATUS_DAMAGED);
	ck_assert_str_eq(e.text, "m0: damaged at byte 4096: packed block of bytes 0 to 16383 of the "
				 "source");
	set_close(&set);
}
END_TEST

/* A block that is unreadable in one record, but not in the duplicate. */
START_TEST(test_unreadable_here)
{
	uint8_t *source = maker_source(MAKER_CHUNK), bytes[MAKER_CHUNK];
	struct error e;
	struct set set;

	for (uint32_t i = 0; i < 2; i++) {
		char name[8];
		struct maker m;

		maker_init(&m, i, 2, MAKER_CHUNK);
		maker_begin(&m);
		if (i)
			maker_add_record(&m, source, 0, MAKER_CHUNK);
		else
			maker_add_unreadable(&m, 0, MAKER_CHUNK);
		maker_add_footer(&m);
		snprintf(name, sizeof(name), "m%u", i);
		maker_write(&m, name);
		maker_free(&m);
	}
	open_set(&set, "m{0..1}");
	ck_assert_int_eq(read_one(&set, 0, MAKER_CHUNK, bytes, &e), STATUS_OK);
	ck_assert_mem_eq(bytes, source, MAKER_CHUNK);
	set_close(&set);
	free(source);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("range");
	TCase *tcase = tcase_create("range");
	int codecs = 0;

	while (codec_entries()[codecs].name)
		codecs++;
	helper_use_directory(tcase);
	tcase_add_loop_test(tcase, test_any_range, 0, codecs);
	tcase_add_test(tcase, test_hole);
	tcase_add_test(tcase, test_unreadable);
	tcase_add_test(tcase, test_damage);
	tcase_add_test(tcase, test_unpackable);
	tcase_add_test(tcase, test_unreadable_here);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
