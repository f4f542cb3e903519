// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How walks over a set end, and what they wait for: with any number of threads, ordered or not.
 * test_walk_layers.c compares what they deliver.
 */
#include "config.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "helper.h"
#include "set/read/walk_state.h"
#include "set_maker.h"

enum {
	WALKED_CHUNKS = 20,
	WALKED_SIZE = WALKED_CHUNKS * MAKER_CHUNK + 5001,
	WALKED_MEMBERS = 3,
	WALKED_WAYS = 8,
};

struct walked {
	struct set set;
	struct walk_settings settings;
	struct walk *walk;
	enum status status;
	struct error error;

	pthread_mutex_t lock;		/* covers the following fields */
	uint8_t *times;			/* that each byte was delivered */
	uint64_t next;			/* ordered: where the next range may begin */
	unsigned deliveries;
	unsigned fail_at;		/* this delivery and all after it fail; 0: none */
	unsigned stop_at;		/* the walk is stopped at this delivery; 0: never */
	unsigned damaged;
};

static const char *const walked_files[WALKED_MEMBERS] = { "m0", "m1", "m2" };

/* Numbers of threads, ordered or not: each test over files runs with all of these. */
static const struct {
	unsigned threads;
	bool ordered;
} walked_ways[WALKED_WAYS] = {
	{ 1, false }, { 2, false }, { 3, false }, { 8, false },
	{ 1, true }, { 2, true }, { 3, true }, { 8, true },
};

static enum status deliver(void *arg, const struct delivery *delivery, struct error *e)
{
	struct walked *t = arg;
	enum status status = STATUS_OK;

	pthread_mutex_lock(&t->lock);
	t->deliveries++;
	if (!delivery->length || delivery->offset < t->settings.from ||
	    delivery->offset + delivery->length > min_u64(t->settings.to, WALKED_SIZE))
		ck_abort_msg("a delivery of %llu bytes at %llu", (unsigned long long)delivery->length,
			     (unsigned long long)delivery->offset);
	if (t->settings.ordered && delivery->offset < t->next)
		ck_abort_msg("byte %llu comes after byte %llu", (unsigned long long)delivery->offset,
			     (unsigned long long)t->next);
	t->next = delivery->offset + delivery->length;
	for (uint64_t i = 0; i < delivery->length; i++)
		t->times[delivery->offset + i]++;
	if (t->fail_at && t->deliveries >= t->fail_at)
		status = error_set(e, STATUS_SYSTEM, "refused from delivery %u", t->fail_at);
	if (t->stop_at && t->deliveries >= t->stop_at)
		walk_stop(t->walk);
	pthread_mutex_unlock(&t->lock);
	return status;
}

static void on_damaged(void *arg, const struct error *e)
{
	struct walked *t = arg;

	(void)e;
	pthread_mutex_lock(&t->lock);
	t->damaged++;
	pthread_mutex_unlock(&t->lock);
}

static void on_unreadable(void *arg, uint64_t offset, uint64_t length)
{
	(void)arg;
	ck_abort_msg("%llu bytes at %llu are unreadable", (unsigned long long)length, (unsigned long long)offset);
}

static void on_tick(void *arg)
{
	uint64_t done, read;

	walk_progress(((struct walked *)arg)->walk, &done, &read);
	ck_assert_uint_le(done, 2 * WALKED_SIZE);
}

static void no_warning(void *arg, const struct error *e)
{
	(void)arg;
	ck_abort_msg("a warning: %s", e->text);
}

static void walked_open(struct walked *t, const char *const *names, size_t count, unsigned threads)
{
	struct set_settings settings = { .warn = no_warning };
	struct names list = { 0 };
	struct error e;

	*t = (struct walked){ .lock = PTHREAD_MUTEX_INITIALIZER };
	for (size_t i = 0; i < count; i++)
		ck_assert_int_eq(names_expand(&list, names[i], MEMBERS_MAX, &e), STATUS_OK);
	ck_assert_msg(set_open(&t->set, &list, &settings, &e) == STATUS_OK, "%s", e.text);
	names_free(&list);
	t->times = helper_pages(WALKED_SIZE);
	t->settings = (struct walk_settings){
		.threads = threads,
		.to = UINT64_MAX,
		.mode = WALK_BYTES,
		.deliver = deliver,
		.deliver_arg = t,
		.unreadable = on_unreadable,
		.damaged = on_damaged,
		.arg = t,
		.watch = { .fd = -1, .interval = 0.01, .tick = on_tick, .arg = t },
	};
}

static void walked_run(struct walked *t)
{
	ck_assert_int_eq(walk_new(&t->walk, &t->set, &t->settings, &t->error), STATUS_OK);
	t->status = walk_run(t->walk, &t->error);
}

static void walked_close(struct walked *t)
{
	walk_free(t->walk);
	set_close(&t->set);
	free(t->times);
}

