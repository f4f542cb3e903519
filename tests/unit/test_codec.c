// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every codec of this build against the promises of codec.h.  The cases loop
 * over codec_entries(); _i is the entry, and one left out has nothing to keep.
 *
 * Buffers end at a page that cannot be touched, so that a library which reads
 * or writes one byte too far is caught even though it was built without any
 * sanitizer; a canary lies before them.
 */
#include "config.h"

#include <check.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "codec/codec.h"
#include "corpus.h"

#define CODEC_NAMES 7
#define BLOCK 4096
#define BIGGEST (1 << 20)
#define CANARY 64
#define CANARY_BYTE 0xa5

/* --- buffers with guards ------------------------------------------------- */

struct guarded {
	unsigned char *map;
	unsigned char *end;	/* the page that cannot be touched starts here */
};

static struct guarded guarded_new(size_t capacity)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE);
	size_t room = (capacity + CANARY + page - 1) / page * page;
	struct guarded g;

	g.map = mmap(NULL, room + page, PROT_READ | PROT_WRITE,
		     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert_ptr_ne(g.map, MAP_FAILED);
	g.end = g.map + room;
	ck_assert_int_eq(mprotect(g.end, page, PROT_NONE), 0);
	return g;
}

static void guarded_free(struct guarded *g)
{
	munmap(g->map, (size_t)(g->end - g->map) + (size_t)sysconf(_SC_PAGESIZE));
}

/* The last len bytes before the guard page, with the canary laid before them. */
static unsigned char *guarded_take(struct guarded *g, size_t len)
{
	memset(g->end - len - CANARY, CANARY_BYTE, CANARY);
	return g->end - len;
}

/* An assertion of check costs a system call even when it holds, so: if first. */
static void canary_check(const unsigned char *bytes, const char *codec)
{
	const unsigned char *canary = bytes - CANARY;

	if (canary[0] != CANARY_BYTE || memcmp(canary, canary + 1, CANARY - 1) != 0)
		ck_abort_msg("%s wrote before its buffer", codec);
}

/* --- packers ------------------------------------------------------------- */

static void *packer_new(const struct codec *codec, int level, size_t block_size)
{
	void *packer = NULL;

	if (codec->packer_new) {
		packer = codec->packer_new(level, block_size);
		ck_assert_ptr_nonnull(packer);
	}
	return packer;
}

static void packer_free(const struct codec *codec, void *packer)
{
	if (codec->packer_free)
		codec->packer_free(packer);
}

static void *unpacker_new(const struct codec *codec)
{
	void *unpacker = NULL;

	if (codec->unpacker_new) {
		unpacker = codec->unpacker_new();
		ck_assert_ptr_nonnull(unpacker);
	}
	return unpacker;
}

static void unpacker_free(const struct codec *codec, void *unpacker)
{
	if (codec->unpacker_free)
		codec->unpacker_free(unpacker);
}

/* NULL for a codec that was left out, and for raw, which packs nothing. */
static const struct codec *packing_codec(int i)
{
	const struct codec *codec = codec_entries()[i].codec;

	return codec && codec->id != CODEC_RAW ? codec : NULL;
}

/* --- one codec, one block, there and back -------------------------------- */

struct bench {
	const struct codec *codec;
	void *packer, *unpacker;
	struct guarded src, packed, back;
};

static void bench_set_up(struct bench *b, const struct codec *codec, int level,
			 size_t block_size)
{
	b->codec = codec;
	b->packer = packer_new(codec, level, block_size);
	b->unpacker = unpacker_new(codec);
	b->src = guarded_new(block_size);
	b->packed = guarded_new(codec->bound(block_size));
	b->back = guarded_new(block_size + 1);
}

static void bench_take_down(struct bench *b)
{
	packer_free(b->codec, b->packer);
	unpacker_free(b->codec, b->unpacker);
	guarded_free(&b->src);
	guarded_free(&b->packed);
	guarded_free(&b->back);
}

/* Into exactly dst_len bytes before the guard page. */
static bool bench_unpack(struct bench *b, const unsigned char *packed, size_t len,
			 size_t dst_len)
{
	unsigned char *back = guarded_take(&b->back, dst_len);
	bool ok = b->codec->unpack(b->unpacker, packed, len, back, dst_len);

	canary_check(back, b->codec->name);
	return ok;
}

