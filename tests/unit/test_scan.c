// SPDX-License-Identifier: GPL-2.0-or-later
/* Reading members piece by piece: salvage, and streams. */
#include "config.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "helper.h"
#include "set/salvage.h"
#include "set/scan.h"
#include "set_maker.h"

enum { RECORDS = 6, SIZE = RECORDS * MAKER_CHUNK };

/* A member of RECORDS records with an index segment between them, and the offsets of these. */
struct made {
	struct maker m;
	uint8_t *source;
	size_t record[RECORDS + 1];	/* the last: end of the last record */
	size_t middle;			/* the segment */
};

static void make(struct made *made)
{
	made->source = maker_source(SIZE);
	maker_init(&made->m, 0, 1, SIZE);
	maker_begin(&made->m);
	for (int i = 0; i < RECORDS; i++) {
		if (i == RECORDS / 2)
			made->middle = maker_add_index(&made->m);
		made->record[i] = maker_add_record(&made->m, made->source,
						   (uint64_t)i * MAKER_CHUNK, MAKER_CHUNK);
	}
	made->record[RECORDS] = made->m.length;
}

static void finish(struct made *made)
{
	maker_free(&made->m);
	free(made->source);
}

static void open_member(struct member *m, const char *name)
{
	struct error e;

	ck_assert_msg(member_open(m, name, true, &e) == STATUS_OK, "%s", e.text);
}

static enum status salvage(struct member *m, struct error *e)
{
	const struct salvage_watch nobody = { 0 };
	struct salvage_job job = { .member = m };

	salvage_run(&job, 1, &nobody);
	*e = job.error;
	return job.status;
}

/* --- salvage ------------------------------------------------------------- */

/* Salvages the file m; expects these records, one bit for each. */
static void salvage_finds(const struct made *made, unsigned bits)
{
	struct member m;
	struct error e;
	size_t found = 0;

	open_member(&m, "m");
	ck_assert_msg(salvage(&m, &e) == STATUS_OK, "%s", e.text);
	for (int i = 0; i < RECORDS; i++) {
		const struct index_entry *entry;

		if (!(bits & 1u << i))
			continue;
		ck_assert_uint_lt(found, m.count);
		entry = &m.locations[found].entry;
		ck_assert_uint_eq(entry->member_offset, made->record[i]);
		ck_assert_uint_eq(entry->source_offset, (uint64_t)i * MAKER_CHUNK);
		ck_assert_uint_eq(entry->source_length, MAKER_CHUNK);
		found++;
	}
	ck_assert_uint_eq(m.count, found);
	member_close(&m);
}

enum { ALL = (1 << RECORDS) - 1 };

START_TEST(test_no_footer)
{
	struct made made;

	make(&made);
	maker_write(&made.m, "m");
	salvage_finds(&made, ALL);
	maker_add_footer(&made.m);
	maker_write(&made.m, "m");
	salvage_finds(&made, ALL);
	finish(&made);
}
END_TEST

/* The member is cut off at and around the border of each piece, and within each. */
START_TEST(test_cut)
{
	static const int steps[] = { -1, 0, 1, 127, 128, 4095, 4096, 4097 };
	struct made made;

	make(&made);
	for (int i = 0; i <= RECORDS; i++) {
		for (size_t k = 0; k < LENGTH(steps); k++) {
			size_t len = made.record[i] + (size_t)steps[k];
			unsigned whole = 0;

			if (len > made.m.length || len < SUPERBLOCK_LENGTH)
				continue;
			maker_write_part(&made.m, "m", len);
			for (int r = 0; r < RECORDS; r++) {
				size_t end = r == RECORDS / 2 - 1 ? made.middle
								  : made.record[r + 1];

				whole |= end <= len ? 1u << r : 0;
			}
			salvage_finds(&made, whole);
		}
	}
	finish(&made);
}
END_TEST

