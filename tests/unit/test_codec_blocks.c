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
#include <string.h>

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

int main(void)
{
	Suite *suite = suite_create("codec_blocks");
	TCase *tcase = tcase_create("each codec");

	tcase_set_timeout(tcase, 120);
	tcase_add_loop_test(tcase, test_round_trip, 0, bench_codecs());
#ifdef HAVE_MALLINFO2
	tcase_add_loop_test(tcase, test_memory_of_packers, 0, bench_codecs());
#endif
	tcase_add_loop_test(tcase, test_packer_reset, 0, bench_codecs());
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