/* Each byte was delivered once, and nothing is missing. */
static void walked_assert_all(const struct walked *t)
{
	ck_assert_msg(t->status == STATUS_OK, "status %d: %s", t->status, t->error.text);
	for (uint64_t i = 0; i < WALKED_SIZE; i++)
		if (t->times[i] != 1)
			ck_abort_msg("byte %llu came %u times", (unsigned long long)i, t->times[i]);
}

static void walked_assert_no_hole(const struct walked *t)
{
	uint64_t offset = 0, length;

	ck_assert(!walk_hole(t->walk, &offset, &length));
}

static void walked_make_set(void)
{
	uint8_t *source = maker_source(WALKED_SIZE);

	maker_make_set(source, WALKED_SIZE, WALKED_MEMBERS, NULL);
	free(source);
}

static void walked_open_files(struct walked *t, int way)
{
	walked_open(t, walked_files, WALKED_MEMBERS, walked_ways[way].threads);
	t->settings.ordered = walked_ways[way].ordered;
}

/* --- ordered, with all slots put down ----------------------------------------- */

struct held {
	struct walked *walked;
	enum status (*deliver)(void *arg, const struct delivery *delivery, struct error *e);
	bool waited;
};

static unsigned slots_down(struct walk *w)
{
	unsigned down = 0;

	pthread_mutex_lock(&w->lock);
	for (unsigned i = 0; i < w->slots_count; i++)
		down += w->order.ready[i] != NULL;
	pthread_mutex_unlock(&w->lock);
	return down;
}

/* Holds back the first delivery until all other slots were put down and no thread has one. */
static enum status deliver_held(void *arg, const struct delivery *delivery, struct error *e)
{
	struct held *h = arg;
	struct walk *w = h->walked->walk;

	while (!h->waited && slots_down(w) < w->slots_count - 1)
		usleep(100);
	h->waited = true;
	return h->deliver(h->walked, delivery, e);
}

/* The walk then continues, fails, or is stopped. */
START_TEST(test_held_up)
{
	struct walked t;
	struct held held = { .walked = &t };

	walked_make_set();
	walked_open(&t, walked_files, WALKED_MEMBERS, 3);
	t.settings.ordered = true;
	held.deliver = t.settings.deliver;
	t.settings.deliver = deliver_held;
	t.settings.deliver_arg = &held;
	t.fail_at = _i == 1;
	t.stop_at = _i == 2;
	walked_run(&t);
	ck_assert(held.waited);
	if (_i == 0)
		walked_assert_all(&t);
	else
		ck_assert_int_eq(t.status, _i == 1 ? STATUS_SYSTEM : STATUS_STOPPED);
	walked_close(&t);
}
END_TEST

/* --- records ------------------------------------------------------------- */

/* How often each record is delivered, by its chunk. */
struct records {
	atomic_uint times[WALKED_CHUNKS + 1];
};

static bool needs_no_blocks(void *arg, const struct record_reader *r)
{
	(void)arg;
	(void)r;
	return false;
}

static enum status take_record(void *arg, unsigned worker, const struct record_reader *r, const struct extent *part,
			       const uint8_t *blocks, struct error *e)
{
	struct records *records = arg;

	(void)worker;
	(void)blocks;
	(void)e;
	ck_assert_uint_eq(part->length, r->record.source_length);
	records->times[part->offset / MAKER_CHUNK]++;
	return STATUS_OK;
}

/* Overwrites the beginning of a record. */
static void break_record(const struct set *set, const struct location *l)
{
	int fd = open(set->members[l->member].name, O_WRONLY | O_CLOEXEC);

	ck_assert_int_eq(pwrite(fd, "damage", 6, (off_t)l->entry.member_offset), 6);
	close(fd);
}

/* Every third record. */
static bool wants_third(void *arg, uint64_t offset, uint64_t length)
{
	(void)arg;
	ck_assert_uint_le(length, MAKER_CHUNK);
	ck_assert_uint_eq(offset % MAKER_CHUNK, 0);
	return offset / MAKER_CHUNK % 3 == 0;
}

/* Records that are not wanted are not read: here they are damaged, and nobody finds out. */
START_TEST(test_unwanted)
{
	uint64_t done, read, records_read = 0;
	struct records records = { 0 };
	struct walked t;

	if (walked_ways[_i].ordered)
		return;
	walked_make_set();
	walked_open_files(&t, _i);
	for (size_t i = 0; i < t.set.locations; i++) {
		const struct location *l = t.set.map[i];

		if (wants_third(NULL, l->entry.source_offset, l->entry.source_length))
			records_read += l->entry.record_length;
		else
			break_record(&t.set, l);
	}
	t.settings.mode = WALK_RECORDS;
	t.settings.deliver_record = take_record;
	t.settings.needs_blocks = needs_no_blocks;
	t.settings.wants_record = wants_third;
	t.settings.deliver_arg = &records;
	walked_run(&t);
	ck_assert_msg(t.status == STATUS_OK, "%s", t.error.text);
	ck_assert_uint_eq(t.damaged, 0);
	walked_assert_no_hole(&t);
	for (size_t i = 0; i < LENGTH(records.times); i++)
		ck_assert_uint_eq(records.times[i], i % 3 == 0);
	walk_progress(t.walk, &done, &read);
	ck_assert_uint_eq(done, WALKED_SIZE);
	ck_assert_uint_eq(read, records_read);
	walked_close(&t);
}
END_TEST