/* A damaged header costs only its own record: the scan finds the next piece. */
START_TEST(test_damaged_header)
{
	static const size_t bytes[] = { 0, 7, 8, 23, 24, 32, 50, 60, 104, 112, 120, 127 };

	for (int i = 0; i < RECORDS; i++) {
		struct made made;

		make(&made);
		maker_flip(&made.m, made.record[i] + bytes[2 * i]);
		maker_flip(&made.m, made.record[i] + bytes[2 * i + 1]);
		maker_write(&made.m, "m");
		salvage_finds(&made, ALL & ~(1u << i));
		finish(&made);
	}
}
END_TEST

/* The body is checked when the record is read, not by the scan. */
START_TEST(test_damaged_body)
{
	struct made made;

	make(&made);
	maker_flip(&made.m, made.record[1] + 200);
	maker_flip(&made.m, made.middle + 200);
	maker_write(&made.m, "m");
	salvage_finds(&made, ALL);
	maker_flip(&made.m, made.middle + 8);
	maker_write(&made.m, "m");
	salvage_finds(&made, ALL);
	finish(&made);
}
END_TEST

/* Headers with correct checksums that violate a limit, or extend beyond the end. */
START_TEST(test_unlawful)
{
	static const struct {
		size_t at;
		uint32_t value;
	} fields[] = {
		{ 24, 1 },			/* source offset */
		{ 32, 0 },			/* source length */
		{ 32, MAKER_CHUNK + 1 },
		{ 36, 6000 },			/* block size */
		{ 44, 100 },			/* payload offset */
		{ 48, 0xffffffff },		/* payload length */
		{ 52, 5 },			/* unreadable */
		{ 60, 1 },			/* runs */
		{ 68, MAKER_BLOCK },		/* stored length, without runs */
		{ 72, 0 },			/* layer */
		{ 92, 2 * MAKER_CHUNK },	/* cells of another size */
		{ 104, 1 },			/* a future feature */
	};

	for (size_t i = 0; i < LENGTH(fields); i++) {
		struct made made;
		uint8_t *record;

		make(&made);
		record = made.m.bytes + made.record[2];
		put_le32(record + fields[i].at, fields[i].value);
		maker_reseal(record);
		maker_write(&made.m, "m");
		salvage_finds(&made, ALL & ~4u);
		finish(&made);
	}
}
END_TEST

/*
 * Stale pieces of the previous set on the device, between and behind those of the member. That set
 * may have the same UUID, and only another capture tag.
 */
START_TEST(test_stale)
{
	struct made made, stale;

	make(&stale);
	for (int i = 0; i < RECORDS; i++) {
		uint8_t *record = stale.m.bytes + stale.record[i];

		if (_i == 0)
			memcpy(record + 8, maker_other_id.uuid.bytes, UUID_LENGTH);
		put_le32(record + 56, maker_other_id.tag);
		maker_reseal(record);
	}
	made.source = maker_source(SIZE);
	maker_init(&made.m, 0, 1, SIZE);
	maker_begin(&made.m);
	for (int i = 0; i < RECORDS; i++) {
		made.record[i] = maker_add_record(&made.m, made.source,
						  (uint64_t)i * MAKER_CHUNK, MAKER_CHUNK);
		maker_add_bytes(&made.m, stale.m.bytes + stale.record[i],
				stale.record[i + 1] - stale.record[i]);
	}
	maker_add_bytes(&made.m, stale.m.bytes + ALIGNMENT, stale.m.length - ALIGNMENT);
	maker_write(&made.m, "m");
	salvage_finds(&made, ALL);
	finish(&made);
	finish(&stale);
}
END_TEST

/*
 * A source that is itself a member of another set, stored uncompressed at multiples of a unit. If
 * the header of the record is damaged, these pieces are found and skipped.
 */
