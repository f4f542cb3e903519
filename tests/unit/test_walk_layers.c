// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walks over sets with layers: compared with tests/unit/layer_oracle.c, for random sets, whole and
 * damaged; on any number of threads, ordered or not.
 */
#include "config.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/bytes.h"
#include "helper.h"
#include "layer_random.h"
#include "set/read/range.h"
#include "set/read/walk.h"

enum { SETS = 120, DAMAGED = 240, WAYS = 8 };

static const struct way {
	unsigned threads;
	bool ordered;
} ways[WAYS] = {
	{ 1, false }, { 2, false }, { 3, false }, { 8, false },
	{ 1, true }, { 2, true }, { 3, true }, { 8, true },
};

struct taken {
	uint64_t seed;
	const struct oracle *o;
	const struct set *set;
	const uint8_t *source;
	struct walk_settings settings;
	pthread_mutex_t lock;		/* covers the following fields */
	uint8_t *times;			/* that each byte was delivered */
	uint64_t next, unreadable, damaged;
};

static char letter_of(enum extent_kind kind)
{
	return kind == EXTENT_LEFT_OUT ? ORACLE_LEFT_OUT :
	       kind == EXTENT_UNREADABLE ? ORACLE_UNREADABLE : ORACLE_STORED;
}

static enum status deliver(void *arg, const struct delivery *d, struct error *e)
{
	struct taken *t = arg;

	(void)e;
	pthread_mutex_lock(&t->lock);
	ck_assert(d->length && d->offset >= t->settings.from &&
		  d->offset + d->length <= min_u64(t->settings.to, t->set->source_size));
	ck_assert(!d->data == (d->kind != EXTENT_STORED));
	ck_assert(!t->settings.ordered || d->offset >= t->next);
	t->next = d->offset + d->length;
	for (uint64_t i = 0; i < d->length; i++) {
		uint64_t at = d->offset + i;
		char letter = t->o->map[at / GRANULE];

		t->times[at]++;
		if (letter != letter_of(d->kind) ||
		    (letter == ORACLE_STORED && (d->data ? d->data[i] : 0) != t->source[at]))
			ck_abort_msg("seed %llu: byte %llu of %s comes as %c",
				     (unsigned long long)t->seed, (unsigned long long)at, t->o->map,
				     letter_of(d->kind));
	}
	pthread_mutex_unlock(&t->lock);
	return STATUS_OK;
}

/* The bytes behind what counts of a record, and of everything else through a range reader. */
static enum status deliver_record(void *arg, unsigned worker, const struct record_reader *r,
				  const struct extent *part, const uint8_t *blocks,
				  struct error *e)
{
	struct taken *t = arg;
	uint8_t *bytes = helper_pages(part->length);

	ck_assert_uint_lt(worker, t->settings.threads);
	ck_assert(!r == !blocks);
	for (uint32_t i = 0; r && i < part->length; i++) {
		uint32_t block = (part->at + i) / r->record.block_size;

		if (record_reader_kind(r, block) != BLOCK_ZERO)
			bytes[i] = blocks[part->at + i];
	}
	if (!r) {
		struct range_reader reader;

		ck_assert_int_eq(range_reader_init(&reader, t->set, e), STATUS_OK);
		ck_assert_int_eq(range_read(&reader, part->offset, part->length, bytes, e),
				 part->kind == EXTENT_UNREADABLE ? STATUS_MISSING : STATUS_OK);
		range_reader_free(&reader);
	}
	pthread_mutex_lock(&t->lock);
	for (uint32_t i = 0; i < part->length; i++) {
		char letter = t->o->map[(part->offset + i) / GRANULE];

		t->times[part->offset + i]++;
		if (letter == ORACLE_MISSING || (letter != ORACLE_STORED && r) ||
		    bytes[i] != (letter == ORACLE_STORED ? t->source[part->offset + i] : 0))
			ck_abort_msg("seed %llu: byte %llu of %s", (unsigned long long)t->seed,
				     (unsigned long long)part->offset + i, t->o->map);
	}
	pthread_mutex_unlock(&t->lock);
	free(bytes);
	return STATUS_OK;
}

