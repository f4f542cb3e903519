// SPDX-License-Identifier: GPL-2.0-or-later
/* How settings are reduced when memory is short, in which order, and what is reported. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "capture/memory/memory_plan.h"
#include "helper.h"
#include "trial.h"

#define MIB *(UINT64_C(1) << 20)

enum { SIZE = 64 << 20, CHUNK = 1 << 20 };

static struct trial_source source;
static struct trial t;
static struct fit_note note;

static void setup(void)
{
	static uint8_t nothing[1];

	trial_source_init(&source, nothing, SIZE);
	trial_init(&t, &source.source, 1);
	t.settings.chunk_size = CHUNK;
	t.settings.threads = 64;
}

static void teardown(void)
{
	trial_free(&t);
}

static enum fit_outcome fit(uint64_t memory)
{
	struct limit limit = { memory, "a test" };

	ck_assert_int_eq(capture_fit(&t.settings, t.source, t.sinks, t.outputs, &limit, &t.plan,
				     &note, &t.error), STATUS_OK);
	return note.outcome;
}

/* Whatever is available, the plan stays within it and uses most of it. */
START_TEST(test_any)
{
	unsigned before = 0;

	for (uint64_t memory = 16 MIB; memory < 256 MIB; memory += 1 MIB) {
		t.settings.threads = 64;
		fit(memory);
		ck_assert_int_ne(note.outcome, FIT_NOT);
		ck_assert_uint_le(t.plan.total, fit_usable(memory));
		ck_assert_uint_eq(t.plan.total, t.plan.chunks * t.plan.chunk +
				  t.settings.threads * t.plan.worker + t.plan.sink +
				  t.plan.pipes + t.plan.ledger + t.plan.program);
		ck_assert_uint_ge(t.settings.threads, before);
		ck_assert_uint_eq(t.settings.chunk_size, CHUNK);
		if (note.outcome == FIT_AS_WANTED)
			continue;
		ck_assert_uint_ge(t.plan.total + t.plan.worker + 2 * t.plan.chunk +
				  (t.settings.threads + 2) * 32 * 1024, fit_usable(memory));
		before = t.settings.threads;
	}
	ck_assert_int_eq(note.outcome, FIT_AS_WANTED);
}
END_TEST

/* Chunks that wait go first, then threads with their chunks. */
START_TEST(test_order)
{
	uint64_t enough = 16 MIB;

	source.source.size = UINT64_C(1) << 30;
	t.settings.threads = 4;
	for (; fit(enough) != FIT_AS_WANTED; t.settings.threads = 4)
		enough += 1 MIB / 4;
	ck_assert_uint_eq(t.plan.chunks, 4 + 1 + CHUNKS_WAITING);
	for (uint64_t less = 1; less <= CHUNKS_WAITING - 1; less++) {
		t.settings.threads = 4;
		ck_assert_int_eq(fit(enough - less * 1 MIB), FIT_WITH_LESS);
		ck_assert_uint_eq(t.settings.threads, 4);
		ck_assert_uint_lt(t.plan.chunks, 4 + 1 + CHUNKS_WAITING);
	}
	t.settings.threads = 4;
	ck_assert_int_eq(fit(enough - 8 MIB), FIT_WITH_LESS);
	ck_assert_uint_lt(t.settings.threads, 4);
	ck_assert_uint_ge(t.plan.chunks, t.settings.threads + 1);
}
END_TEST

