// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The steps of a worker, and the passes of a capture with layers.
 *
 * The source is passed over several times, and what a pass takes is a layer.  The first layer is
 * whatever is not known to be of a class that another layer stores or that is to be left out.  Its
 * records name the classes of all other granules.  So the first pass sees the whole memory map, and
 * leaves out nothing that could be wanted later.  When all of it is filled, one worker asks the policy
 * which classes can be believed, while the others wait; then the other passes begin.  Classes that are
 * not believed are stored by the last ones.
 *
 * Passes are not separated otherwise.  Units are claimed in the order of the ledger, so those that an
 * output loses in any pass are claimed first.
 */
#include "config.h"

#include <assert.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "capture/engine/engine.h"

/* --- layers; called with the lock held ------------------------------------------ */

/* The classes that a layer stores, or may come to store. */
static uint16_t classes_of(const struct capture *c, unsigned layer)
{
	const struct class_table *table = &c->layers.classes;
	uint16_t classes = 0;

	for (unsigned i = 0; i < CLASSES; i++)
		if (class_layer(table, i) == layer || (class_state(table, i) == CLASS_PLANNED_OUT &&
						       layer == c->policy->layers - !class_is_marked(i)))
			classes |= (uint16_t)(1u << i);
	return classes;
}

void layers_open_first(struct capture *c, size_t from, size_t end)
{
	const uint32_t size = c->settings.chunk_size;

	for (size_t i = from; i < end; i++) {
		const struct range *r = &c->policy->first.list[i];
		uint64_t unit = r->offset / size, after = min_u64(divide_up(r->offset + r->length, size), c->ledger.units);

		ledger_set_empty(&c->ledger, 0, unit, after - min_u64(unit, after), false);
	}
}

/* When it is decided what is saved after all: the layers that store something. */
static void open_passes(struct capture *c)
{
	unsigned last = 1;

	for (unsigned n = 2; n <= c->policy->layers; n++) {
		if (classes_of(c, n))
			last = n;
		else
			ledger_set_empty(&c->ledger, engine_pass(c, n), 0, c->ledger.units, true);
	}
	c->layers.passes = (unsigned)max_u64(c->layers.passes, last);
	/* Pages that may not be touched wait until all else is safe (writers.c). */
	if (c->policy->guarded && last == c->policy->layers)
		c->ledger.barrier = c->ledger.units * --last;
	ledger_open(&c->ledger, last);
}

void layers_open_rest(struct capture *c)
{
	if (!engine_waits_for_urgent(c))
		return;
	c->layers.first = true;
	layers_open_first(c, c->policy->first.urgent, c->policy->first.count);
	pthread_cond_broadcast(&c->can_fill);
}

/* Gives back the units that do not fit the chunk, so that others can begin with them. */
static void give_back(struct capture *c, const struct chunk *chunk)
{
	if (!chunk->rest.units)
		return;
	ledger_drop(&c->ledger, &chunk->rest);
	pthread_cond_broadcast(&c->can_fill);
}

/* The chunk is filled.  False: the layer stores nothing of these units, so that there is nothing to write. */
static bool layers_filled(struct capture *c, struct chunk *chunk)
{
	const struct record *r = &chunk->record;
	const struct unit_run *run = &chunk->run;
	unsigned length = unit_run_length(run), pass = engine_pass(c, r->layer);
	uint64_t first = run->first - c->ledger.units * pass;

	give_back(c, chunk);
	assert(c->layers.filling || pass > engine_pass(c, 1));
	c->layers.filling -= pass <= engine_pass(c, 1);
	if (r->layer == 1) {
		/* Of each of the other layers: whether it stores anything of these units. */
		for (unsigned n = 2; n <= c->policy->layers; n++) {
			uint16_t classes = classes_of(c, n);

			for (unsigned i = 0, end; i < length; i = end) {
				bool empty = !(chunk->named[i] & classes);

				for (end = i + 1; end < length && !(chunk->named[end] & classes) == empty; end++)
					;
				ledger_set_empty(&c->ledger, engine_pass(c, n), first + i, end - i, empty);
			}
		}
		return true;
	}
	if (r->stored_length || r->unreadable)
		return true;
	ledger_drop(&c->ledger, run);
	for (unsigned i = 0; i < length; i++)
		/* The others were empty when the run was claimed, and may not be any more. */
		if (run->units >> i & 1)
			ledger_set_empty(&c->ledger, pass, first + i, 1, true);
	return false;
}

/*
 * A read of the source that hangs in pass 1 delays this, and so the later passes, as it delays the end of
 * any capture.  By then all else of pass 1, which is the kernel, has been captured; and after a request to
 * stop the policy is not asked any more, so the only delay is again that of the read itself.
 */
static bool layers_can_judge(const struct capture *c)
{
	return !c->layers.judged && engine_layers_undecided(c) && !c->layers.judging && !c->layers.filling &&
	       !ledger_has_work(&c->ledger);
}

