// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The steps of a writer, and what becomes of an output that fails or is full: see engine.h.  All functions are called
 * with the lock held, and release it during calls.
 */
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <string.h>
#include <sys/resource.h>

#include "base/clock.h"
#include "capture/engine/engine.h"

static void count(uint64_t *figure, uint64_t amount, bool subtract)
{
	*figure += subtract ? -amount : amount;
}

/* Adds a record of a layer to the figures of an output, or subtracts it. */
static void count_record(const struct capture *c, struct sink_stats *stats, unsigned layer,
			 const struct record_figures *record, bool subtract)
{
	struct layer_figures *figures = &stats->figures;

	count(&stats->records, 1, subtract);
	count(&stats->source_bytes, record->stored, subtract);
	count(&stats->presets[record->preset], record->stored, subtract);
	for (int kind = 0; kind < BLOCK_KINDS; kind++)
		count(&stats->blocks[kind], record->blocks[kind], subtract);
	for (unsigned i = 0; i < CLASSES; i++) {
		uint64_t *figure = &figures->later[i];

		if (layer == 1)
			figure = class_layer(&c->policy->plan, i) == 1 ? &figures->first[i] :
										&figures->named[i];
		count(figure, record->of_class[i], subtract);
	}
	count(&figures->unreadable, record->unreadable, subtract);
	if (layer > 1)
		count(&stats->later_unreadable, record->unreadable, subtract);
}

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

bool read_back_ever_possible(const struct capture *c, unsigned more)
{
	return c->pool.count - c->chunks_lost >= CHUNKS_TO_READ_BACK + more;
}

/* Reads back the last record that the output gave up, releasing the lock meanwhile. */
static void read_back_record(struct capture *c, struct output *o)
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
		engine_wake_writers(c);
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
	if (c->ledger.in_flight || (!c->stopping && (engine_pass_waits(c) || ledger_has_work(&c->ledger))))
		return true;
	/* An empty source needs a member, too. */
	return !c->ledger.units && !capture_closed_any(c);
}

/* The next fallback in reserve; count: none is left. */
static unsigned next_fallback(const struct capture *c)
{
	unsigned i = c->ordinary;

	while (i < c->count && !engine_is_reserved(c, i))
		i++;
	return i;
}

/* Activates the next fallback if one is needed.  NULL: none is needed, or none is left. */
static const struct output *activate_fallback(struct capture *c)
{
	unsigned i = next_fallback(c);

	if (engine_takers(c) || !is_anything_left(c) || i == c->count)
		return NULL;
	c->outputs[i].stats.state = SINK_TAKING;
	return &c->outputs[i];
}

static void fail(struct capture *c, struct output *o, enum sink_state state, const struct error *why)
{
	const struct output *fallback;

	assert(engine_is_locked(c) && !engine_is_finished(o) && o->stats.state != SINK_RESERVED);
	assert(state == SINK_FULL || !o->given_up);
	/* A full output has only given up more records. */
	if (o->stats.state != state)
		o->unreported = true;
	o->stats.state = state;
	o->stats.why = *why;
	c->striped = false;
	engine_wake_writers(c);
	pthread_cond_broadcast(&c->can_fill);
	fallback = activate_fallback(c);
	o->left = (struct sinks_left){
		.taking = engine_takers(c),
		.fallback = fallback ? fallback->form->sink->name : NULL,
	};
	for (unsigned i = 0; i < c->count; i++)
		o->left.ended += c->outputs[i].stats.state == SINK_ENDING || c->outputs[i].stats.state == SINK_ENDED;
	if (!o->left.taking)
		source_cancel(c->source);	/* whatever a stream still holds cannot be written */
}

/* Of outputs that were ended by a limit of all together, which one of them does not reach any more. */
static void take_again(struct capture *c)
{
	for (unsigned i = 0; i < c->count && c->limit == LIMIT_SIZE; i++) {
		struct sink_stats *stats = &c->outputs[i].stats;

		if (stats->state == SINK_FULL && stats->limited)
			stats->state = SINK_TAKING;
	}
}

void fail_output(struct capture *c, unsigned output, const struct error *why)
{
	ledger_unassign_all(&c->ledger, output);
	take_again(c);
	fail(c, &c->outputs[output], SINK_DEAD, why);
}

