// SPDX-License-Identifier: GPL-2.0-or-later
/* The steps of a worker. */
#include "config.h"

#include "base/bytes.h"
#include "capture/auto/auto_codec.h"
#include "capture/engine/steps.h"
#include "capture/fill/fill.h"
#include "capture/engine/layers.h"
#include "capture/engine/phases.h"

static bool can_fill(const struct capture *c)
{
	return c->phase == PHASE_CAPTURING && c->free.first && engine_has_work(c);
}

/* Can every writer that waits on can_write take any chunk? */
static bool any_writer_will_do(const struct capture *c)
{
	for (unsigned i = 0; i < c->ordinary; i++)
		if (c->outputs[i].stats.state != SINK_TAKING)
			return false;
	return !c->striped;		/* a fallback is active only after all of these have failed */
}

static void make_ready(struct capture *c, struct chunk *chunk)
{
	chunk_list_append(&c->ready, chunk);
	/* A signal to a writer that cannot take the chunk would be lost. */
	if (any_writer_will_do(c))
		pthread_cond_signal(&c->can_write);
	else
		pthread_cond_broadcast(&c->can_write);
}

/* Unreadable bytes; adjacent ones are reported as one range. */
struct unreadable {
	const struct capture *c;
	const struct error *why;
	uint64_t offset, length;
};

static void unreadable_end(struct unreadable *u)
{
	if (u->length)
		u->c->watch->unreadable(u->c->watch->watch.arg, u->offset, u->length, u->why);
	u->length = 0;
}

static void unreadable_add(struct unreadable *u, uint64_t offset, uint64_t length)
{
	if (u->offset + u->length != offset) {
		unreadable_end(u);
		u->offset = offset;
	}
	u->length += length;
}

static void report_unreadable(const struct capture *c, const struct chunk *chunk,
				   const struct error *why)
{
	struct run_cursor cursor = run_cursor_begin(&chunk->record, chunk->bytes);
	struct unreadable u = { .c = c, .why = why };
	struct run_place place;

	while (run_cursor_next(&cursor, &place))
		if (place.run.kind == RUN_UNREADABLE)
			unreadable_add(&u, place.offset, place.length);
	unreadable_end(&u);
}

/* Gives back what does not fit, so that others can begin with it. */
static void give_back(struct capture *c, const struct chunk *chunk)
{
	if (!chunk->rest.units)
		return;
	pthread_mutex_lock(&c->lock);
	layers_give_back(c, chunk);
	pthread_mutex_unlock(&c->lock);
}

static void fill_claimed(struct capture *c, unsigned worker, struct chunk *chunk)
{
	struct filler *filler = &c->fillers[worker];

	layers_claim(c, worker, chunk);
	pthread_mutex_unlock(&c->lock);
	fill_begin(filler, chunk);
	give_back(c, chunk);
	fill_units(filler, chunk);
	if (chunk->record.unreadable)
		report_unreadable(c, chunk, &filler->why);
	pthread_mutex_lock(&c->lock);
	if (c->auto_codec)
		auto_codec_learn_fill(c->auto_codec, worker, chunk);
	if (layers_filled(c, chunk))
		make_ready(c, chunk);
	else
		engine_free_chunk(c, chunk);
}

static void fill_next_of_stream(struct capture *c, unsigned worker, struct chunk *chunk)
{
	enum status status;
	struct error e;

	ledger_fetch(&c->ledger);
	pthread_mutex_unlock(&c->lock);
	status = fill_from_stream(&c->fillers[worker], chunk, &e);
	pthread_mutex_lock(&c->lock);
	chunk->run = unit_run_of(chunk->index);
	if (status == STATUS_OK && ledger_fetched(&c->ledger, chunk->index)) {
		if (c->auto_codec)
			auto_codec_learn_fill(c->auto_codec, worker, chunk);
		make_ready(c, chunk);
		return;
	}
	if (status == STATUS_OK)
		status = error_set(&e, STATUS_SYSTEM, "%s: out of memory for the list of its "
				   "chunks; what was read before is kept; use a larger --chunksize",
				   c->source->name);
	else
		ledger_fetch_ended(&c->ledger);
	if (status == STATUS_STOPPED) {
		c->source_stopped = true;
	} else if (status != STATUS_END && !c->source_failed) {
		c->source_failed = true;
		c->source_error = e;
	}
	engine_free_chunk(c, chunk);
}

static void choose_preset(struct capture *c, unsigned worker)
{
	struct auto_rates rates = { 0 };

	for (unsigned i = 0; i < c->count; i++)
		if (c->outputs[i].stats.state == SINK_TAKING && c->outputs[i].begun)
			auto_codec_add_rate(c->auto_codec, i, &rates);
	auto_codec_choose(c->auto_codec, worker, &rates);
}

static void fill(struct capture *c, unsigned worker)
{
	struct chunk *chunk = chunk_list_remove(&c->free, &c->free.first);

	if (c->auto_codec)
		choose_preset(c, worker);
	if (c->source->is_stream)
		fill_next_of_stream(c, worker, chunk);
	else
		fill_claimed(c, worker, chunk);
}

bool worker_step(struct capture *c, unsigned worker)
{
	if (can_fill(c))
		fill(c, worker);
	else if (layers_can_judge(c))
		layers_judge(c, worker);
	else
		return false;
	/* The last output may have failed meanwhile, and then no writer takes the chunk. */
	phases_advance(c);
	return true;
}
