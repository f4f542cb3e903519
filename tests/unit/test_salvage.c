// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Members that salvage reads piece by piece, and one with an index that does not fit into memory.  tests/vectors has the
 * damaged ones that fit into a recipe.
 */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/bytes.h"
#include "helper.h"
#include "set/salvage.h"
#include "set_maker.h"

enum { RECORDS = 6, SIZE = RECORDS * MAKER_CHUNK };

/* A member of RECORDS records with an index segment between them, and the offsets of these. */
struct made {
	struct maker m;
	uint8_t *source;
	size_t record[RECORDS + 1];	/* the last: end of the last record */
};

static void make(struct made *made)
{
	made->source = maker_source(SIZE);
	maker_init(&made->m, 0, 1, SIZE);
	maker_begin(&made->m);
	for (int i = 0; i < RECORDS; i++) {
		if (i == RECORDS / 2)
			maker_add_index(&made->m);
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

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
/* A sparse file whose footer states more records than there is memory to list. */
START_TEST(test_more_than_memory)
{
	const uint64_t far = UINT64_C(1) << 43;
	struct rlimit limit = { UINT64_C(1) << 32, UINT64_C(1) << 32 };
	struct error e;
	struct maker made;
	struct member m;

	maker_make_plain(&made);
	made.footer.records = far / ALIGNMENT;
	put_le64(made.bytes + made.length - ALIGNMENT + 424, far);
	put_le64(made.bytes + made.length - ALIGNMENT + 440, far / ALIGNMENT);
	maker_reseal(made.bytes + made.length - ALIGNMENT);
	maker_write_part(&made, "m", made.length - ALIGNMENT);
	if (truncate("m", (off_t)far) == 0) {
		FILE *file = fopen("m", "a");

		ck_assert_ptr_nonnull(file);
		ck_assert_uint_eq(fwrite(made.bytes + made.length - ALIGNMENT, ALIGNMENT, 1, file), 1);
		ck_assert_int_eq(fclose(file), 0);
		ck_assert_int_eq(setrlimit(RLIMIT_AS, &limit), 0);
		ck_assert_int_eq(member_open(&m, "m", true, &e), STATUS_OK);
		ck_assert_int_eq(member_load_index(&m, &e), STATUS_DAMAGED);
		/* After a failure, the member can still be salvaged. */
		ck_assert_int_eq(member_add_location(&m, &(struct index_entry){ 0 }, &e), STATUS_OK);
		ck_assert_uint_eq(m.count, 1);
		member_close(&m);
	} else {
		ck_assert_msg(errno == EFBIG, "truncate: %s", strerror(errno));
	}
	maker_free(&made);
}
END_TEST
#endif

int main(void)
{
	TCase *tcase = tcase_create("salvage");

	helper_use_directory(tcase);
	tcase_add_test(tcase, test_member_in_member);
	tcase_add_test(tcase, test_many_members);
	tcase_add_test(tcase, test_long_search);
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	tcase_add_test(tcase, test_more_than_memory);
#endif
	tcase_set_timeout(tcase, 60);
	return helper_run_case("salvage", tcase);
}
