// SPDX-License-Identifier: GPL-2.0-or-later
/* Packing, and the record that results, which is read back as a reader would. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "capture/fill/pack.h"
#include "corpus.h"
#include "format/record.h"
#include "helper.h"
#include "member_check.h"

enum { PAGE = 4096 };

static const struct capture_id id = { { "0123456789abcde" }, 0x7461675f };

/* A packer with one chunk to fill. */
struct bench {
	struct packer packer;
	struct chunk_pool pool;
	struct chunk_list list;
	struct chunk *chunk;
};

static size_t capacity_of(const struct codec *codec, uint32_t block, uint32_t chunk)
{
	return chunk_capacity(codec->bound(block), block, chunk, chunk / GRANULE);
}

static void bench_open(struct bench *b, const struct codec *codec, uint32_t block,
		       uint32_t chunk)
{
	struct error e;

	*b = (struct bench){ 0 };
	chunk_list_init(&b->list);
	ck_assert_int_eq(packer_init(&b->packer, codec, codec->level_default, block, &id, &e),
			 STATUS_OK);
	ck_assert_int_eq(chunk_pool_init(&b->pool, 1, capacity_of(codec, block, chunk),
					 &b->list, &e), STATUS_OK);
	b->chunk = b->list.first;
	/* Whatever the chunk held before must not show. */
	memset(b->chunk->bytes, 0xee, capacity_of(codec, block, chunk));
}

static void bench_close(struct bench *b)
{
	packer_free(&b->packer);
	chunk_pool_free(&b->pool);
}

/* Begins a record of len bytes, all of which are stored unless there are runs. */
static void begin(struct bench *b, uint64_t offset, uint32_t len, uint32_t block, const struct run_list *list)
{
	struct run all = { RUN_STORED, CLASS_KERNEL, (uint32_t)divide_up(len, GRANULE) };
	const struct run_list plain = { .runs = &all, .capacity = 1, .count = 1 };

	b->chunk->record = (struct record){
		.id = id,
		.source_offset = offset,
		.source_length = len,
		.layer = 1,
		.classes = class_table_plain(),
		.cell_size = CELL_SIZE_MAX,
	};
	run_list_encode(list ? list : &plain, &b->chunk->record, b->chunk->bytes);
	pack_begin(&b->packer, b->chunk, block);
}

static enum block_kind kind_of(const struct chunk *chunk, uint32_t i)
{
	const uint8_t *entry = chunk->bytes + record_table_offset(&chunk->record) + RECORD_ENTRY_LENGTH * i;

	return (enum block_kind)record_entry_kind(get_le32(entry));
}

/* Packs one block of len bytes; returns its kind. */
static enum block_kind pack_one(const struct codec *codec, const uint8_t *data, uint32_t len)
{
	enum block_kind kind;
	struct bench b;

	bench_open(&b, codec, PAGE, PAGE);
	begin(&b, 0, len, PAGE, NULL);
	pack_add(&b.packer, b.chunk, data, len);
	pack_end(b.chunk);
	ck_assert_uint_eq(b.chunk->filled, len);
	member_check_record(b.chunk->bytes, &id, PAGE, data, NULL);
	kind = kind_of(b.chunk, 0);
	ck_assert_uint_eq(b.chunk->figures.blocks[kind], 1);
	bench_close(&b);
	return kind;
}

/* --- kinds --------------------------------------------------------------- */

START_TEST(test_kinds)
{
	static const enum block_kind kinds[CORPUS_KINDS] = {
		[CORPUS_ZERO] = BLOCK_ZERO, [CORPUS_SAME8] = BLOCK_SAME,
		[CORPUS_TEXT] = BLOCK_PACKED, [CORPUS_RANDOM] = BLOCK_STORED,
		[CORPUS_POINTERS] = BLOCK_PACKED, [CORPUS_HALF_RANDOM] = BLOCK_PACKED,
		[CORPUS_RAMP] = BLOCK_PACKED,
	};
	const struct codec *codec = codec_entries()[_i].codec;
	uint8_t block[PAGE];

	for (int kind = 0; codec && kind < CORPUS_KINDS; kind++) {
		enum block_kind want = kinds[kind];

		/* Whether a ramp of numbers can be packed depends on the codec. */
		if (kind == CORPUS_RAMP && codec->id != CODEC_ZSTD && codec->id != CODEC_ZLIB)
			continue;
		if (codec->id == CODEC_RAW && want == BLOCK_PACKED)
			want = BLOCK_STORED;
		corpus_fill(kind, 1, block, sizeof(block));
		ck_assert_msg(pack_one(codec, block, PAGE) == want, "%s, %s", codec->name,
			      corpus_name(kind));
	}
}
END_TEST

