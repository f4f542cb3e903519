// SPDX-License-Identifier: GPL-2.0-or-later
/* Dumps of a made layout, to a file and flattened, read back descriptor by descriptor. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "capture/fill/pack.h"
#include "capture/form/dump_writer.h"
#include "corpus.h"
#include "format/descriptors.h"
#include "format/kdump.h"
#include "format/record.h"
#include "helper.h"
#include "trial_sink.h"

enum { PAGE = 4096, HEAD = 2 * 65536, CHUNK_PAGES = 8, CHUNK = CHUNK_PAGES * PAGE };

static const struct capture_id id = { { "dump writer...." }, 0x7461675f };

/* Each test runs with a file (0), and flattened (1). */
enum { FORMS = 2 };

/*
 * The source has three chunks.  The second one has a page that is not of the dump before its pages, as the ELF header
 * is, and two between them.  Two ragged pages come last by rank.
 */
enum { PAGES = 24, SOURCE = 3 * CHUNK, ORDINARY = 22, ALL = ORDINARY + 2 };

static const struct dump_pages runs[] = {
	{ 0, 0, 8 }, { CHUNK + PAGE, 8, 3 }, { CHUNK + 5 * PAGE, 11, 3 }, { 2 * CHUNK, 14, 8 },
};

struct bench {
	struct dump_layout layout;
	struct packer packer;
	struct chunk_pool pool;
	struct chunk_list list;
	struct sink sink;
	struct trial_sink memory;
	struct form *writer;
	struct sink_stats held;
	uint8_t *source;
	uint8_t *file;			/* as a reader sees it; owned */
	size_t length;
	unsigned ragged;		/* how many there are */
};

/* --- the layout ---------------------------------------------------------- */

static void put_head(const void *arg, uint64_t from, size_t len, uint8_t *dst, uint64_t *bits)
{
	(void)bits;
	(void)arg;
	for (size_t i = 0; i < len; i++)
		dst[i] = (uint8_t)((from + i) * 7 + (from + i) / 256);
	if (!from)
		put_le32(dst + KDUMP_HEADER_STATUS, KDUMP_LZO | KDUMP_INCOMPLETE);
}

static bool next_pages(const void *arg, uint64_t offset, uint64_t end, struct dump_pages *pages)
{
	(void)arg;
	for (size_t i = 0; i < LENGTH(runs); i++) {
		uint64_t skip = offset > runs[i].offset ? divide_up(offset - runs[i].offset, PAGE) : 0;
		uint64_t at = runs[i].offset + skip * PAGE;

		if (skip >= runs[i].count || at >= end)
			continue;
		*pages = (struct dump_pages){
			.offset = at, .rank = runs[i].rank + skip,
			.count = min_u64(runs[i].count - skip, divide_up(end - at, PAGE)),
		};
		return true;
	}
	return false;
}

static uint8_t ragged_byte(uint64_t pfn)
{
	return (uint8_t)(0xa0 + pfn);
}

static bool next_ragged(const void *arg, size_t *i, uint64_t *rank, const uint8_t **page)
{
	static uint8_t bytes[PAGE];
	const struct bench *b = arg;

	if (*i >= b->ragged)
		return false;
	*rank = ORDINARY + *i;
	memset(bytes, ragged_byte(*i), PAGE);
	*page = bytes;
	return true;
}

/* --- the bench ----------------------------------------------------------- */

/* No descriptor may be written before the data that it points to is safe, or was read back after a sync that failed. */
static void assert_safe(void *arg, const struct trial_sink *t, const void *bytes, size_t len, uint64_t offset)
{
	const struct bench *b = arg;
	const uint8_t *raw = bytes;

	if (offset < HEAD) {
		ck_assert_uint_eq(offset, KDUMP_HEADER_STATUS);
		ck_assert_uint_eq(len, 4);
		ck_assert_uint_eq(t->safe, b->sink.length);
		return;
	}
	/* One that is in two sectors comes in parts (test_descriptors.c). */
	if (len < KDUMP_DESCRIPTOR_LENGTH) {
		ck_assert(len == 16 || get_le64(bytes) < t->safe || b->sink.broken);
		return;
	}
	ck_assert_uint_eq((offset - HEAD) % KDUMP_DESCRIPTOR_LENGTH, 0);
	ck_assert_uint_eq(len % KDUMP_DESCRIPTOR_LENGTH, 0);
	ck_assert_uint_le(offset + len, HEAD + ALL * KDUMP_DESCRIPTOR_LENGTH);
	for (; len; raw += KDUMP_DESCRIPTOR_LENGTH, len -= KDUMP_DESCRIPTOR_LENGTH) {
		struct kdump_descriptor d = kdump_descriptor_decode(raw);

		ck_assert(!d.size || d.offset + d.size <= t->safe || b->sink.broken);
	}
}

