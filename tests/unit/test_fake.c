// SPDX-License-Identifier: GPL-2.0-or-later
/* fake:SIZE: the bytes that mkfakevmcore writes, read block by block. */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "bench/bench.h"
#include "fakevmcore/core.h"
#include "helper.h"

static struct source *open_fake(const char *name)
{
	struct source *source;
	struct error e;

	ck_assert_msg(fake_open(&source, name, &e) == STATUS_OK, "%s", e.text);
	ck_assert_str_eq(source->name, name);
	ck_assert(!source->is_stream && !source->may_fault);
	return source;
}

/* Compares the source, in pieces of want bytes, with the core of the same settings. */
static void compare(const char *name, const struct core *core, size_t want)
{
	struct source *source = open_fake(name);
	uint8_t *piece = malloc(CORE_PIECE);
	struct source_reader reader;
	struct error e;

	ck_assert_uint_eq(source->size, core->size);
	ck_assert_int_eq(source_reader_init(&reader, source, 4096, 1 << 20,
					    READ_TO_BUFFER, &e), STATUS_OK);
	for (uint64_t start = 0; start < core->size; start += CORE_PIECE) {
		size_t len = core_make(core, start, piece), got;

		for (size_t at = 0; at < len; at += got) {
			size_t most = min_u64(want, core->size - (start + at));
			const uint8_t *data;

			ck_assert_int_eq(source_get(&reader, start + at, want, &data, &got, &e),
					 STATUS_OK);
			ck_assert_uint_ge(got, 1);
			/* Whole blocks of any size, so everything that is within a piece. */
			ck_assert_msg(got == most || (start + at + got) % CORE_PIECE == 0,
				      "%zu of %zu at %zu", got, want, (size_t)start + at);
			got = min_u64(got, len - at);
			ck_assert_msg(memcmp(data, piece + at, got) == 0, "%s: differs behind %zu",
				      name, (size_t)start + at);
		}
	}
	source_reader_free(&reader);
	source_close(source);
	free(piece);
}

static const size_t wants[] = { 4096, 65536, 1 << 20, 3 << 20 };

/* Several passes, each rotated by a different amount. */
START_TEST(test_passes)
{
	struct core core = core_default();

	core.size = 11 << 20;
	core.pattern.pool_size = 2 << 20;
	core.pattern.seed = 7;
	core.pattern.kind = PATTERN_RANDOM;
	core.pattern.compressible = 50;
	compare("fake:11M,pool=2M,seed=7,pattern=random,compressible=50", &core, wants[_i]);
}
END_TEST

static const struct {
	const char *name, *text;
} wrong[] = {
	{ "fake:", "fake:: '' is not a size" SIZE_RULE },
	{ "fake:1x", "fake:1x: '1x' is not a size" SIZE_RULE },
	{ "fake:1M,seed", "fake:1M,seed: 'seed' needs a value" },
	{ "fake:1M,sede=1", "fake:1M,sede=1: unknown key 'sede': use pattern, compressible, seed or pool" },
	{ "fake:1M,seed=a", "fake:1M,seed=a: seed 'a' is not a number" },
	{ "fake:1M,pattern=ones",
	  "fake:1M,pattern=ones: pattern 'ones' is not one of random, zero, same, text, mixed" },
	{ "fake:1M,compressible=101",
	  "fake:1M,compressible=101: compressible 101 is out of range; use 0 to 100" },
	{ "fake:1M,pool=64K", "fake:1M,pool=64K: the pool must be at least 1 MiB" },
	{ "fake:1M,pool=3M",
	  "fake:1M,pool=3M: the pool must be a power of two, from one block to 1 TiB" },
	{ "fake:8192",
	  "fake:8192: the size must be at least 8193: two pages of headers and a byte" },
};

START_TEST(test_wrong)
{
	struct source *source;
	struct error e;

	ck_assert(fake_named(wrong[_i].name));
	ck_assert_int_eq(fake_open(&source, wrong[_i].name, &e), STATUS_USAGE);
	ck_assert_str_eq(e.text, wrong[_i].text);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("fake");

	tcase_add_loop_test(tcase, test_passes, 0, LENGTH(wants));
	tcase_add_loop_test(tcase, test_wrong, 0, LENGTH(wrong));
	return helper_run_case("fake", tcase);
}
