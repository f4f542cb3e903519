// SPDX-License-Identifier: GPL-2.0-or-later
/* What becomes of an output that fails or is full: see engine.h.  All functions are called with the lock held. */
#include "config.h"

#include <assert.h>

#include "capture/engine/engine.h"

/* --- records that a full output has given up, of a stream ---------------------------- */

/*
 * Reading back uses one chunk and leaves another: a call that hangs keeps its chunk, and without
 * any chunk the capture could not continue.
 */
enum { CHUNKS_TO_READ_BACK = 2 };

static uint64_t chunk_of(const struct capture *c, const struct given_up *record)
{
	return record->entry.source_offset / c->settings.chunk_size;
}

bool read_back_possible(const struct capture *c, const struct output *o)
{
	return o->given_up && c->free.first && c->free.first->next;
}

bool read_back_ever_possible(const struct capture *c, unsigned more)
{
	return c->pool.count - c->chunks_lost >= CHUNKS_TO_READ_BACK + more;
}

void read_back_record(struct capture *c, struct output *o)
{
	struct chunk *chunk = chunk_list_remove(&c->free, &c->free.first);
	unsigned i = --o->given_up;
	const struct given_up record = member_given_up(o->form->member, i);
	enum status status;
	struct error e;

	c->given_up--;
	chunk->index = chunk_of(c, &record);
	chunk->run = unit_run_of(chunk->index);
	assert(!o->reading_back);
	o->reading_back = chunk;
	engine_enter_call(c, o);
	status = member_read_back(o->form->member, i, chunk, &e);
	if (!engine_leave_call(c, o))
		return;
	o->reading_back = NULL;
	if (status) {
		engine_drop_chunk(c, chunk);
		engine_free_chunk(c, chunk);
	} else {
		chunk_list_prepend(&c->ready, chunk);
		pthread_cond_broadcast(&c->can_write);
	}
}

void read_back_drop(struct capture *c, struct output *o)
{
	for (; o->given_up; c->given_up--) {
		const struct given_up record = member_given_up(o->form->member, --o->given_up);
		struct unit_run run = unit_run_of(chunk_of(c, &record));

		ledger_drop(&c->ledger, &run);
	}
}

void read_back_drop_all(struct capture *c)
{
	for (unsigned i = 0; c->given_up && i < c->count; i++)
		read_back_drop(c, &c->outputs[i]);
}

/* --- outputs that fail --------------------------------------------------------------- */

/* Is there anything that an output must still take? */
static bool is_anything_left(const struct capture *c)
{
	if (c->ledger.in_flight || (!c->stopping && (!c->layers.judged || ledger_has_work(&c->ledger))))
		return true;
	/* An empty source needs a member, too. */
	return !c->ledger.units && !engine_any_good(c);
}

static bool is_fallback_left(const struct capture *c)
{
	for (unsigned i = c->ordinary; i < c->count; i++)
		if (engine_is_reserved(c, i))
			return true;
	return false;
}

/* Activates the next fallback if one is needed.  NULL: none is needed, or none is left. */
static const struct output *activate_fallback(struct capture *c)
{
	unsigned i = c->ordinary;

	if (engine_takers(c) || !is_anything_left(c))
		return NULL;
	while (i < c->count && !engine_is_reserved(c, i))
		i++;
	if (i == c->count)
		return NULL;
	c->outputs[i].stats.state = SINK_TAKING;
	pthread_cond_broadcast(&c->needed);
	return &c->outputs[i];
}

static struct sinks_left count_left(const struct capture *c, const struct output *fallback)
{
	struct sinks_left left = {
		.taking = engine_takers(c),
		.fallback = fallback ? fallback->form->sink->name : NULL,
	};

	for (unsigned i = 0; i < c->count; i++)
		left.ended += c->outputs[i].stats.state == SINK_ENDING ||
			      c->outputs[i].stats.state == SINK_ENDED;
	return left;
}

static void fail(struct capture *c, struct output *o, enum sink_state state, const struct error *why)
{
	assert(engine_is_locked(c) && !engine_is_finished(o) && o->stats.state != SINK_RESERVED);
	assert(state == SINK_FULL || !o->given_up);
	/* A full output has only given up more records. */
	if (o->stats.state != state)
		o->unreported = true;
	o->stats.state = state;
	o->stats.why = *why;
	c->striped = false;
	pthread_cond_broadcast(&c->can_write);
	pthread_cond_broadcast(&c->can_fill);
	o->left = count_left(c, activate_fallback(c));
	if (!o->left.taking)
		source_cancel(c->source);	/* whatever a stream still holds cannot be written */
}

void fail_output(struct capture *c, unsigned output, const struct error *why)
{
	ledger_unassign_all(&c->ledger, output);
	fail(c, &c->outputs[output], SINK_DEAD, why);
}

