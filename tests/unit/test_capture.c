// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Captures without failures: every codec, with several numbers of threads and outputs and sizes of
 * the source, with threads and in serial mode.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "helper.h"
#include "io/sink.h"
#include "io/source.h"
#include "trial.h"

static const size_t sizes[] = {
	0, 1, 4095, 4096, 4097, TRIAL_CHUNK - 1, TRIAL_CHUNK, TRIAL_CHUNK + 1,
	3 * TRIAL_CHUNK + TRIAL_CHUNK / 2, 40 * TRIAL_CHUNK + 4097,
};

static const unsigned threads[] = { 0, 1, 2, 5, 16 };	/* 0: serial mode */
static const unsigned outputs[] = { 1, 2, 3, 8 };

static const struct codec *codec_of(int i)
{
	return codec_entries()[i].codec;
}

static void set_codec(struct trial *t, const struct codec *codec)
{
	/* The best levels are slow, and the ratio does not matter here. */
	t->settings.presets = presets_of(codec, codec->level_min);
	t->settings.codec_text = codec->name;
}

static struct source *write_source(const char *name, const uint8_t *bytes, size_t size)
{
	struct source *source;
	struct error e;

	helper_write_file(name, bytes, size);
	ck_assert_int_eq(source_open(&source, name, MMAP_NEVER, &e), STATUS_OK);
	return source;
}

/* --- the table ----------------------------------------------------------- */

static void try_shape(const struct codec *codec, struct source *source, const uint8_t *bytes,
		      size_t size, size_t n, size_t k)
{
	struct trial t;

	trial_init(&t, source, outputs[k]);
	set_codec(&t, codec);
	trial_set_threads(&t, threads[n]);
	trial_run(&t);
	trial_assert_perfect(&t, bytes, size);
	ck_assert_uint_eq(t.failed, 0);
	trial_free(&t);
}

/* The next one that this build has. */
static const struct codec *codec_in_turn(int *turn)
{
	const struct codec *codec;

	do {
		codec = codec_of(*turn);
		*turn = (*turn + 1) % CODECS;
	} while (!codec);
	return codec;
}

/*
 * Each size of each kind of bytes, with each number of threads and outputs.  The codecs take turns,
 * because the path of a chunk does not depend on its codec.
 */
START_TEST(test_shapes)
{
	size_t size = sizes[_i / TRIAL_BYTES];
	uint8_t *bytes = trial_bytes_new(_i % TRIAL_BYTES, size);
	struct source *source = write_source("core", bytes, size);
	int turn = _i % CODECS;

	for (size_t n = 0; n < LENGTH(threads); n++)
		for (size_t k = 0; k < LENGTH(outputs); k++)
			try_shape(codec_in_turn(&turn), source, bytes, size, n, k);
	source_close(source);
	free(bytes);
}
END_TEST

/* Records with different codecs make one set. */
START_TEST(test_auto)
{
	size_t size = sizes[LENGTH(sizes) - 1];
	uint8_t *bytes = trial_bytes_new(_i, size);
	struct source *source = write_source("core", bytes, size);

	for (size_t n = 0; n < LENGTH(threads); n++) {
		struct trial t;

		trial_init(&t, source, outputs[n % LENGTH(outputs)]);
		ck_assert_int_eq(presets_find("auto", &t.settings.presets, &t.error), STATUS_OK);
		t.settings.codec_text = "auto";
		trial_set_threads(&t, threads[n]);
		trial_run(&t);
		trial_assert_perfect(&t, bytes, size);
		trial_free(&t);
	}
	source_close(source);
	free(bytes);
}
END_TEST

/* --- order --------------------------------------------------------------- */

/* Chunk k is in member k mod K, in order. */
static void check_order(struct trial *t, const uint8_t *bytes, size_t size)
{
	struct member_facts facts[TRIAL_OUTPUTS];
	struct copy copy;

	trial_read(t, bytes, size, &copy, facts);
	for (unsigned i = 0; i < t->outputs; i++)
		for (unsigned j = 0; j < facts[i].records; j++)
			ck_assert_uint_eq(facts[i].order[j], i + (uint64_t)j * t->outputs);
	copy_assert_perfect(&copy);
	trial_free_facts(t, facts);
	copy_free(&copy);
}

static void compare_members(const struct trial *a, const struct trial *b)
{
	for (unsigned i = 0; i < a->outputs; i++) {
		ck_assert_uint_eq(a->memory[i].length, b->memory[i].length);
		ck_assert_int_eq(memcmp(a->memory[i].bytes, b->memory[i].bytes,
					b->memory[i].length), 0);
	}
}

/* Striped members are identical, whatever the number of threads. */
START_TEST(test_stripe)
{
	size_t size = sizes[LENGTH(sizes) - 1];
	uint8_t *bytes = trial_bytes_new(TRIAL_MIXED, size);
	struct source *source = write_source("core", bytes, size);

	for (size_t k = 0; k < LENGTH(outputs); k++) {
		struct trial serial, t;

		trial_init(&serial, source, outputs[k]);
		trial_set_threads(&serial, 0);
		serial.settings.stripe = true;
		trial_run(&serial);
		trial_assert_perfect(&serial, bytes, size);
		check_order(&serial, bytes, size);
		trial_init(&t, source, outputs[k]);
		trial_set_threads(&t, threads[1 + _i / 2]);
		t.settings.stripe = true;
		/* With the least memory; slow sinks let the others overtake. */
		t.chunks = _i % 2 ? 1 : 0;
		t.memory[0].delay = 100;
		trial_run(&t);
		trial_assert_perfect(&t, bytes, size);
		compare_members(&serial, &t);
		trial_free(&t);
		trial_free(&serial);
	}
	source_close(source);
	free(bytes);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("capture");
	TCase *table = tcase_create("table"), *order = tcase_create("order");

	helper_use_directory(table);
	tcase_set_timeout(table, 300);
	tcase_add_loop_test(table, test_shapes, 0, LENGTH(sizes) * TRIAL_BYTES);
	tcase_add_loop_test(table, test_auto, 0, TRIAL_BYTES);
	suite_add_tcase(suite, table);
	helper_use_directory(order);
	tcase_set_timeout(order, 120);
	tcase_add_loop_test(order, test_stripe, 0, 8);
	suite_add_tcase(suite, order);
	return helper_run(suite);
}
