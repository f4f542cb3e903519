// SPDX-License-Identifier: GPL-2.0-or-later
/* What workers do, and the phases; what becomes of the outputs is in outputs.c. */
#include "config.h"

#include "base/bytes.h"
#include "capture/engine.h"

unsigned engine_takers(const struct capture *c)
{
	unsigned count = 0;

	for (unsigned i = 0; i < c->count; i++)
		count += c->outputs[i].stats.state == SINK_TAKING;
	return count;
}

/* Something that could be captured, and should be. */
static bool work_left(const struct capture *c)
{
	return !c->stopping && ledger_has_work(&c->ledger) && engine_takers(c);
}

bool engine_can_fill(const struct capture *c)
{
	return c->phase == PHASE_CAPTURING && c->free.first && work_left(c);
}

void engine_give_back(struct capture *c, struct chunk *chunk)
{
	chunk_list_append(&c->free, chunk);
	pthread_cond_signal(&c->can_fill);
	if (c->given_up)
		pthread_cond_broadcast(&c->can_write);
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
	/* The last output may have failed meanwhile, and then no writer takes the chunk. */
	engine_advance(c);
}

/* Tells of the unreadable blocks of a chunk, neighbours together. */
static void report_unreadable(const struct capture *c, const struct chunk *chunk,
			    const struct error *why)
{
	const struct record *record = &chunk->record;
	const uint8_t *entry = chunk->bytes + RECORD_HEADER_LENGTH;
	uint64_t offset = record->source_offset, length = 0;

	for (uint32_t i = 0; i < record_blocks(record); i++, entry += RECORD_ENTRY_LENGTH) {
		uint32_t block = record_block_length(record, i);

		if (record_entry_kind(get_le32(entry)) == BLOCK_UNREADABLE) {
			length += block;
			continue;
		}
		if (length)
			c->watch->unreadable(c->watch->watch.arg, offset, length, why);
		offset += length + block;
		length = 0;
	}
	if (length)
		c->watch->unreadable(c->watch->watch.arg, offset, length, why);
}

static void choose_preset(struct capture *c, struct filler *filler)
{
	struct sink_figures sinks;

	if (c->choice.presets == 1)
		return;
	sinks = engine_sink_figures(c);
	filler->preset = choice_make(&c->choice, &sinks);
}

static void fill_next_of_stream(struct capture *c, struct filler *filler, struct chunk *chunk)
{
	enum status status;
	struct error e;

	ledger_fetch(&c->ledger);
	pthread_mutex_unlock(&c->lock);
	status = fill_from_stream(filler, chunk, &e);
	pthread_mutex_lock(&c->lock);
	if (status == STATUS_OK && ledger_fetched(&c->ledger, chunk->index)) {
		choice_learn(&c->choice, &filler->figures);
		make_ready(c, chunk);
		return;
	}
	if (status == STATUS_OK)
		status = error_set(&e, STATUS_SYSTEM, "%s: no memory to note where its chunks "
				   "are; what came before is kept; use a larger --chunksize",
				   c->source->name);
	else
		ledger_fetch_ended(&c->ledger);
	if (status == STATUS_STOPPED) {
		c->source_stopped = true;
	} else if (status != STATUS_END && !c->source_failed) {
		c->source_failed = true;
		c->source_error = e;
	}
	engine_give_back(c, chunk);
	engine_advance(c);
}

void engine_fill(struct capture *c, struct filler *filler)
{
	struct chunk *chunk = chunk_list_remove(&c->free, &c->free.first);

	choose_preset(c, filler);
	if (c->source->is_stream) {
		fill_next_of_stream(c, filler, chunk);
		return;
	}
	chunk->index = ledger_claim(&c->ledger);
	pthread_mutex_unlock(&c->lock);
	fill_from_position(filler, chunk);
	if (chunk->record.unreadable)
		report_unreadable(c, chunk, &filler->why);
	pthread_mutex_lock(&c->lock);
	choice_learn(&c->choice, &filler->figures);
	make_ready(c, chunk);
}

bool engine_is_open(const struct output *o)
{
	return o->stats.state == SINK_TAKING || o->stats.state == SINK_FULL;
}

static bool all_synced(const struct capture *c)
{
	for (unsigned i = 0; i < c->count; i++)
		if (engine_is_open(&c->outputs[i]) && !c->outputs[i].synced)
			return false;
	return true;
}

static bool all_sealed(const struct capture *c)
{
	for (unsigned i = 0; i < c->count; i++)
		if (engine_is_open(&c->outputs[i]) && !c->outputs[i].sealed)
			return false;
	return true;
}

/* Nobody will ever write these. */
static void drop_ready(struct capture *c)
{
	while (c->ready.first) {
		struct chunk *chunk = chunk_list_remove(&c->ready, &c->ready.first);

		ledger_drop(&c->ledger, chunk->index);
		engine_give_back(c, chunk);
	}
}

static enum phase next_phase(struct capture *c)
{
	if (!engine_takers(c)) {
		drop_ready(c);
		engine_drop_all_given_up(c);
	}
	if (work_left(c) || c->ledger.in_flight)
		return PHASE_CAPTURING;
	if (c->phase == PHASE_CAPTURING)
		return PHASE_SYNCING;
	/* A member that is full may give up records even for its footer. */
	if (!all_synced(c))
		return PHASE_SYNCING;
	if (c->phase == PHASE_SYNCING)
		return PHASE_ENDING;
	if (c->phase == PHASE_ENDING && engine_all_ended(c))
		return PHASE_SEALING;
	/* A fallback that was called for an empty source, which is no work. */
	if (c->phase == PHASE_SEALING && !engine_all_ended(c))
		return PHASE_ENDING;
	if (c->phase == PHASE_SEALING && all_sealed(c))
		return PHASE_DONE;
	return c->phase;
}

void engine_advance(struct capture *c)
{
	while (c->phase != PHASE_DONE) {
		enum phase phase = next_phase(c);

		if (phase == c->phase)
			return;
		c->phase = phase;
		pthread_cond_broadcast(&c->needed);
		pthread_cond_broadcast(&c->can_fill);
		pthread_cond_broadcast(&c->can_write);
	}
}