static bool needs_blocks(void *arg, const struct record_reader *r)
{
	(void)arg;
	(void)r;
	return true;
}

static void on_damaged(void *arg, const struct error *e)
{
	struct taken *t = arg;

	(void)e;
	pthread_mutex_lock(&t->lock);
	t->damaged++;
	pthread_mutex_unlock(&t->lock);
}

static void on_unreadable(void *arg, uint64_t offset, uint64_t length)
{
	struct taken *t = arg;

	pthread_mutex_lock(&t->lock);
	for (uint64_t at = offset; at < offset + length; at++)
		if (t->o->map[at / GRANULE] != ORACLE_UNREADABLE)
			ck_abort_msg("byte %llu is unreadable", (unsigned long long)at);
	t->unreadable += length;
	pthread_mutex_unlock(&t->lock);
}

static bool is_wanted(const struct taken *t, uint64_t at)
{
	return at >= t->settings.from && at < t->settings.to;
}

/* Everything came once, and what is missing is a hole. */
static void check_times(const struct taken *t)
{
	for (uint64_t at = 0; at < t->set->source_size; at++) {
		char letter = t->o->map[at / GRANULE];
		bool expected = t->settings.mode != WALK_CHECK && letter != ORACLE_MISSING;

		if (t->times[at] != (expected && is_wanted(t, at)))
			ck_abort_msg("seed %llu: byte %llu of %s came %u times",
				     (unsigned long long)t->seed, (unsigned long long)at, t->o->map,
				     t->times[at]);
	}
}

static void check_hole(const struct taken *t, uint64_t at, bool is_hole)
{
	bool missing = t->o->map[at / GRANULE] == ORACLE_MISSING;

	if (is_hole != (missing && is_wanted(t, at)))
		ck_abort_msg("seed %llu: byte %llu of %s is %s hole", (unsigned long long)t->seed,
			     (unsigned long long)at, t->o->map, is_hole ? "a" : "no");
}

static void check_holes(const struct taken *t, const struct walk *w)
{
	uint64_t offset = 0, length, at = 0;

	for (; walk_hole(w, &offset, &length); offset += length) {
		for (; at < offset; at++)
			check_hole(t, at, false);
		for (; at < offset + length; at++)
			check_hole(t, at, true);
	}
	for (; at < t->set->source_size; at++)
		check_hole(t, at, false);
}

static uint64_t sum(const uint64_t *of_class)
{
	uint64_t all = 0;

	for (unsigned i = 0; i < CLASSES; i++)
		all += of_class[i];
	return all;
}

static uint64_t count(const struct taken *t, char letter)
{
	uint64_t bytes = 0;

	for (uint64_t at = 0; at < t->set->source_size; at++)
		bytes += is_wanted(t, at) && t->o->map[at / GRANULE] == letter;
	return bytes;
}

static void check_totals(const struct taken *t, const struct walk *w)
{
	const struct class_totals *totals = &walk_totals(w)->memory, *second = &walk_totals(w)->second;

	ck_assert_uint_eq(sum(totals->kept) + sum(second->kept), count(t, ORACLE_STORED));
	ck_assert_uint_eq(sum(totals->left_out) + sum(second->left_out), count(t, ORACLE_LEFT_OUT));
	ck_assert_uint_eq(sum(totals->missing) + totals->unknown + sum(second->missing) + second->unknown,
			  count(t, ORACLE_MISSING));
	ck_assert_uint_eq(totals->unreadable + second->unreadable, count(t, ORACLE_UNREADABLE));
	ck_assert_uint_eq(t->unreadable, totals->unreadable + second->unreadable);
}

