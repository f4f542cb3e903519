// SPDX-License-Identifier: GPL-2.0-or-later
/* A whole set walked: every byte once, on any number of threads, in any order or in its own. */
#include "config.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "helper.h"
#include "set/walk.h"
#include "set_maker.h"

enum { CHUNKS = 20, SIZE = CHUNKS * MAKER_CHUNK + 5001, MEMBERS = 3, TOLD = 32 };

/* A walk on trial, and what came of it. */
struct trial {
	struct set set;
	struct walk_settings settings;
	struct walk *walk;
	enum status status;
	struct error error;

	pthread_mutex_t lock;		/* of what follows */
	uint8_t *bytes;			/* SIZE of them, and how often each was delivered */
	uint8_t *times;
	uint64_t next;			/* in order: where the next piece may begin */
	unsigned pieces;
	unsigned fail_at;		/* this piece and all that follow are refused; 0: none */
	unsigned stop_at;		/* at the how-manieth piece the walk is stopped */
	unsigned damaged, unreadable;
	struct error damage[TOLD];
	uint64_t bad_offset, bad_length;	/* of the last unreadable range */
};

static enum status deliver(void *arg, const struct piece *piece, struct error *e)
{
	struct trial *t = arg;
	enum status status = STATUS_OK;

	pthread_mutex_lock(&t->lock);
	t->pieces++;
	if (!piece->length || piece->offset < t->settings.from ||
	    piece->offset + piece->length > min_u64(t->settings.to, SIZE))
		ck_abort_msg("a piece of %llu bytes at %llu", (unsigned long long)piece->length,
			     (unsigned long long)piece->offset);
	if (t->settings.ordered && piece->offset < t->next)
		ck_abort_msg("byte %llu comes after byte %llu", (unsigned long long)piece->offset,
			     (unsigned long long)t->next);
	t->next = piece->offset + piece->length;
	if (piece->data)
		memcpy(t->bytes + piece->offset, piece->data, piece->length);
	for (uint64_t i = 0; i < piece->length; i++)
		t->times[piece->offset + i]++;
	if (t->fail_at && t->pieces >= t->fail_at)
		status = error_set(e, STATUS_SYSTEM, "refused from piece %u", t->fail_at);
	if (t->stop_at && t->pieces >= t->stop_at)
		walk_stop(t->walk);
	pthread_mutex_unlock(&t->lock);
	return status;
}

static void on_damaged(void *arg, const struct error *e)
{
	struct trial *t = arg;

	ck_assert_uint_lt(t->damaged, TOLD);
	t->damage[t->damaged++] = *e;
}

static void on_unreadable(void *arg, uint64_t offset, uint64_t length)
{
	struct trial *t = arg;

	t->unreadable++;
	t->bad_offset = offset;
	t->bad_length = length;
}

static void on_tick(void *arg)
{
	uint64_t done, read;

	walk_progress(((struct trial *)arg)->walk, &done, &read);
	ck_assert_uint_le(done, 2 * SIZE);
}

static void no_warning(void *arg, const struct error *e)
{
	(void)arg;
	ck_abort_msg("a warning: %s", e->text);
}

/* Opens the set; a test may change the settings then. */
static void trial_open(struct trial *t, const char *const *names, size_t count,
		       unsigned threads)
{
	struct set_settings settings = { .warn = no_warning };
	struct names list = { 0 };
	struct error e;

	*t = (struct trial){ .lock = PTHREAD_MUTEX_INITIALIZER };
	for (size_t i = 0; i < count; i++)
		ck_assert_int_eq(names_expand(&list, names[i], MEMBERS_MAX, &e), STATUS_OK);
	ck_assert_msg(set_open(&t->set, &list, &settings, &e) == STATUS_OK, "%s", e.text);
	names_free(&list);
	t->bytes = helper_pages(SIZE);
	t->times = helper_pages(SIZE);
	t->settings = (struct walk_settings){
		.threads = threads,
		.to = UINT64_MAX,
		.deliver = deliver,
		.deliver_arg = t,
		.unreadable = on_unreadable,
		.damaged = on_damaged,
		.arg = t,
		.watch = { .fd = -1, .interval = 0.01, .tick = on_tick, .arg = t },
	};
}