START_TEST(test_member_in_member)
{
	struct made inner;
	struct record outer = {
		.id = maker_other_id,
		.block_size = MAKER_BLOCK,
		.source_length = MAKER_CHUNK,
		.stored_length = MAKER_CHUNK,
		.layer = 1,
		.classes = class_table_plain(),
		.cell_size = MAKER_CHUNK,
		.payload_offset = ALIGNMENT,
		.payload_length = MAKER_CHUNK,
	};
	struct member m;
	struct maker made;
	struct error e;
	uint8_t *raw = helper_pages(ALIGNMENT + MAKER_CHUNK);

	make(&inner);
	for (uint32_t i = 0; i < MAKER_CHUNK / MAKER_BLOCK; i++)
		put_le32(raw + RECORD_HEADER_LENGTH + 4 * i, record_entry(BLOCK_STORED, MAKER_BLOCK));
	memcpy(raw + ALIGNMENT, inner.m.bytes + inner.record[0], MAKER_CHUNK);
	outer.body_checksum = record_body_checksum(&outer, raw);
	record_encode(&outer, raw);
	maker_init(&made, 0, 1, SIZE);
	made.superblock.id = maker_other_id;
	maker_begin(&made);
	maker_add_bytes(&made, raw, ALIGNMENT + MAKER_CHUNK);
	maker_write(&made, "whole");
	maker_flip(&made, ALIGNMENT + 30);
	maker_write(&made, "lost");
	open_member(&m, "whole");
	ck_assert_int_eq(salvage(&m, &e), STATUS_OK);
	ck_assert_uint_eq(m.count, 1);
	ck_assert_uint_eq(m.locations[0].entry.record_length, ALIGNMENT + MAKER_CHUNK);
	member_close(&m);
	open_member(&m, "lost");
	ck_assert_int_eq(salvage(&m, &e), STATUS_OK);
	ck_assert_uint_eq(m.count, 0);
	member_close(&m);
	maker_free(&made);
	finish(&inner);
	free(raw);
}
END_TEST

/* Only a superblock; random data; a size that is not a multiple of a unit. */
START_TEST(test_nothing_to_salvage)
{
	struct made made;

	make(&made);
	maker_write_part(&made.m, "m", SUPERBLOCK_LENGTH);
	salvage_finds(&made, 0);
	memset(made.m.bytes + ALIGNMENT, 0x77, made.m.length - ALIGNMENT);
	maker_write(&made.m, "m");
	salvage_finds(&made, 0);
	maker_write_part(&made.m, "m", ALIGNMENT + 10);
	salvage_finds(&made, 0);
	finish(&made);
}
END_TEST

/* A footer that is followed by records is superseded; the last one counts. */
START_TEST(test_footers)
{
	struct made made;
	struct member m;
	struct error e;

	make(&made);
	maker_add_footer(&made.m);
	maker_add_record(&made.m, made.source, 0, MAKER_CHUNK);
	maker_write(&made.m, "m");
	open_member(&m, "m");
	ck_assert_int_eq(salvage(&m, &e), STATUS_OK);
	ck_assert(!m.has_footer);
	ck_assert_uint_eq(m.count, RECORDS + 1);
	member_close(&m);

	maker_add_footer(&made.m);
	maker_write(&made.m, "m");
	open_member(&m, "m");
	ck_assert_int_eq(salvage(&m, &e), STATUS_OK);
	ck_assert(m.has_footer);
	ck_assert_uint_eq(m.footer.records, RECORDS + 1);
	ck_assert_uint_eq(m.count, RECORDS + 1);
	member_close(&m);
	finish(&made);
}
END_TEST

/* More members than threads: each is searched, and progress is reported. */
static void note_progress(void *arg, uint64_t done, uint64_t all)
{
	uint64_t *told = arg;

	ck_assert_uint_le(done, all);
	ck_assert_uint_ge(done, told[0]);
	told[0] = done;
	told[1] = all;
}