static void walk_once(struct set *set, struct taken *t, enum walk_mode mode,
		      const struct way *way)
{
	struct walk *walk;
	struct error e;

	t->settings.mode = mode;
	t->settings.threads = way->threads;
	t->settings.ordered = way->ordered && mode != WALK_RECORDS;
	t->next = t->unreadable = 0;
	t->times = helper_pages(set->source_size + 1);
	ck_assert_int_eq(walk_new(&walk, set, &t->settings, &e), STATUS_OK);
	ck_assert_msg(walk_run(walk, &e) == STATUS_OK, "seed %llu: %s", (unsigned long long)t->seed,
		      e.text);
	check_times(t);
	check_holes(t, walk);
	check_totals(t, walk);
	walk_free(walk);
	free(t->times);
}

static void walk_all(struct set *set, struct layer_random *r, const struct oracle *o, uint64_t seed)
{
	struct taken t = {
		.seed = seed,
		.o = o,
		.set = set,
		.source = r->source,
		.settings = {
			.past_damage = true,
			.to = UINT64_MAX,
			.deliver = deliver,
			.deliver_record = deliver_record,
			.needs_blocks = needs_blocks,
			.deliver_arg = &t,
			.unreadable = on_unreadable,
			.damaged = on_damaged,
			.arg = &t,
			.watch = { .fd = -1, .interval = 60 },
		},
		.lock = PTHREAD_MUTEX_INITIALIZER,
	};

	walk_once(set, &t, WALK_BYTES, &ways[seed % WAYS]);
	walk_once(set, &t, WALK_RECORDS, &ways[seed % WAYS]);
	walk_once(set, &t, WALK_CHECK, &ways[seed / 2 % WAYS]);
	t.settings.from = layer_random_number(r, set->source_size);
	t.settings.to = t.settings.from + layer_random_number(r, set->source_size);
	walk_once(set, &t, WALK_BYTES, &ways[seed / 3 % WAYS]);
}

static void try_one(uint64_t seed, bool damaged)
{
	struct layer_trial t;

	layer_trial_begin(&t, seed, damaged);
	if (t.comparable)
		walk_all(&t.set, &t.r, &t.o, seed);
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
	for (uint64_t seed = 9000; seed < 9000 + DAMAGED; seed++)
		try_one(seed, true);
}
END_TEST

/* --- what was lost before ------------------------------------------------------------- */

enum { CELL = 65536 };

/* Opens a set whose second cell begins with a second place of a record in the first, which is damaged. */
static void open_damaged_first_place(struct set *set)
{
	const struct run stored = { RUN_STORED, CLASS_KERNEL, 1 }, second = { RUN_NAMED, CLASS_SECOND, 1 };
	uint8_t *source = helper_pages(2 * CELL);
	struct maker m;
	size_t at;

	memset(source, 1, GRANULE);
	maker_init(&m, 0, 1, 2 * CELL);
	maker_set_layers(&m.superblock, CELL);
	maker_add_second(&m.superblock, CELL, GRANULE, 0);
	maker_begin(&m);
	at = maker_add_layered(&m, source, 1, 0, &stored, 1);
	maker_add_layered(&m, source, 1, CELL, &second, 1);
	maker_add_footer(&m);
	m.bytes[at + RECORD_HEADER_LENGTH + RUN_LENGTH] ^= 1;
	maker_write(&m, "m0");
	maker_free(&m);
	free(source);
	maker_open(set, "m0");
}

static enum status deliver_nothing(void *arg, const struct delivery *d, struct error *e)
{
	(void)arg;
	(void)d;
	(void)e;
	ck_abort_msg("nothing in the second cell can be delivered");
}

/*
 * Only the second place is wanted.  The first walk finds the damage and remembers that the record is lost;
 * this is no reason for a later walk to take its bytes for a hole.
 */
START_TEST(test_lost_before)
{
	const struct walk_settings settings = {
		.mode = WALK_BYTES,
		.threads = 1,
		.ordered = _i,
		.from = CELL,
		.to = CELL + GRANULE,
		.deliver = deliver_nothing,
		.watch = { .fd = -1, .interval = 60 },
	};
	char text[sizeof(((struct error *)NULL)->text)] = "";
	struct walk *walk;
	struct error e;
	struct set set;

	open_damaged_first_place(&set);
	for (unsigned times = 0; times < 2; times++) {
		ck_assert_int_eq(walk_new(&walk, &set, &settings, &e), STATUS_OK);
		ck_assert_int_eq(walk_run(walk, &e), STATUS_DAMAGED);
		ck_assert(!times || !strcmp(text, e.text));
		memcpy(text, e.text, sizeof(text));
		walk_free(walk);
	}
	set_close(&set);
}
END_TEST

