// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "capture/form/member_writer.h"
#include "capture/fill/pack.h"
#include "helper.h"
#include "member_check.h"
#include "trial_sink.h"

enum { CHUNK = 4096, SEGMENT = 1022 };

static const struct capture_id id = { { "member writer.." }, 0x7461675f };

/* A member on a sink in memory, and what it holds by the engine's count. */
struct bench {
	struct packer packer;
	struct chunk_pool pool;
	struct chunk_list list;
	struct sink sink;
	struct trial_sink memory;
	struct form *writer;
	struct sink_stats held;
	uint8_t *source;
	uint64_t size;
};

static void bench_open(struct bench *b, unsigned chunks)
{
	struct superblock sb = {
		.id = id, .number = 2, .members = 5, .block_size = CHUNK,
		.chunk_size = CHUNK, .cell_size = CHUNK, .classes = class_table_plain(),
		.source_size = SOURCE_SIZE_UNKNOWN, .created = 77,
		.codec = "raw", .creator = "a test", .source = "nothing",
	};
	struct error e;

	*b = (struct bench){ .size = (uint64_t)chunks * CHUNK };
	b->source = helper_pages(b->size);
	for (unsigned i = 0; i < chunks; i++)
		put_le32(b->source + (size_t)i * CHUNK + i % 1000, i + 1);
	chunk_list_init(&b->list);
	ck_assert_int_eq(packer_init(&b->packer, &codec_lzo, 0, CHUNK, &id, &e), STATUS_OK);
	ck_assert_int_eq(chunk_pool_init(&b->pool, 1, chunk_capacity(codec_lzo.bound(CHUNK), CHUNK, CHUNK, 1),
					 &b->list, &e), STATUS_OK);
	trial_sink_probe(&b->sink, &b->memory, "member");
	ck_assert_int_eq(member_writer_new(&b->writer, &b->sink, &sb, &e), STATUS_OK);
	b->writer->layers.classes = sb.classes;
	b->writer->digests = digest_supported();
	ck_assert_int_eq(form_begin(b->writer, &e), STATUS_OK);
	ck_assert_uint_eq(b->sink.length, SUPERBLOCK_LENGTH);
}

static void bench_close(struct bench *b)
{
	form_free(b->writer);
	sink_free(&b->sink);
	trial_sink_free(&b->memory);
	packer_free(&b->packer);
	chunk_pool_free(&b->pool);
	free(b->source);
}

static enum status try_append(struct bench *b, unsigned i, struct error *e)
{
	struct chunk *chunk = b->list.first;
	enum status status;

	chunk->record = (struct record){
		.id = id,
		.source_offset = (uint64_t)i * CHUNK,
		.source_length = CHUNK,
		.stored_length = CHUNK,
		.layer = 1,
		.classes = class_table_plain(),
		.cell_size = CHUNK,
	};
	pack_begin(&b->packer, chunk, CHUNK);
	pack_add(&b->packer, chunk, b->source + (size_t)i * CHUNK, CHUNK);
	pack_end(chunk);
	status = form_append(b->writer, chunk, e);
	if (status)
		return status;
	b->held.records++;
	b->held.source_bytes += CHUNK;
	for (int kind = 0; kind < BLOCK_KINDS; kind++)
		b->held.blocks[kind] += chunk->blocks[kind];
	return STATUS_OK;
}

static void append(struct bench *b, unsigned from, unsigned to)
{
	struct error e;

	for (unsigned i = from; i < to; i++)
		ck_assert_int_eq(try_append(b, i, &e), STATUS_OK);
}

static void seal(struct bench *b, bool stopped, int64_t finished)
{
	unsigned syncs = b->memory.syncs;
	struct error e;

	ck_assert_int_eq(form_sync(b->writer, &e), STATUS_OK);
	ck_assert_int_eq(form_seal(b->writer, &b->held, &(struct form_end){ b->size, stopped, finished },
					    &e), STATUS_OK);
	ck_assert_uint_eq(b->memory.syncs, syncs + 2);
	ck_assert_int_eq(b->writer->digested, digest_supported());
}