void fail_report(struct capture *c)
{
	for (unsigned i = 0; i < c->count; i++) {
		struct output *o = &c->outputs[i];
		struct sink_stats stats;
		struct sinks_left left;

		if (!o->unreported)
			continue;
		stats = o->stats;
		left = o->left;
		o->unreported = false;
		/* A console may be slow. */
		pthread_mutex_unlock(&c->lock);
		c->watch->sink_failed(c->watch->watch.arg, &stats, &left);
		pthread_mutex_lock(&c->lock);
	}
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
			.first = chunk_of(c, &record) + c->ledger.units * engine_pass(c, record.entry.layer),
			.units = record.units,
		};

		count_record(c, &o->stats, record.entry.layer, &record.figures, true);
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
		if (!status && !o->form->member && !c->stopping && next_fallback(c) < c->count)
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

/*
 * A call failed with *e.  If the output is only full, this makes space for what closes the member,
 * if necessary in place of its last records, and what it still holds counts; if it was closed
 * before, it is restored as it was then; otherwise it is dead.  Releases the lock during calls.
 */
static void fail_call(struct capture *c, unsigned output, struct error *e)
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

/*
 * After a call that syncs or closes an output, and returned this status: takes the lock, and updates the length of the
 * member.  False: the output was abandoned meanwhile, or the call failed, and fail_call() was called.
 */
static bool fail_leave_call(struct capture *c, unsigned output, enum status status, struct error *e)
{
	struct output *o = &c->outputs[output];

	if (!engine_leave_write(c, o))
		return false;
	o->sync_seconds = clock_seconds() - o->called;
	o->stats.member_bytes = form_stored(o->form);
	if (status)
		fail_call(c, output, e);
	return !status;
}

/* --- limits -------------------------------------------------------------------------- */

/* Counts what the output will have with a record of this length.  False: that is too much for all outputs together. */
static bool fits_size(struct capture *c, struct output *o, uint32_t record)
{
	uint64_t limit = c->settings.limits.size, all = form_stored_with(o->form, record);

	if (!limit)
		return true;
	for (unsigned i = 0; i < c->count; i++)
		if (&c->outputs[i] != o && c->outputs[i].stats.state != SINK_DEAD)
			all += c->outputs[i].takes;
	if (all > limit)
		return false;
	o->takes = form_stored_with(o->form, record);
	return true;
}

/* Of a file, during a call: is there space for a record of this length?  Otherwise it is full. */
static enum status check_free(struct capture *c, const struct output *o, uint32_t record, struct error *e)
{
	const struct capture_limits *limits = &c->settings.limits;
	uint64_t more = form_stored_with(o->form, record) - form_stored(o->form);

	if (!limits->keep_free || sink_free_space(o->form->sink) >= limits->keep_free + more)
		return STATUS_OK;
	capture_limit_error(limits, LIMIT_FREE, e);
	e->errnum = ENOSPC;
	return error_prefix(e, "%s: ", o->form->sink->name);
}

/* --- what members say of layers --------------------------------------------------- */

/* The layers as a footer that is written now describes them. */
static struct member_layers layers_told(const struct capture *c)
{
	struct member_layers told = { .classes = c->layers.classes, .whole = engine_whole(c, ledger_passes_held(&c->ledger)) };

	memcpy(told.reason, c->layers.reason, sizeof(told.reason));
	return told;
}

/*
 * Checkpoints in the members of a capture with layers (doc/format.md, section 9).
 *
 * When outputs hold layers 1 to n completely and more follow, each output is synced, if all of them
 * can confirm what they hold of these layers; and when all have, files and devices get a checkpoint.
 * Each writer takes these two steps for its own output, before the next chunk, and waits for no
 * other.  Which step is due follows from the ledger and from two fields of struct output:
 *
 *	unsafe		the first pass of which the output has taken a record since it last
 *			confirmed.  No output gets a checkpoint of this pass or a later one.
 *	checkpoint	the checkpoint of the output, if there is one, covers passes 1 to this one.
 *			A record of an earlier pass behind it, because another output failed,
 *			lowers it.
 *
 * An output that fails needs no treatment here: what it held becomes unassigned, so these layers
 * are not complete any more.
 *
 * Barrier.  If the policy is guarded, the last pass begins when all outputs that can confirm have taken
 * both steps for all passes before it.  A pipe is not waited for; with one, these checkpoints say that no
 * layer is complete.
 *
 * If the capture is cautious, each output takes both steps every few seconds.
 */