/* --- memory ------------------------------------------------------------------------- */

enum { LARGE = CELL_SIZE_MAX, LARGE_CELLS = 6, MANY = 64 };

/* A granule in each cell is stored.  Returns the source, to be freed. */
static uint8_t *make_large_cells(struct set *set)
{
	const struct run runs[] = { { RUN_STORED, CLASS_KERNEL, 1 },
				    { RUN_NAMED, CLASS_FREE, LARGE / GRANULE - 1 } };
	uint64_t size = (uint64_t)LARGE_CELLS * LARGE;
	uint8_t *source = calloc(1, size);
	struct maker m;

	ck_assert_ptr_nonnull(source);
	maker_init(&m, 0, 1, size);
	maker_set_layers(&m.superblock, LARGE);
	m.superblock.classes.of[CLASS_FREE] = class_entry(CLASS_LEFT_OUT, 0);
	maker_begin(&m);
	for (uint64_t at = 0; at < size; at += LARGE) {
		memset(source + at, 1 + (int)(at / LARGE), GRANULE);
		maker_add_layered(&m, source, 1, at, runs, 2);
	}
	maker_end(&m, "m0");
	maker_open(set, "m0");
	return source;
}

struct stream {
	uint8_t *source;		/* owned */
	uint64_t next, stored;
};

static enum status deliver_next(void *arg, const struct delivery *d, struct error *e)
{
	struct stream *t = arg;

	(void)e;
	ck_assert_uint_eq(d->offset, t->next);
	t->next += d->length;
	if (d->data) {
		ck_assert_mem_eq(d->data, t->source + d->offset, d->length);
		t->stored += d->length;
	}
	return STATUS_OK;
}

/* Two buffers for each of many threads would be 8 GiB; the address space is limited in place of memory. */
static enum status new_in_little_memory(struct walk **walk, struct set *set,
					const struct walk_settings *settings, struct error *e)
{
	struct rlimit all, little;
	enum status status;

	ck_assert_int_eq(getrlimit(RLIMIT_AS, &all), 0);
	little = all;
	/* Sanitizers need terabytes of it. */
#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
	little.rlim_cur = (rlim_t)LARGE_CELLS * LARGE + (1u << 30);
#endif
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &little), 0);
	status = walk_new(walk, set, settings, e);
	ck_assert_int_eq(setrlimit(RLIMIT_AS, &all), 0);
	return status;
}

/* The memory of an ordered walk has a limit, which more threads do not change. */
START_TEST(test_memory_of_order)
{
	struct set set;
	struct stream t = { .source = make_large_cells(&set) };
	const struct walk_settings settings = {
		.mode = WALK_BYTES,
		.threads = MANY,
		.ordered = true,
		.to = UINT64_MAX,
		.deliver = deliver_next,
		.deliver_arg = &t,
		.watch = { .fd = -1, .interval = 60 },
	};
	struct walk *walk;
	struct error e;

	ck_assert_msg(!new_in_little_memory(&walk, &set, &settings, &e), "%s", e.text);
	ck_assert_msg(!walk_run(walk, &e), "%s", e.text);
	ck_assert_uint_eq(t.next, set.source_size);
	ck_assert_uint_eq(t.stored, LARGE_CELLS * GRANULE);
	walk_free(walk);
	set_close(&set);
	free(t.source);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("walk_layers");

	helper_use_directory(tcase);
	/* With the thread sanitizer, on a busy machine. */
	tcase_set_timeout(tcase, 300);
	tcase_add_test(tcase, test_random);
	tcase_add_test(tcase, test_damaged);
	tcase_add_loop_test(tcase, test_lost_before, 0, 2);
	tcase_add_test(tcase, test_memory_of_order);
	return helper_run_case("walk_layers", tcase);
}
