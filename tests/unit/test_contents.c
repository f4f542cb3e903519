// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What of a set with layers is kept, left out and missing, by the heads of its records: compared with
 * tests/unit/layer_oracle.c, for random sets, whole and damaged.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "helper.h"
#include "layer_random.h"
#include "set/read/contents.h"
#include "set/read/walk.h"

enum { SETS = 300, DAMAGED = 600 };

static void put_letters(char *map, const struct range_list *list, char letter)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct range *r = &list->ranges[i];

		for (uint64_t at = r->offset; at < r->offset + r->length; at += GRANULE)
			map[at / GRANULE] = letter;
	}
}

/* The map of the oracle, by the contents. */
static char *map_of(const struct contents *c, size_t granules, uint64_t size)
{
	char *map = (char *)helper_pages(granules + 1);
	uint64_t offset = 0, length;

	memset(map, ORACLE_STORED, granules);
	map[granules] = '\0';
	put_letters(map, &c->missing, ORACLE_MISSING);
	put_letters(map, &c->unreadable, ORACLE_UNREADABLE);
	for (; contents_next_left_out(c, &offset, &length); offset += length) {
		ck_assert_uint_gt(length, 0);
		ck_assert_uint_le(offset + length, size);
		for (uint64_t at = offset; at < offset + length; at += GRANULE) {
			ck_assert_int_eq(map[at / GRANULE], ORACLE_STORED);
			map[at / GRANULE] = ORACLE_LEFT_OUT;
		}
	}
	return map;
}

/*
 * Damage to a payload does not show: then something is stored that turns out to be missing.  Nor does damage to
 * a record that was not read, because its index entry says as much: then it is as it was before.
 */
static bool may_differ(char found, char right, char before)
{
	if (found == before && found != ORACLE_UNREADABLE)
		return true;
	return found == ORACLE_STORED && right != ORACLE_LEFT_OUT;
}

/* before: the map without damage; NULL: there is none. */
static void compare(const char *map, const struct oracle *o, const char *before, uint64_t seed)
{
	for (size_t i = 0; i < o->granules; i++)
		if (map[i] != o->map[i] && !(before && may_differ(map[i], o->map[i], before[i])))
			ck_abort_msg("seed %llu: granule %zu of\n%s, but\n%s",
				     (unsigned long long)seed, i, o->map, map);
}

static uint64_t bytes_of(const char *map, uint64_t size, char letter)
{
	uint64_t bytes = 0;

	for (uint64_t at = 0; at < size; at++)
		bytes += map[at / GRANULE] == letter;
	return bytes;
}

static void check_totals(const struct contents *c, const char *map, uint64_t size)
{
	const struct class_totals *t = &c->totals.memory, *second = &c->totals.second;

	ck_assert_uint_eq(layer_totals_sum(t->kept) + layer_totals_sum(second->kept),
			  bytes_of(map, size, ORACLE_STORED));
	ck_assert_uint_eq(layer_totals_sum(t->left_out) + layer_totals_sum(second->left_out),
			  bytes_of(map, size, ORACLE_LEFT_OUT));
	ck_assert_uint_eq(layer_totals_sum(t->missing) + t->unknown + layer_totals_sum(second->missing) +
			  second->unknown, bytes_of(map, size, ORACLE_MISSING));
	ck_assert_uint_eq(t->unreadable + second->unreadable, bytes_of(map, size, ORACLE_UNREADABLE));
}

static void check_not_there(const struct contents *c, const char *map, uint64_t size)
{
	uint64_t bytes = 0;
	struct range_list list;

	ck_assert(contents_not_there(c, &list));
	for (size_t i = 0; i < list.count; i++) {
		ck_assert(!i || list.ranges[i - 1].offset + list.ranges[i - 1].length <
				list.ranges[i].offset);
		bytes += list.ranges[i].length;
	}
	ck_assert_uint_eq(bytes, bytes_of(map, size, ORACLE_MISSING) +
			  bytes_of(map, size, ORACLE_UNREADABLE));
	range_list_free(&list);
}

static void count_damaged(void *arg, size_t location, const struct error *e)
{
	unsigned *count = arg;

	(void)location;
	ck_assert_int_ne(e->status, STATUS_OK);
	++*count;
}

static void check(const struct set *set, const struct oracle *o, const char *before, uint64_t seed)
{
	unsigned count = 0;
	const struct contents_watch watch = {
		.damaged = count_damaged,
		.arg = &count,
	};
	struct contents c;
	struct error e;
	char *map;

	ck_assert_msg(contents_find(&c, set, &watch, &e) == STATUS_OK, "seed %llu: %s",
		      (unsigned long long)seed, e.text);
	map = map_of(&c, o->granules, set->source_size);
	compare(map, o, before, seed);
	check_totals(&c, map, set->source_size);
	check_not_there(&c, map, set->source_size);
	ck_assert(before || !count);
	free(map);
	contents_free(&c);
}

