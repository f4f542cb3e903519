// SPDX-License-Identifier: GPL-2.0-or-later
/* What a writer does with its sink, and what becomes of one that fails, fills up or hangs. */
#include "config.h"

#include <errno.h>
#include <time.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "capture/engine.h"

/*
 * Seconds that an output may take for a call once the capture was asked to stop: who asks, as
 * systemd and kdump scripts do, kills after a while.
 */
static const double STOP_PATIENCE = 30;
static const double WATCH_INTERVAL = 1;
enum { LOOKS_AT_LEAST = 10 };	/* before a sink is given up */

struct chunk *engine_take_ready(struct capture *c, unsigned output)
{
	struct output *o = &c->outputs[output];
	struct chunk **link = &c->ready.first;

	if (o->stats.state != SINK_TAKING || !o->begun)
		return NULL;
	if (c->striped)
		while (*link && (*link)->index != o->next_chunk)
			link = &(*link)->next;
	return *link ? chunk_list_remove(&c->ready, link) : NULL;
}

static struct sinks_left what_is_left(const struct capture *c, const struct output *fallback)
{
	struct sinks_left left = {
		.taking = engine_takers(c),
		.fallback = fallback ? fallback->writer.sink->name : NULL,
	};

	for (unsigned i = 0; i < c->count; i++)
		left.ended += c->outputs[i].stats.state == SINK_ENDING ||
			      c->outputs[i].stats.state == SINK_ENDED;
	return left;
}

/*
 * An output failed: it takes no more, and unless it is only full, all that it held is
 * unassigned.  The message is given without the lock, since a console may be slow.  No
 * message is given for an output that was reported as full before and has given up more records.
 */
static void output_failed(struct capture *c, unsigned output, bool full,
			  const struct error *why)
{
	struct output *o = &c->outputs[output];
	bool again = full && o->stats.state == SINK_FULL;
	const struct output *fallback;
	struct sinks_left left;
	struct sink_stats told;

	o->stats.state = full ? SINK_FULL : SINK_DEAD;
	o->stats.why = *why;
	if (!full)
		ledger_retire(&c->ledger, output);
	c->striped = false;
	pthread_cond_broadcast(&c->can_write);
	pthread_cond_broadcast(&c->can_fill);
	fallback = engine_call_fallback(c);
	engine_advance(c);
	left = what_is_left(c, fallback);
	if (!left.taking)
		source_cancel(c->source);	/* nobody needs what a stream may still say */
	if (again)
		return;
	told = o->stats;
	pthread_mutex_unlock(&c->lock);
	c->watch->sink_failed(c->watch->watch.arg, &told, &left);
	pthread_mutex_lock(&c->lock);
}

void engine_enter_call(struct capture *c, struct output *o)
{
	o->busy = true;
	o->called = clock_seconds();
	o->waited = 0;
	pthread_mutex_unlock(&c->lock);
}

bool engine_leave_call(struct capture *c, struct output *o)
{
	pthread_mutex_lock(&c->lock);
	o->busy = false;
	return !o->stats.hung;
}

/*
 * A sink that cannot be opened, or does not even take its superblock, is dead
 * before it begins, and the others do its part: one disk that is not there must not
 * cost the dump.
 */
static void begin_member(struct capture *c, unsigned output)
{
	struct output *o = &c->outputs[output];
	enum status status = STATUS_OK;
	struct error e;

	engine_enter_call(c, o);
	if (!o->opened)
		status = sink_open(o->writer.sink, &e);
	if (!status)
		status = member_writer_begin(&o->writer, &e);
	if (!engine_leave_call(c, o))
		return;
	o->begun = true;
	if (status)
		output_failed(c, output, false, &e);
}

/*
 * No thread watches this call, so the superblock is written only if the sink takes it at once.  If a
 * pipe is full, the writer thread writes it.  The writer does not write it in all cases, because a
 * program that reads several pipes, such as njoin, may wait for each superblock before it opens the
 * next pipe.
 */
static void begin_unwatched(struct capture *c, unsigned output)
{
	struct output *o = &c->outputs[output];
	enum status status;
	struct error e;

	engine_enter_call(c, o);
	status = sink_open(o->writer.sink, &e);
	o->opened = true;
	o->begun = status || sink_takes_now(o->writer.sink);
	if (!status && o->begun)
		status = member_writer_begin(&o->writer, &e);
	engine_leave_call(c, o);
	if (status)
		output_failed(c, output, false, &e);
}

void engine_begin_first(struct capture *c)
{
	pthread_mutex_lock(&c->lock);
	/* Fallbacks are left to their writers: no thread watches the wait for a reader here. */
	for (unsigned i = 0; i < c->ordinary; i++)
		if (c->outputs[i].writer.sink->kind == SINK_STREAM ||
		    c->outputs[i].writer.sink->lost)
			begin_unwatched(c, i);
	pthread_mutex_unlock(&c->lock);
}