/* The checkpoints that are to be written now. */
struct due {
	unsigned passes;		/* they cover passes 1 to this one; 0: none are due */
	bool safe;			/* all outputs that can have confirmed what they hold of these */
	bool told;			/* they say so: there are no others */
	bool barrier;			/* the last pass follows, and is dangerous */
	double since;			/* if the capture is cautious: those wait that have confirmed after this; else 0 */
};

enum due_step {
	STEP_NONE,
	STEP_CONFIRM,
	STEP_CHECKPOINT,
};

static void checkpoints_count(struct output *o, unsigned pass)
{
	if (!o->unsafe || pass < o->unsafe)
		o->unsafe = pass;
	if (pass <= o->checkpoint)
		o->checkpoint = pass - 1;
	assert(o->checkpoint < o->unsafe);
}

static bool is_safe(const struct output *o, unsigned passes)
{
	return !o->unsafe || o->unsafe > passes;
}

/* Pipes and commands confirm nothing before they end, and null: never does. */
static bool can_confirm(const struct output *o)
{
	return engine_is_open(o) && o->begun && sink_rewinds(o->form->sink);
}

static struct due find_due(const struct capture *c)
{
	struct due due = { .safe = true, .told = true };

	if (c->phase != PHASE_CAPTURING || c->stopping)
		return due;
	if (c->policy->layers == 1)
		return (struct due){ .passes = c->settings.cautious != 0, .safe = true,
				     .since = c->settings.cautious ? clock_seconds() - c->settings.cautious : 0 };
	/* If others follow. */
	due.passes = ledger_passes_held(&c->ledger);
	if (due.passes >= c->layers.passes)
		due.passes = 0;
	due.barrier = c->policy->guarded && due.passes && due.passes == c->policy->layers - 1;
	for (unsigned i = 0; due.passes && i < c->count; i++) {
		const struct output *o = &c->outputs[i];

		if (o->stats.state == SINK_DEAD || is_safe(o, due.passes))
			continue;
		if (can_confirm(o))
			due.safe = false;
		else if (due.barrier)
			due.told = false;
		else
			due.passes = 0;
	}
	return due;
}

static enum due_step next_due_step(const struct due *due, const struct output *o)
{
	if (!due->passes || !can_confirm(o))
		return STEP_NONE;
	if (!is_safe(o, due->passes))
		return due->since && due->since < o->confirmed ? STEP_NONE : STEP_CONFIRM;
	if (!due->safe || o->checkpoint >= due->passes)
		return STEP_NONE;
	/* A member that was closed keeps its footer; a full one needs its space for that. */
	return o->stats.state == SINK_TAKING && o->stats.records && !o->closed.member_bytes ? STEP_CHECKPOINT : STEP_NONE;
}

static bool checkpoints_due(const struct capture *c, unsigned output)
{
	struct due due = find_due(c);

	return next_due_step(&due, &c->outputs[output]) != STEP_NONE;
}

/* Pages of the last pass may be in no unit. */
static void open_last(struct capture *c, const struct due *due)
{
	if (!c->layers.judged || !engine_pass_waits(c) || ledger_passes_held(&c->ledger) < c->layers.passes - 1)
		return;
	for (unsigned i = 0; c->ledger.left[c->layers.passes - 1] && i < c->count; i++)
		if (!due->barrier || next_due_step(due, &c->outputs[i]) != STEP_NONE)
			return;
	ledger_open(&c->ledger, c->layers.passes);
	pthread_cond_broadcast(&c->can_fill);
}

void checkpoints_wake(struct capture *c)
{
	struct due due = find_due(c);

	open_last(c, &due);
	for (unsigned i = 0; due.passes && i < c->count; i++) {
		struct output *o = &c->outputs[i];

		/* Whoever is in a call calls this, too, when it returns. */
		if (!o->busy && next_due_step(&due, o) != STEP_NONE)
			pthread_cond_signal(&o->wake);
	}
}