/* A repeated value is detected at every length from 8 bytes on, and so is one wrong byte. */
START_TEST(test_same_filled)
{
	uint8_t same[PAGE], zero[PAGE] = { 0 };

	corpus_fill(CORPUS_SAME8, 3, same, PAGE);
	for (uint32_t len = 1; len <= PAGE; len += len < 64 ? 1 : len < PAGE - 16 ? 61 : 1) {
		bool long_enough = len >= BLOCK_SAME_LENGTH;
		uint32_t odd[] = { 0, len / 2, len - 1 };

		ck_assert_int_eq(pack_one(&codec_raw, zero, len),
				 long_enough ? BLOCK_ZERO : BLOCK_STORED);
		ck_assert_int_eq(pack_one(&codec_raw, same, len),
				 long_enough ? BLOCK_SAME : BLOCK_STORED);
		/* Below twice the length of the value, some bytes are not repeated. */
		for (int i = 0; len >= 2 * BLOCK_SAME_LENGTH && i < 3; i++) {
			zero[odd[i]] ^= 1;
			same[odd[i]] ^= 1;
			ck_assert_int_eq(pack_one(&codec_raw, zero, len), BLOCK_STORED);
			ck_assert_int_eq(pack_one(&codec_raw, same, len), BLOCK_STORED);
			zero[odd[i]] ^= 1;
			same[odd[i]] ^= 1;
		}
	}
}
END_TEST

/* --- whole records ------------------------------------------------------- */

/* In two pieces, as from a reader's buffer. */
static void check_record(struct bench *b, const uint8_t *data, uint32_t len, uint32_t block,
			 uint64_t offset)
{
	uint32_t half = (uint32_t)round_down(len / 2, block), total = 0;
	uint64_t blocks[BLOCK_KINDS] = { 0 };

	begin(b, offset, len, block, NULL);
	pack_add(&b->packer, b->chunk, data, half);
	pack_add(&b->packer, b->chunk, data + half, len - half);
	pack_end(b->chunk);
	ck_assert_uint_eq(b->chunk->filled, len);
	ck_assert_uint_eq(b->chunk->record.source_offset, offset);
	ck_assert_uint_eq(b->chunk->record.codec, b->packer.codec->id);
	member_check_record(b->chunk->bytes, &id, len, data, blocks);
	for (int kind = 0; kind < BLOCK_KINDS; kind++) {
		ck_assert_uint_eq(b->chunk->figures.blocks[kind], blocks[kind]);
		total += b->chunk->figures.blocks[kind];
	}
	ck_assert_uint_eq(total, divide_up(len, block));
}

/* Nothing can be packed: the longest possible record, which fits its chunk. */
START_TEST(test_incompressible)
{
	const struct codec *codec = codec_entries()[_i].codec;
	uint32_t chunk = 64 * PAGE;
	uint8_t *data;
	struct bench b;

	if (!codec)
		return;
	data = helper_pages(chunk);
	corpus_fill(CORPUS_RANDOM, 11, data, chunk);
	bench_open(&b, codec, PAGE, chunk);
	check_record(&b, data, chunk, PAGE, 0);
	ck_assert_uint_eq(b.chunk->figures.blocks[BLOCK_STORED], 64);
	ck_assert_uint_eq(record_length(&b.chunk->record), record_length_max(chunk, PAGE));
	bench_close(&b);
	free(data);
}
END_TEST

/*
 * Data that is already in the record is not moved, or moves forward to close a gap: by less than a
 * block after a same-filled block, and in a record whose table is shorter than expected.
 */
START_TEST(test_in_place)
{
	uint32_t chunk = 32 * PAGE, length = 30 * PAGE + 100;
	uint8_t *data = helper_pages(chunk), *place;
	uint64_t blocks[BLOCK_KINDS] = { 0 };
	struct bench b;

	corpus_fill(CORPUS_RANDOM, 5, data, length);
	corpus_fill(CORPUS_SAME8, 1, data + 2 * PAGE, PAGE);
	corpus_fill(CORPUS_SAME8, 2, data + 9 * PAGE, PAGE);
	corpus_fill(CORPUS_ZERO, 1, data + 20 * PAGE, PAGE);
	bench_open(&b, &codec_raw, PAGE, chunk);
	begin(&b, 0, chunk, PAGE, NULL);
	place = b.chunk->bytes + record_end(&b.chunk->record);
	memcpy(place, data, length);
	begin(&b, 0, length, PAGE, NULL);
	ck_assert(b.chunk->bytes + record_end(&b.chunk->record) < place);
	pack_add(&b.packer, b.chunk, place, 12 * PAGE);
	pack_add(&b.packer, b.chunk, place + 12 * PAGE, length - 12 * PAGE);
	pack_end(b.chunk);
	member_check_record(b.chunk->bytes, &id, chunk, data, blocks);
	ck_assert_uint_eq(blocks[BLOCK_STORED], 28);
	ck_assert_uint_eq(blocks[BLOCK_SAME], 2);
	ck_assert_uint_eq(blocks[BLOCK_ZERO], 1);
	bench_close(&b);
	free(data);
}
END_TEST

/* --- what is tried, and what is not -------------------------------------- */

enum { PACKS = 'p' };		/* the first byte of a block that try_pack() can pack */

static unsigned tries;

static size_t same_bound(size_t len)
{
	return len;
}

static size_t try_pack(void *packer, const void *src, size_t len, void *dst)
{
	(void)packer;
	(void)len;
	tries++;
	*(uint8_t *)dst = PACKS;
	return *(const uint8_t *)src == PACKS;
}

