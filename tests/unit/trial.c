// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "capture/engine/engine.h"
#include "corpus.h"
#include "helper.h"
#include "trial.h"

static const struct capture_id id = { { "a trial's uuid." }, 0x7461675f };

/* --- the watch ----------------------------------------------------------- */

static void on_tick(void *arg)
{
	struct trial *t = arg;

	const char *broken;

	t->ticks++;
	if (t->on_tick)
		t->on_tick(t);
	pthread_mutex_lock(&t->capture->lock);
	broken = engine_check(t->capture);
	pthread_mutex_unlock(&t->capture->lock);
	ck_assert_msg(!broken, "%s", broken);
}

static void on_sink_failed(void *arg, const struct sink_stats *stats,
			   const struct sinks_left *left)
{
	struct trial *t = arg;

	if (left->fallback)
		t->called++;
	if ((left->fallback && left->taking != 1) || left->taking + left->ended >= t->outputs ||
	    stats->state == SINK_TAKING || !stats->why.text[0])
		ck_abort_msg("a sink failed: state %d, '%s', %u left, %u ended", stats->state,
			     stats->why.text, left->taking, left->ended);
	t->failed++;
}

static void on_unreadable(void *arg, uint64_t offset, uint64_t length, const struct error *why)
{
	struct trial *t = arg;

	if (!length || offset % BLOCK_SIZE_MIN || !why->text[0])
		ck_abort_msg("unreadable: %llu bytes at %llu", (unsigned long long)length,
			     (unsigned long long)offset);
	if (t->why_unreadable)
		ck_assert_str_eq(why->text, t->why_unreadable);
	t->ranges++;
	t->unreadable += length;
}

/* --- a run --------------------------------------------------------------- */

void trial_init(struct trial *t, struct source *source, unsigned outputs)
{
	memset(t, 0, sizeof(*t));
	t->settings = (struct capture_settings){
		.presets = presets_of(&codec_lzo, 0),
		.codec_text = "lzo",
		.creator = "nsplit's tests",
		.block_size = BLOCK_SIZE_MIN,
		.chunk_size = TRIAL_CHUNK,
		.threads = 2,
		.digest = digest_supported(),
		.id = id,
		.fixed_time = 1000000000,
	};
	t->source = source;
	t->outputs = outputs;
	t->interval = 1;
	t->fd = -1;
	for (unsigned i = 0; i < outputs; i++) {
		char name[16];

		snprintf(name, sizeof(name), "sink%u", i);
		trial_sink_probe(&t->sinks[i], &t->memory[i], name);
	}
}

void trial_set_threads(struct trial *t, unsigned threads)
{
	t->settings.serial = !threads;
	t->settings.threads = threads ? threads : 1;
}

void trial_run(struct trial *t)
{
	struct capture_watch watch = {
		.watch = {
			.fd = t->fd,
			.interval = t->interval,
			.tick = on_tick,
			.arg = t,
		},
		.sink_failed = on_sink_failed,
		.unreadable = on_unreadable,
	};

	t->status = capture_plan(&t->settings, t->source, t->sinks, t->outputs, &t->plan,
				 &t->error);
	ck_assert_msg(t->status == STATUS_OK, "%s", t->error.text);
	if (t->chunks)
		t->plan.chunks = t->chunks;
	t->status = capture_new(&t->capture, &t->settings, &t->plan, t->source, t->sinks,
				t->outputs, &t->error);
	ck_assert_msg(t->status == STATUS_OK, "%s", t->error.text);
	for (unsigned i = 0; i < t->outputs; i++)
		trial_sink_prepare(&t->sinks[i]);
	capture_open(t->capture, &watch);
	t->status = capture_run(t->capture, &t->error);
}

void trial_free(struct trial *t)
{
	capture_free(t->capture);
	for (unsigned i = 0; i < t->outputs; i++) {
		sink_free(&t->sinks[i]);
		trial_sink_free(&t->memory[i]);
	}
}

enum sink_state trial_state(struct trial *t, unsigned sink)
{
	struct sink_stats stats = capture_get_sink(t->capture, sink);

	return stats.state;
}

/* --- what became of it --------------------------------------------------- */

/* Does any sink have a member that counts? */
static bool has_member(struct trial *t, unsigned sink)
{
	enum sink_state state = trial_state(t, sink);

	return state != SINK_DEAD && state != SINK_RESERVED;
}

static void check_stats(struct trial *t, unsigned sink, const struct member_facts *facts)
{
	struct sink_stats stats = capture_get_sink(t->capture, sink);

	ck_assert_uint_eq(stats.records, facts->records);
	ck_assert_uint_eq(stats.member_bytes, t->memory[sink].length);
	ck_assert_uint_eq(stats.source_bytes, facts->footer.source_bytes);
	ck_assert_mem_eq(stats.blocks, facts->footer.blocks, sizeof(stats.blocks));
}

