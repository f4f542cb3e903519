// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What is at each offset of a set with layers: compared with tests/unit/layer_oracle.c, for random
 * sets, whole and damaged.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "helper.h"
#include "layer_maker.h"
#include "layer_random.h"
#include "set/read/range.h"

enum { SETS = 400, DAMAGED = 1200, GRANULES_MAX = LAYER_RANDOM_CELLS * LAYER_RANDOM_CELL / GRANULE };

static void ignore(void *arg, const struct error *e)
{
	(void)arg;
	(void)e;
}

/* Reads all of the set, so that damaged bodies are found. */
static void find_damage(const struct set *set)
{
	uint8_t *bytes = helper_pages(LAYER_RANDOM_CELL);
	struct range_reader reader;
	struct extent x;
	struct error e;

	ck_assert_int_eq(range_reader_init(&reader, set, &e), STATUS_OK);
	for (uint64_t at = 0; at < set->source_size; at += x.length)
		ck_assert_int_eq(range_read_extent(&reader, at,
						   min_u64(LAYER_RANDOM_CELL, set->source_size - at),
						   bytes, &x, &e), STATUS_OK);
	range_reader_free(&reader);
	free(bytes);
}

static char letter_of(const struct extent *x)
{
	switch (x->kind) {
	case EXTENT_STORED:
	case EXTENT_ZERO:
		return ORACLE_STORED;
	case EXTENT_LEFT_OUT:
		return ORACLE_LEFT_OUT;
	case EXTENT_UNREADABLE:
		return ORACLE_UNREADABLE;
	default:
		ck_assert(extent_is_missing(x));
		return ORACLE_MISSING;
	}
}

/* Extents follow each other, and end where it is asked that they end. */
static void take_letters(const struct set *set, char *letters)
{
	struct resolver r;
	struct extent x, some;
	struct error e;

	ck_assert_int_eq(resolver_init(&r, set, &e), STATUS_OK);
	for (uint64_t at = 0; at < set->source_size; at += x.length) {
		uint64_t left = set->source_size - at;

		ck_assert_int_eq(resolve(&r, at, left, &x, &e), STATUS_OK);
		ck_assert_uint_eq(x.offset, at);
		ck_assert(x.length && x.length <= left);
		ck_assert_int_eq(resolve(&r, at + x.length - 1, 1, &some, &e), STATUS_OK);
		ck_assert_uint_eq(some.length, 1);
		ck_assert_int_eq(some.kind, x.kind);
		ck_assert_int_eq(some.second, x.second);
		if (x.kind == EXTENT_STORED)
			ck_assert_uint_eq(some.at, x.at + x.length - 1);
		memset(letters + at / GRANULE, letter_of(&x), divide_up(x.length, GRANULE));
	}
	resolver_free(&r);
}

/*
 * displaced: records may be elsewhere than their index says, where the oracle finds them, and a reader
 * with an intact index does not; or a header may be in front of other records, which the oracle then
 * skips, and such a reader does not.  But nothing that is stored may look left out.
 */
static void compare(const struct set *set, const struct oracle *o, bool displaced, uint64_t seed)
{
	char letters[GRANULES_MAX];

	/* A footer that is elsewhere is not used. */
	if (displaced && divide_up(set->source_size, GRANULE) != o->granules)
		return;
	ck_assert_msg(divide_up(set->source_size, GRANULE) == o->granules,
		      "seed %llu: %llu bytes, %zu granules", (unsigned long long)seed,
		      (unsigned long long)set->source_size, o->granules);
	find_damage(set);
	take_letters(set, letters);
	for (uint64_t g = 0; g < o->granules; g++) {
		if (letters[g] == o->map[g] ||
		    (displaced && !(letters[g] == ORACLE_LEFT_OUT && o->map[g] == ORACLE_STORED)))
			continue;
		ck_abort_msg("seed %llu: granule %llu of %s is %c", (unsigned long long)seed,
			     (unsigned long long)g, o->map, letters[g]);
	}
}

static void try_one(uint64_t seed, bool damaged)
{
	struct layer_trial t;

	layer_trial_begin(&t, seed, damaged);
	if (t.opened && set_has_layers(&t.set))
		compare(&t.set, &t.o, t.displaced, seed);
	else
		ck_assert_msg(t.displaced || (damaged && !t.o.granules), "seed %llu",
			      (unsigned long long)seed);
	layer_trial_end(&t);
}

START_TEST(test_random)
{
	for (uint64_t seed = 0; seed < SETS; seed++)
		try_one(seed, false);
}
END_TEST

START_TEST(test_damaged)
{
	for (uint64_t seed = SETS; seed < SETS + DAMAGED; seed++)
		try_one(seed, true);
}
END_TEST

