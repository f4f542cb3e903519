// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reading any bytes of sets with layers: compared with tests/unit/layer_oracle.c, for random sets,
 * whole and damaged.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "helper.h"
#include "layer_random.h"
#include "set/range.h"

enum { SETS = 200, DAMAGED = 400, READS = 60 };

/* What is expected of a read. */
static bool is_there(const struct oracle *o, uint64_t offset, uint64_t length)
{
	for (uint64_t g = offset / GRANULE; g < divide_up(offset + length, GRANULE); g++)
		if (o->map[g] != ORACLE_STORED && o->map[g] != ORACLE_LEFT_OUT)
			return false;
	return true;
}

static void try_read(struct range_reader *reader, const struct layer_random *r,
		     const struct oracle *o, uint64_t offset, uint64_t length, uint64_t seed)
{
	uint8_t *bytes = helper_noise(length);
	struct error e;
	enum status status = range_read(reader, offset, length, bytes, &e);

	ck_assert_msg(!status == is_there(o, offset, length), "seed %llu: %llu bytes at %llu of %s: %s",
		      (unsigned long long)seed, (unsigned long long)length,
		      (unsigned long long)offset, o->map, status ? e.text : "read");
	for (uint64_t at = offset; !status && at < offset + length; at++) {
		uint8_t want = o->map[at / GRANULE] == ORACLE_STORED ? r->source[at] : 0;

		if (bytes[at - offset] != want)
			ck_abort_msg("seed %llu: byte %llu", (unsigned long long)seed,
				     (unsigned long long)at);
	}
	free(bytes);
}

static void compare(const struct set *set, struct layer_random *r, const struct oracle *o,
		    uint64_t seed)
{
	struct range_reader reader;
	struct error e;

	ck_assert_int_eq(range_reader_init(&reader, set, &e), STATUS_OK);
	for (uint64_t at = 0; at < set->source_size; at += GRANULE)
		try_read(&reader, r, o, at, min_u64(GRANULE, set->source_size - at), seed);
	for (int i = 0; i < READS; i++) {
		uint64_t offset = layer_random_number(r, set->source_size);
		uint64_t most = min_u64(1 + layer_random_number(r, 1 << layer_random_number(r, 17)),
					set->source_size - offset);

		if (i % 16 == 0)
			range_reader_forget(&reader);
		try_read(&reader, r, o, offset, most, seed);
	}
	range_reader_free(&reader);
}

static void try_one(uint64_t seed, bool damaged)
{
	bool displaced = false;
	struct layer_random r;
	struct oracle o;
	struct set set;

	layer_random_make(&r, seed);
	for (uint64_t n = damaged ? 1 + seed % 3 : 0; n; n--)
		displaced |= layer_random_damage(&r);
	layer_random_read(&r, &o);
	/* Of displaced records, the oracle knows more: see test_cell.c. */
	if (!layer_random_open(&r, &set) && o.map && !displaced)
		compare(&set, &r, &o, seed);
	set_close(&set);
	oracle_free(&o);
	layer_random_free(&r);
}

START_TEST(test_random)
{
	for (uint64_t seed = 0; seed < SETS; seed++)
		try_one(seed, false);
}
END_TEST

START_TEST(test_damaged)
{
	for (uint64_t seed = 5000; seed < 5000 + DAMAGED; seed++)
		try_one(seed, true);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("layer_reader");
	TCase *tcase = tcase_create("layer_reader");

	helper_use_directory(tcase);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_random);
	tcase_add_test(tcase, test_damaged);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