static void try_one(uint64_t seed, bool damaged)
{
	struct layer_random whole;
	struct oracle before;
	struct layer_trial t;

	layer_random_make(&whole, seed);
	layer_random_read(&whole, &before);
	layer_trial_begin(&t, seed, damaged);
	if (t.comparable && t.o.granules <= before.granules)
		check(&t.set, &t.o, damaged ? before.map : NULL, seed);
	layer_trial_end(&t);
	oracle_free(&before);
	layer_random_free(&whole);
}

START_TEST(test_random)
{
	for (uint64_t seed = 20000; seed < 20000 + SETS; seed++)
		try_one(seed, false);
}
END_TEST

START_TEST(test_damaged)
{
	for (uint64_t seed = 30000; seed < 30000 + DAMAGED; seed++)
		try_one(seed, true);
}
END_TEST

/* --- records that need not be read ---------------------------------------------------- */

enum { DESCRIBED = 3, RECORDS = DESCRIBED + 1 };

/*
 * Three records of four granules: all stored, all free, and both; and, with or without a record, a second place
 * of another.  Returns what is said of the set after damage to the header of one of the three.
 */
static char *find_damaged(unsigned which, unsigned first_place, unsigned written, unsigned *count)
{
	static const struct {
		struct run runs[2];
		uint32_t count;
	} records[RECORDS] = {
		{ { { RUN_STORED, 0, 4 } }, 1 },
		{ { { RUN_NAMED, CLASS_FREE, 4 } }, 1 },
		{ { { RUN_STORED, 0, 2 }, { RUN_NAMED, CLASS_FREE, 2 } }, 2 },
		{ { { RUN_NAMED, CLASS_SECOND, 4 } }, 1 },
	};
	struct contents_watch watch = { .damaged = count_damaged, .arg = count };
	uint64_t size = RECORDS * 4 * GRANULE;
	uint8_t *source = maker_source(size);
	char *map;
	size_t at[RECORDS];
	struct contents c;
	struct maker m;
	struct set set;
	struct error e;

	maker_init(&m, 0, 1, size);
	maker_set_layers(&m.superblock, MAKER_CHUNK);
	for (unsigned i = 1; i < CLASSES; i++)
		m.superblock.classes.of[i] = class_entry(CLASS_LEFT_OUT, 0);
	maker_add_second(&m.superblock, 3 * MAKER_CHUNK, MAKER_CHUNK, first_place * MAKER_CHUNK);
	maker_begin(&m);
	for (unsigned i = 0; i < written; i++)
		at[i] = maker_add_layered(&m, source, 1, (uint64_t)i * 4 * GRANULE, records[i].runs,
					   records[i].count);
	maker_add_footer(&m);
	maker_flip(&m, at[which] + 16);
	maker_write(&m, "m0");
	maker_open(&set, "m0");
	*count = 0;
	ck_assert_int_eq(contents_find(&c, &set, &watch, &e), STATUS_OK);
	map = map_of(&c, RECORDS * 4, size);
	contents_free(&c);
	set_close(&set);
	maker_free(&m);
	free(source);
	return map;
}

START_TEST(test_described)
{
	static const char *const want[DESCRIBED] = { "ssssllllssllssss", "ssssllllssllssss",
						    "ssssllllmmmmssss" };
	unsigned count;

	for (unsigned i = 0; i < DESCRIBED; i++) {
		char *map = find_damaged(i, 0, RECORDS, &count);

		ck_assert_str_eq(map, want[i]);
		ck_assert_uint_eq(count, i == 2);
		free(map);
	}
}
END_TEST

/* Damage is reported once, also if what lies behind the last record is a second place of it. */
START_TEST(test_damage_behind_records)
{
	unsigned count;
	char *map = find_damaged(2, 2, _i ? RECORDS : DESCRIBED, &count);

	ck_assert_str_eq(map, "ssssllllmmmmmmmm");
	ck_assert_uint_eq(count, 1);
	free(map);
}
END_TEST

/* --- a source of any size ------------------------------------------------------------ */

static const uint64_t huge = UINT64_C(1) << 62;

/*
 * One record of four granules, two of them left out, in cells of the smallest size; with second, a quarter of the
 * source is a second place of the first quarter.
 */
static void make_huge(struct set *set, bool second)
{
	const struct run runs[] = { { RUN_STORED, 0, 2 }, { RUN_NAMED, CLASS_FREE, 2 } };
	uint8_t *source = maker_source(4 * GRANULE);
	struct maker m;

	maker_init(&m, 0, 1, huge);
	maker_set_layers(&m.superblock, MAKER_CHUNK);
	m.superblock.classes.of[CLASS_FREE] = class_entry(CLASS_LEFT_OUT, 0);
	if (second)
		maker_add_second(&m.superblock, huge / 2, huge / 4, 0);
	maker_begin(&m);
	maker_add_layered(&m, source, 1, 0, runs, 2);
	maker_end(&m, "m0");
	free(source);
	maker_open(set, "m0");
}