/*
 * Packs with bound(len) bytes before the guard page, then moves the result to
 * where the page follows its last byte.  *packed belongs to the bench.
 */
static size_t bench_pack(struct bench *b, const unsigned char *src, size_t len,
			 unsigned char **packed)
{
	size_t bound = b->codec->bound(len);
	unsigned char *dst = guarded_take(&b->packed, bound);
	size_t packed_len = b->codec->pack(b->packer, src, len, dst);

	ck_assert_uint_gt(packed_len, 0);
	ck_assert_uint_le(packed_len, bound);
	canary_check(dst, b->codec->name);
	*packed = b->packed.end - packed_len;
	memmove(*packed, dst, packed_len);
	return packed_len;
}

static void round_trip(struct bench *b, enum corpus_kind kind, size_t len)
{
	unsigned char *src = guarded_take(&b->src, len);
	unsigned char *packed;
	size_t packed_len;

	corpus_fill(kind, len, src, len);
	packed_len = bench_pack(b, src, len, &packed);
	ck_assert_msg(bench_unpack(b, packed, packed_len, len) &&
		      !memcmp(b->back.end - len, src, len),
		      "%s: %zu bytes of %s did not come back", b->codec->name, len,
		      corpus_name(kind));
	ck_assert(!bench_unpack(b, packed, packed_len, len + 1));
	if (len > 1)
		ck_assert(!bench_unpack(b, packed, packed_len, len - 1));
}

static void round_trips(const struct codec *codec, int level)
{
	static const size_t sizes[] = { 1, 2, 7, 8, 100, 4095, 4096, 65536, BIGGEST };
	struct bench b;
	size_t i;
	int kind;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		bench_set_up(&b, codec, level, sizes[i]);
		/* The slowest levels need seconds for all kinds at this size. */
		if (sizes[i] == BIGGEST && level != codec->level_default)
			round_trip(&b, CORPUS_TEXT, sizes[i]);
		else
			for (kind = 0; kind < CORPUS_KINDS; kind++)
				round_trip(&b, (enum corpus_kind)kind, sizes[i]);
		bench_take_down(&b);
	}
}

START_TEST(test_round_trip)
{
	const struct codec *codec = packing_codec(_i);

	if (!codec)
		return;
	round_trips(codec, codec->level_default);
	if (codec->level_min != codec->level_default)
		round_trips(codec, codec->level_min);
	if (codec->level_max != codec->level_default)
		round_trips(codec, codec->level_max);
}
END_TEST

/* A packer for large blocks takes small ones too, and needs no more memory. */
START_TEST(test_short_blocks)
{
	const struct codec *codec = packing_codec(_i);
	size_t memory = 0;
	struct bench b;
	size_t len;
	int round;

	if (!codec)
		return;
	bench_set_up(&b, codec, codec->level_default, 65536);
	if (codec->packer_memory) {
		memory = codec->packer_memory(b.packer);
		ck_assert_uint_gt(memory, 0);
	}
	for (round = 0; round < 3; round++)
		for (len = 65536; len > 0; len /= 4)
			round_trip(&b, CORPUS_TEXT, len);
	if (codec->packer_memory)
		ck_assert_uint_eq(codec->packer_memory(b.packer), memory);
	bench_take_down(&b);
}
END_TEST

/* Same bytes, one after another in memory: no block may lean on the one before. */
START_TEST(test_adjacent_blocks)
{
	enum { COUNT = 8 };
	static unsigned char src[COUNT * BLOCK];
	const struct codec *codec = packing_codec(_i);
	unsigned char *packed;
	size_t packed_len, first_len = 0;
	struct bench b;
	int i;

	if (!codec)
		return;
	bench_set_up(&b, codec, codec->level_default, BLOCK);
	for (i = 0; i < COUNT; i++)
		corpus_fill(CORPUS_HALF_RANDOM, 1, src + i * BLOCK, BLOCK);
	for (i = 0; i < COUNT; i++) {
		void *fresh = unpacker_new(codec);
		unsigned char back[BLOCK];

		packed_len = bench_pack(&b, src + i * BLOCK, BLOCK, &packed);
		ck_assert(codec->unpack(fresh, packed, packed_len, back, BLOCK));
		ck_assert_mem_eq(back, src, BLOCK);
		if (i == 0)
			first_len = packed_len;
		ck_assert_uint_eq(packed_len, first_len);
		unpacker_free(codec, fresh);
	}
	bench_take_down(&b);
}
END_TEST