/* --- endings ------------------------------------------------------------- */

START_TEST(test_deliver_fails)
{
	struct walked t;

	walked_make_set();
	for (unsigned fail_at = 1; fail_at < 20; fail_at += 6) {
		char text[40];

		walked_open_files(&t, _i);
		t.settings.past_damage = fail_at > 10;
		t.fail_at = fail_at;
		walked_run(&t);
		ck_assert_int_eq(t.status, STATUS_SYSTEM);
		snprintf(text, sizeof(text), "refused from delivery %u", fail_at);
		ck_assert_str_eq(t.error.text, text);
		/*
		 * If ordered, nothing is delivered after a failure. Otherwise each other thread may
		 * deliver once more, which is refused, too.
		 */
		ck_assert_uint_le(t.deliveries, fail_at + (t.settings.ordered ? 0
								: walked_ways[_i].threads - 1));
		walked_close(&t);
	}
}
END_TEST

START_TEST(test_stop)
{
	struct walked t;

	walked_make_set();
	walked_open_files(&t, _i);
	t.stop_at = 5;
	walked_run(&t);
	ck_assert_int_eq(t.status, STATUS_STOPPED);
	ck_assert_uint_lt(t.deliveries, 5 + 6 * walked_ways[_i].threads);
	walked_close(&t);
}
END_TEST

START_TEST(test_stop_beforehand)
{
	struct walked t;

	walked_make_set();
	walked_open_files(&t, _i);
	ck_assert_int_eq(walk_new(&t.walk, &t.set, &t.settings, &t.error), STATUS_OK);
	walk_stop(t.walk);
	ck_assert_int_eq(walk_run(t.walk, &t.error), STATUS_STOPPED);
	ck_assert_uint_eq(t.deliveries, 0);
	walked_close(&t);
}
END_TEST

/* The callback for damage does not return until another thread has stopped the walk. */
struct slow {
	struct walked *walked;
	atomic_bool reported, stopped;
};

static void stay(struct slow *slow)
{
	slow->reported = true;
	while (!slow->stopped)
		usleep(1000);
}

static void slow_damaged(void *arg, const struct error *e)
{
	(void)e;
	stay(arg);
}

static void slow_unreadable(void *arg, uint64_t offset, uint64_t length)
{
	(void)offset, (void)length;
	stay(arg);
}

static void stop_when_reported(void *arg)
{
	struct slow *slow = arg;
	uint64_t done, read;

	if (!slow->reported)
		return;
	walk_progress(slow->walked->walk, &done, &read);
	walk_stop(slow->walked->walk);
	slow->stopped = true;
}

START_TEST(test_telling_holds_no_lock)
{
	struct walked t;
	struct slow slow = { .walked = &t };
	struct maker m;

	for (int damaged = 0; damaged < 2; damaged++) {
		walked_make_set();
		slow.reported = slow.stopped = false;
		maker_init(&m, 1, WALKED_MEMBERS, WALKED_SIZE);
		maker_begin(&m);
		maker_add_unreadable(&m, MAKER_CHUNK, MAKER_CHUNK);
		maker_end(&m, "m1");
		walked_open_files(&t, _i);
		if (damaged)
			break_record(&t.set, t.set.map[1]);
		t.settings.past_damage = true;
		t.settings.damaged = slow_damaged;
		t.settings.unreadable = slow_unreadable;
		t.settings.arg = &slow;
		t.settings.watch.tick = stop_when_reported;
		t.settings.watch.arg = &slow;
		walked_run(&t);
		ck_assert_int_eq(t.status, STATUS_STOPPED);
		walked_close(&t);
	}
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("walk");

	helper_use_directory(tcase);
	tcase_add_loop_test(tcase, test_unwanted, 0, WALKED_WAYS);
	tcase_add_loop_test(tcase, test_deliver_fails, 0, WALKED_WAYS);
	tcase_add_loop_test(tcase, test_held_up, 0, 3);
	tcase_add_loop_test(tcase, test_stop, 0, WALKED_WAYS);
	tcase_add_loop_test(tcase, test_stop_beforehand, 0, WALKED_WAYS);
	tcase_add_loop_test(tcase, test_telling_holds_no_lock, 0, WALKED_WAYS);
	tcase_set_timeout(tcase, 30);
	return helper_run_case("walk", tcase);
}