static void trial_run(struct trial *t)
{
	ck_assert_int_eq(walk_new(&t->walk, &t->set, &t->settings, &t->error), STATUS_OK);
	t->status = walk_run(t->walk, &t->error);
}

static void trial_close(struct trial *t)
{
	walk_free(t->walk);
	set_close(&t->set);
	free(t->bytes);
	free(t->times);
}

/* Each byte of [from, to) was delivered once and right, and no other was. */
static void assert_range(const struct trial *t, const uint8_t *source, uint64_t from,
			 uint64_t to)
{
	ck_assert_msg(t->status == STATUS_OK, "status %d: %s", t->status, t->error.text);
	for (uint64_t i = 0; i < SIZE; i++) {
		bool inside = i >= from && i < to;

		if (t->times[i] != inside || (inside && t->bytes[i] != source[i]))
			ck_abort_msg("byte %llu came %u times, 0x%02x and not 0x%02x",
				     (unsigned long long)i, t->times[i], t->bytes[i], source[i]);
	}
}

/* Each byte from there on came once and right, but for the chunks that lost has a bit for. */
static void assert_all_but(const struct trial *t, const uint8_t *source, uint64_t from,
			   uint32_t lost)
{
	ck_assert_msg(t->status == STATUS_OK, "status %d: %s", t->status, t->error.text);
	for (uint64_t i = 0; i < SIZE; i++) {
		bool there = i >= from && !(lost >> i / MAKER_CHUNK & 1);

		if (t->times[i] != there || (there && t->bytes[i] != source[i]))
			ck_abort_msg("byte %llu came %u times, 0x%02x and not 0x%02x",
				     (unsigned long long)i, t->times[i], t->bytes[i], source[i]);
	}
}

static void assert_hole(const struct trial *t, uint64_t from, uint64_t want, uint64_t length)
{
	uint64_t offset = from, got;

	ck_assert(walk_hole(t->walk, &offset, &got));
	ck_assert_uint_eq(offset, want);
	ck_assert_uint_eq(got, length);
}

static void assert_no_hole(const struct trial *t, uint64_t from)
{
	uint64_t offset = from, length;

	ck_assert(!walk_hole(t->walk, &offset, &length));
}

static uint8_t *make_set(void)
{
	uint8_t *source = maker_source(SIZE);

	maker_make_set(source, SIZE, MEMBERS, NULL);
	return source;
}

static const char *const files[] = { "m0", "m1", "m2" };

/* Threads, and in order or not: every test over files runs with all of these. */
static const struct way {
	unsigned threads;
	bool ordered;
} ways[] = {
	{ 1, false }, { 2, false }, { 3, false }, { 8, false },
	{ 1, true }, { 2, true }, { 3, true }, { 8, true },
};

static void open_files(struct trial *t, int way)
{
	trial_open(t, files, MEMBERS, ways[way].threads);
	t->settings.ordered = ways[way].ordered;
}

/* --- whole sets ---------------------------------------------------------- */

START_TEST(test_whole)
{
	uint8_t *source = make_set();
	uint64_t done, read, records = 0;
	struct trial t;

	open_files(&t, _i);
	trial_run(&t);
	assert_range(&t, source, 0, SIZE);
	assert_no_hole(&t, 0);
	ck_assert_uint_eq(t.damaged, 0);
	walk_progress(t.walk, &done, &read);
	ck_assert_uint_eq(done, SIZE);
	for (size_t i = 0; i < t.set.places; i++)
		records += t.set.map[i]->entry.record_length;
	ck_assert_uint_eq(read, records);
	trial_close(&t);
	free(source);
}
END_TEST

