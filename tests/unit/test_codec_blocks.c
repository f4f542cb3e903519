// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Every codec of this build keeps the promises of codec.h: packing and unpacking gives the same
 * bytes. The cases loop over codec_entries(); _i is the entry, and one that was left out of the
 * build is skipped.
 */
#include "config.h"

#include <malloc.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "codec_bench.h"
#include "helper.h"

enum { BIGGEST = 1 << 20 };

static void round_trips(const struct codec *codec, int level)
{
	static const size_t sizes[] = { 1, 2, 7, 8, 100, 4095, 4096, 65536, BIGGEST };
	struct bench b;
	size_t i;
	int kind;

	for (i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		bench_set_up(&b, codec, level, sizes[i]);
		/* The slowest levels would take seconds for all kinds at this size. */
		if (sizes[i] == BIGGEST && level != codec->level_default)
			bench_round_trip(&b, CORPUS_TEXT, sizes[i]);
		else
			for (kind = 0; kind < CORPUS_KINDS; kind++)
				bench_round_trip(&b, (enum corpus_kind)kind, sizes[i]);
		bench_take_down(&b);
	}
}

START_TEST(test_round_trip)
{
	const struct codec *codec = bench_codec(_i);

	if (!codec)
		return;
	round_trips(codec, codec->level_default);
	if (codec->level_min != codec->level_default)
		round_trips(codec, codec->level_min);
	if (codec->level_max != codec->level_default)
		round_trips(codec, codec->level_max);
}
END_TEST

#ifdef HAVE_MALLINFO2
static size_t heap_in_use(void)
{
	struct mallinfo2 heap = mallinfo2();

	return heap.uordblks + heap.hblkhd;
}

static void takes_what_it_says(const struct codec *codec, int level)
{
	enum { OF_MALLOC = 8192 };	/* malloc() rounds large pieces up to whole pages */
	size_t before = heap_in_use(), taken;
	void *packer = codec->packer_new(level, BENCH_BLOCK);

	ck_assert_ptr_nonnull(packer);
	taken = heap_in_use() - before;
	ck_assert_uint_le(taken, codec->packer_memory(packer) + OF_MALLOC);
	/* Nor is it overestimated by the size of a chunk. */
	ck_assert(!taken || codec->packer_memory(packer) <= 2 * taken + OF_MALLOC);
	codec->packer_free(packer);
}

/* With a sanitizer's heap, nothing can be measured here. */
START_TEST(test_memory_of_packers)
{
	const struct codec *codec = bench_codec(_i);

	if (!codec || !codec->packer_new)
		return;
	for (int level = codec->level_min; level <= codec->level_max; level++)
		takes_what_it_says(codec, level);
}
END_TEST
#endif

/* --- pack() left in the middle ------------------------------------------- */

static sigjmp_buf abandoned;

static void abandon(int signal_number)
{
	(void)signal_number;
	siglongjmp(abandoned, 1);
}

/*
 * Packs a block; only its first `readable` bytes can be read.  The handler serves once, so that any
 * other fault ends the test.
 */
static void pack_and_abandon(struct bench *b, size_t readable)
{
	struct sigaction action = { .sa_handler = abandon, .sa_flags = SA_RESETHAND };
	volatile bool left = true;
	unsigned char *src = guarded_take(&b->src, readable);
	unsigned char *dst = guarded_take(&b->packed, b->codec->bound(BENCH_BLOCK));

	corpus_fill(CORPUS_TEXT, readable, src, readable);
	ck_assert_int_eq(sigaction(SIGSEGV, &action, NULL), 0);
	if (!sigsetjmp(abandoned, 1)) {
		b->codec->pack(b->packer, src, BENCH_BLOCK, dst);
		left = false;
	}
	ck_assert_msg(left, "%s did not read the whole block", b->codec->name);
}

static void abandon_and_go_on(const struct codec *codec, int level)
{
	struct bench b;
	size_t readable;
	int kind;

	bench_set_up(&b, codec, level, BENCH_BLOCK);
	for (readable = 0; readable < BENCH_BLOCK; readable += 61) {
		pack_and_abandon(&b, readable);
		if (codec->packer_reset)
			codec->packer_reset(b.packer);
		for (kind = 0; kind < CORPUS_KINDS; kind++)
			bench_round_trip(&b, (enum corpus_kind)kind, BENCH_BLOCK);
	}
	bench_take_down(&b);
}

/* A poisoned page raises SIGBUS during pack(); here a guard page does. */
START_TEST(test_packer_reset)
{
	const struct codec *codec = bench_codec(_i);

	if (!codec || !codec->packer_new)
		return;
	abandon_and_go_on(codec, codec->level_default);
	if (codec->level_min != codec->level_default)
		abandon_and_go_on(codec, codec->level_min);
}
END_TEST

/* --- the encoder of lzo, and the library's decoder ---------------------------- */