static void checkpoints_take_step(struct capture *c, unsigned output)
{
	struct output *o = &c->outputs[output];
	struct due due = find_due(c);
	enum due_step step = next_due_step(&due, o);
	bool opened = o->form->opens;
	int64_t now = engine_time(c);
	struct sink_stats held = o->stats;
	/* A checkpoint takes as much space as what closes the member. */
	uint64_t length = form_stored_with(o->form, 0) - form_stored(o->form);
	bool fits = step == STEP_CHECKPOINT && fits_size(c, o, (uint32_t)length);
	enum status status = STATUS_OK;
	struct error e;

	/* Perhaps this writer was woken for a chunk. */
	if (c->ready.first)
		engine_wake_writers(c);
	o->form->layers = layers_told(c);
	o->form->layers.whole = due.told ? engine_whole(c, due.passes) : 0;
	o->form->layers.dangerous = due.barrier;
	assert(step != STEP_NONE);
	if (step == STEP_CHECKPOINT)
		o->synced = false;
	engine_enter_call(c, o);
	if (!fits)
		status = o->form->ops->confirm(o->form, &e);
	else if (o->form->member)	/* a dump has said everything when it confirmed */
		status = member_checkpoint(o->form->member, &held, now, &e);
	if (!fail_leave_call(c, output, status, &e))
		return;
	o->unsafe = 0;
	o->confirmed = clock_seconds();
	if (step == STEP_CHECKPOINT)
		o->checkpoint = due.passes;
	if (o->form->opens && !opened && c->watch->opens) {
		/* Without the lock, because a console may be slow. */
		pthread_mutex_unlock(&c->lock);
		c->watch->opens(c->watch->watch.arg, o->form->sink);
		pthread_mutex_lock(&c->lock);
	}
}

/* --- the end of a member ----------------------------------------------------------- */

/*
 * Did the capture end before the source?  A request to stop may come when all of it has been read.
 * When no output is left, nothing may have waited for the stream, so its end is unknown.  Of any other
 * source, what was not written because outputs are full or failed is missing, and nothing else.
 */
static bool ended_early(const struct capture *c)
{
	return c->source_failed || c->source_stopped ||
	       (c->stopping && engine_pass_waits(c)) ||
	       ((c->stopping || c->source->is_stream) && ledger_has_work(&c->ledger));
}

/* Does what the phase requires: syncs the output, ends a command, or writes the footer. */
static void close_member(struct capture *c, unsigned output)
{
	struct output *o = &c->outputs[output];
	/* Copied under the lock, since the calls are made without it. */
	const enum phase phase = c->phase;
	const struct sink_stats held = o->stats;
	const struct member_layers layers = layers_told(c);
	struct form_end end = {
		/* In these phases no worker is reading, so the size does not change. */
		.source_size = c->source->size,
		.stopped = ended_early(c),
		.finished = engine_time(c),
	};
	enum status status;
	struct error e;

	if (end.stopped && c->source->is_stream)
		end.source_size = SOURCE_SIZE_UNKNOWN;
	assert(engine_is_open(o) && !o->given_up);
	assert(phase == PHASE_SYNCING || o->synced);
	if (phase == PHASE_ENDING)
		o->stats.state = SINK_ENDING;
	engine_enter_call(c, o);
	if (phase == PHASE_SYNCING) {
		status = form_settle(o->form, &e);
		if (!status)
			status = o->form->ops->confirm(o->form, &e);
	} else {
		o->form->layers = layers;
		status = o->form->ops->seal(o->form, &held, &end, &e);
		if (!status && phase == PHASE_ENDING)
			status = sink_finish(o->form->sink, &e);
	}
	if (!fail_leave_call(c, output, status, &e))
		return;
	if (phase == PHASE_SYNCING) {
		o->synced = true;
		return;
	}
	o->stats.digested = o->form->digested;
	memcpy(o->stats.digest, o->form->digest, DIGEST_LENGTH);
	if (phase == PHASE_SEALING) {
		o->sealed = true;
		o->closed = o->stats;
		ledger_seal(&c->ledger, output);
	} else {
		o->stats.state = SINK_ENDED;
		o->unsafe = 0;		/* it has confirmed everything */
		engine_wake_writers(c);	/* the last command may end now */
	}
}