START_TEST(test_nobody_wants_bytes)
{
	struct trial t;

	free(make_set());
	open_files(&t, _i);
	t.settings.deliver = NULL;
	trial_run(&t);
	ck_assert_int_eq(t.status, STATUS_OK);
	ck_assert_uint_eq(t.pieces, 0);
	assert_no_hole(&t, 0);
	trial_close(&t);
}
END_TEST

START_TEST(test_empty)
{
	uint8_t *source = maker_source(0);
	struct trial t;

	maker_make_set(source, 0, MEMBERS, NULL);
	open_files(&t, _i);
	trial_run(&t);
	ck_assert_int_eq(t.status, STATUS_OK);
	ck_assert_uint_eq(t.pieces, 0);
	assert_no_hole(&t, 0);
	trial_close(&t);
	free(source);
}
END_TEST

START_TEST(test_ranges)
{
	static const uint64_t ranges[][2] = {
		{ 0, 1 }, { 1, 2 }, { 0, SIZE }, { 4095, 4097 }, { 4096, 8192 }, { 5000, 5001 },
		{ MAKER_CHUNK - 1, MAKER_CHUNK }, { MAKER_CHUNK - 1, MAKER_CHUNK + 1 },
		{ MAKER_CHUNK, MAKER_CHUNK + 1 }, { 3 * MAKER_CHUNK + 77, 9 * MAKER_CHUNK + 4099 },
		{ SIZE - 1, SIZE }, { SIZE - 5002, SIZE - 1 }, { SIZE - 5001, SIZE },
		{ SIZE - 10, UINT64_MAX }, { SIZE, SIZE + 100 },
	};
	uint8_t *source = make_set();

	for (size_t i = 0; i < LENGTH(ranges); i++) {
		struct trial t;

		open_files(&t, _i);
		t.settings.from = ranges[i][0];
		t.settings.to = ranges[i][1];
		trial_run(&t);
		assert_range(&t, source, ranges[i][0], min_u64(ranges[i][1], SIZE));
		assert_no_hole(&t, 0);
		trial_close(&t);
	}
	free(source);
}
END_TEST

/* --- what is missing or damaged ------------------------------------------ */

START_TEST(test_missing_member)
{
	static const char *const names[] = { "m0", "m2" };
	uint8_t *source = make_set();
	struct trial t;

	trial_open(&t, names, LENGTH(names), ways[_i].threads);
	t.settings.ordered = ways[_i].ordered;
	t.settings.from = MAKER_CHUNK + 10;
	trial_run(&t);
	assert_hole(&t, 0, MAKER_CHUNK + 10, MAKER_CHUNK - 10);
	assert_hole(&t, 2 * MAKER_CHUNK - 1, 2 * MAKER_CHUNK - 1, 1);
	assert_hole(&t, 2 * MAKER_CHUNK, 4 * MAKER_CHUNK, MAKER_CHUNK);
	/* Of 21 chunks the last is the 20th: m2 holds it. */
	assert_hole(&t, 17 * MAKER_CHUNK, 19 * MAKER_CHUNK, MAKER_CHUNK);
	assert_no_hole(&t, 20 * MAKER_CHUNK);
	/* Every third chunk, from the second on. */
	assert_all_but(&t, source, MAKER_CHUNK + 10, 0x092492);
	trial_close(&t);
	free(source);
}
END_TEST

/* Turns a byte in the body of the record of that chunk. */
static void damage_record(const struct set *set, size_t chunk)
{
	const struct place *place = set->map[chunk];
	const char *name = set->members[place->member].name;
	FILE *file = fopen(name, "r+");
	int c;

	ck_assert_ptr_nonnull(file);
	ck_assert_int_eq(fseek(file, (long)place->entry.member_offset + 130, SEEK_SET), 0);
	c = getc(file);
	ck_assert_int_eq(fseek(file, -1, SEEK_CUR), 0);
	putc(c ^ 1, file);
	ck_assert_int_eq(fclose(file), 0);
}