/* Without the lock, because a console may be slow. */
static void report(struct capture *c, struct output *o)
{
	struct sink_stats stats = o->stats;
	struct sinks_left left = o->left;

	o->unreported = false;
	pthread_mutex_unlock(&c->lock);
	c->watch->sink_failed(c->watch->watch.arg, &stats, &left);
	pthread_mutex_lock(&c->lock);
}

void fail_report(struct capture *c)
{
	for (unsigned i = 0; i < c->count; i++)
		if (c->outputs[i].unreported)
			report(c, &c->outputs[i]);
}

/* --- full outputs ----------------------------------------------------------- */

enum rescue {
	RESCUE_HUNG,		/* the output was abandoned meanwhile */
	RESCUE_FULL,		/* what it still holds counts */
	RESCUE_DEAD,		/* nothing that it holds counts; *e says why */
};

/*
 * Gives up the last records.  Those of a stream are to be read back, unless too few chunks are left
 * for that.  False: no record is left to give up.
 */
static bool give_up_records(struct capture *c, struct output *o)
{
	bool read_back = c->source->is_stream && read_back_ever_possible(c, 0);
	unsigned count = o->form->member ? member_give_up(o->form->member) : 0;

	for (unsigned i = 0; i < count; i++) {
		const struct given_up record = member_given_up(o->form->member, i);
		/*
		 * Not all units that the record spans: some were empty when it was claimed, and another record of
		 * the same output may hold them by now.
		 */
		const struct unit_run run = {
			.first = chunk_of(c, &record) + c->ledger.units * (record.entry.layer - 1u),
			.units = record.units,
		};

		figures_count(c, &o->stats, record.entry.layer, &record.figures, true);
		if (read_back)
			ledger_reclaim(&c->ledger, run.first);
		else
			ledger_unassign(&c->ledger, &run);
	}
	if (read_back) {
		o->given_up += count;
		c->given_up += count;
	}
	o->stats.member_bytes = form_stored(o->form);
	o->synced = false;
	o->sealed = false;
	return count;
}

/*
 * Truncates the member behind its last footer.  It counts as it did when that footer was written,
 * and takes no more.  Not used for the member of a stream: the only records written behind its
 * footer are those that were read back, and the ledger does not mark them.
 */
static enum rescue roll_back(struct capture *c, unsigned output)
{
	struct output *o = &c->outputs[output];
	enum status status;
	struct error ignored;

	if (!o->form->member || !member_rolls_back(o->form->member) || c->source->is_stream)
		return RESCUE_DEAD;
	engine_enter_call(c, o);
	status = member_roll_back(o->form->member, &ignored);
	if (!engine_leave_call(c, o))
		return RESCUE_HUNG;
	if (status)
		return RESCUE_DEAD;
	ledger_unassign_late(&c->ledger, output);
	o->closed.written = o->stats.written;
	o->closed.seconds = o->stats.seconds;
	o->stats = o->closed;
	o->synced = true;
	o->sealed = true;
	return RESCUE_FULL;
}

static enum rescue rescue_output(struct capture *c, unsigned output, struct error *e)
{
	struct output *o = &c->outputs[output];
	struct error failed;
	enum status status;

	/* One that shares nothing is kept for what it has. */
	if (!sink_is_full(o->form->sink, e) || !(o->stats.records || o->form->member))
		return roll_back(c, output);
	do {
		engine_enter_call(c, o);
		status = form_settle(o->form, &failed);
		if (!engine_leave_call(c, o))
			return RESCUE_HUNG;
		/* A fallback begins anew, with all of the capture; this one is left as it is, in case that fails, too. */
		if (!status && !o->form->member && !c->stopping && is_fallback_left(c))
			return RESCUE_DEAD;
		if (!status) {
			/* The space for the footer may lie behind an earlier footer. */
			o->synced = false;
			o->sealed = false;
			return RESCUE_FULL;
		}
	} while (sink_is_full(o->form->sink, &failed) && give_up_records(c, o) && !o->given_up);
	if (o->given_up)
		return RESCUE_FULL;
	*e = failed;
	return roll_back(c, output);
}

void fail_call(struct capture *c, unsigned output, struct error *e)
{
	struct output *o = &c->outputs[output];
	enum rescue rescue = rescue_output(c, output, e);

	if (rescue == RESCUE_HUNG)
		return;
	if (o->writing)
		chunk_list_prepend(&c->ready, o->writing);
	o->writing = NULL;
	if (rescue == RESCUE_FULL)
		fail(c, o, SINK_FULL, e);
	else
		fail_output(c, output, e);
}

bool fail_leave_call(struct capture *c, unsigned output, enum status status, struct error *e)
{
	struct output *o = &c->outputs[output];

	if (!engine_leave_write(c, o))
		return false;
	o->stats.member_bytes = form_stored(o->form);
	if (status)
		fail_call(c, output, e);
	return !status;
}