/* The policy returns soon when it was stopped. */
static void layers_judge(struct capture *c, unsigned worker)
{
	const struct layer_policy *policy = c->policy;
	struct class_table classes = c->layers.classes;
	char reason[REASON_TEXT_LENGTH + 1] = "";

	/* All of layer 1 is filled, and nobody has claimed anything of those that follow. */
	assert(!c->layers.judged && !c->layers.filling && c->ledger.next == c->ledger.end);
	c->layers.judging = true;
	pthread_mutex_unlock(&c->lock);
	policy->judge(policy->arg, worker, policy->layers - 1, &classes, reason);
	pthread_mutex_lock(&c->lock);
	/* A capture that is being stopped, or has reached a limit, captures nothing any more. */
	if (reason[0] && !c->stopping && engine_takers(c) && c->watch->saved_after_all) {
		pthread_mutex_unlock(&c->lock);
		c->watch->saved_after_all(c->watch->watch.arg, reason);
		pthread_mutex_lock(&c->lock);
	}
	c->layers.judged = true;
	c->layers.classes = classes;
	memcpy(c->layers.reason, reason, sizeof(reason));
	open_passes(c);
	pthread_cond_broadcast(&c->can_fill);
}

/* --- the steps ------------------------------------------------------------------ */

/* Adjacent unreadable bytes are reported as one range. */
static void report_unreadable(const struct capture *c, const struct chunk *chunk, const struct error *why)
{
	struct run_cursor cursor = run_cursor_begin(&chunk->record, chunk->bytes);
	uint64_t offset = 0, length = 0;
	struct run_place place;

	while (run_cursor_next(&cursor, &place)) {
		if (place.run.kind != RUN_UNREADABLE)
			continue;
		if (length && offset + length != place.offset) {
			c->watch->unreadable(c->watch->watch.arg, offset, length, why);
			length = 0;
		}
		if (!length)
			offset = place.offset;
		length += place.length;
	}
	if (length)
		c->watch->unreadable(c->watch->watch.arg, offset, length, why);
}

static void fill_claimed(struct capture *c, unsigned worker, struct chunk *chunk)
{
	struct filler *filler = &c->fillers[worker];

	chunk->run = ledger_claim(&c->ledger);
	filler->layer = 1;
	while (engine_pass(c, filler->layer) != chunk->run.first / c->ledger.units)
		filler->layer++;
	filler->classes = c->layers.classes;
	c->layers.filling += engine_pass(c, filler->layer) <= engine_pass(c, 1);
	pthread_mutex_unlock(&c->lock);
	fill_begin(filler, chunk);
	if (chunk->rest.units) {
		pthread_mutex_lock(&c->lock);
		give_back(c, chunk);
		pthread_mutex_unlock(&c->lock);
	}
	fill_units(filler, chunk);
	if (chunk->record.unreadable)
		report_unreadable(c, chunk, &filler->why);
	pthread_mutex_lock(&c->lock);
	if (c->auto_codec)
		auto_codec_learn_fill(c->auto_codec, worker, chunk);
	if (layers_filled(c, chunk))
		chunk_list_append(&c->ready, chunk);
	else
		engine_free_chunk(c, chunk);
	if (!c->layers.filling)
		layers_open_rest(c);
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
		chunk_list_append(&c->ready, chunk);
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

static void fill(struct capture *c, unsigned worker)
{
	struct chunk *chunk = chunk_list_remove(&c->free, &c->free.first);
	double began = clock_seconds();
	bool takes[MEMBERS_MAX];

	for (unsigned i = 0; c->auto_codec && i < c->count; i++)
		takes[i] = c->outputs[i].stats.state == SINK_TAKING && c->outputs[i].begun;
	if (c->auto_codec)
		auto_codec_choose(c->auto_codec, worker, takes);
	if (c->source->is_stream)
		fill_next_of_stream(c, worker, chunk);
	else
		fill_claimed(c, worker, chunk);
	if (!c->source->is_stream)
		c->fill_seconds = max_double(c->fill_seconds, clock_seconds() - began);
}

/* If any read may stop the machine, the first one waits until something is on a disk, if there is one. */
static bool may_read(const struct capture *c)
{
	bool begun = c->settings.cautious == 0, disk = false;

	for (unsigned i = 0; !begun && i < c->count; i++)
		disk |= engine_is_open(&c->outputs[i]) && sink_rewinds(c->outputs[i].form->sink);
	for (unsigned i = 0; !begun && i < c->count; i++) {
		const struct output *o = &c->outputs[i];

		begun = engine_is_open(o) && o->begun && sink_rewinds(o->form->sink) == disk;
	}
	return begun;
}

bool worker_step(struct capture *c, unsigned worker)
{
	if (c->phase == PHASE_CAPTURING && c->free.first && engine_has_work(c) && may_read(c))
		fill(c, worker);
	else if (layers_can_judge(c))
		layers_judge(c, worker);
	else
		return false;
	return true;
}
