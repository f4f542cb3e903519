// SPDX-License-Identifier: GPL-2.0-or-later
/* The ceiling does all the work that it measures, and stops when it is asked to. */
#include "config.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "bench/bench.h"
#include "helper.h"
#include "io/source.h"

static void no_tick(void *arg)
{
	(void)arg;
}

static const struct watch no_watch = { .fd = -1, .interval = 1, .tick = no_tick };

static struct source *open_fake(const char *name)
{
	struct source *source;
	struct error e;

	ck_assert_msg(fake_open(&source, name, &e) == STATUS_OK, "%s", e.text);
	return source;
}

/* A codec that counts the blocks that it packs and unpacks. */
static atomic_ullong packed_bytes, unpacked_bytes;

static size_t counting_pack(void *packer, const void *src, size_t len, void *dst)
{
	atomic_fetch_add(&packed_bytes, len);
	return codec_lzo.pack(packer, src, len, dst);
}

static bool counting_unpack(void *unpacker, const void *src, size_t len, void *dst, size_t dst_len)
{
	atomic_fetch_add(&unpacked_bytes, dst_len);
	return codec_lzo.unpack(unpacker, src, len, dst, dst_len);
}

static const enum measure measures[] = { MEASURE_COPY, MEASURE_PACK, MEASURE_UNPACK };

START_TEST(test_all_of_it)
{
	struct source *source = open_fake("fake:3000001,pattern=text");
	struct codec counting = codec_lzo;
	struct preset preset = { .codec = &counting };
	atomic_bool stop = false;
	struct sample sample;
	struct ceiling c = {
		.sample = &sample,
		.preset = &preset,
		.block_size = 4096,
		.chunk_size = 65536,
		.threads = 3,
		.stop = &stop,
	};
	struct ceiling_figures figures;
	struct error e;

	packed_bytes = unpacked_bytes = 0;
	ck_assert_int_eq(sample_take(&sample, source, c.chunk_size, UINT64_MAX, &e), STATUS_OK);
	ck_assert_uint_eq(sample.size, 3000001);
	counting.pack = counting_pack;
	counting.unpack = counting_unpack;
	ck_assert_int_eq(ceiling_run(&c, measures[_i], &no_watch, &figures, &e), STATUS_OK);
	ck_assert_double_ge(figures.seconds, 0.05);
	ck_assert_uint_ge(figures.bytes, 3000001);
	/* Neither text nor the ELF headers have same-filled blocks. */
	ck_assert_uint_eq(packed_bytes, measures[_i] == MEASURE_PACK ? figures.bytes :
					measures[_i] == MEASURE_UNPACK ? 3000001 : 0);
	ck_assert_uint_eq(unpacked_bytes, measures[_i] == MEASURE_UNPACK ? figures.bytes : 0);
	free(sample.bytes);
	source_close(source);
}
END_TEST

/* A sample of a file: all of it, or chunks that are spread over it. */
START_TEST(test_sample)
{
	enum { CHUNK = 65536, CHUNKS = 20 };
	static const uint64_t limits[] = { UINT64_MAX, CHUNKS * CHUNK, 7 * CHUNK, 1 };
	static const size_t taken[] = { CHUNKS, CHUNKS, 7, 1 };
	uint8_t *bytes = helper_noise(CHUNKS * CHUNK);
	size_t size = CHUNKS * CHUNK - 1000, last = 0;
	struct source *source;
	struct sample sample;
	struct error e;

	helper_write_file("core", bytes, size);
	ck_assert_int_eq(source_open(&source, "core", MMAP_NEVER, &e), STATUS_OK);
	ck_assert_int_eq(sample_take(&sample, source, CHUNK, limits[_i], &e), STATUS_OK);
	ck_assert_uint_eq(sample.size, taken[_i] * CHUNK - (taken[_i] == CHUNKS ? 1000 : 0));
	for (size_t i = 0; i < taken[_i]; i++) {
		size_t from = i * CHUNKS / taken[_i] * CHUNK;
		size_t len = from + CHUNK > size ? size - from : CHUNK;

		ck_assert_mem_eq(sample.bytes + i * CHUNK, bytes + from, len);
		last = from;
	}
	ck_assert(taken[_i] == 1 || last >= size / 2);
	free(sample.bytes);
	source_close(source);
	free(bytes);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("ceiling");

	helper_use_directory(tcase);
	tcase_add_loop_test(tcase, test_all_of_it, 0, LENGTH(measures));
	tcase_add_loop_test(tcase, test_sample, 0, 4);
	return helper_run_case("ceiling", tcase);
}