/* Of each kind of block; each chunk in another order. */
static void fill_source(uint8_t *source)
{
	static const enum corpus_kind kinds[] = { CORPUS_ZERO, CORPUS_SAME8, CORPUS_TEXT, CORPUS_RANDOM };

	for (unsigned i = 0; i < PAGES; i++)
		corpus_fill(kinds[(i + i / CHUNK_PAGES) % LENGTH(kinds)], i + 1, source + (size_t)i * PAGE, PAGE);
}

static void bench_init(struct bench *b, unsigned ragged)
{
	size_t capacity = chunk_capacity(codec_lzo.bound(PAGE), PAGE, CHUNK, CHUNK_PAGES) + ALIGNMENT;
	struct error e;

	*b = (struct bench){ .ragged = ragged };
	b->layout = (struct dump_layout){
		.page_size = PAGE, .flag = KDUMP_LZO, .head = HEAD, .pages = ALL,
		.put_head = put_head, .next_pages = next_pages, .next_ragged = next_ragged, .arg = b,
	};
	b->source = helper_pages(SOURCE);
	fill_source(b->source);
	chunk_list_init(&b->list);
	ck_assert_int_eq(packer_init(&b->packer, &codec_lzo, 0, PAGE, &id, &e), STATUS_OK);
	b->packer.for_dump = true;
	b->packer.incompressible.tries_all = true;
	ck_assert_int_eq(chunk_pool_init(&b->pool, 1, capacity, &b->list, &e), STATUS_OK);
	trial_sink_probe(&b->sink, &b->memory, "dump");
}

static void bench_begin(struct bench *b, bool flat)
{
	struct error e;

	b->memory.rewinds = b->memory.anywhere = !flat;
	b->memory.before_write_at = assert_safe;
	b->memory.arg = b;
	trial_sink_prepare(&b->sink);
	ck_assert_int_eq(dump_writer_new(&b->writer, &b->sink, &b->layout, SOURCE, CHUNK, &e), STATUS_OK);
	ck_assert_int_eq(b->writer->ops->begin(b->writer, &e), STATUS_OK);
}

static void bench_open(struct bench *b, bool flat, unsigned ragged)
{
	bench_init(b, ragged);
	bench_begin(b, flat);
}

static void bench_close(struct bench *b)
{
	form_free(b->writer);
	sink_free(&b->sink);
	trial_sink_free(&b->memory);
	packer_free(&b->packer);
	chunk_pool_free(&b->pool);
	free(b->source);
	free(b->file);
}

/* Chunk i, of the granules of which those that are not stored are as the runs say. */
static struct chunk *pack_runs(struct bench *b, unsigned i, const struct run *list, uint32_t count)
{
	const struct run_list encoded = { .runs = (struct run *)(uintptr_t)list, .capacity = count, .count = count };
	const uint8_t *data = b->source + (size_t)i * CHUNK;
	struct chunk *chunk = b->list.first;

	memset(chunk->bytes, 0xee, CHUNK);
	chunk->record = (struct record){
		.id = id, .source_offset = (uint64_t)i * CHUNK, .source_length = CHUNK,
		.layer = 1, .classes = class_table_plain(), .cell_size = CHUNK,
	};
	run_list_encode(&encoded, &chunk->record, chunk->bytes);
	pack_begin(&b->packer, chunk, PAGE);
	for (uint32_t n = 0; n < count; data += (size_t)list[n].granules * PAGE, n++)
		if (list[n].kind == RUN_STORED)
			pack_add(&b->packer, chunk, data, (size_t)list[n].granules * PAGE);
	return chunk;
}

static struct chunk *pack_whole(struct bench *b, unsigned i)
{
	const struct run all = { RUN_STORED, CLASS_KERNEL, CHUNK_PAGES };

	return pack_runs(b, i, &all, 1);
}