static void read_back(struct bench *b, struct member_facts *facts)
{
	struct copy copy;

	copy_init(&copy, &id, CHUNK, CHUNK, 5, b->source, b->size);
	ck_assert_uint_eq(b->memory.length, b->sink.length);
	member_check(&copy, b->memory.bytes, b->memory.length, 2, facts);
	/* member_check() has computed the root again. */
	ck_assert_int_eq(facts->footer.has_root, digest_supported());
	ck_assert_mem_eq(facts->footer.root, b->writer->digest, ROOT_LENGTH);
	for (uint64_t i = 0; i < copy.chunks; i++)
		ck_assert_uint_eq(copy.seen[i], i < facts->records);
	copy_free(&copy);
}

/* --- members ------------------------------------------------------------- */

START_TEST(test_empty)
{
	struct member_facts facts;
	struct bench b;

	bench_open(&b, 0);
	seal(&b, false, 99);
	read_back(&b, &facts);
	ck_assert_uint_eq(b.sink.length, SUPERBLOCK_LENGTH + FOOTER_LENGTH);
	ck_assert_uint_eq(facts.segments, 0);
	ck_assert_uint_eq(facts.footer.index, 0);
	ck_assert_int_eq(facts.footer.finished, 99);
	ck_assert_int_eq(facts.footer.set.created, 77);
	ck_assert_uint_eq(facts.superblock.source_size, SOURCE_SIZE_UNKNOWN);
	ck_assert_uint_eq(facts.footer.set.source_size, 0);
	ck_assert_str_eq(facts.footer.set.source, "nothing");
	member_facts_free(&facts);
	bench_close(&b);
}
END_TEST

static const struct { unsigned records, segments; } counts[] = {
	{ 1, 1 }, { SEGMENT - 1, 1 }, { SEGMENT, 1 }, { SEGMENT + 1, 2 }, { 2 * SEGMENT, 2 },
	{ 2 * SEGMENT + 1, 3 }, { 3000, 3 },
};

/* A full segment is written before the next record. */
START_TEST(test_segments)
{
	struct member_facts facts;
	struct bench b;

	bench_open(&b, counts[_i].records);
	append(&b, 0, counts[_i].records);
	seal(&b, _i % 2, 99);
	read_back(&b, &facts);
	ck_assert_uint_eq(facts.records, counts[_i].records);
	ck_assert_uint_eq(facts.segments, counts[_i].segments);
	ck_assert_uint_eq(facts.footers, 1);
	ck_assert_int_eq(facts.footer.stopped, _i % 2);
	member_facts_free(&facts);
	bench_close(&b);
}
END_TEST

START_TEST(test_records_after_footer)
{
	struct member_facts facts;
	struct bench b;

	bench_open(&b, 1500);
	append(&b, 0, 3);
	seal(&b, false, 99);
	append(&b, 3, 1500);
	seal(&b, false, 100);
	read_back(&b, &facts);
	ck_assert_uint_eq(facts.records, 1500);
	ck_assert_uint_eq(facts.footers, 2);
	ck_assert_uint_eq(facts.segments, 3);
	ck_assert_int_eq(facts.footer.finished, 100);
	member_facts_free(&facts);
	bench_close(&b);
}
END_TEST

/* A sync with nothing new writes no segment; one in the middle writes a short one. */
START_TEST(test_sync)
{
	struct member_facts facts;
	uint64_t length;
	struct bench b;
	struct error e;

	bench_open(&b, 10);
	ck_assert_int_eq(form_sync(b.writer, &e), STATUS_OK);
	ck_assert_uint_eq(b.sink.length, SUPERBLOCK_LENGTH);
	append(&b, 0, 4);
	ck_assert_int_eq(form_sync(b.writer, &e), STATUS_OK);
	length = b.sink.length;
	ck_assert_int_eq(form_sync(b.writer, &e), STATUS_OK);
	ck_assert_uint_eq(b.sink.length, length);
	ck_assert_uint_eq(b.memory.syncs, 3);
	append(&b, 4, 10);
	seal(&b, false, 99);
	read_back(&b, &facts);
	ck_assert_uint_eq(facts.segments, 2);
	member_facts_free(&facts);
	bench_close(&b);
}
END_TEST