static const struct codec trying = { .name = "trying", .bound = same_bound, .pack = try_pack };

/* Adds count blocks that begin with a byte; how many of them were tried. */
static unsigned tries_of(struct bench *b, uint8_t first, unsigned count)
{
	uint8_t block[PAGE] = { first, 1 };
	unsigned before = tries;

	for (unsigned i = 0; i < count; i++) {
		begin(b, 0, PAGE, PAGE, NULL);
		pack_add(&b->packer, b->chunk, block, PAGE);
	}
	return tries - before;
}

/* After many stored blocks a packer stores most untried; once one is packed, it tries all. */
START_TEST(test_long_run)
{
	struct bench b;

	bench_open(&b, &trying, PAGE, PAGE);
	ck_assert_uint_lt(tries_of(&b, 's', 1 << 20), (1 << 20) / 400);
	while (!tries_of(&b, PACKS, 1))
		ck_assert_uint_eq(b.chunk->figures.blocks[BLOCK_STORED], 1);
	ck_assert_uint_eq(b.chunk->figures.blocks[BLOCK_PACKED], 1);
	ck_assert_uint_eq(tries_of(&b, 's', 100), 100);
	bench_close(&b);
}
END_TEST

/* Same-filled blocks are always detected and do not count as stored. */
START_TEST(test_same_in_run)
{
	uint8_t same[PAGE] = { 0 };
	struct incompressible before;
	struct bench b;

	bench_open(&b, &trying, PAGE, PAGE);
	while (!b.packer.incompressible.skip)
		tries_of(&b, 's', 1);
	before = b.packer.incompressible;
	begin(&b, 0, PAGE, PAGE, NULL);
	pack_add(&b.packer, b.chunk, same, PAGE);
	ck_assert_uint_eq(b.chunk->figures.blocks[BLOCK_ZERO], 1);
	ck_assert_uint_eq(b.packer.incompressible.bytes, before.bytes);
	ck_assert_uint_eq(b.packer.incompressible.skip, before.skip);
	bench_close(&b);
}
END_TEST

/* --- dumps ---------------------------------------------------------------- */

/* A repeated value other than zero is packed; the payload begins at a multiple of ALIGNMENT, and is padded. */
START_TEST(test_for_dump)
{
	enum { BLOCKS = 5 };
	static const enum corpus_kind kinds[BLOCKS] = {
		CORPUS_SAME8, CORPUS_ZERO, CORPUS_RANDOM, CORPUS_TEXT, CORPUS_SAME8,
	};
	static const enum block_kind want[BLOCKS] = {
		BLOCK_PACKED, BLOCK_ZERO, BLOCK_STORED, BLOCK_PACKED, BLOCK_PACKED,
	};
	uint8_t data[BLOCKS][PAGE], page[PAGE];
	struct bench b;
	uint32_t at;

	bench_open(&b, &codec_lzo, PAGE, BLOCKS * PAGE);
	b.packer.for_dump = true;
	for (int i = 0; i < BLOCKS; i++)
		corpus_fill(kinds[i], 1, data[i], PAGE);
	begin(&b, 0, BLOCKS * PAGE, PAGE, NULL);
	at = b.chunk->record.payload_offset;
	ck_assert_uint_eq(at, ALIGNMENT);
	pack_add(&b.packer, b.chunk, data[0], BLOCKS * PAGE);
	for (uint32_t i = 0; i < BLOCKS; i++) {
		const uint8_t *entry = b.chunk->bytes + record_table_offset(&b.chunk->record) + RECORD_ENTRY_LENGTH * i;
		uint32_t length = record_entry_length(get_le32(entry));

		ck_assert_int_eq(kind_of(b.chunk, i), want[i]);
		if (want[i] == BLOCK_PACKED)
			ck_assert(codec_lzo.unpack(NULL, b.chunk->bytes + at, length, page, PAGE));
		else
			memcpy(page, want[i] == BLOCK_ZERO ? data[1] : b.chunk->bytes + at, PAGE);
		ck_assert_mem_eq(page, data[i], PAGE);
		at += length;
	}
	ck_assert_uint_eq(at, record_end(&b.chunk->record));
	bench_close(&b);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("pack");
	TCase *kinds = tcase_create("kinds"), *records = tcase_create("records");
	TCase *runs = tcase_create("runs");

	tcase_set_timeout(kinds, 60);
	tcase_add_loop_test(kinds, test_kinds, 0, CODECS);
	tcase_add_test(kinds, test_same_filled);
	suite_add_tcase(suite, kinds);
	tcase_set_timeout(records, 120);
	tcase_add_loop_test(records, test_incompressible, 0, CODECS);
	tcase_add_test(records, test_in_place);
	suite_add_tcase(suite, records);
	tcase_set_timeout(runs, 120);
	tcase_add_test(runs, test_long_run);
	tcase_add_test(runs, test_same_in_run);
	tcase_add_test(runs, test_for_dump);
	suite_add_tcase(suite, runs);
	return helper_run(suite);
}