START_TEST(test_many_members)
{
	enum { MANY = 50 };
	static struct salvage_job jobs[MANY];
	static struct member members[MANY];
	uint64_t told[2] = { 0 };
	const struct salvage_watch watch = {
		.searching = note_progress, .arg = told, .interval = 0.001,
	};
	struct made made;

	make(&made);
	maker_write(&made.m, "m");
	for (int i = 0; i < MANY; i++) {
		open_member(&members[i], "m");
		jobs[i].member = &members[i];
	}
	salvage_run(jobs, MANY, &watch);
	for (int i = 0; i < MANY; i++) {
		ck_assert_int_eq(jobs[i].status, STATUS_OK);
		ck_assert_uint_eq(members[i].count, RECORDS);
		member_close(&members[i]);
	}
	ck_assert_uint_eq(told[0], MANY * (made.m.length - ALIGNMENT));
	ck_assert_uint_eq(told[1], told[0]);
	finish(&made);
}
END_TEST

/* The data between records is longer than the parts in which it is read. */
START_TEST(test_long_search)
{
	enum { GAP = 300 * 1024 };
	struct made made;

	made.source = maker_source(SIZE);
	maker_init(&made.m, 0, 1, SIZE);
	maker_begin(&made.m);
	for (int i = 0; i < RECORDS; i++) {
		if (i % 3 == 1) {
			size_t at = maker_add_bytes(&made.m, NULL, GAP + ALIGNMENT * (size_t)i);

			memset(made.m.bytes + at, 0x5a, GAP);
		}
		made.record[i] = maker_add_record(&made.m, made.source,
						  (uint64_t)i * MAKER_CHUNK, MAKER_CHUNK);
	}
	maker_write(&made.m, "m");
	salvage_finds(&made, ALL);
	finish(&made);
}
END_TEST

/* --- streams ------------------------------------------------------------- */