/* --- bytes that are not to be trusted ------------------------------------ */

START_TEST(test_truncated)
{
	const struct codec *codec = packing_codec(_i);
	unsigned char src[BLOCK], *packed;
	struct bench b;
	size_t packed_len, len;
	int kind;

	if (!codec)
		return;
	bench_set_up(&b, codec, codec->level_default, BLOCK);
	for (kind = 0; kind < CORPUS_KINDS; kind++) {
		corpus_fill((enum corpus_kind)kind, 3, src, BLOCK);
		packed_len = bench_pack(&b, src, BLOCK, &packed);
		for (len = packed_len - 1; len > 0; len--) {
			/* Up to the guard page again. */
			memmove(b.packed.end - len, b.packed.end - len - 1, len);
			if (bench_unpack(&b, b.packed.end - len, len, BLOCK))
				ck_abort_msg("%s took the first %zu bytes of %zu",
					     codec->name, len, packed_len);
		}
	}
	bench_take_down(&b);
}
END_TEST

/* The byte in excess may be one that the form gives a meaning to: all are tried. */
START_TEST(test_trailing_byte)
{
	const struct codec *codec = packing_codec(_i);
	unsigned char src[BLOCK], *packed;
	struct bench b;
	size_t packed_len;
	int kind, byte;

	if (!codec)
		return;
	bench_set_up(&b, codec, codec->level_default, BLOCK);
	for (kind = 0; kind < CORPUS_KINDS; kind++) {
		corpus_fill((enum corpus_kind)kind, 4, src, BLOCK);
		packed_len = bench_pack(&b, src, BLOCK, &packed);
		memmove(packed - 1, packed, packed_len);
		for (byte = 0; byte < 256; byte++) {
			packed[packed_len - 1] = (unsigned char)byte;
			if (bench_unpack(&b, packed - 1, packed_len + 1, BLOCK))
				ck_abort_msg("%s took a byte %d too many", codec->name,
					     byte);
		}
	}
	bench_take_down(&b);
}
END_TEST

/*
 * A flipped bit may go unseen here, since the record's checksum sees it: the
 * guards are what is tested, and that the unpacker is as good as before.
 */
START_TEST(test_flipped_bits)
{
	static const enum corpus_kind kinds[] = {
		CORPUS_ZERO, CORPUS_TEXT, CORPUS_POINTERS
	};
	const struct codec *codec = packing_codec(_i);
	unsigned char src[BLOCK], *packed;
	struct bench b;
	size_t packed_len, k, bit;

	if (!codec)
		return;
	bench_set_up(&b, codec, codec->level_default, BLOCK);
	for (k = 0; k < sizeof(kinds) / sizeof(kinds[0]); k++) {
		corpus_fill(kinds[k], 5, src, BLOCK);
		packed_len = bench_pack(&b, src, BLOCK, &packed);
		for (bit = 0; bit < packed_len * 8; bit++) {
			packed[bit / 8] ^= (unsigned char)(1 << bit % 8);
			bench_unpack(&b, packed, packed_len, BLOCK);
			packed[bit / 8] ^= (unsigned char)(1 << bit % 8);
		}
		ck_assert(bench_unpack(&b, packed, packed_len, BLOCK));
		ck_assert_mem_eq(b.back.end - BLOCK, src, BLOCK);
	}
	bench_take_down(&b);
}
END_TEST

/* Noise from the first byte on, and what is no block at all. */
START_TEST(test_noise)
{
	const struct codec *codec = packing_codec(_i);
	unsigned char *noise;
	struct bench b;
	uint64_t seed;
	size_t len;

	if (!codec)
		return;
	bench_set_up(&b, codec, codec->level_default, BLOCK);
	for (seed = 0; seed < 20000; seed++) {
		len = 1 + seed % 200;
		noise = guarded_take(&b.packed, len);
		corpus_fill(CORPUS_RANDOM, seed, noise, len);
		bench_unpack(&b, noise, len, BLOCK);
	}
	ck_assert(!bench_unpack(&b, b.packed.end, 0, BLOCK));
	bench_take_down(&b);
}
END_TEST