static void count_chunk(struct capture *c, unsigned output, const struct chunk *chunk)
{
	struct output *o = &c->outputs[output];

	if (o->writer.closed)
		ledger_assign_late(&c->ledger, chunk->index, output);
	else
		ledger_assign(&c->ledger, chunk->index, output);
	o->stats.records++;
	o->stats.written++;
	o->stats.source_bytes += chunk->record.source_length;
	o->stats.member_bytes = o->writer.sink->length;
	for (int kind = 0; kind < BLOCK_KINDS; kind++)
		o->stats.blocks[kind] += chunk->blocks[kind];
	o->stats.presets[chunk->preset] += chunk->record.source_length;
	o->next_chunk += c->ordinary;
	o->synced = false;
	o->sealed = false;
}

/* Bytes a second; 0: nothing is known of it yet. */
static double rate_of(const struct output *o, double now)
{
	if (!o->in_hand)
		return throughput_rate(&o->throughput, 0, 0);
	return throughput_rate(&o->throughput, now - o->called, record_length(&o->in_hand->record));
}

struct sink_figures engine_sink_figures(const struct capture *c)
{
	struct sink_figures all = { 0 };
	double now = clock_seconds(), bytes = 0, cpu = 0;
	unsigned known = 0, begun = 0;

	for (unsigned i = 0; i < c->count; i++) {
		const struct output *o = &c->outputs[i];
		double rate = rate_of(o, now);

		if (o->stats.state != SINK_TAKING || !o->begun)
			continue;
		begun++;
		known += rate > 0;
		all.rate += rate;
		bytes += o->throughput.bytes;
		cpu += o->throughput.cpu;
	}
	/* Those of which nothing is known yet are taken to be like the others. */
	if (known)
		all.rate *= (double)begun / known;
	if (bytes > 0)
		all.cpu = cpu / bytes;
	return all;
}

void engine_write(struct capture *c, unsigned output, struct chunk *chunk)
{
	struct output *o = &c->outputs[output];
	/* As it is under the lock: while the call hangs, the chunk may become another one. */
	struct chunk written = *chunk;
	enum rescue fate = RESCUE_FULL;
	enum status status;
	struct error e;
	struct throughput_call call;
	struct throughput throughput;
	double seconds;

	o->in_hand = chunk;
	throughput = o->throughput;
	engine_enter_call(c, o);
	call = throughput_begin();
	status = member_writer_append(&o->writer, &written, &e);
	seconds = throughput_end(&throughput, &call, record_length(&written.record));
	if (!engine_leave_call(c, o))
		return;
	if (status)
		fate = engine_rescue(c, output, &e);
	if (fate == RESCUE_HUNG)
		return;
	o->in_hand = NULL;
	o->stats.seconds += seconds;
	o->throughput = throughput;
	if (status) {
		chunk_list_prepend(&c->ready, chunk);
		output_failed(c, output, fate == RESCUE_FULL, &e);
		return;
	}
	count_chunk(c, output, chunk);
	engine_give_back(c, chunk);
	engine_advance(c);
}

/* Nothing more will ever be asked of it. */
static bool has_ended(const struct output *o)
{
	return o->stats.state == SINK_DEAD || o->stats.state == SINK_ENDED;
}

bool engine_has_duty(const struct capture *c, unsigned output)
{
	const struct output *o = &c->outputs[output];

	if (c->phase == PHASE_DONE || has_ended(o))
		return true;
	if (engine_is_reserved(c, output))
		return false;
	if (o->given_up)
		return engine_can_read_back(c, o);
	return !o->begun ||
	       (c->phase == PHASE_SYNCING && !o->synced) ||
	       (c->phase == PHASE_ENDING && engine_may_end(c, output)) ||
	       (c->phase == PHASE_SEALING && !o->sealed);
}

/* The last thing that a writer does, so that even this is watched. */
static void close_sink(struct capture *c, struct output *o)
{
	bool look = o->stats.state == SINK_DEAD && o->stats.written, found = false;
	enum status status;
	struct error e;

	engine_enter_call(c, o);
	if (look)
		found = member_writer_has_record(&o->writer);
	status = sink_close(o->writer.sink, &e);
	if (!engine_leave_call(c, o))
		return;
	o->stats.salvageable = found;
	if (status)
		o->stats.closing = e;
}

/*
 * Did the capture end before the source did?  Being asked to stop may come too late.  When no
 * output is left, nobody may have been waiting for the stream, and its end is unknown.
 */
static bool ended_early(const struct capture *c)
{
	return c->source_failed || c->source_stopped ||
	       ((c->stopping || c->source->is_stream) && ledger_has_work(&c->ledger));
}

/* What is done with a member in one of the phases, and what for it must be known beforehand. */
struct step {
	enum phase phase;
	struct sink_stats held;
	uint64_t source_size;
	bool early;
	int64_t now;
};

static struct step next_step(const struct capture *c, const struct output *o)
{
	int64_t fixed = c->settings.fixed_time;
	struct step step = {
		.phase = c->phase,
		.held = o->stats,
		.early = ended_early(c),
		/* In these phases no worker is reading, so nobody else touches the size. */
		.source_size = c->source->size,
		.now = fixed >= 0 ? fixed : time(NULL),
	};

	if (step.early && c->source->is_stream)
		step.source_size = SOURCE_SIZE_UNKNOWN;
	return step;
}

