// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What a capture stored is never taken for left out, and no wrong bytes are read, whatever is lost or
 * damaged: random sets before and after damage, without asking what else can be read of them.
 *
 * Pages do not change their class here: for those, doc/format.md, section 10, has exceptions.
 */
#include "config.h"

#include <stdlib.h>

#include "base/bytes.h"
#include "helper.h"
#include "layer_random.h"
#include "set/read/range.h"

enum { SETS = 2000, OTHERS = 50 };

/* A granule that can be read is as it was: the bytes of the source, or zeros if it was left out. */
static void check_granule(struct range_reader *reader, const struct layer_random *r,
			  const struct oracle *before, uint64_t offset, uint64_t seed)
{
	uint64_t length = min_u64(GRANULE, r->size - offset);
	char letter = before->map[offset / GRANULE];
	uint8_t bytes[GRANULE];
	struct error e;

	if (range_read(reader, offset, length, bytes, &e))
		return;
	if (letter != ORACLE_STORED && letter != ORACLE_LEFT_OUT)
		ck_abort_msg("seed %llu: granule %llu of %s can be read", (unsigned long long)seed,
			     (unsigned long long)offset / GRANULE, before->map);
	for (uint64_t i = 0; i < length; i++)
		if (bytes[i] != (letter == ORACLE_STORED ? r->source[offset + i] : 0))
			ck_abort_msg("seed %llu: granule %llu of %s differs", (unsigned long long)seed,
				     (unsigned long long)offset / GRANULE, before->map);
}

static void check_all(const struct set *set, const struct layer_random *r, const struct oracle *before,
		      uint64_t seed)
{
	struct range_reader reader;
	struct error e;

	ck_assert_int_eq(range_reader_init(&reader, set, &e), STATUS_OK);
	for (uint64_t at = 0; at < min_u64(set->source_size, r->size); at += GRANULE)
		check_granule(&reader, r, before, at, seed);
	range_reader_free(&reader);
}

/* Any damage, or pages of another set in place of its own. */
static void try_one(uint64_t seed, bool paste)
{
	const struct capture_id ids[] = { maker_id, maker_other_id };
	struct layer_random r, other;
	struct oracle before;
	struct set set;

	layer_random_make_stable(&r, seed, &ids[0]);
	layer_random_make_stable(&other, seed % OTHERS, &ids[1]);
	layer_random_read(&r, &before);
	for (uint64_t n = 1 + seed % 3; n; n--) {
		layer_random_damage(&r);
		if (paste)
			layer_random_paste(&r, &other);
	}
	if (!layer_random_open(&r, &set) && set_has_layers(&set) && before.map &&
	    capture_id_equal(&set.id, &maker_id))
		check_all(&set, &r, &before, seed);
	set_close(&set);
	oracle_free(&before);
	layer_random_free(&r);
	layer_random_free(&other);
}

START_TEST(test_damaged)
{
	for (uint64_t seed = 0; seed < SETS; seed++)
		try_one(seed, false);
}
END_TEST

START_TEST(test_pasted)
{
	for (uint64_t seed = SETS; seed < 2 * SETS; seed++)
		try_one(seed, true);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("left_out");

	helper_use_directory(tcase);
	tcase_set_timeout(tcase, 120);
	tcase_add_test(tcase, test_damaged);
	tcase_add_test(tcase, test_pasted);
	return helper_run_case("left_out", tcase);
}