static void make_lost(struct maker *m, uint32_t cell_size)
{
	const struct run runs[] = { { RUN_STORED, CLASS_MAP, 2 }, { RUN_ELSEWHERE, 0, 14 } };
	uint8_t *source = maker_source(16 * GRANULE);

	maker_init(m, 0, 1, 16 * GRANULE);
	maker_set_layers(&m->superblock, 4 * MAKER_CHUNK);
	maker_begin(m);
	maker_add_layered(m, source, 2, 0, runs, 2);
	m->superblock.cell_size = cell_size;
	maker_add_footer(m);
	/* Neither superblock nor footer are where they should be, so the record is found first. */
	memset(m->bytes, 0, FORMAT_MAGIC_LENGTH);
	maker_add_bytes(m, NULL, ALIGNMENT);
	maker_write(m, "m0");
	free(source);
}

static enum status open_lost(struct set *set, const char *expression)
{
	const struct set_settings settings = {
		.salvage = true, .search = true, .warn = ignore,
	};
	struct names list = { 0 };
	enum status status;
	struct error e;

	ck_assert_int_eq(names_expand(&list, expression, 2, &e), STATUS_OK);
	status = set_open(set, &list, &settings, &e);
	names_free(&list);
	return status;
}

/* A footer must not change the cell size by which records were found: buffers depend on it. */
START_TEST(test_footer_of_other_cells)
{
	const uint32_t sizes[] = { 4 * MAKER_CHUNK, MAKER_CHUNK, 8 * MAKER_CHUNK };

	for (unsigned i = 0; i < 3; i++) {
		struct set set;
		struct maker m;
		struct error e;
		struct resolver r;
		struct extent x;

		make_lost(&m, sizes[i]);
		ck_assert_int_eq(open_lost(&set, "m0"), STATUS_OK);
		ck_assert_uint_eq(set.cell_size, 4 * MAKER_CHUNK);
		ck_assert_uint_eq(set.expected, i ? 0 : 1);
		ck_assert_int_eq(resolver_init(&r, &set, &e), STATUS_OK);
		ck_assert_int_eq(resolve(&r, 0, GRANULE, &x, &e), STATUS_OK);
		ck_assert_int_eq(x.kind, EXTENT_STORED);
		resolver_free(&r);
		set_close(&set);
		maker_free(&m);
	}
}
END_TEST

static void begin_with_free(struct maker *m, uint32_t number, uint32_t members, uint8_t byte)
{
	maker_init(m, number, members, 16 * GRANULE);
	maker_set_layers(&m->superblock, 4 * MAKER_CHUNK);
	m->superblock.classes.of[CLASS_FREE] = byte;
	maker_begin(m);
}

/*
 * The footer of an earlier capture, in which free pages were left out, is behind a member without
 * superblock: in this one, they are missing.
 */
START_TEST(test_classes_of_another)
{
	const struct run runs[] = { { RUN_STORED, CLASS_KERNEL, 2 }, { RUN_NAMED, CLASS_FREE, 14 } };
	const struct run later[] = { { RUN_STORED, CLASS_FREE, 1 }, { RUN_ELSEWHERE, 0, 13 } };
	uint8_t *source = maker_source(16 * GRANULE);
	struct maker m, old;
	struct resolver r;
	struct extent x;
	struct error e;
	struct set set;

	begin_with_free(&m, 0, 2, 0x02);
	maker_add_layered(&m, source, 1, 0, runs, 2);
	maker_end(&m, "m0");
	begin_with_free(&old, 0, 1, 0x20);
	old.superblock.id = maker_other_id;
	old.footer.set.id = maker_other_id;
	begin_with_free(&m, 1, 2, 0x02);
	maker_add_layered(&m, source, 2, 2 * GRANULE, later, 2);
	maker_add_bytes(&m, old.bytes + maker_add_footer(&old), FOOTER_LENGTH);
	memset(m.bytes, 0, FORMAT_MAGIC_LENGTH);
	maker_write(&m, "m1");
	ck_assert_int_eq(open_lost(&set, "m{0..1}"), STATUS_OK);
	ck_assert_uint_eq(set.count, 2);
	ck_assert_uint_eq(set.classes.of[CLASS_FREE], 0x02);
	ck_assert_int_eq(resolver_init(&r, &set, &e), STATUS_OK);
	ck_assert_int_eq(resolve(&r, 3 * GRANULE, 13 * GRANULE, &x, &e), STATUS_OK);
	ck_assert_int_eq(x.kind, EXTENT_MISSING);
	ck_assert_uint_eq(x.length, 13 * GRANULE);
	resolver_free(&r);
	set_close(&set);
	maker_free(&m);
	maker_free(&old);
	free(source);
}
END_TEST

/* 1 TiB of which 8 pages in each MiB are stored is about 82,000 records. */
START_TEST(test_memory)
{
	ck_assert_uint_eq(sizeof(struct granule), 8);
	ck_assert_uint_le(sizeof(struct location), 40);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("resolve");

	helper_use_directory(tcase);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_random);
	tcase_add_test(tcase, test_damaged);
	tcase_add_test(tcase, test_footer_of_other_cells);
	tcase_add_test(tcase, test_classes_of_another);
	tcase_add_test(tcase, test_memory);
	return helper_run_case("resolve", tcase);
}