/* Closes the sink: the last step of a writer. */
static void close_sink(struct capture *c, struct output *o)
{
	bool dead = o->stats.state == SINK_DEAD && (o->stats.written || c->settings.dump), found = false;
	enum status status;
	struct error e;

	if (o->sink_closed)
		return;
	engine_enter_call(c, o);
	/* After EPIPE, it is not known what the reader of the pipe has kept. */
	if (dead)
		found = o->form->ops->leave(o->form) && (sink_rewinds(o->form->sink) || o->stats.why.errnum != EPIPE);
	status = sink_close(o->form->sink, &e);
	if (!engine_leave_call(c, o))
		return;
	o->sink_closed = true;
	o->stats.salvageable = found;
	if (status)
		o->stats.closing = e;
}

/*
 * An output that cannot be opened, or that does not even accept its beginning, is dead from the
 * start, and the others make up for it: one missing disk must not cost the dump.
 *
 * If no thread watches this call, the superblock is written only if the sink accepts it at once.
 * If a pipe is full, the writer thread writes it.  The writer thread does not write it in all
 * cases, because a program that reads several pipes, such as njoin, may wait for each superblock
 * before it opens the next pipe.
 */
static void begin_member(struct capture *c, unsigned output, bool watched)
{
	struct output *o = &c->outputs[output];
	enum status status = STATUS_OK, limited = STATUS_OK;
	bool begins = true;
	struct error e;

	if (!fits_size(c, o, 0)) {
		c->limit = LIMIT_SIZE;
		error_set(&e, STATUS_SYSTEM, "%s: the limit is too small even for its headers", o->form->sink->name);
		fail_output(c, output, &e);
		return;
	}
	engine_enter_call(c, o);
	if (!o->opened)
		status = sink_open(o->form->sink, &e);
	if (!status)
		status = limited = check_free(c, o, 0, &e);
	if (!status && (begins = watched || sink_takes_now(o->form->sink)))
		status = o->form->ops->begin(o->form, &e);
	/* Name and superblock are there whatever the first read does. */
	if (!status && c->settings.cautious > 0 && sink_rewinds(o->form->sink))
		status = sink_sync(o->form->sink, &e);
	if (!engine_leave_call(c, o))
		return;
	o->opened = true;
	o->begun = begins;
	if (c->settings.cautious > 0)
		pthread_cond_broadcast(&c->can_fill);
	o->behind = o->form->sink->direct ? 0 : SINK_BEHIND;
	o->own = 1;			/* which shows whether it sleeps */
	c->limit = limited ? LIMIT_FREE : c->limit;
	o->confirmed = clock_seconds();
	o->stats.figures.unreadable += o->form->unreadable;
	if (status)
		fail_output(c, output, &e);
}

void writers_begin_first(struct capture *c)
{
	pthread_mutex_lock(&c->lock);
	/* Fallbacks are left to their writers: no thread watches the wait for a reader here. */
	for (unsigned i = 0; i < c->ordinary; i++)
		if (c->outputs[i].form->sink->kind == SINK_STREAM ||
		    c->outputs[i].form->sink->unavailable) {
			begin_member(c, i, false);
			fail_report(c);
		}
	pthread_mutex_unlock(&c->lock);
}

/* The chunk that the output takes next, in the ready list.  NULL: there is none, or not now. */
static struct chunk **next_ready(struct capture *c, unsigned output)
{
	struct output *o = &c->outputs[output];
	struct chunk **link = &c->ready.first;

	if (o->stats.state != SINK_TAKING || !o->begun || o->busy || checkpoints_due(c, output))
		return NULL;
	if (c->striped)
		while (*link && (*link)->index != o->next_chunk)
			link = &(*link)->next;
	return *link ? link : NULL;
}