/* One thread that writes what it has packed needs no chunks that wait: with --serial, or if no output can be slow. */
START_TEST(test_alone)
{
	source.source.size = UINT64_C(1) << 30;
	t.settings.threads = 1;
	t.sinks[0].kind = SINK_FILE;
	ck_assert_int_eq(fit(UINT64_MAX), FIT_AS_WANTED);
	ck_assert_uint_eq(t.plan.chunks, 1 + 1 + CHUNKS_WAITING);
	t.settings.serial = true;
	ck_assert_int_eq(fit(UINT64_MAX), FIT_AS_WANTED);
	ck_assert_uint_eq(t.plan.chunks, 1 + 1);
	t.settings.serial = false;
	strcpy(t.sinks[0].in_memory, "tmpfs");
	ck_assert_int_eq(fit(UINT64_MAX), FIT_AS_WANTED);
	ck_assert_uint_eq(t.plan.chunks, 1 + 1);
	t.settings.threads = 4;
	ck_assert_int_eq(fit(UINT64_MAX), FIT_AS_WANTED);
	ck_assert_uint_eq(t.plan.chunks, 4 + 1 + CHUNKS_WAITING);
	t.settings.threads = 1;
	t.sinks[0].in_memory[0] = '\0';
	t.sinks[0].kind = SINK_STREAM;
	ck_assert_int_eq(fit(UINT64_MAX), FIT_AS_WANTED);
	ck_assert_uint_eq(t.plan.chunks, 1 + 1 + CHUNKS_WAITING);
}
END_TEST

START_TEST(test_text)
{
	ck_assert_int_eq(fit(60 MIB), FIT_WITH_LESS);
	ck_assert_msg(strncmp(note.text.text, "64 threads need ", 16) == 0 &&
		      strstr(note.text.text, " MiB of memory and 52.2 MiB is available (a test); "
			     "using "), "%s", note.text.text);
}
END_TEST

/* A limit given by the user is used in full. */
START_TEST(test_told)
{
	t.settings.threads = 16;
	t.settings.memory_limit = 45 MIB;
	ck_assert_int_eq(fit(30 MIB), FIT_WITH_LESS);
	ck_assert_uint_le(t.plan.total, 30 MIB);
	ck_assert_uint_gt(t.plan.total, fit_usable(30 MIB));
	t.settings.threads = 2;
	t.settings.memory_limit = 10 MIB;
	ck_assert_int_eq(fit(11 MIB), FIT_AS_WANTED);
	ck_assert_uint_eq(t.settings.threads, 2);
}
END_TEST

/* Large chunks become small ones before nothing fits. */
START_TEST(test_chunk_size)
{
	t.settings.chunk_size = 64 << 20;
	ck_assert_int_eq(fit(40 MIB), FIT_WITH_LESS);
	ck_assert_uint_lt(t.settings.chunk_size, 64 << 20);
	ck_assert_uint_ge(t.settings.chunk_size, 8 << 20);
	ck_assert_uint_eq(t.settings.threads, 1);
	ck_assert_ptr_nonnull(strstr(note.text.text, "using 1 thread and 1 chunk of "));
}
END_TEST

/* A codec that needs too much memory is replaced, and that is reported. */
START_TEST(test_codec)
{
	if (presets_find("zstd:22", &t.settings.presets, &t.error))
		return;			/* left out of this build */
	t.settings.codec_text = "zstd:22";
	t.settings.block_size = 1 << 20;
	ck_assert_int_eq(fit(UINT64_MAX), FIT_AS_WANTED);
	ck_assert_uint_ge(t.plan.worker, 8 MIB);
	ck_assert_int_eq(fit(18 MIB), FIT_WITH_LESS);
	ck_assert_str_ne(t.settings.codec_text, "zstd:22");
	ck_assert_ptr_nonnull(strstr(note.text.text, " instead of zstd:22"));
	ck_assert_uint_le(t.plan.total, fit_usable(18 MIB));
}
END_TEST

/* Not even the least fits: it is tried, and that is reported. */
START_TEST(test_nothing_fits)
{
	ck_assert_int_eq(fit(1 MIB), FIT_NOT);
	ck_assert_uint_eq(t.settings.threads, 1);
	ck_assert_uint_eq(t.plan.chunks, 1);
	ck_assert_ptr_nonnull(strstr(note.text.text, "; trying 1 thread and 1 chunk"));
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("fit");

	tcase_add_checked_fixture(tcase, setup, teardown);
	tcase_add_test(tcase, test_any);
	tcase_add_test(tcase, test_order);
	tcase_add_test(tcase, test_alone);
	tcase_add_test(tcase, test_text);
	tcase_add_test(tcase, test_told);
	tcase_add_test(tcase, test_chunk_size);
	tcase_add_test(tcase, test_codec);
	tcase_add_test(tcase, test_nothing_fits);
	return helper_run_case("fit", tcase);
}