START_TEST(test_damage_ends_it)
{
	uint64_t at;
	char text[200];
	struct trial t;

	free(make_set());
	open_files(&t, _i);
	damage_record(&t.set, 7);
	at = t.set.map[7]->entry.member_offset;
	trial_run(&t);
	ck_assert_int_eq(t.status, STATUS_DAMAGED);
	snprintf(text, sizeof(text), "m1: damaged at byte %llu: record of bytes %d to %d of the "
		 "source", (unsigned long long)at, 7 * MAKER_CHUNK, 8 * MAKER_CHUNK - 1);
	ck_assert_str_eq(t.error.text, text);
	ck_assert_uint_eq(t.damaged, 0);
	trial_close(&t);
}
END_TEST

START_TEST(test_damage_passed_over)
{
	uint8_t *source = make_set();
	struct trial t;

	open_files(&t, _i);
	t.settings.past_damage = true;
	damage_record(&t.set, 7);
	damage_record(&t.set, 8);
	damage_record(&t.set, 20);
	trial_run(&t);
	ck_assert_int_eq(t.status, STATUS_OK);
	ck_assert_uint_eq(t.damaged, 3);
	for (unsigned i = 0; i < t.damaged; i++)
		ck_assert_ptr_nonnull(strstr(t.damage[i].text, ": damaged at byte "));
	assert_hole(&t, 0, 7 * MAKER_CHUNK, 2 * MAKER_CHUNK);
	assert_hole(&t, 9 * MAKER_CHUNK, 20 * MAKER_CHUNK, 5001);
	assert_all_but(&t, source, 0, 1 << 7 | 1 << 8 | 1 << 20);
	trial_close(&t);
	free(source);
}
END_TEST

/* A chunk that was captured again: whichever copy is damaged, the other makes it good. */
static uint8_t *make_spares(void)
{
	uint8_t *source = maker_source(SIZE);

	for (uint32_t number = 0; number < 2; number++) {
		struct maker m;
		char name[16];

		maker_init(&m, number, 2, SIZE);
		maker_begin(&m);
		for (uint64_t at = 0; at < SIZE; at += MAKER_CHUNK)
			maker_add_record(&m, source, at,
					 (uint32_t)min_u64(MAKER_CHUNK, SIZE - at));
		maker_add_footer(&m);
		snprintf(name, sizeof(name), "m%u", number);
		maker_write(&m, name);
		maker_free(&m);
	}
	return source;
}

START_TEST(test_spares)
{
	uint8_t *source = make_spares();
	struct trial t;

	for (int past_damage = 0; past_damage < 2; past_damage++) {
		trial_open(&t, files, 2, ways[_i].threads);
		t.settings.ordered = ways[_i].ordered;
		t.settings.past_damage = past_damage;
		ck_assert_uint_eq(t.set.places, 2 * (CHUNKS + 1));
		if (!past_damage)
			for (size_t chunk = 0; chunk <= CHUNKS; chunk++)
				damage_record(&t.set, 2 * chunk + chunk % 2);
		trial_run(&t);
		assert_range(&t, source, 0, SIZE);
		assert_no_hole(&t, 0);
		ck_assert_uint_eq(t.damaged, 0);
		trial_close(&t);
	}
	free(source);
}
END_TEST

START_TEST(test_both_copies_damaged)
{
	struct trial t;

	free(make_spares());
	trial_open(&t, files, 2, ways[_i].threads);
	t.settings.ordered = ways[_i].ordered;
	t.settings.past_damage = true;
	damage_record(&t.set, 8);
	damage_record(&t.set, 9);
	trial_run(&t);
	ck_assert_int_eq(t.status, STATUS_OK);
	ck_assert_uint_eq(t.damaged, 1);
	ck_assert_int_eq(strncmp(t.damage[0].text, "m0: damaged at byte ", 20), 0);
	assert_hole(&t, 0, 4 * MAKER_CHUNK, MAKER_CHUNK);
	assert_no_hole(&t, 5 * MAKER_CHUNK);
	trial_close(&t);
}
END_TEST