static void append(struct bench *b, unsigned i)
{
	struct error e;

	ck_assert_int_eq(b->writer->ops->append(b->writer, pack_whole(b, i), &e), STATUS_OK);
	b->held.records++;
}

static void seal(struct bench *b, bool stopped)
{
	const struct form_end end = { SOURCE, stopped, 99 };
	struct error e;

	ck_assert_int_eq(b->writer->ops->confirm(b->writer, &e), STATUS_OK);
	ck_assert_int_eq(b->writer->ops->seal(b->writer, &b->held, &end, &e), STATUS_OK);
	ck_assert_uint_eq(b->writer->closed, b->sink.length);
}

/* --- reading ------------------------------------------------------------- */

static uint64_t get_be64(const uint8_t *raw)
{
	return (uint64_t)__builtin_bswap64(get_le64(raw));
}

/* A later piece may not replace bytes of an earlier one. */
static void unflatten(struct bench *b)
{
	const uint8_t *raw = b->memory.bytes;
	size_t capacity = 1 << 20, at = 4096;
	uint8_t *written = calloc(1, capacity);

	b->file = calloc(1, capacity);
	for (;;) {
		uint64_t offset = get_be64(raw + at), len = get_be64(raw + at + 8);

		at += 16;
		if (offset == UINT64_MAX)
			break;
		ck_assert_uint_gt(len, 0);
		ck_assert_uint_le(offset + len, capacity);
		for (uint64_t i = offset; i < offset + len; i++) {
			ck_assert_uint_eq(written[i], 0);
			written[i] = 1;
		}
		memcpy(b->file + offset, raw + at, len);
		b->length = b->length > offset + len ? b->length : offset + len;
		at += len;
	}
	free(written);
}

static void read_file(struct bench *b, bool flat)
{
	free(b->file);
	b->file = NULL;
	b->length = 0;
	if (flat) {
		unflatten(b);
		return;
	}
	b->file = malloc(b->memory.length);
	b->length = b->memory.length;
	memcpy(b->file, b->memory.bytes, b->length);
}

static struct kdump_descriptor descriptor(const struct bench *b, uint64_t rank)
{
	return kdump_descriptor_decode(b->file + HEAD + rank * KDUMP_DESCRIPTOR_LENGTH);
}

static void assert_page(const struct bench *b, uint64_t rank, const uint8_t *want)
{
	struct kdump_descriptor d = descriptor(b, rank);
	uint8_t page[PAGE];

	ck_assert_uint_ge(d.offset, HEAD + ALL * KDUMP_DESCRIPTOR_LENGTH);
	ck_assert_uint_le(d.offset + d.size, b->length);
	if (d.flags) {
		ck_assert_uint_eq(d.flags, KDUMP_LZO);
		ck_assert_uint_lt(d.size, PAGE);
		ck_assert(codec_lzo.unpack(NULL, b->file + d.offset, d.size, page, PAGE));
	} else {
		ck_assert_uint_eq(d.size, PAGE);
		memcpy(page, b->file + d.offset, PAGE);
	}
	ck_assert_mem_eq(page, want, PAGE);
}

/* Where the page of this rank is in the source; it is not ragged. */
static const uint8_t *page_of(const struct bench *b, uint64_t rank)
{
	for (size_t i = 0; i < LENGTH(runs); i++)
		if (rank >= runs[i].rank && rank < runs[i].rank + runs[i].count)
			return b->source + runs[i].offset + (rank - runs[i].rank) * PAGE;
	ck_abort_msg("no page");
}

static void assert_absent(const struct bench *b, uint64_t rank)
{
	struct kdump_descriptor d = descriptor(b, rank);

	ck_assert(d.offset == 4096 || (!d.offset && descriptor_is_divided(rank)));
	ck_assert_uint_eq(d.size, 0);
	ck_assert_uint_eq(d.flags, KDUMP_ZLIB);
}

/* From rank from to rank to, excluded. */
static void assert_pages(const struct bench *b, uint64_t from, uint64_t to)
{
	for (uint64_t rank = from; rank < to; rank++)
		assert_page(b, rank, page_of(b, rank));
}

static void assert_all_absent(const struct bench *b, uint64_t from, uint64_t to)
{
	for (uint64_t rank = from; rank < to; rank++)
		assert_absent(b, rank);
}