/* --- pack() left in the middle ------------------------------------------- */

static sigjmp_buf abandoned;

static void abandon(int signal_number)
{
	(void)signal_number;
	siglongjmp(abandoned, 1);
}

/*
 * Packs a block of which only the first `readable` bytes can be read.  The
 * handler serves once, so that any other fault ends the test.
 */
static void pack_and_abandon(struct bench *b, size_t readable)
{
	struct sigaction action = { .sa_handler = abandon, .sa_flags = SA_RESETHAND };
	volatile bool left = true;
	unsigned char *src = guarded_take(&b->src, readable);
	unsigned char *dst = guarded_take(&b->packed, b->codec->bound(BLOCK));

	corpus_fill(CORPUS_TEXT, readable, src, readable);
	ck_assert_int_eq(sigaction(SIGSEGV, &action, NULL), 0);
	if (!sigsetjmp(abandoned, 1)) {
		b->codec->pack(b->packer, src, BLOCK, dst);
		left = false;
	}
	ck_assert_msg(left, "%s did not read the whole block", b->codec->name);
}

static void abandon_and_go_on(const struct codec *codec, int level)
{
	struct bench b;
	size_t readable;
	int kind;

	bench_set_up(&b, codec, level, BLOCK);
	for (readable = 0; readable < BLOCK; readable += 61) {
		pack_and_abandon(&b, readable);
		codec->packer_reset(b.packer);
		for (kind = 0; kind < CORPUS_KINDS; kind++)
			round_trip(&b, (enum corpus_kind)kind, BLOCK);
	}
	bench_take_down(&b);
}

/* A poisoned page raises SIGBUS in the midst of pack(); a guard page stands in. */
START_TEST(test_packer_reset)
{
	const struct codec *codec = packing_codec(_i);

	if (!codec || !codec->packer_reset)
		return;
	abandon_and_go_on(codec, codec->level_default);
	if (codec->level_min != codec->level_default)
		abandon_and_go_on(codec, codec->level_min);
}
END_TEST

/* --- threads ------------------------------------------------------------- */

struct thread_work {
	const struct codec *codec;
	uint64_t seed;
	int failures;
};

static void *thread_main(void *arg)
{
	struct thread_work *w = arg;
	const struct codec *codec = w->codec;
	void *packer = packer_new(codec, codec->level_default, BLOCK);
	void *unpacker = unpacker_new(codec);
	unsigned char *dst = malloc(codec->bound(BLOCK));
	unsigned char src[BLOCK], back[BLOCK];
	size_t len;
	int i;

	for (i = 0; i < 700; i++) {
		corpus_fill((enum corpus_kind)(i % CORPUS_KINDS), w->seed++, src, BLOCK);
		len = codec->pack(packer, src, BLOCK, dst);
		if (!len || !codec->unpack(unpacker, dst, len, back, BLOCK) ||
		    memcmp(src, back, BLOCK))
			w->failures++;
	}
	free(dst);
	packer_free(codec, packer);
	unpacker_free(codec, unpacker);
	return NULL;
}

START_TEST(test_two_threads)
{
	struct thread_work work[2];
	pthread_t threads[2];
	int i;

	if (!packing_codec(_i))
		return;
	for (i = 0; i < 2; i++) {
		work[i] = (struct thread_work){ packing_codec(_i), (uint64_t)i * 1000, 0 };
		ck_assert_int_eq(pthread_create(&threads[i], NULL, thread_main, &work[i]),
				 0);
	}
	for (i = 0; i < 2; i++) {
		ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
		ck_assert_int_eq(work[i].failures, 0);
	}
}
END_TEST

/* --- the table ----------------------------------------------------------- */

static void find_ok(const char *text, const char *name, int level)
{
	const struct codec *codec = NULL;
	struct error e = { 0 };
	int found = -99;

	ck_assert_msg(codec_find(text, &codec, &found, &e) == STATUS_OK, "%s: %s", text,
		      e.text);
	ck_assert_str_eq(codec->name, name);
	ck_assert_int_eq(found, level);
}

static void find_fails(const char *text, const char *message)
{
	const struct codec *codec;
	struct error e = { 0 };
	int level;

	ck_assert_int_eq(codec_find(text, &codec, &level, &e), STATUS_USAGE);
	ck_assert_int_eq(e.status, STATUS_USAGE);
	ck_assert_str_eq(e.text, message);
}