/* _i: with a second place. */
START_TEST(test_huge)
{
	unsigned count = 0;
	const struct contents_watch watch = { .damaged = count_damaged, .arg = &count };
	uint64_t offset = 0, length;
	struct contents c;
	struct set set;
	struct error e;

	make_huge(&set, _i);
	ck_assert_int_eq(contents_find(&c, &set, &watch, &e), STATUS_OK);
	ck_assert_uint_eq(count, 0);
	ck_assert_uint_eq(c.missing.count, 1 + (unsigned)_i);
	ck_assert_uint_eq(c.missing.ranges[0].offset, MAKER_CHUNK);
	ck_assert_uint_eq(c.missing.ranges[0].length, (_i ? huge / 2 : huge) - MAKER_CHUNK);
	for (uint64_t i = 0; i <= (uint64_t)_i; i++, offset += length) {
		ck_assert(contents_next_left_out(&c, &offset, &length));
		ck_assert_uint_eq(offset, i * (huge / 2) + 2 * GRANULE);
		ck_assert_uint_eq(length, 2 * GRANULE);
	}
	ck_assert(!contents_next_left_out(&c, &offset, &length));
	ck_assert_uint_eq(c.totals.memory.unknown, huge - (1 + (uint64_t)_i) * MAKER_CHUNK);
	ck_assert_uint_eq(layer_totals_second(&c.totals), (uint64_t)_i * 4 * GRANULE);
	contents_free(&c);
	set_close(&set);
}
END_TEST

static void never(void *arg, uint64_t offset, uint64_t length)
{
	(void)arg;
	ck_abort_msg("%llu bytes at %llu are unreadable", (unsigned long long)length,
		     (unsigned long long)offset);
}

static void no_damage(void *arg, const struct error *e)
{
	(void)arg;
	ck_abort_msg("%s", e->text);
}

/* A walk over it ends, too. */
START_TEST(test_huge_walk)
{
	const struct walk_settings settings = {
		.mode = WALK_CHECK,
		.threads = 2,
		.past_damage = true,
		.to = UINT64_MAX,
		.unreadable = never,
		.damaged = no_damage,
		.watch = { .fd = -1, .interval = 60 },
	};
	uint64_t offset = 0, length, done, read;
	struct walk *walk;
	struct set set;
	struct error e;

	make_huge(&set, _i);
	ck_assert_int_eq(walk_new(&walk, &set, &settings, &e), STATUS_OK);
	ck_assert_int_eq(walk_run(walk, &e), STATUS_OK);
	ck_assert(walk_hole(walk, &offset, &length));
	ck_assert_uint_eq(offset, MAKER_CHUNK);
	ck_assert_uint_eq(length, (_i ? huge / 2 : huge) - MAKER_CHUNK);
	ck_assert_uint_eq(walk_totals(walk)->memory.unknown, huge - (1 + (uint64_t)_i) * MAKER_CHUNK);
	walk_progress(walk, &done, &read);
	ck_assert_uint_eq(done, huge);
	walk_free(walk);
	set_close(&set);
}
END_TEST

/* Layers are complete up to the first of which something is missing; _i: in a second place. */
START_TEST(test_complete_layers)
{
	struct class_table table = class_table_plain();
	struct layer_totals totals = { .memory = { .unknown = 1 } };
	struct class_totals *t = _i ? &totals.second : &totals.memory;

	ck_assert_uint_eq(layer_totals_complete(&totals, &table), 0);
	totals.memory.unknown = 0;
	t->unknown = 1;
	ck_assert_uint_eq(layer_totals_complete(&totals, &table), 0);
	t->unknown = 0;
	ck_assert_uint_eq(layer_totals_complete(&totals, &table), 1);
	table.of[CLASS_MAP] = class_entry(CLASS_SAVED, 2);
	table.of[CLASS_CLEAN] = class_entry(CLASS_SAVED, 3);
	table.of[CLASS_ANONYMOUS] = class_entry(CLASS_SAVED, 3);
	table.of[CLASS_HUGETLB] = class_entry(CLASS_SAVED_AFTER_ALL, 4);
	table.of[CLASS_FREE] = class_entry(CLASS_LEFT_OUT, 0);
	t->unreadable = t->left_out[CLASS_FREE] = t->kept[CLASS_CLEAN] = 4096;
	ck_assert_uint_eq(layer_totals_complete(&totals, &table), 4);
	t->missing[CLASS_HUGETLB] = 1;
	ck_assert_uint_eq(layer_totals_complete(&totals, &table), 3);
	t->missing[CLASS_ANONYMOUS] = 1;
	ck_assert_uint_eq(layer_totals_complete(&totals, &table), 2);
	t->missing[CLASS_MAP] = 1;
	ck_assert_uint_eq(layer_totals_complete(&totals, &table), 1);
	t->missing[CLASS_KERNEL] = 1;
	ck_assert_uint_eq(layer_totals_complete(&totals, &table), 0);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("contents");

	helper_use_directory(tcase);
	tcase_set_timeout(tcase, 60);
	tcase_add_test(tcase, test_random);
	tcase_add_test(tcase, test_damaged);
	tcase_add_test(tcase, test_described);
	tcase_add_loop_test(tcase, test_damage_behind_records, 0, 2);
	tcase_add_loop_test(tcase, test_huge, 0, 2);
	tcase_add_loop_test(tcase, test_huge_walk, 0, 2);
	tcase_add_loop_test(tcase, test_complete_layers, 0, 2);
	return helper_run_case("contents", tcase);
}