static void assert_head(const struct bench *b, bool incomplete)
{
	uint8_t *head = helper_pages(HEAD);

	put_head(NULL, 0, HEAD, head, NULL);
	put_le32(head + KDUMP_HEADER_STATUS, KDUMP_LZO | (incomplete ? KDUMP_INCOMPLETE : 0));
	ck_assert_mem_eq(b->file, head, HEAD);
	free(head);
}

static void assert_ragged(const struct bench *b)
{
	uint8_t page[PAGE];

	for (unsigned i = 0; i < b->ragged; i++) {
		memset(page, ragged_byte(i), PAGE);
		assert_page(b, ORDINARY + i, page);
	}
}

/* --- pages --------------------------------------------------------------- */

/* Chunks in any order; pages that are not of the dump are skipped. */
START_TEST(test_pages)
{
	struct kdump_descriptor zero, other;
	struct bench b;

	bench_open(&b, _i, 2);
	append(&b, 2);
	append(&b, 0);
	append(&b, 1);
	seal(&b, false);
	read_file(&b, _i);
	assert_head(&b, false);
	assert_pages(&b, 0, ORDINARY);
	assert_ragged(&b);
	/* Pages of zeros share one place, a repeated value is packed, and what does not shrink is stored. */
	zero = descriptor(&b, 0);
	other = descriptor(&b, 4);
	ck_assert_uint_eq(zero.offset, other.offset);
	ck_assert_uint_eq(zero.flags, 0);
	ck_assert_uint_eq(zero.offset % ALIGNMENT, 0);
	ck_assert_uint_eq(descriptor(&b, 1).flags, KDUMP_LZO);
	ck_assert_uint_lt(descriptor(&b, 1).size, 100);
	ck_assert_uint_eq(descriptor(&b, 2).flags, KDUMP_LZO);
	ck_assert_uint_eq(descriptor(&b, 3).flags, 0);
	bench_close(&b);
}
END_TEST

/* Pages follow each other without space, and those that are packed to few bytes share them if they are equal. */
START_TEST(test_no_space)
{
	struct kdump_descriptor first, d;
	uint64_t end = 0;
	struct bench b;

	bench_init(&b, 0);
	memcpy(b.source + CHUNK + 2 * PAGE, b.source + PAGE, PAGE);
	bench_begin(&b, _i);
	for (unsigned i = 0; i < 3; i++)
		append(&b, i);
	seal(&b, false);
	read_file(&b, _i);
	assert_pages(&b, 0, ORDINARY);
	first = descriptor(&b, 1);
	for (uint64_t rank = 1; rank < ORDINARY; rank++) {
		d = descriptor(&b, rank);
		if (rank == 9)
			ck_assert_uint_eq(d.offset, first.offset);
		/* Of chunk 1, two blocks are of pages that are not in the dump. */
		if (d.offset < end || d.offset == descriptor(&b, 0).offset)
			continue;
		ck_assert(!end || d.offset == end);
		end = d.offset + d.size;
	}
	ck_assert_uint_eq(b.length, _i ? end : round_up(end, ALIGNMENT));
	bench_close(&b);
}
END_TEST

/* The source could not be read, or has holes, or stores pages in other layers. */
START_TEST(test_runs)
{
	static const struct run first[] = {
		{ RUN_STORED, CLASS_KERNEL, 2 }, { RUN_UNREADABLE, CLASS_KERNEL, 2 }, { RUN_ZERO, CLASS_KERNEL, 1 },
		{ RUN_NAMED, CLASS_FREE, 1 }, { RUN_STORED, CLASS_KERNEL, 2 },
	};
	/* Of the next layer. */
	static const struct run second[] = {
		{ RUN_ELSEWHERE, CLASS_KERNEL, 5 }, { RUN_STORED, CLASS_FREE, 1 }, { RUN_ELSEWHERE, CLASS_KERNEL, 2 },
	};
	struct bench b;
	struct error e;

	bench_open(&b, _i, 2);
	ck_assert_int_eq(b.writer->ops->append(b.writer, pack_runs(&b, 0, first, LENGTH(first)), &e), STATUS_OK);
	append(&b, 2);
	ck_assert_int_eq(b.writer->ops->append(b.writer, pack_runs(&b, 0, second, LENGTH(second)), &e), STATUS_OK);
	append(&b, 1);
	seal(&b, false);
	read_file(&b, _i);
	assert_head(&b, true);
	assert_pages(&b, 0, 2);
	assert_all_absent(&b, 2, 4);
	assert_page(&b, 4, b.source);
	assert_pages(&b, 5, ORDINARY);
	assert_ragged(&b);
	bench_close(&b);
}
END_TEST