enum { LONGEST = 64 << 10 };

/* Packs the last len bytes of the source, and compares what is unpacked unless the source changes meanwhile. */
static void lzo_round_trip(struct bench *b, size_t len, bool changes)
{
	unsigned char *src = b->src.end - len, *packed;
	size_t packed_len = bench_pack(b, src, len, &packed);

	if (packed_len && (!bench_unpack(b, packed, packed_len, len) ||
			   (!changes && memcmp(b->back.end - len, src, len))))
		ck_abort_msg("%zu bytes did not come back", len);
}

START_TEST(test_lzo_lengths)
{
	struct bench b;

	bench_set_up(&b, &codec_lzo, 0, LONGEST);
	for (size_t page = 0; page < LONGEST; page += BENCH_BLOCK)
		corpus_fill(CORPUS_POINTERS, page, b.src.end - LONGEST + page, 128);
	for (size_t len = 0; len <= LONGEST; len++)
		lzo_round_trip(&b, len, false);
	for (int kind = 0; kind < CORPUS_KINDS; kind++) {
		corpus_fill((enum corpus_kind)kind, 7, b.src.end - LONGEST, LONGEST);
		for (size_t len = 0; len <= BENCH_BLOCK + 50; len++)
			lzo_round_trip(&b, len, false);
		for (size_t len = BENCH_BLOCK; len < LONGEST; len += len >= 0xbf00 && len < 0xc100 ? 1 : 1021)
			lzo_round_trip(&b, len, false);
	}
	bench_take_down(&b);
}
END_TEST

/* Literals and matches whose lengths and offsets are next to the limits of the format's instructions. */
START_TEST(test_lzo_limits)
{
	static const size_t literals[] = { 0, 1, 3, 4, 18, 19, 20, 238, 239, 273, 274, 529 };
	static const size_t lengths[] = { 4, 6, 7, 8, 9, 10, 33, 34, 264, 265, 288, 289, 544 };
	static const size_t offsets[] = { 1, 2, 7, 8, 16, 0x7ff, 0x800, 0x801, 0x4000, 0x4001, 0xbffe, 0xbfff, 0xc000 };
	struct bench b;

	bench_set_up(&b, &codec_lzo, 0, LONGEST);
	for (unsigned round = 0; round < 100; round++) {
		unsigned char *src = b.src.end - LONGEST, *at = src;
		size_t offset = 8;

		/* What is not overwritten is random, or pointers. */
		corpus_fill(round % 3 ? CORPUS_RANDOM : CORPUS_POINTERS, round, src, LONGEST);
		srandom(round);
		for (;;) {
			size_t length = lengths[(size_t)random() % LENGTH(lengths)];

			/* It is often the offset before, at which the encoder goes on without a lookup. */
			if (random() % 2)
				offset = offsets[(size_t)random() % LENGTH(offsets)];
			at += round % 2 ? 19 : literals[(size_t)random() % LENGTH(literals)];
			if (at + length > b.src.end)
				break;
			for (; length && offset <= (size_t)(at - src); length--, at++)
				*at = at[-(ptrdiff_t)offset];
			at += length ? 4 : 0;
		}
		lzo_round_trip(&b, LONGEST - round, false);
		lzo_round_trip(&b, BENCH_BLOCK - round, false);
	}
	bench_take_down(&b);
}
END_TEST

/* A device may write to the memory of the crashed machine: here another process does. */
START_TEST(test_lzo_changing)
{
	size_t size = 2 * BENCH_BLOCK;
	struct bench b;
	pid_t writer;

	bench_set_up(&b, &codec_lzo, 0, size);
	ck_assert_ptr_ne(mmap(b.src.end - size, size, PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0), MAP_FAILED);
	writer = fork();
	ck_assert_int_ge(writer, 0);
	if (!writer)
		prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (uint64_t i = 0; !writer; i++)
		corpus_fill(i % 2 ? CORPUS_POINTERS : CORPUS_RANDOM, i % 8, b.src.end - size, size - i % 3);
	for (int i = 0; i < 10000; i++)
		lzo_round_trip(&b, i % 2 ? size : BENCH_BLOCK, true);
	kill(writer, SIGKILL);
	ck_assert_int_eq(waitpid(writer, NULL, 0), writer);
	bench_take_down(&b);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("each codec");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, test_round_trip, 0, bench_codecs());
#ifdef HAVE_MALLINFO2
	tcase_add_loop_test(tcase, test_memory_of_packers, 0, bench_codecs());
#endif
	tcase_add_loop_test(tcase, test_packer_reset, 0, bench_codecs());
	tcase_add_test(tcase, test_lzo_lengths);
	tcase_add_test(tcase, test_lzo_limits);
	tcase_add_test(tcase, test_lzo_changing);
	return helper_run_case("codec_blocks", tcase);
}