/* Without the lock. */
static enum status take_step(struct member_writer *w, const struct step *step, struct error *e)
{
	enum status status;

	if (step->phase == PHASE_SYNCING)
		return member_writer_sync(w, e);
	status = member_writer_seal(w, &step->held, step->source_size, step->early, step->now, e);
	if (!status && step->phase == PHASE_ENDING)
		status = sink_finish(w->sink, e);
	return status;
}

static void step_done(struct capture *c, struct output *o, enum phase phase)
{
	if (phase == PHASE_SYNCING) {
		o->synced = true;
	} else if (phase == PHASE_SEALING) {
		o->sealed = true;
		o->closed = o->stats;
		ledger_close(&c->ledger, (unsigned)(o - c->outputs));
	} else {
		o->stats.state = SINK_ENDED;
		pthread_cond_broadcast(&c->can_write);	/* the last one may be ended now */
	}
}

static void close_member(struct capture *c, unsigned output)
{
	struct output *o = &c->outputs[output];
	struct step step = next_step(c, o);
	enum rescue fate;
	enum status status;
	struct error e;
	double start;

	if (step.phase == PHASE_ENDING)
		o->stats.state = SINK_ENDING;
	engine_enter_call(c, o);
	start = clock_seconds();
	status = take_step(&o->writer, &step, &e);
	start = clock_seconds() - start;
	if (!engine_leave_call(c, o))
		return;
	o->stats.seconds += start;
	o->stats.member_bytes = o->writer.sink->length;
	if (status) {
		fate = engine_rescue(c, output, &e);
		if (fate != RESCUE_HUNG)
			output_failed(c, output, fate == RESCUE_FULL, &e);
		return;
	}
	step_done(c, o, step.phase);
	engine_advance(c);
}

bool engine_do_duty(struct capture *c, unsigned output)
{
	struct output *o = &c->outputs[output];

	if (o->stats.hung)
		return false;
	if (c->phase == PHASE_DONE || has_ended(o)) {
		close_sink(c, o);
		return false;
	}
	if (o->given_up)
		engine_read_back(c, o);
	else if (o->begun)
		close_member(c, output);
	else
		begin_member(c, output);
	return !o->stats.hung;
}

/* Seconds that a call may take; 0: for ever. */
static double patience(const struct capture *c)
{
	double timeout = c->settings.sink_timeout;

	if (c->stopping && (!timeout || timeout > STOP_PATIENCE))
		return STOP_PATIENCE;
	return timeout;
}

/*
 * What stands in for a chunk that a hanging call holds: a copy, so that the call's is not
 * written to any more.  When no other chunk is free, the same one must do: the call only reads
 * it, and what it writes does not count.  Likewise where too few would be left to read back what full
 * outputs give up.
 */
static struct chunk *stand_in(struct capture *c, const struct output *o)
{
	struct chunk *copy;

	if (!c->free.first || !engine_can_lose_chunk(c))
		return o->in_hand;
	c->lost++;
	copy = chunk_list_remove(&c->free, &c->free.first);
	chunk_copy(copy, o->in_hand);
	return copy;
}

static void give_up(struct capture *c, unsigned output)
{
	struct output *o = &c->outputs[output];
	struct error e;

	error_set(&e, STATUS_SYSTEM, "%s: no answer for %g s", o->writer.sink->name, patience(c));
	o->stats.hung = true;
	sink_abandon(o->writer.sink);
	thread_pool_abandon(&c->threads, output);
	/* Only closing it: what it holds is safe, or does not count already. */
	if (c->phase == PHASE_DONE || has_ended(o)) {
		o->stats.closing = e;
		return;
	}
	if (o->in_hand)
		chunk_list_prepend(&c->ready, stand_in(c, o));
	o->in_hand = NULL;
	engine_drop_given_up(c, o);
	if (o->reading) {
		ledger_drop(&c->ledger, o->reading->index);
		c->lost++;
	}
	if (!engine_can_ever_read_back(c))
		engine_drop_all_given_up(c);
	output_failed(c, output, false, &e);
}

void engine_begin_watch(struct capture *c)
{
	double timeout = c->settings.sink_timeout;

	c->watch_interval = min_double(c->watch->watch.interval, WATCH_INTERVAL);
	if (timeout)
		c->watch_interval = min_double(c->watch_interval, timeout / LOOKS_AT_LEAST);
	c->watched = clock_seconds();
}

void engine_watch(struct capture *c)
{
	double now = clock_seconds();
	/*
	 * The sinks are not to blame when nobody could look for longer: the program was stopped
	 * (SIGSTOP), or its virtual machine, or has to share its CPUs with too many.
	 */
	double passed = min_double(now - c->watched, c->watch_interval);

	c->watched = now;
	pthread_mutex_lock(&c->lock);
	for (unsigned i = 0; i < c->count; i++) {
		struct output *o = &c->outputs[i];

		if (!o->busy || o->stats.hung)
			continue;
		o->waited += passed;
		if (patience(c) && o->waited >= patience(c))
			give_up(c, i);
	}
	pthread_mutex_unlock(&c->lock);
}