/* --- the end ------------------------------------------------------------- */

START_TEST(test_incomplete)
{
	struct bench b;

	bench_open(&b, _i, 0);
	append(&b, 1);
	seal(&b, true);
	read_file(&b, _i);
	assert_head(&b, true);
	assert_all_absent(&b, 0, 8);
	assert_pages(&b, 8, 14);
	assert_all_absent(&b, 14, ALL);
	bench_close(&b);
}
END_TEST

/* Until the end, a file says that it is incomplete, and has no descriptors that were not confirmed. */
START_TEST(test_before_the_end)
{
	struct bench b;
	struct error e;

	bench_open(&b, false, 0);
	append(&b, 0);
	read_file(&b, false);
	assert_head(&b, true);
	for (uint64_t rank = 0; rank < ALL; rank++)
		ck_assert_uint_eq(descriptor(&b, rank).offset, 0);
	ck_assert_uint_eq(b.memory.writes_at, 0);
	ck_assert_int_eq(b.writer->ops->confirm(b.writer, &e), STATUS_OK);
	ck_assert_uint_eq(b.memory.safe, b.sink.length);
	append(&b, 1);
	read_file(&b, false);
	assert_head(&b, true);
	assert_pages(&b, 0, 8);
	for (uint64_t rank = 8; rank < ALL; rank++)
		ck_assert_uint_eq(descriptor(&b, rank).offset, 0);
	/* What closes it adds nothing to its length. */
	ck_assert_uint_eq(b.sink.length, b.memory.length);
	seal(&b, false);
	ck_assert_uint_eq(b.sink.length, b.length);
	bench_close(&b);
}
END_TEST

/* --- failures ------------------------------------------------------------ */

/* A full output can be closed, with what it held before. */
START_TEST(test_full)
{
	struct bench b;
	struct error e;

	bench_open(&b, false, 0);
	append(&b, 1);
	b.memory.fail_behind = b.sink.length + ALIGNMENT;
	b.memory.errnum = ENOSPC;
	ck_assert_int_eq(b.writer->ops->append(b.writer, pack_whole(&b, 0), &e), STATUS_SYSTEM);
	ck_assert_int_eq(e.errnum, ENOSPC);
	ck_assert_int_eq(form_settle(b.writer, &e), STATUS_OK);
	seal(&b, false);
	read_file(&b, false);
	assert_head(&b, true);
	assert_all_absent(&b, 0, 8);
	assert_pages(&b, 8, 14);
	assert_all_absent(&b, 14, ALL);
	bench_close(&b);
}
END_TEST

/* There is no space for the head, at any length. */
START_TEST(test_no_space_for_head)
{
	struct bench b;
	struct error e;

	bench_init(&b, 2);
	b.memory.rewinds = b.memory.anywhere = true;
	b.memory.fail_behind = 65536 + (size_t)_i * 30000;
	b.memory.errnum = ENOSPC;
	trial_sink_prepare(&b.sink);
	ck_assert_int_eq(dump_writer_new(&b.writer, &b.sink, &b.layout, SOURCE, CHUNK, &e), STATUS_OK);
	ck_assert_int_eq(b.writer->ops->begin(b.writer, &e), STATUS_SYSTEM);
	ck_assert_int_eq(e.errnum, ENOSPC);
	bench_close(&b);
}
END_TEST

/* After a failed sync or write, descriptors are still there, and come with the next one. */
START_TEST(test_failed_flush)
{
	struct bench b;
	struct error e;

	bench_open(&b, false, 2);
	append(&b, 0);
	b.memory.errnum = EIO;
	b.memory.sync_once = true;
	b.memory.fail_sync = b.memory.syncs + 1;
	ck_assert_int_eq(form_settle(b.writer, &e), STATUS_SYSTEM);
	ck_assert_uint_eq(b.memory.writes_at, 0);
	b.memory.fail_write_at = 2;
	append(&b, 2);
	ck_assert_int_eq(form_settle(b.writer, &e), STATUS_SYSTEM);
	ck_assert_uint_eq(b.memory.writes_at, 2);
	b.memory.fail_write_at = 0;
	append(&b, 1);
	seal(&b, false);
	read_file(&b, false);
	assert_head(&b, false);
	assert_pages(&b, 0, ORDINARY);
	assert_ragged(&b);
	bench_close(&b);
}
END_TEST