START_TEST(test_find)
{
	find_ok("raw", "raw", 0);
	find_ok("lzo", "lzo", 0);
	find_fails("lzo:3", "codec 'lzo' takes no level");
	find_fails("raw:", "codec 'raw' takes no level");
	find_fails("foo", "unknown codec 'foo'; --list-codecs names them");
	find_fails("foo:3", "unknown codec 'foo'; --list-codecs names them");
	find_fails("lz", "unknown codec 'lz'; --list-codecs names them");
	find_fails("LZO", "unknown codec 'LZO'; --list-codecs names them");
	find_fails("", "unknown codec ''; --list-codecs names them");
}
END_TEST

START_TEST(test_find_zstd)
{
#ifdef HAVE_ZSTD
	find_ok("zstd", "zstd", 1);
	find_ok("zstd:1", "zstd", 1);
	find_ok("zstd:22", "zstd", 22);
	find_fails("zstd:99", "zstd: level 99 is out of range; it takes 1 to 22");
	find_fails("zstd:0", "zstd: level 0 is out of range; it takes 1 to 22");
	find_fails("zstd:-5", "zstd: level -5 is out of range; it takes 1 to 22");
	find_fails("zstd:99999999999999999999",
		   "zstd: level 99999999999999999999 is out of range; it takes 1 to 22");
	find_fails("zstd:x", "zstd: level 'x' is not a number");
	find_fails("zstd:3x", "zstd: level '3x' is not a number");
	find_fails("zstd:", "zstd: level '' is not a number");
	find_fails("zstd: 3", "zstd: level ' 3' is not a number");
	find_fails("zstd:-", "zstd: level '-' is not a number");
#else
	find_fails("zstd", "codec 'zstd' was left out of this build");
	find_fails("zstd:3", "codec 'zstd' was left out of this build");
#endif
}
END_TEST

START_TEST(test_find_others)
{
#ifdef HAVE_SNAPPY
	find_ok("snappy", "snappy", 0);
	find_fails("snappy:1", "codec 'snappy' takes no level");
#else
	find_fails("snappy", "codec 'snappy' was left out of this build");
#endif
#ifdef HAVE_LZ4
	find_ok("lz4", "lz4", 0);
	find_fails("lz4:1", "codec 'lz4' takes no level");
	find_ok("lz4hc", "lz4hc", 9);
	find_fails("lz4hc:13", "lz4hc: level 13 is out of range; it takes 1 to 12");
#else
	find_fails("lz4", "codec 'lz4' was left out of this build");
	find_fails("lz4hc", "codec 'lz4hc' was left out of this build");
#endif
#ifdef HAVE_ZLIB
	find_ok("zlib", "zlib", 1);
	find_fails("zlib:10", "zlib: level 10 is out of range; it takes 1 to 9");
#else
	find_fails("zlib", "codec 'zlib' was left out of this build");
#endif
}
END_TEST

START_TEST(test_ids)
{
	static const char *const names[] = {
		"raw", "lzo", "snappy", "lz4", "zstd", "zlib"
	};
	unsigned id;

	for (id = 0; id < sizeof(names) / sizeof(names[0]); id++) {
		ck_assert_str_eq(codec_id_name(id), names[id]);
		if (codec_by_id(id))
			ck_assert_uint_eq(codec_by_id(id)->id, id);
	}
	ck_assert_ptr_null(codec_id_name(id));
	ck_assert_ptr_null(codec_by_id(id));
	ck_assert_ptr_null(codec_id_name(UINT32_MAX));
	ck_assert_ptr_eq(codec_by_id(CODEC_RAW), &codec_raw);
	ck_assert_ptr_eq(codec_by_id(CODEC_LZO), &codec_lzo);
#ifdef HAVE_LZ4
	ck_assert_ptr_eq(codec_by_id(CODEC_LZ4), &codec_lz4);
#else
	ck_assert_ptr_null(codec_by_id(CODEC_LZ4));
#endif
}
END_TEST

