// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading records: checking and unpacking them.  Nothing in a record is trusted. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "corpus.h"
#include "helper.h"
#include "set/read/reader.h"
#include "set_maker.h"

/* A set of one open member, and a reader for it. */
struct reading {
	struct set set;
	struct record_reader reader;
	uint8_t *blocks;		/* MAKER_CHUNK bytes */
};

static void no_warning(void *arg, const struct error *e)
{
	(void)arg;
	ck_abort_msg("a warning: %s", e->text);
}

static void open_reading(struct reading *r, const char *name)
{
	struct set_settings settings = { .warn = no_warning };
	struct names names = { 0 };
	struct error e;

	ck_assert_int_eq(names_expand(&names, name, 1, &e), STATUS_OK);
	ck_assert_msg(set_open(&r->set, &names, &settings, &e) == STATUS_OK, "%s", e.text);
	names_free(&names);
	ck_assert_int_eq(record_reader_init(&r->reader, &r->set, &e), STATUS_OK);
	r->blocks = helper_pages(MAKER_CHUNK);
}

static void close_reading(struct reading *r)
{
	record_reader_free(&r->reader);
	set_close(&r->set);
	free(r->blocks);
}

static enum status load_and_unpack(struct reading *r, size_t location, struct error *e)
{
	enum status status;

	e->text[0] = '\0';
	status = record_reader_load(&r->reader, &r->set, r->set.map[location], e);
	return status ? status : record_reader_unpack(&r->reader, r->blocks, e);
}

/* Loads the only record of the file m, at ALIGNMENT, and expects this error. */
static void says(enum status want, const char *text)
{
	struct reading r;
	struct error e;
	enum status status;

	open_reading(&r, "m");
	status = load_and_unpack(&r, 0, &e);
	ck_assert_msg(status == want, "status %d and not %d: %s", status, want, e.text);
	if (text)
		ck_assert_str_eq(e.text, text);
	close_reading(&r);
}

/* Makes a member of one record of one chunk; returns the source. */
static uint8_t *make_one(struct maker *m, const struct codec *codec)
{
	uint8_t *source = maker_source(MAKER_CHUNK);

	maker_init(m, 0, 1, MAKER_CHUNK);
	m->codec = codec;
	maker_begin(m);
	maker_add_record(m, source, 0, MAKER_CHUNK);
	return source;
}

/* --- unpacking ----------------------------------------------------------- */

/* Lengths that end within a block, within an 8-byte value, and before a value. */
static const uint32_t lengths[] = { 1, 7, 8, 9, 4095, 4096, 4097, 8200, 12291, 16383, 16384 };

START_TEST(test_codecs)
{
	const struct codec_entry *entry = &codec_entries()[_i];
	uint8_t *source;

	if (!entry->codec)
		return;
	source = maker_source(MAKER_CHUNK);
	for (int kind = 0; kind < CORPUS_KINDS; kind++) {
		for (size_t i = 0; i < LENGTH(lengths); i++) {
			struct reading r;
			struct maker m;
			struct error e;

			corpus_fill((enum corpus_kind)kind, i, source, MAKER_CHUNK);
			maker_init(&m, 0, 1, lengths[i]);
			m.codec = entry->codec;
			maker_begin(&m);
			maker_add_record(&m, source, 0, lengths[i]);
			maker_add_footer(&m);
			maker_write(&m, "m");
			maker_free(&m);
			open_reading(&r, "m");
			ck_assert_msg(load_and_unpack(&r, 0, &e) == STATUS_OK, "%s", e.text);
			ck_assert_msg(memcmp(r.blocks, source, lengths[i]) == 0,
				      "%s: %u bytes of %s differ", entry->name, lengths[i],
				      corpus_name((enum corpus_kind)kind));
			close_reading(&r);
		}
	}
	free(source);
}
END_TEST