START_TEST(test_unreadable)
{
	uint8_t *source = maker_source(SIZE);
	struct maker m;
	struct trial t;

	memset(source + MAKER_CHUNK, 0, MAKER_CHUNK);
	maker_init(&m, 0, 1, 3 * MAKER_CHUNK);
	maker_begin(&m);
	maker_add_record(&m, source, 0, MAKER_CHUNK);
	maker_add_unreadable(&m, MAKER_CHUNK, MAKER_CHUNK);
	maker_add_record(&m, source, 2 * MAKER_CHUNK, MAKER_CHUNK);
	maker_add_footer(&m);
	maker_write(&m, "m0");
	maker_free(&m);
	trial_open(&t, files, 1, ways[_i].threads);
	t.settings.ordered = ways[_i].ordered;
	trial_run(&t);
	assert_range(&t, source, 0, 3 * MAKER_CHUNK);
	assert_no_hole(&t, 0);
	ck_assert_uint_eq(t.unreadable, 1);
	ck_assert_uint_eq(t.bad_offset, MAKER_CHUNK);
	ck_assert_uint_eq(t.bad_length, MAKER_CHUNK);
	trial_close(&t);
	free(source);
}
END_TEST

/* --- endings ------------------------------------------------------------- */

START_TEST(test_deliver_fails)
{
	struct trial t;

	free(make_set());
	for (unsigned fail_at = 1; fail_at < 20; fail_at += 6) {
		char text[40];

		open_files(&t, _i);
		t.settings.past_damage = fail_at > 10;
		t.fail_at = fail_at;
		trial_run(&t);
		ck_assert_int_eq(t.status, STATUS_SYSTEM);
		snprintf(text, sizeof(text), "refused from piece %u", fail_at);
		ck_assert_str_eq(t.error.text, text);
		/*
		 * In order nothing comes after a failure; else one piece of each other thread,
		 * which is refused too, however late that thread learns of the first.
		 */
		ck_assert_uint_le(t.pieces, fail_at + (t.settings.ordered ? 0
								: ways[_i].threads - 1));
		trial_close(&t);
	}
}
END_TEST

START_TEST(test_stop)
{
	struct trial t;

	free(make_set());
	open_files(&t, _i);
	t.stop_at = 5;
	trial_run(&t);
	ck_assert_int_eq(t.status, STATUS_STOPPED);
	ck_assert_uint_lt(t.pieces, 5 + 6 * ways[_i].threads);
	trial_close(&t);
}
END_TEST

START_TEST(test_stop_beforehand)
{
	struct trial t;

	free(make_set());
	open_files(&t, _i);
	ck_assert_int_eq(walk_new(&t.walk, &t.set, &t.settings, &t.error), STATUS_OK);
	walk_stop(t.walk);
	ck_assert_int_eq(walk_run(t.walk, &t.error), STATUS_STOPPED);
	ck_assert_uint_eq(t.pieces, 0);
	trial_close(&t);
}
END_TEST

/* --- streams ------------------------------------------------------------- */

/* Each of the files comes through a pipe of its own, written by a process of its own. */
static void make_pipes(pid_t *writers, unsigned count, size_t cut)
{
	for (unsigned i = 0; i < count; i++) {
		char name[16];
		uint8_t *bytes;
		size_t len;

		snprintf(name, sizeof(name), "p%u", i);
		ck_assert_int_eq(mkfifo(name, 0600), 0);
		bytes = helper_read_file(files[i], &len);
		writers[i] = fork();
		if (writers[i] == 0) {
			FILE *pipe;

			signal(SIGPIPE, SIG_IGN);
			pipe = fopen(name, "w");
			_exit(pipe && fwrite(bytes, 1, len - cut, pipe) == len - cut &&
			      fclose(pipe) == 0 ? 0 : 1);
		}
		ck_assert_int_gt(writers[i], 0);
		free(bytes);
	}
}