START_TEST(test_entries)
{
	const struct codec_entry *entry = codec_entries();
	const struct codec *codec;
	int count;

	for (count = 0; entry->name; entry++, count++) {
		codec = entry->codec;
		if (!codec)
			continue;
		ck_assert_str_eq(codec->name, entry->name);
		ck_assert_int_eq(codec->id, entry->id);
		ck_assert_int_le(codec->level_min, codec->level_default);
		ck_assert_int_le(codec->level_default, codec->level_max);
		ck_assert(codec->has_levels == (codec->level_max > 0));
		/* All four or none. */
		ck_assert(!codec->packer_new == !codec->packer_free);
		ck_assert(!codec->packer_new == !codec->packer_memory);
		ck_assert(!codec->packer_new == !codec->packer_reset);
		ck_assert(!codec->unpacker_new == !codec->unpacker_free);
	}
	/* The loops below this table run over as many. */
	ck_assert_int_eq(count, CODEC_NAMES);
}
END_TEST

START_TEST(test_raw)
{
	unsigned char src[16] = "sixteen bytes..", dst[16];

	ck_assert_uint_eq(codec_raw.bound(BLOCK), BLOCK);
	ck_assert_uint_eq(codec_raw.pack(NULL, src, sizeof(src), dst), 0);
	ck_assert(!codec_raw.unpack(NULL, src, sizeof(src), dst, sizeof(dst)));
}
END_TEST

/* What zstd's decoder would take, but is not one plain frame. */
START_TEST(test_zstd_other_frames)
{
#ifdef HAVE_ZSTD
	static const unsigned char skippable[8] = { 0x50, 0x2a, 0x4d, 0x18 };
	unsigned char two[512], src[BLOCK], back[2 * BLOCK];
	void *packer = packer_new(&codec_zstd, 1, BLOCK);
	void *unpacker = unpacker_new(&codec_zstd);
	size_t len;

	corpus_fill(CORPUS_SAME8, 1, src, BLOCK);
	ck_assert_uint_le(codec_zstd.bound(BLOCK), sizeof(back));
	len = codec_zstd.pack(packer, src, BLOCK, back);
	ck_assert_uint_le(2 * len + sizeof(skippable), sizeof(two));
	memcpy(two, back, len);
	memcpy(two + len, back, len);
	ck_assert(codec_zstd.unpack(unpacker, two, len, back, BLOCK));
	ck_assert(!codec_zstd.unpack(unpacker, two, 2 * len, back, 2 * BLOCK));
	memcpy(two + len, skippable, sizeof(skippable));
	ck_assert(!codec_zstd.unpack(unpacker, two, len + sizeof(skippable), back, BLOCK));
	memmove(two + sizeof(skippable), two, len);
	memcpy(two, skippable, sizeof(skippable));
	ck_assert(!codec_zstd.unpack(unpacker, two, len + sizeof(skippable), back, BLOCK));
	packer_free(&codec_zstd, packer);
	unpacker_free(&codec_zstd, unpacker);
#endif
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("codec");
	TCase *each = tcase_create("each codec");
	TCase *table = tcase_create("table");
	SRunner *runner;
	int failed;

	tcase_set_timeout(each, 120);
	tcase_add_loop_test(each, test_round_trip, 0, CODEC_NAMES);
	tcase_add_loop_test(each, test_short_blocks, 0, CODEC_NAMES);
	tcase_add_loop_test(each, test_adjacent_blocks, 0, CODEC_NAMES);
	tcase_add_loop_test(each, test_truncated, 0, CODEC_NAMES);
	tcase_add_loop_test(each, test_trailing_byte, 0, CODEC_NAMES);
	tcase_add_loop_test(each, test_flipped_bits, 0, CODEC_NAMES);
	tcase_add_loop_test(each, test_noise, 0, CODEC_NAMES);
	tcase_add_loop_test(each, test_packer_reset, 0, CODEC_NAMES);
	tcase_add_loop_test(each, test_two_threads, 0, CODEC_NAMES);
	suite_add_tcase(suite, each);
	tcase_add_test(table, test_find);
	tcase_add_test(table, test_find_zstd);
	tcase_add_test(table, test_find_others);
	tcase_add_test(table, test_ids);
	tcase_add_test(table, test_entries);
	tcase_add_test(table, test_raw);
	tcase_add_test(table, test_zstd_other_frames);
	suite_add_tcase(suite, table);
	runner = srunner_create(suite);
	srunner_run_all(runner, CK_NORMAL);
	failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