/* --- failures ------------------------------------------------------------ */

START_TEST(test_begin_fails)
{
	struct superblock sb = { .members = 1 };
	struct trial_sink memory = { .fail_append = 1, .errnum = EIO };
	struct form *w;
	struct sink sink;
	struct error e;

	trial_sink_probe(&sink, &memory, "member");
	ck_assert_int_eq(member_writer_new(&w, &sink, &sb, &e), STATUS_OK);
	ck_assert_int_eq(form_begin(w, &e), STATUS_SYSTEM);
	ck_assert_str_eq(e.text, "member: Input/output error");
	form_free(w);
	sink_free(&sink);
	trial_sink_free(&memory);
}
END_TEST

/*
 * The sink is full in the middle: what failed is not in the index, and when there is space again
 * (the failed bytes were dropped), the member is closed as if nothing had been. The how-manieth
 * append fails: a record, or the full segment before one.
 */
START_TEST(test_full)
{
	static const unsigned fails[] = { 6, 2 + SEGMENT, 3 + SEGMENT };
	static const unsigned records[] = { 4, SEGMENT, SEGMENT };
	struct member_facts facts;
	struct bench b;
	struct error e;

	bench_open(&b, 1200);
	b.memory.fail_append = fails[_i];
	b.memory.errnum = ENOSPC;
	b.memory.rewinds = true;
	trial_sink_prepare(&b.sink);
	append(&b, 0, records[_i]);
	ck_assert_int_eq(try_append(&b, records[_i], &e), STATUS_SYSTEM);
	ck_assert_int_eq(e.errnum, ENOSPC);
	ck_assert(sink_is_full(&b.sink, &e));
	b.memory.fail_append = 0;
	seal(&b, false, 99);
	read_back(&b, &facts);
	ck_assert_uint_eq(facts.records, records[_i]);
	ck_assert_uint_eq(facts.segments, 1);
	member_facts_free(&facts);
	bench_close(&b);
}
END_TEST

START_TEST(test_sync_fails)
{
	struct bench b;
	struct error e;

	bench_open(&b, 3);
	append(&b, 0, 3);
	b.memory.fail_sync = 1;
	b.memory.errnum = EIO;
	ck_assert_int_eq(form_sync(b.writer, &e), STATUS_SYSTEM);
	ck_assert_str_eq(e.text, "member: Input/output error");
	b.memory.fail_sync = 0;
	ck_assert_int_eq(form_sync(b.writer, &e), STATUS_OK);
	b.memory.fail_sync = 1;
	ck_assert_int_eq(form_seal(b.writer, &b.held, &(struct form_end){ b.size, false, 99 }, &e),
			 STATUS_SYSTEM);
	b.memory.fail_append = 1;
	ck_assert_int_eq(form_seal(b.writer, &b.held, &(struct form_end){ b.size, false, 99 }, &e),
			 STATUS_SYSTEM);
	bench_close(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("member_writer");
	TCase *members = tcase_create("members"), *failures = tcase_create("failures");

	tcase_set_timeout(members, 60);
	tcase_add_test(members, test_empty);
	tcase_add_loop_test(members, test_segments, 0, LENGTH(counts));
	tcase_add_test(members, test_records_after_footer);
	tcase_add_test(members, test_sync);
	suite_add_tcase(suite, members);
	tcase_set_timeout(failures, 60);
	tcase_add_test(failures, test_begin_fails);
	tcase_add_loop_test(failures, test_full, 0, 3);
	tcase_add_test(failures, test_sync_fails);
	suite_add_tcase(suite, failures);
	return helper_run(suite);
}