/* The member comes through a pipe; a process writes it in parts of odd sizes. */
static void open_pipe(struct member *m, const uint8_t *bytes, size_t len)
{
	struct error e;
	int ends[2];

	ck_assert_int_eq(pipe(ends), 0);
	if (fork() == 0) {
		close(ends[0]);
		for (size_t at = 0, n; at < len; at += n) {
			n = min_u64(len - at, 3001);
			if (write(ends[1], bytes + at, n) != (ssize_t)n)
				_exit(1);
		}
		_exit(0);
	}
	close(ends[1]);
	ck_assert_int_eq(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
	close(ends[0]);
	ck_assert_msg(member_open(m, "-", false, &e) == STATUS_OK, "%s", e.text);
	ck_assert(m->is_stream);
	ck_assert_str_eq(m->name, "standard input");
}

/* Reads every second record, and skips the others. */
START_TEST(test_stream)
{
	uint8_t *raw = helper_pages(record_length_max(MAKER_CHUNK, MAKER_CHUNK));
	struct record record;
	struct made made;
	struct member m;
	struct scan scan;
	struct error e;
	uint64_t offset;

	make(&made);
	maker_add_footer(&made.m);
	open_pipe(&m, made.m.bytes, made.m.length);
	scan_init(&scan, &m, false);
	for (int i = 0; i < RECORDS; i++) {
		ck_assert_msg(scan_next(&scan, &record, &offset, &e) == STATUS_OK, "%s", e.text);
		ck_assert_uint_eq(offset, made.record[i]);
		ck_assert_uint_eq(record.source_offset, (uint64_t)i * MAKER_CHUNK);
		ck_assert(!m.has_footer);
		if (i % 2)
			continue;
		ck_assert_int_eq(scan_read_record(&scan, &record, raw, &e), STATUS_OK);
		ck_assert_mem_eq(raw, made.m.bytes + offset, record_length(&record));
	}
	ck_assert_int_eq(scan_next(&scan, &record, &offset, &e), STATUS_END);
	ck_assert(m.has_footer);
	ck_assert_uint_eq(m.footer.records, RECORDS);
	member_close(&m);
	finish(&made);
	free(raw);
}
END_TEST

/* The same with the file, which is read by position. */
START_TEST(test_file)
{
	uint8_t *raw = helper_pages(record_length_max(MAKER_CHUNK, MAKER_CHUNK));
	struct record record;
	struct made made;
	struct member m;
	struct scan scan;
	struct error e;
	uint64_t offset;

	make(&made);
	maker_add_footer(&made.m);
	maker_write(&made.m, "m");
	open_member(&m, "m");
	scan_init(&scan, &m, false);
	for (int i = 0; i < RECORDS; i++) {
		ck_assert_msg(scan_next(&scan, &record, &offset, &e) == STATUS_OK, "%s", e.text);
		ck_assert_uint_eq(offset, made.record[i]);
		ck_assert_int_eq(scan_read_record(&scan, &record, raw, &e), STATUS_OK);
		ck_assert_mem_eq(raw, made.m.bytes + offset, record_length(&record));
	}
	ck_assert_int_eq(scan_next(&scan, &record, &offset, &e), STATUS_END);
	member_close(&m);
	finish(&made);
	free(raw);
}
END_TEST

/* Scans a pipe to its end; returns the final status. */
static enum status stream_to_end(const uint8_t *bytes, size_t len, bool past_damage,
				 unsigned *records, struct error *e)
{
	struct record record;
	struct member m;
	struct scan scan;
	enum status status;
	uint64_t offset;

	open_pipe(&m, bytes, len);
	scan_init(&scan, &m, past_damage);
	*records = 0;
	e->text[0] = '\0';
	while (!(status = scan_next(&scan, &record, &offset, e)))
		++*records;
	member_close(&m);
	return status;
}

START_TEST(test_stream_cut)
{
	struct made made;
	struct error e;
	unsigned records;
	char text[200];

	make(&made);
	/* Between two pieces, and within one. */
	ck_assert_int_eq(stream_to_end(made.m.bytes, made.record[2], false, &records, &e),
			 STATUS_CUT);
	ck_assert_uint_eq(records, 2);
	snprintf(text, sizeof(text), "standard input: cut short: it ends at byte %zu or shortly "
		 "after, without a footer", made.record[2]);
	ck_assert_str_eq(e.text, text);
	ck_assert_int_eq(stream_to_end(made.m.bytes, made.record[2] + 100, false, &records, &e),
			 STATUS_CUT);
	ck_assert_uint_eq(records, 2);
	ck_assert_str_eq(e.text, text);
	ck_assert_int_eq(stream_to_end(made.m.bytes, SUPERBLOCK_LENGTH, true, &records, &e),
			 STATUS_CUT);
	ck_assert_uint_eq(records, 0);
	finish(&made);
}
END_TEST

/* A record that ends while it is read. */
START_TEST(test_stream_cut_record)
{
	uint8_t *raw = helper_pages(record_length_max(MAKER_CHUNK, MAKER_CHUNK));
	struct record record;
	struct made made;
	struct member m;
	struct scan scan;
	struct error e;
	uint64_t offset;

	make(&made);
	ck_assert_uint_ge(made.record[1], made.record[0] + 2 * ALIGNMENT);
	open_pipe(&m, made.m.bytes, made.record[1] - 10);
	scan_init(&scan, &m, false);
	ck_assert_int_eq(scan_next(&scan, &record, &offset, &e), STATUS_OK);
	ck_assert_int_eq(scan_read_record(&scan, &record, raw, &e), STATUS_CUT);
	ck_assert_str_eq(e.text, "standard input: cut short: it ends in the record at byte 4096");
	member_close(&m);
	finish(&made);
	free(raw);
}
END_TEST

/* A superseded footer, followed by more records. */
START_TEST(test_stream_after_footer)
{
	struct made made;
	struct error e;
	unsigned records;

	make(&made);
	maker_add_footer(&made.m);
	maker_add_record(&made.m, made.source, 0, MAKER_CHUNK);
	ck_assert_int_eq(stream_to_end(made.m.bytes, made.m.length, false, &records, &e),
			 STATUS_CUT);
	ck_assert_uint_eq(records, RECORDS + 1);
	maker_add_footer(&made.m);
	ck_assert_int_eq(stream_to_end(made.m.bytes, made.m.length, false, &records, &e),
			 STATUS_END);
	ck_assert_uint_eq(records, RECORDS + 1);
	finish(&made);
}
END_TEST

/* Data at an offset, and the expected error unless damage is skipped. */
static const struct bad {
	size_t at;			/* in the second record */
	const uint8_t *uuid;		/* this piece */
	uint32_t value;			/* or these 4 bytes */
	bool sealed;
	const char *magic;
	enum status want;
	const char *text;
} bads[] = {
	{ 24, NULL, 1, false, NULL, STATUS_DAMAGED, "damaged at byte %zu: record" },
	{ 24, NULL, 1, true, NULL, STATUS_DAMAGED, "damaged at byte %zu: record" },
	{ 8, maker_other_id.uuid.bytes, 0, true, NULL, STATUS_FOREIGN,
	  "the record at byte %zu belongs to another set" },
	{ 104, NULL, 2, true, NULL, STATUS_UNSUPPORTED,
	  "the record at byte %zu is from a newer nsplit; this one reads format version 1" },
	{ 0, NULL, 0, false, "nsplitIX", STATUS_DAMAGED, "damaged at byte %zu: index segment" },
	{ 0, NULL, 0, false, "nsplitFT", STATUS_DAMAGED, "damaged at byte %zu: footer" },
	{ 0, NULL, 0, false, "nsplitSB", STATUS_DAMAGED,
	  "damaged at byte %zu: not a piece of a member" },
	{ 0, NULL, 0, false, "anything", STATUS_DAMAGED,
	  "damaged at byte %zu: not a piece of a member" },
};

START_TEST(test_stream_damaged)
{
	const struct bad *bad = &bads[_i];
	char text[200] = "standard input: ";
	struct made made;
	struct error e;
	unsigned records;
	uint8_t *second;

	make(&made);
	maker_add_footer(&made.m);
	second = made.m.bytes + made.record[1];
	if (bad->magic)
		memcpy(second, bad->magic, 8);
	else if (bad->uuid)
		memcpy(second + bad->at, bad->uuid, UUID_LENGTH);
	else
		put_le32(second + bad->at, bad->value);
	if (bad->sealed)
		maker_reseal(second);
	ck_assert_int_eq(stream_to_end(made.m.bytes, made.m.length, false, &records, &e),
			 bad->want);
	ck_assert_uint_eq(records, 1);
	if (bad->text) {
		size_t used = strlen(text);
		const char *number = strstr(bad->text, "%zu");

		snprintf(text + used, sizeof(text) - used, "%.*s%zu%s",
			 (int)(number - bad->text), bad->text, made.record[1], number + 3);
		ck_assert_str_eq(e.text, text);
	}
	ck_assert_int_eq(stream_to_end(made.m.bytes, made.m.length, true, &records, &e),
			 STATUS_END);
	ck_assert_uint_eq(records, RECORDS - 1);
	finish(&made);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("scan");
	TCase *tcase = tcase_create("scan");

	helper_use_directory(tcase);
	tcase_add_test(tcase, test_no_footer);
	tcase_add_test(tcase, test_cut);
	tcase_add_test(tcase, test_damaged_header);
	tcase_add_test(tcase, test_damaged_body);
	tcase_add_test(tcase, test_unlawful);
	tcase_add_loop_test(tcase, test_stale, 0, 2);
	tcase_add_test(tcase, test_member_in_member);
	tcase_add_test(tcase, test_nothing_to_salvage);
	tcase_add_test(tcase, test_footers);
	tcase_add_test(tcase, test_many_members);
	tcase_add_test(tcase, test_long_search);
	tcase_add_test(tcase, test_stream);
	tcase_add_test(tcase, test_file);
	tcase_add_test(tcase, test_stream_cut);
	tcase_add_test(tcase, test_stream_cut_record);
	tcase_add_test(tcase, test_stream_after_footer);
	tcase_add_loop_test(tcase, test_stream_damaged, 0, LENGTH(bads));
	tcase_set_timeout(tcase, 60);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