/* Zero blocks are not changed in the buffer; what is not stored is in no block. */
START_TEST(test_kinds)
{
	uint8_t *source = helper_pages(MAKER_CHUNK);
	struct reading r;
	struct maker m;
	struct error e;

	corpus_fill(CORPUS_SAME8, 1, source, MAKER_BLOCK);
	corpus_fill(CORPUS_RANDOM, 1, source + 2 * MAKER_BLOCK, MAKER_BLOCK);
	corpus_fill(CORPUS_TEXT, 1, source + 3 * MAKER_BLOCK, MAKER_BLOCK);
	maker_init(&m, 0, 1, 2 * MAKER_CHUNK);
	maker_begin(&m);
	maker_add_record(&m, source, 0, MAKER_CHUNK);
	maker_add_unreadable(&m, MAKER_CHUNK, MAKER_CHUNK);
	maker_add_footer(&m);
	maker_write(&m, "m");
	open_reading(&r, "m");
	memset(r.blocks, 0x5a, MAKER_CHUNK);
	ck_assert_int_eq(load_and_unpack(&r, 0, &e), STATUS_OK);
	ck_assert_int_eq(record_reader_kind(&r.reader, 0), BLOCK_SAME);
	ck_assert_int_eq(record_reader_kind(&r.reader, 1), BLOCK_ZERO);
	ck_assert_int_eq(record_reader_kind(&r.reader, 2), BLOCK_STORED);
	ck_assert_int_eq(record_reader_kind(&r.reader, 3), BLOCK_PACKED);
	memset(source + MAKER_BLOCK, 0x5a, MAKER_BLOCK);
	ck_assert_mem_eq(r.blocks, source, MAKER_CHUNK);

	memset(r.blocks, 0x5a, MAKER_CHUNK);
	memset(source, 0x5a, MAKER_CHUNK);
	ck_assert_int_eq(load_and_unpack(&r, 1, &e), STATUS_OK);
	ck_assert_mem_eq(r.blocks, source, MAKER_CHUNK);
	ck_assert_uint_eq(record_blocks(&r.reader.record), 0);
	ck_assert_uint_eq(r.reader.record.unreadable, 4);
	close_reading(&r);
	maker_free(&m);
	free(source);
}
END_TEST

/* --- damage -------------------------------------------------------------- */

/*
 * Flips each bit of the record: either an error results, or the bytes are correct. Only the padding
 * is not checked.
 */
START_TEST(test_every_bit)
{
	struct reading r;
	struct maker m;
	struct record record;
	uint8_t *source = make_one(&m, &codec_lzo);
	size_t length = m.length - ALIGNMENT, harmless = 0;

	ck_assert_int_eq(record_decode(&record, m.bytes + ALIGNMENT, MAKER_CHUNK), STATUS_OK);
	maker_add_footer(&m);
	maker_write(&m, "m");
	open_reading(&r, "m");
	for (size_t bit = 0; bit < 8 * length; bit++) {
		uint8_t *byte = m.bytes + ALIGNMENT + bit / 8, turned = *byte ^ (uint8_t)(1 << bit % 8);
		FILE *file;
		struct error e;
		enum status status;

		/* A descriptor of its own for writing, since that of the reader is read-only. */
		file = fopen("m", "r+");
		ck_assert_ptr_nonnull(file);
		ck_assert_int_eq(pwrite(fileno(file), &turned, 1, (off_t)(ALIGNMENT + bit / 8)), 1);
		status = load_and_unpack(&r, 0, &e);
		ck_assert_int_eq(pwrite(fileno(file), byte, 1, (off_t)(ALIGNMENT + bit / 8)), 1);
		fclose(file);
		if (status == STATUS_OK) {
			ck_assert_mem_eq(r.blocks, source, MAKER_CHUNK);
			ck_assert_uint_ge(bit / 8, record_end(&record));
			harmless++;
		} else if (strncmp(e.text, "m: damaged at byte 4096: record", 31) != 0) {
			ck_abort_msg("bit %zu: status %d, '%s'", bit, status, e.text);
		}
	}
	ck_assert_uint_eq(harmless, 8 * (length - record_end(&record)));
	close_reading(&r);
	maker_free(&m);
	free(source);
}
END_TEST

