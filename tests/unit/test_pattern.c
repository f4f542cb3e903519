// SPDX-License-Identifier: GPL-2.0-or-later
/* The pattern and the ELF head that mkfakevmcore and the kernel module share. */
#include "config.h"

#include <string.h>

#include "fakevmcore/elfhead.h"
#include "fakevmcore/pattern.h"
#include "helper.h"

#define MIB (1ULL << 20)
#define GIB (1ULL << 30)

/* The largest block, and space to detect a byte too many. */
static uint8_t block[PATTERN_BLOCK_MAX + 8];

static struct pattern settings(enum pattern_kind kind)
{
	return (struct pattern) {
		.kind = kind,
		.block_size = PATTERN_BLOCK_DEFAULT,
		.pool_size = PATTERN_POOL_DEFAULT,
	};
}

/* FNV-1a, carried on from an earlier sum. */
static uint64_t sum(uint64_t hash, const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++)
		hash = (hash ^ data[i]) * 0x100000001b3ULL;
	return hash;
}

static uint64_t sum_blocks(const struct pattern *p, uint64_t first, uint64_t count)
{
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (uint64_t i = 0; i < count; i++) {
		pattern_fill(p, first + i, block);
		hash = sum(hash, block, p->block_size);
	}
	return hash;
}

/* --- the same bytes for ever --------------------------------------------- */

static const struct {
	enum pattern_kind kind;
	uint32_t block_size, compressible;
	uint64_t seed, first, count, want;
} golden[] = {
	{ PATTERN_RANDOM, 4096, 0, 0, 0, 8, 0xedba9b1f643a0a27ULL },
	{ PATTERN_RANDOM, 65536, 30, 1, 5, 2, 0x4c83e6fec755cbf5ULL },
	{ PATTERN_ZERO, 4096, 0, 7, 3, 2, 0xb9d103fd6854a325ULL },
	{ PATTERN_SAME, 4096, 0, 0, 0, 8, 0x0f5c25cc4e65d725ULL },
	{ PATTERN_TEXT, 4096, 0, 0, 0, 8, 0xe499a59b5259e2faULL },
	{ PATTERN_TEXT, 1048576, 0, ~0ULL, 9, 1, 0xa91b9ea42480a3b5ULL },
	{ PATTERN_MIXED, 4096, 0, 0, 0, 1024, 0x3ad7e6944413a4d7ULL },
	{ PATTERN_MIXED, 4096, 50, 12345, 1ULL << 40, 256, 0xce1837a42dfdeeafULL },
	{ PATTERN_MIXED, 16384, 0, 0, 0, 256, 0x73a65c05f20e1403ULL },
};

START_TEST(test_golden)
{
	struct pattern p = settings(golden[_i].kind);
	uint64_t got;

	p.block_size = golden[_i].block_size;
	p.compressible = golden[_i].compressible;
	p.seed = golden[_i].seed;
	got = sum_blocks(&p, golden[_i].first, golden[_i].count);
	ck_assert_msg(got == golden[_i].want, "line %d: the sum is 0x%016llxULL", _i,
		      (unsigned long long)got);
}
END_TEST

START_TEST(test_head_golden)
{
	static const uint64_t want[] = { 0x617c3be575d8e28bULL, 0x94d5c2b51a49f559ULL };
	static const uint64_t sizes[] = { 64 * MIB, 10 * GIB };
	uint64_t got;

	memset(block, 0xa5, sizeof(block));
	elfhead_build(sizes[_i], block);
	got = sum(0xcbf29ce484222325ULL, block, ELFHEAD_SIZE);
	ck_assert_msg(got == want[_i], "the sum is 0x%016llxULL", (unsigned long long)got);
	ck_assert_uint_eq(block[ELFHEAD_SIZE], 0xa5);
}
END_TEST

/* --- settings ------------------------------------------------------------ */

START_TEST(test_problems)
{
	static const struct pattern wrong[] = {
		{ PATTERN_KINDS, 4096, 0, MIB, 0 },
		{ PATTERN_MIXED, 0, 0, MIB, 0 },
		{ PATTERN_MIXED, 2048, 0, MIB, 0 },
		{ PATTERN_MIXED, 4097, 0, MIB, 0 },
		{ PATTERN_MIXED, 2 * MIB, 0, 8 * MIB, 0 },
		{ PATTERN_MIXED, 8192, 0, 4096, 0 },
		{ PATTERN_MIXED, 4096, 0, 0, 0 },
		{ PATTERN_MIXED, 4096, 0, 3 * 4096, 0 },
		{ PATTERN_MIXED, 4096, 0, PATTERN_POOL_MAX * 2, 0 },
		{ PATTERN_RANDOM, 4096, 101, MIB, 0 },
		{ PATTERN_ZERO, 4096, 1, MIB, 0 },
		{ PATTERN_SAME, 4096, 1, MIB, 0 },
		{ PATTERN_TEXT, 4096, 1, MIB, 0 },
	};
	static const struct pattern right[] = {
		{ PATTERN_ZERO, 4096, 0, 4096, 0 },
		{ PATTERN_MIXED, MIB, 100, MIB, ~0ULL },
		{ PATTERN_RANDOM, 4096, 100, PATTERN_POOL_MAX, 1 },
	};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		ck_assert_msg(pattern_problem(&wrong[i]) != NULL, "line %zu passes", i);
	for (size_t i = 0; i < sizeof(right) / sizeof(*right); i++)
		ck_assert_ptr_null(pattern_problem(&right[i]));
	ck_assert_str_eq(pattern_name(PATTERN_MIXED), "mixed");
	ck_assert_ptr_null(pattern_name(PATTERN_KINDS));
	ck_assert_ptr_nonnull(elfhead_problem(0));
	ck_assert_ptr_nonnull(elfhead_problem(ELFHEAD_FILE_MIN - 1));
	ck_assert_ptr_null(elfhead_problem(ELFHEAD_FILE_MIN));
	ck_assert_ptr_null(elfhead_problem(ELFHEAD_FILE_MAX));
	ck_assert_ptr_nonnull(elfhead_problem(ELFHEAD_FILE_MAX + 1));
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("pattern");

	tcase_add_test(tcase, test_problems);
	tcase_add_loop_test(tcase, test_golden, 0, LENGTH(golden));
	tcase_add_loop_test(tcase, test_head_golden, 0, 2);
	/* Sanitizers slow the loops down. */
	tcase_set_timeout(tcase, 60);
	return helper_run_case("pattern", tcase);
}