static void count_chunk(struct capture *c, unsigned output, const struct chunk *chunk)
{
	struct output *o = &c->outputs[output];

	ledger_assign(&c->ledger, &chunk->run, output, o->form->closed);
	count_record(c, &o->stats, chunk->record.layer, &chunk->figures, false);
	checkpoints_count(o, engine_pass(c, chunk->record.layer) + 1);
	o->stats.written++;
	o->stats.member_bytes = form_stored(o->form);
	o->next_chunk += c->ordinary;
	o->synced = false;
	o->sealed = false;
}

/* How often the calling thread has waited for anything but a CPU. */
static long times_slept(void)
{
	struct rusage usage;

	return getrusage(RUSAGE_THREAD, &usage) ? 0 : usage.ru_nvcsw;
}

/* After a call that has slept: so that of a disk whose calls wait now and then, not one in a few delays a worker. */
enum { OWN_CHUNKS = 16 };

static void write_chunk(struct capture *c, unsigned output, struct chunk *chunk)
{
	struct output *o = &c->outputs[output];
	/* Copied under the lock: if the call hangs, the chunk may be used again meanwhile. */
	struct chunk written = *chunk;
	uint32_t length = record_length(&chunk->record);
	long slept = times_slept();
	struct clock_times call;
	enum status status, limited;
	struct error e;

	assert(!o->writing);
	if (!fits_size(c, o, length)) {
		chunk_list_prepend(&c->ready, chunk);
		engine_end(c, LIMIT_SIZE);
		return;
	}
	o->writing = chunk;
	engine_enter_call(c, o);
	status = limited = check_free(c, o, length, &e);
	call = clock_begin();
	if (!status)
		status = o->form->ops->append(o->form, &written, &e);
	call = clock_since(&call);
	slept = times_slept() - slept;
	if (!engine_leave_write(c, o))
		return;
	o->own = slept ? OWN_CHUNKS : o->own - (o->own > 0);
	if (c->auto_codec)
		auto_codec_learn_write(c->auto_codec, output, length, &call, slept);
	if (status) {
		c->limit = limited ? LIMIT_FREE : c->limit;
		o->stats.limited = limited;
		fail_call(c, output, &e);
		return;
	}
	o->writing = NULL;
	count_chunk(c, output, chunk);
	engine_free_chunk(c, chunk);
}

bool writer_write(struct capture *c, unsigned output, unsigned thread)
{
	struct chunk **link = next_ready(c, output);

	if (!link)
		return false;
	c->outputs[output].thread = thread;
	write_chunk(c, output, chunk_list_remove(&c->ready, link));
	return true;
}

/*
 * A worker writes to an output only if that takes a CPU and nothing else, as with a file in memory or in the page cache:
 * while it waits for a disk, it packs nothing.  And the reader of several pipes may take from one only when it has got
 * something from another.
 */
bool writer_leave(struct capture *c, unsigned output)
{
	struct output *o = &c->outputs[output];

	if (!(o->own || (c->count > 1 && !sink_rewinds(o->form->sink))) || !next_ready(c, output))
		return false;
	pthread_cond_signal(&o->wake);
	return true;
}

bool writer_has_task(const struct capture *c, unsigned output)
{
	const struct output *o = &c->outputs[output];

	if (c->phase == PHASE_DONE || engine_is_finished(o))
		return true;
	if (engine_is_reserved(c, output) || o->busy)
		return false;
	/* Of a stream, what a full output has given up must be read back from it. */
	if (o->given_up)
		return c->free.first && c->free.first->next;
	return !o->begun || checkpoints_due(c, output) ||
	       (c->phase == PHASE_SYNCING && !o->synced) ||
	       (c->phase == PHASE_ENDING && engine_command_may_end(c, output)) ||
	       (c->phase == PHASE_SEALING && !o->sealed);
}

bool writer_do_task(struct capture *c, unsigned output, unsigned thread)
{
	struct output *o = &c->outputs[output];

	if (o->stats.hung)
		return false;
	o->thread = thread;
	if (c->phase == PHASE_DONE || engine_is_finished(o)) {
		close_sink(c, o);
		return false;
	}
	if (o->given_up)
		read_back_record(c, o);
	else if (!o->begun)
		begin_member(c, output, true);
	else if (checkpoints_due(c, output))
		checkpoints_take_step(c, output);
	else
		close_member(c, output);
	return true;
}