static void reap(const pid_t *writers, unsigned count)
{
	for (unsigned i = 0; i < count; i++) {
		int status;

		ck_assert_int_eq(waitpid(writers[i], &status, 0), writers[i]);
	}
}

static const char *const pipes[] = { "p0", "p1", "p2" };

START_TEST(test_streams)
{
	uint8_t *source = make_set();
	pid_t writers[MEMBERS];
	struct trial t;

	make_pipes(writers, MEMBERS, 0);
	trial_open(&t, pipes, MEMBERS, (unsigned)_i);
	ck_assert(t.set.has_stream);
	trial_run(&t);
	assert_range(&t, source, 0, SIZE);
	assert_no_hole(&t, 0);
	trial_close(&t);
	reap(writers, MEMBERS);
	free(source);
}
END_TEST

START_TEST(test_stream_in_order)
{
	uint8_t *source = maker_source(SIZE);
	struct trial t;
	pid_t writer;

	maker_make_set(source, SIZE, 1, NULL);
	make_pipes(&writer, 1, 0);
	trial_open(&t, pipes, 1, (unsigned)_i);
	t.settings.ordered = true;
	t.settings.from = 100;
	t.settings.to = SIZE - 100;
	trial_run(&t);
	assert_range(&t, source, 100, SIZE - 100);
	assert_no_hole(&t, 0);
	trial_close(&t);
	reap(&writer, 1);
	free(source);
}
END_TEST

START_TEST(test_file_and_stream)
{
	static const char *const names[] = { "m0", "p1", "m2" };
	uint8_t *source = make_set();
	pid_t writers[MEMBERS];
	struct trial t;

	make_pipes(writers, MEMBERS, 0);
	for (unsigned i = 0; i < MEMBERS; i += 2)
		kill(writers[i], SIGKILL);
	trial_open(&t, names, MEMBERS, (unsigned)_i);
	trial_run(&t);
	assert_range(&t, source, 0, SIZE);
	assert_no_hole(&t, 0);
	trial_close(&t);
	reap(writers, MEMBERS);
	free(source);
}
END_TEST

/*
 * In order, from a file and a stream whose records take turns: their order cannot be
 * kept without going back, but the walk must come to an end, and not wait for ever.
 */
static enum status deliver_any(void *arg, const struct piece *piece, struct error *e)
{
	struct trial *t = arg;

	(void)piece, (void)e;
	pthread_mutex_lock(&t->lock);
	t->pieces++;
	pthread_mutex_unlock(&t->lock);
	return STATUS_OK;
}

START_TEST(test_file_and_stream_in_order)
{
	static const char *const names[] = { "m0", "p1", "m2" };
	pid_t writers[MEMBERS];
	struct trial t;

	free(make_set());
	make_pipes(writers, MEMBERS, 0);
	for (unsigned i = 0; i < MEMBERS; i += 2)
		kill(writers[i], SIGKILL);
	trial_open(&t, names, MEMBERS, (unsigned)_i);
	t.settings.ordered = true;
	t.settings.deliver = deliver_any;
	trial_run(&t);
	ck_assert_msg(t.status == STATUS_OK || t.status == STATUS_USAGE, "%s", t.error.text);
	if (!t.status)
		assert_no_hole(&t, 0);
	trial_close(&t);
	reap(writers, MEMBERS);
}
END_TEST

START_TEST(test_stream_cut)
{
	struct trial t;
	pid_t writer;
	uint8_t *source = maker_source(SIZE);

	maker_make_set(source, SIZE, 1, NULL);
	make_pipes(&writer, 1, 3 * UNIT);
	trial_open(&t, pipes, 1, (unsigned)_i);
	trial_run(&t);
	ck_assert_int_eq(t.status, STATUS_CUT);
	trial_close(&t);
	reap(&writer, 1);

	ck_assert_int_eq(unlink("p0"), 0);
	make_pipes(&writer, 1, 3 * UNIT);
	trial_open(&t, pipes, 1, (unsigned)_i);
	t.settings.past_damage = true;
	trial_run(&t);
	ck_assert_int_eq(t.status, STATUS_OK);
	ck_assert_uint_eq(t.damaged, 1);
	assert_hole(&t, 0, CHUNKS * MAKER_CHUNK, 5001);
	trial_close(&t);
	reap(&writer, 1);
	free(source);
}
END_TEST