/* A damaged packed block with a correct checksum must be unpacked safely. */
START_TEST(test_every_byte_packed)
{
	const struct codec_entry *entry = &codec_entries()[_i];
	struct record record;
	struct reading r;
	struct maker m;
	uint8_t *raw, *source;
	size_t refused = 0;

	if (!entry->codec || entry->codec->id == CODEC_RAW)
		return;
	source = make_one(&m, entry->codec);
	maker_add_footer(&m);
	maker_write(&m, "m");
	open_reading(&r, "m");
	raw = m.bytes + ALIGNMENT;
	ck_assert_int_eq(record_decode(&record, raw, MAKER_CHUNK), STATUS_OK);
	for (uint32_t at = record.payload_offset; at < record_end(&record); at++) {
		struct error e;
		enum status status;
		FILE *file;

		raw[at] ^= 0xa5;
		record.body_checksum = record_body_checksum(&record, raw);
		record_encode(&record, raw);
		file = fopen("m", "r+");
		ck_assert_ptr_nonnull(file);
		ck_assert_int_eq(pwrite(fileno(file), raw, record_length(&record), ALIGNMENT),
				 record_length(&record));
		fclose(file);
		status = load_and_unpack(&r, 0, &e);
		raw[at] ^= 0xa5;
		if (!status)
			continue;
		refused++;
		ck_assert_str_eq(e.text, "m: damaged at byte 4096: packed block of bytes 0 to "
					 "16383 of the source");
	}
	ck_assert_uint_gt(refused, 0);
	close_reading(&r);
	maker_free(&m);
	free(source);
}
END_TEST

/* Invalid tables with correct checksums. */
START_TEST(test_table)
{
	static const uint32_t entries[] = {
		0x00000001,		/* a zero block of one byte */
		0x10000007,		/* a repeated value of 7 bytes */
		0x20000fff,		/* stored, one byte too short */
		0x20001001,
		0x30000000,		/* packed to nothing */
		0x30001000,		/* packed, but not smaller */
		0x3fffffff,
		0x00200000,		/* reserved bits */
		0x08000000,
		0x40000000,		/* of an unknown kind */
		0x50000000,
		0xf0001000,
	};
	struct record record;
	struct maker m;
	uint8_t *source = make_one(&m, &codec_lzo), *raw;

	maker_add_footer(&m);
	raw = m.bytes + ALIGNMENT;
	ck_assert_int_eq(record_decode(&record, raw, MAKER_CHUNK), STATUS_OK);
	for (size_t i = 0; i < LENGTH(entries); i++) {
		put_le32(raw + RECORD_HEADER_LENGTH, entries[i]);
		record.body_checksum = record_body_checksum(&record, raw);
		record_encode(&record, raw);
		maker_write(&m, "m");
		says(STATUS_DAMAGED, "m: damaged at byte 4096: record of bytes 0 to 16383 of the "
				     "source");
	}
	maker_free(&m);
	free(source);
}
END_TEST

/* The record differs from its entry in the index. */
START_TEST(test_disagrees)
{
	static const struct {
		size_t at;		/* in the entry */
		uint32_t value;
	} fields[] = {
		{ 8, MAKER_CHUNK },
		{ 16, 0x20000000 + MAKER_CHUNK },	/* layer 2 */
		{ 24, 0x00030001 },			/* one granule is unreadable */
		{ 24, 0x00030000 },			/* three are stored */
	};

	for (size_t i = 0; i < LENGTH(fields); i++) {
		struct maker m;
		uint8_t *source, *segment;

		source = make_one(&m, &codec_lzo);
		segment = m.bytes + maker_add_index(&m);
		put_le32(segment + INDEX_HEADER_LENGTH + fields[i].at, fields[i].value);
		maker_reseal(segment);
		m.superblock.source_size = 2 * MAKER_CHUNK;
		put_le64(m.bytes + 56, m.superblock.source_size);
		maker_reseal(m.bytes);
		maker_add_footer(&m);
		maker_write(&m, "m");
		says(STATUS_DAMAGED, "m: damaged at byte 4096: record");
		maker_free(&m);
		free(source);
	}
}
END_TEST

/* An entry with a record length that is too short or too long. */
START_TEST(test_disagrees_on_length)
{
	for (int more = -1; more <= 1; more += 2) {
		struct maker m;
		uint8_t *source = make_one(&m, &codec_raw), *segment;
		uint32_t length = (uint32_t)(m.length - ALIGNMENT);

		ck_assert_uint_ge(length, 2 * ALIGNMENT);
		maker_add_bytes(&m, NULL, ALIGNMENT);
		segment = m.bytes + maker_add_index(&m);
		put_le32(segment + INDEX_HEADER_LENGTH + 20, length / ALIGNMENT + (uint32_t)more);
		maker_reseal(segment);
		maker_add_footer(&m);
		maker_write(&m, "m");
		says(STATUS_DAMAGED, "m: damaged at byte 4096: record");
		maker_free(&m);
		free(source);
	}
}
END_TEST