void trial_read(struct trial *t, const uint8_t *bytes, uint64_t size, struct copy *copy,
		struct member_facts facts[TRIAL_OUTPUTS])
{
	copy_init(copy, &id, t->settings.block_size, t->settings.chunk_size, t->outputs,
		  bytes, size);
	memset(facts, 0, TRIAL_OUTPUTS * sizeof(*facts));
	for (unsigned i = 0; i < t->outputs; i++) {
		if (!has_member(t, i))
			continue;
		member_check(copy, t->memory[i].bytes, t->memory[i].length, i, &facts[i]);
		check_stats(t, i, &facts[i]);
	}
}

void trial_free_facts(struct trial *t, struct member_facts facts[TRIAL_OUTPUTS])
{
	for (unsigned i = 0; i < t->outputs; i++)
		member_facts_free(&facts[i]);
}

void trial_assert_perfect(struct trial *t, const uint8_t *bytes, uint64_t size)
{
	struct member_facts facts[TRIAL_OUTPUTS];
	struct capture_progress progress;
	uint64_t offset = 0, length;
	struct copy copy;

	ck_assert_msg(t->status == STATUS_OK, "status %d: %s", t->status, t->error.text);
	trial_read(t, bytes, size, &copy, facts);
	copy_assert_perfect(&copy);
	for (unsigned i = 0; i < t->outputs; i++) {
		if (!has_member(t, i))
			continue;
		ck_assert(!facts[i].footer.stopped);
		ck_assert_uint_eq(facts[i].footer.set.source_size, size);
		ck_assert_uint_eq(facts[i].unreadable, 0);
	}
	ck_assert(!capture_missing(t->capture, &offset, &length));
	progress = capture_get_progress(t->capture);
	ck_assert_uint_eq(progress.source_bytes, size);
	ck_assert_uint_eq(t->ranges, 0);
	trial_free_facts(t, facts);
	copy_free(&copy);
}

uint64_t trial_missing(struct trial *t)
{
	uint64_t offset = 0, length, missing = 0;

	for (; capture_missing(t->capture, &offset, &length); offset += length)
		missing += length;
	return missing;
}

/* --- sources ------------------------------------------------------------- */

/* Half a chunk at a time, so that one call is never enough. */
static enum status memory_get(struct source_reader *r, uint64_t offset, size_t want,
			      const uint8_t **data, size_t *got, struct error *e)
{
	const struct trial_source *s = r->source->state;

	(void)e;
	if (s->before)
		s->before(s->arg, offset);
	*got = min_u64(min_u64(want, TRIAL_CHUNK / 2), s->source.size - offset);
	*data = s->bytes + offset;
	return STATUS_OK;
}

static bool is_hole(const struct trial_source *s, uint64_t page)
{
	return bytes_are_zero(s->bytes + page, min_u64(ALIGNMENT, s->source.size - page));
}

static void memory_next_data(const struct source *source, uint64_t offset, uint64_t end, uint64_t *from,
			     uint64_t *to)
{
	const struct trial_source *s = source->state;
	uint64_t page = round_down(offset, ALIGNMENT);

	if (!source->sparse)
		return;
	while (page < end && is_hole(s, page))
		page += ALIGNMENT;
	*from = min_u64(max_u64(page, offset), end);
	while (page < end && !is_hole(s, page))
		page += ALIGNMENT;
	if (to)
		*to = min_u64(page, end);
}

static const struct source_ops memory_ops = {
	.get = memory_get,
	.next_data = memory_next_data,
};

void trial_source_init(struct trial_source *s, const uint8_t *bytes, uint64_t size)
{
	static char name[] = "memory";

	*s = (struct trial_source){
		.source = {
			.ops = &memory_ops,
			.name = name,
			.fd = -1,
			.size = size,
			.interrupt_fd = -1,
		},
		.bytes = bytes,
	};
	s->source.state = s;
}

uint8_t *trial_bytes_new(enum trial_bytes kind, size_t len)
{
	uint8_t *bytes = helper_pages(len);

	if (kind == TRIAL_RANDOM)
		corpus_fill(CORPUS_RANDOM, len, bytes, len);
	for (size_t at = 0, i = 0; kind == TRIAL_MIXED && at < len; at += BLOCK_SIZE_MIN, i++)
		corpus_fill((enum corpus_kind)(i % CORPUS_KINDS), i, bytes + at,
			    min_u64(BLOCK_SIZE_MIN, len - at));
	return bytes;
}