/* A stream of unknown length tells its size in the footer, and only then. */
START_TEST(test_stream_of_unknown_size)
{
	uint8_t *source = maker_source(SIZE);
	struct maker m;
	struct trial t;
	pid_t writer;

	maker_init(&m, 0, 1, SOURCE_SIZE_UNKNOWN);
	maker_begin(&m);
	maker_add_record(&m, source, 0, MAKER_CHUNK);
	m.superblock.source_size = 2 * MAKER_CHUNK;
	maker_add_footer(&m);
	maker_write(&m, "m0");
	maker_free(&m);
	make_pipes(&writer, 1, 0);
	trial_open(&t, pipes, 1, (unsigned)_i);
	ck_assert_uint_eq(t.set.source_size, SOURCE_SIZE_UNKNOWN);
	trial_run(&t);
	ck_assert_int_eq(t.status, STATUS_OK);
	ck_assert_uint_eq(t.set.source_size, 2 * MAKER_CHUNK);
	assert_hole(&t, 0, MAKER_CHUNK, MAKER_CHUNK);
	trial_close(&t);
	reap(&writer, 1);

	/* Without a footer, what came is all that is known. */
	ck_assert_int_eq(unlink("p0"), 0);
	make_pipes(&writer, 1, UNIT);
	trial_open(&t, pipes, 1, (unsigned)_i);
	t.settings.past_damage = true;
	trial_run(&t);
	ck_assert_int_eq(t.status, STATUS_OK);
	ck_assert_uint_eq(t.set.source_size, MAKER_CHUNK);
	assert_no_hole(&t, 0);
	trial_close(&t);
	reap(&writer, 1);
	free(source);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("walk");
	TCase *tcase = tcase_create("walk");

	helper_use_directory(tcase);
	tcase_add_loop_test(tcase, test_whole, 0, LENGTH(ways));
	tcase_add_loop_test(tcase, test_nobody_wants_bytes, 0, LENGTH(ways));
	tcase_add_loop_test(tcase, test_empty, 0, LENGTH(ways));
	tcase_add_loop_test(tcase, test_ranges, 0, LENGTH(ways));
	tcase_add_loop_test(tcase, test_missing_member, 0, LENGTH(ways));
	tcase_add_loop_test(tcase, test_damage_ends_it, 0, LENGTH(ways));
	tcase_add_loop_test(tcase, test_damage_passed_over, 0, LENGTH(ways));
	tcase_add_loop_test(tcase, test_spares, 0, LENGTH(ways));
	tcase_add_loop_test(tcase, test_both_copies_damaged, 0, LENGTH(ways));
	tcase_add_loop_test(tcase, test_unreadable, 0, LENGTH(ways));
	tcase_add_loop_test(tcase, test_deliver_fails, 0, LENGTH(ways));
	tcase_add_loop_test(tcase, test_stop, 0, LENGTH(ways));
	tcase_add_loop_test(tcase, test_stop_beforehand, 0, LENGTH(ways));
	/* Of streams, _i is the threads. */
	tcase_add_loop_test(tcase, test_streams, 1, 6);
	tcase_add_loop_test(tcase, test_stream_in_order, 1, 6);
	tcase_add_loop_test(tcase, test_file_and_stream, 1, 6);
	tcase_add_loop_test(tcase, test_file_and_stream_in_order, 1, 6);
	tcase_add_loop_test(tcase, test_stream_cut, 1, 4);
	tcase_add_loop_test(tcase, test_stream_of_unknown_size, 1, 4);
	tcase_set_timeout(tcase, 30);
	suite_add_tcase(suite, tcase);
	return helper_run(suite);
}