/* No more pages can be written, and there is nothing that could be left, or what came before, of a file. */
START_TEST(test_failed_append)
{
	struct bench b;
	struct error e;

	bench_open(&b, _i, 0);
	for (unsigned chunks = 0; chunks < 2; chunks++) {
		b.memory.errnum = EIO;
		b.memory.fail_append = b.memory.appends + 1 + chunks;
		if (chunks)
			append(&b, 1);
		if (!_i) {
			ck_assert_int_eq(b.writer->ops->append(b.writer, pack_whole(&b, 0), &e), STATUS_SYSTEM);
			ck_assert_int_eq(e.errnum, EIO);
		}
		ck_assert_int_eq(b.writer->ops->leave(b.writer), !_i && chunks);
	}
	if (!_i) {
		read_file(&b, false);
		assert_head(&b, true);
		assert_all_absent(&b, 0, 8);
		assert_pages(&b, 8, 14);
		assert_all_absent(&b, 14, ALL);
	}
	bench_close(&b);
}
END_TEST

/*
 * An output fails for ever, or once, in each call that closes it.  Each page whose data can be read back is there if its
 * descriptor could be written, and no other; and it is known whether any is.
 */
START_TEST(test_leave)
{
	const unsigned call = (unsigned)_i / 4 + 1;
	const bool writes = _i % 2, once = _i / 2 % 2;
	unsigned shown = 0;
	struct bench b;
	struct error e;

	bench_open(&b, false, 2);
	for (unsigned i = 0; i < 3; i++)
		append(&b, i);
	b.memory.errnum = EIO;
	b.memory.sync_once = once;
	if (writes)
		b.memory.fail_write_at = call;
	else
		b.memory.fail_sync = call;
	if (!form_settle(b.writer, &e))
		ck_assert_int_eq(b.writer->ops->confirm(b.writer, &e), call > 4 || writes ? STATUS_OK : STATUS_SYSTEM);
	if (writes && once)
		b.memory.fail_write_at = 0;
	b.sink.broken = !writes;
	ck_assert_int_eq(b.writer->ops->leave(b.writer), !writes || once || call > 1);
	read_file(&b, false);
	assert_head(&b, true);
	for (uint64_t rank = 0; rank < ORDINARY; rank++) {
		if (!descriptor(&b, rank).size)
			continue;
		assert_page(&b, rank, page_of(&b, rank));
		shown++;
	}
	/* All but the one that is in two sectors. */
	if (call > 1 || !writes)
		ck_assert_uint_ge(shown, ORDINARY - 1);
	if (once)
		ck_assert_uint_eq(shown, ORDINARY);
	bench_close(&b);
}
END_TEST

/* Others have written something else over it, which is theirs now. */
START_TEST(test_leave_overwritten)
{
	struct bench b;

	bench_open(&b, false, 0);
	append(&b, 0);
	b.memory.bytes[0] ^= 1;
	ck_assert(!b.writer->ops->leave(b.writer));
	ck_assert_uint_eq(b.memory.writes_at, 0);
	bench_close(&b);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("dump_writer");

	tcase_add_loop_test(tcase, test_pages, 0, FORMS);
	tcase_add_loop_test(tcase, test_no_space, 0, FORMS);
	tcase_add_loop_test(tcase, test_runs, 0, FORMS);
	tcase_add_loop_test(tcase, test_incomplete, 0, FORMS);
	tcase_add_test(tcase, test_before_the_end);
	tcase_add_test(tcase, test_full);
	tcase_add_loop_test(tcase, test_no_space_for_head, 0, 3);
	tcase_add_test(tcase, test_failed_flush);
	tcase_add_loop_test(tcase, test_failed_append, 0, FORMS);
	tcase_add_loop_test(tcase, test_leave, 0, 4 * 4);
	tcase_add_test(tcase, test_leave_overwritten);
	return helper_run_case("dump_writer", tcase);
}