START_TEST(test_foreign_and_newer)
{
	struct maker m;
	uint8_t *source = make_one(&m, &codec_lzo);

	maker_add_footer(&m);
	put_le32(m.bytes + ALIGNMENT + 104, 2);
	maker_reseal(m.bytes + ALIGNMENT);
	maker_write(&m, "m");
	says(STATUS_UNSUPPORTED, "m: the record at byte 4096 is from a newer nsplit; this one reads "
				 "format version 1");
	put_le32(m.bytes + ALIGNMENT + 104, 0);
	memcpy(m.bytes + ALIGNMENT + 8, maker_other_id.uuid.bytes, UUID_LENGTH);
	maker_reseal(m.bytes + ALIGNMENT);
	maker_write(&m, "m");
	says(STATUS_FOREIGN, "m: the record at byte 4096 belongs to another set");
	maker_free(&m);
	free(source);
}
END_TEST

/* The member is cut after it was opened. */
START_TEST(test_cut)
{
	struct maker m;
	struct reading r;
	struct error e;
	uint8_t *source = make_one(&m, &codec_raw);
	char text[100];

	snprintf(text, sizeof(text), "m: cut short: it ends before byte %zu", m.length);
	maker_add_footer(&m);
	maker_write(&m, "m");
	open_reading(&r, "m");
	ck_assert_int_eq(truncate("m", 2 * ALIGNMENT), 0);
	ck_assert_int_eq(load_and_unpack(&r, 0, &e), STATUS_CUT);
	ck_assert_str_eq(e.text, text);
	close_reading(&r);
	maker_free(&m);
	free(source);
}
END_TEST

/* --- codecs that are not there ------------------------------------------- */

static void codec_says(uint32_t id, const char *text)
{
	struct maker m;
	uint8_t *source = make_one(&m, &codec_lzo);

	maker_add_footer(&m);
	put_le32(m.bytes + ALIGNMENT + 40, id);
	maker_reseal(m.bytes + ALIGNMENT);
	maker_write(&m, "m");
	says(STATUS_UNSUPPORTED, text);
	maker_free(&m);
	free(source);
}

START_TEST(test_unknown_codec)
{
	static const uint32_t ids[] = { 6, 15, 16, 17, 0x7fffffff, 0xffffffff };

	for (size_t i = 0; i < LENGTH(ids); i++) {
		char text[200];

		snprintf(text, sizeof(text), "m: the record at byte 4096 is packed with codec %u, "
			 "which this version does not support", ids[i]);
		codec_says(ids[i], text);
	}
}
END_TEST

START_TEST(test_left_out_codec)
{
	for (const struct codec_entry *entry = codec_entries(); entry->name; entry++) {
		char text[200];

		if (entry->codec || codec_by_id(entry->id))
			continue;
		snprintf(text, sizeof(text), "m: the record at byte 4096 is packed with %s, "
			 "which this build does not support", codec_id_name(entry->id));
		codec_says(entry->id, text);
	}
}
END_TEST

/* Codec raw has no packed blocks; a record that has one is damaged. */
START_TEST(test_raw_with_packed)
{
	struct maker m;
	uint8_t *source = make_one(&m, &codec_lzo);

	maker_add_footer(&m);
	put_le32(m.bytes + ALIGNMENT + 40, CODEC_RAW);
	maker_reseal(m.bytes + ALIGNMENT);
	maker_write(&m, "m");
	says(STATUS_DAMAGED, "m: damaged at byte 4096: packed block of bytes 0 to 16383 of the "
			     "source");
	maker_free(&m);
	free(source);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("reader");
	TCase *tcase = tcase_create("reader");
	int codecs = 0;

	while (codec_entries()[codecs].name)
		codecs++;
	helper_use_directory(tcase);
	tcase_add_loop_test(tcase, test_codecs, 0, codecs);
	tcase_add_test(tcase, test_kinds);
	tcase_add_test(tcase, test_every_bit);
	tcase_add_loop_test(tcase, test_every_byte_packed, 0, codecs);
	tcase_add_test(tcase, test_table);
	tcase_add_test(tcase, test_disagrees);
	tcase_add_test(tcase, test_disagrees_on_length);
	tcase_add_test(tcase, test_foreign_and_newer);
	tcase_add_test(tcase, test_cut);
	tcase_add_test(tcase, test_unknown_codec);
	tcase_add_test(tcase, test_left_out_codec);
	tcase_add_test(tcase, test_raw_with_packed);
	tcase_set_timeout(tcase, 120);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
