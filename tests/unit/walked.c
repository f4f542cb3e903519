// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "helper.h"
#include "walked.h"

const char *const walked_files[WALKED_MEMBERS] = { "m0", "m1", "m2" };

const struct walked_way walked_ways[WALKED_WAYS] = {
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
	if (delivery->data)
		memcpy(t->bytes + delivery->offset, delivery->data, delivery->length);
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

	pthread_mutex_lock(&t->lock);
	ck_assert_uint_lt(t->damaged, WALKED_DAMAGE_MAX);
	t->damage[t->damaged++] = *e;
	pthread_mutex_unlock(&t->lock);
}

static void on_unreadable(void *arg, uint64_t offset, uint64_t length)
{
	struct walked *t = arg;

	pthread_mutex_lock(&t->lock);
	t->unreadable++;
	t->bad_offset = offset;
	t->bad_length = length;
	pthread_mutex_unlock(&t->lock);
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

static void ignore(void *arg, const struct error *e)
{
	(void)arg;
	(void)e;
}

static void open_any(struct walked *t, const char *const *names, size_t count, unsigned threads, bool salvage)
{
	struct set_settings settings = { .salvage = salvage, .warn = salvage ? ignore : no_warning };
	struct names list = { 0 };
	struct error e;

	*t = (struct walked){ .lock = PTHREAD_MUTEX_INITIALIZER };
	for (size_t i = 0; i < count; i++)
		ck_assert_int_eq(names_expand(&list, names[i], MEMBERS_MAX, &e), STATUS_OK);
	ck_assert_msg(set_open(&t->set, &list, &settings, &e) == STATUS_OK, "%s", e.text);
	names_free(&list);
	t->bytes = helper_pages(WALKED_SIZE);
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

void walked_open(struct walked *t, const char *const *names, size_t count, unsigned threads)
{
	open_any(t, names, count, threads, false);
}

void walked_salvage(struct walked *t, const char *const *names, size_t count, unsigned threads)
{
	open_any(t, names, count, threads, true);
	t->settings.past_damage = true;
}

void walked_run(struct walked *t)
{
	ck_assert_int_eq(walk_new(&t->walk, &t->set, &t->settings, &t->error), STATUS_OK);
	t->status = walk_run(t->walk, &t->error);
}

void walked_close(struct walked *t)
{
	walk_free(t->walk);
	set_close(&t->set);
	free(t->bytes);
	free(t->times);
}

void walked_assert_range(const struct walked *t, const uint8_t *source, uint64_t from,
			 uint64_t to)
{
	ck_assert_msg(t->status == STATUS_OK, "status %d: %s", t->status, t->error.text);
	for (uint64_t i = 0; i < WALKED_SIZE; i++) {
		bool inside = i >= from && i < to;

		if (t->times[i] != inside || (inside && t->bytes[i] != source[i]))
			ck_abort_msg("byte %llu came %u times, 0x%02x and not 0x%02x",
				     (unsigned long long)i, t->times[i], t->bytes[i], source[i]);
	}
}

void walked_assert_all_but(const struct walked *t, const uint8_t *source, uint64_t from,
			   uint32_t lost)
{
	ck_assert_msg(t->status == STATUS_OK, "status %d: %s", t->status, t->error.text);
	for (uint64_t i = 0; i < WALKED_SIZE; i++) {
		bool there = i >= from && !(lost >> i / MAKER_CHUNK & 1);

		if (t->times[i] != there || (there && t->bytes[i] != source[i]))
			ck_abort_msg("byte %llu came %u times, 0x%02x and not 0x%02x",
				     (unsigned long long)i, t->times[i], t->bytes[i], source[i]);
	}
}

void walked_assert_hole(const struct walked *t, uint64_t from, uint64_t want, uint64_t length)
{
	uint64_t offset = from, got;

	ck_assert(walk_hole(t->walk, &offset, &got));
	ck_assert_uint_eq(offset, want);
	ck_assert_uint_eq(got, length);
}

void walked_assert_no_hole(const struct walked *t, uint64_t from)
{
	uint64_t offset = from, length;

	ck_assert(!walk_hole(t->walk, &offset, &length));
}

uint8_t *walked_make_set(void)
{
	uint8_t *source = maker_source(WALKED_SIZE);

	maker_make_set(source, WALKED_SIZE, WALKED_MEMBERS, NULL);
	return source;
}

void walked_open_files(struct walked *t, int way)
{
	walked_open(t, walked_files, WALKED_MEMBERS, walked_ways[way].threads);
	t->settings.ordered = walked_ways[way].ordered;
}
