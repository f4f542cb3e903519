// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>
#include <inttypes.h>
#include <time.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/text.h"
#include "capture/engine/engine.h"

unsigned engine_takers(const struct capture *c)
{
	unsigned count = 0;

	for (unsigned i = 0; i < c->count; i++)
		count += c->outputs[i].stats.state == SINK_TAKING;
	return count;
}

bool engine_is_open(const struct output *o)
{
	return o->stats.state == SINK_TAKING || o->stats.state == SINK_FULL;
}

bool engine_is_finished(const struct output *o)
{
	return o->stats.state == SINK_DEAD || o->stats.state == SINK_ENDED;
}

bool engine_is_reserved(const struct capture *c, unsigned output)
{
	return c->outputs[output].stats.state == SINK_RESERVED;
}

bool capture_closed_any(const struct capture *c)
{
	for (unsigned i = 0; i < c->count; i++) {
		const struct sink_stats *stats = &c->outputs[i].stats;

		/* An output that was full before its first record is no better than a dead one. */
		if (stats->state == SINK_TAKING || stats->state == SINK_ENDING || stats->state == SINK_ENDED ||
		    (stats->state == SINK_FULL && stats->records))
			return true;
	}
	return false;
}

bool engine_waits_for_urgent(const struct capture *c)
{
	return c->policy->first.count && !c->layers.first && !c->ledger.unassigned;
}

bool engine_has_work(const struct capture *c)
{
	return !c->stopping && !engine_waits_for_urgent(c) && ledger_has_work(&c->ledger) && engine_takers(c);
}

static bool is_open_command(const struct output *o)
{
	return engine_is_open(o) && sink_ends(o->form->sink);
}

/* The command that keeps running while the others end. */
static unsigned last_command(const struct capture *c)
{
	unsigned i = 0;

	while (i < c->count && !is_open_command(&c->outputs[i]))
		i++;
	return i;
}

unsigned engine_commands_running(const struct capture *c)
{
	unsigned count = 0;

	for (unsigned i = 0; i < c->count; i++)
		count += c->outputs[i].stats.state == SINK_ENDING ||
			 is_open_command(&c->outputs[i]);
	return count;
}

bool engine_command_may_end(const struct capture *c, unsigned output)
{
	if (!is_open_command(&c->outputs[output]))
		return false;
	return output != last_command(c) || engine_commands_running(c) == 1;
}

void engine_wake_writers(struct capture *c)
{
	for (unsigned i = 0; i < c->count; i++)
		pthread_cond_signal(&c->outputs[i].wake);
}

bool engine_is_locked(struct capture *c)
{
	if (pthread_mutex_trylock(&c->lock))
		return true;
	pthread_mutex_unlock(&c->lock);
	return false;
}

void engine_drop_chunk(struct capture *c, const struct chunk *chunk)
{
	assert(engine_is_locked(c));
	ledger_drop(&c->ledger, &chunk->run);
}

void engine_free_chunk(struct capture *c, struct chunk *chunk)
{
	assert(engine_is_locked(c));
	chunk_list_prepend(&c->free, chunk);
	pthread_cond_signal(&c->can_fill);
	if (c->given_up)
		engine_wake_writers(c);
}

void engine_enter_call(struct capture *c, struct output *o)
{
	assert(engine_is_locked(c) && !o->busy && !o->stats.hung);
	o->busy = true;
	o->called = clock_seconds();
	o->waited = 0;
	pthread_mutex_unlock(&c->lock);
}

bool engine_leave_call(struct capture *c, struct output *o)
{
	pthread_mutex_lock(&c->lock);
	assert(o->busy);
	o->busy = false;
	return !o->stats.hung;
}

bool engine_leave_write(struct capture *c, struct output *o)
{
	double seconds = clock_seconds() - o->called;

	if (!engine_leave_call(c, o))
		return false;
	o->stats.seconds += seconds;
	o->call_seconds = max_double(o->call_seconds, seconds);
	return true;
}

/* --- limits ---------------------------------------------------------------- */

enum status capture_limit_error(const struct capture_limits *limits, enum capture_limit limit, struct error *e)
{
	uint64_t seconds = limits->seconds, unit = seconds % 60 ? 1 : seconds % 3600 ? 60 : 3600;
	char size[SIZE_TEXT_LENGTH];

	if (limit == LIMIT_TIME)
		return error_set(e, STATUS_MISSING, "the limit of %" PRIu64 " %s is reached", seconds / unit,
				 unit == 1 ? "s" : unit == 60 ? "min" : "h");
	size_format(limit == LIMIT_SIZE ? limits->size : limits->keep_free, size);
	return error_set(e, STATUS_MISSING, "the limit of %s%s is reached", size, limit == LIMIT_FREE ? " of free space" : "");
}

void engine_end(struct capture *c, enum capture_limit limit)
{
	assert(engine_is_locked(c));
	c->limit = limit;
	for (unsigned i = 0; i < c->count; i++) {
		struct sink_stats *stats = &c->outputs[i].stats;

		if (stats->state != SINK_TAKING)
			continue;
		stats->state = SINK_FULL;
		stats->limited = true;
		capture_limit_error(&c->settings.limits, limit, &stats->why);
	}
	pthread_cond_broadcast(&c->can_fill);
	engine_wake_writers(c);
	source_cancel(c->source);	/* whatever a stream still holds cannot be written */
	if (limit == LIMIT_TIME && c->policy->stop)
		c->policy->stop(c->policy->arg);
}

/*
 * Until an output has shown how long a sync takes, that is as long as its longest call, but this part of the time at
 * least, and these seconds at most.
 */
static const double SYNC_SHARE = 0.025, SYNC_GUESS = 2.5;

/*
 * Seconds that an output needs to be closed: for the chunk that it writes, for what a sync still has to write, and for a
 * sync before its footer and one after it.
 */
static double closing_seconds(const struct capture *c, const struct output *o)
{
	double sync = o->sync_seconds;
	uint64_t behind = min_u64(o->behind, o->stats.member_bytes) + c->settings.chunk_size;

	if (!sync)
		sync = min_double(SYNC_GUESS, max_double(o->call_seconds, SYNC_SHARE * (double)c->settings.limits.seconds));
	return 2 * sync + (o->stats.member_bytes ? o->stats.seconds * (double)behind / (double)o->stats.member_bytes : 0);
}

void engine_check_time(struct capture *c, double interval)
{
	const struct capture_limits *limits = &c->settings.limits;
	double left = limits->began + (double)limits->seconds - clock_seconds(), most = 0;

	if (!limits->seconds || c->phase != PHASE_CAPTURING || !engine_takers(c))
		return;
	for (unsigned i = 0; i < c->count; i++)
		if (engine_is_open(&c->outputs[i]))
			most = max_double(most, closing_seconds(c, &c->outputs[i]));
	if (left < interval + c->fill_seconds + most)
		engine_end(c, LIMIT_TIME);
}

int64_t engine_time(const struct capture *c)
{
	return c->settings.fixed_time >= 0 ? c->settings.fixed_time : time(NULL);
}

bool engine_pass_waits(const struct capture *c)
{
	return !c->layers.judged || c->ledger.end < c->ledger.units * c->layers.passes;
}

/* Members stay open until classes are decided, so that footers record the decision. */
bool engine_layers_undecided(const struct capture *c)
{
	return (c->layers.judging && !c->layers.judged) ||
	       (engine_pass_waits(c) && !c->stopping && engine_takers(c));
}

/* Layer 2, if there is one of first ranges, comes before layer 1. */
unsigned engine_pass(const struct capture *c, unsigned layer)
{
	return c->policy->first.count && layer <= 2 ? 2 - layer : layer - 1;
}

unsigned engine_whole(const struct capture *c, unsigned passes)
{
	return c->policy->first.count && passes == 1 ? 0 : passes;
}

/* --- the invariants of the engine ------------------------------------------ */

/* The ledger of a larger source is not checked after each step, which would take too long. */
enum { ITEMS_CHECKED = 4096 };

/* How many threads or lists have the chunk, apart from workers. */
static unsigned holders_of(const struct capture *c, const struct chunk *chunk)
{
	unsigned holders = 0;

	for (const struct chunk *p = c->free.first; p; p = p->next)
		holders += p == chunk;
	for (const struct chunk *p = c->ready.first; p; p = p->next)
		holders += p == chunk;
	for (unsigned i = 0; i < c->count; i++) {
		const struct output *o = &c->outputs[i];

		/* A call that hangs keeps its chunk. */
		holders += o->writing == chunk || (o->reading_back == chunk && !o->stats.hung);
	}
	return holders;
}

/* Every chunk is free, or with a worker, or ready, or with a writer, or lost. */
static const char *check_chunks(const struct capture *c)
{
	unsigned there = c->pool.count - c->chunks_lost, used = there, with_workers = there;

	for (const struct chunk *p = c->free.first; p; p = p->next)
		used--;
	for (unsigned i = 0; i < c->pool.count; i++) {
		unsigned holders = holders_of(c, &c->pool.chunks[i]);

		if (holders > 1)
			return "a chunk has several holders";
		with_workers -= holders;
	}
	if (with_workers > c->workers)
		return "workers have more than one chunk each, or a chunk has no holder";
	/* Each chunk in use has units in flight, without layers exactly one. */
	if (used > c->ledger.in_flight || (c->ledger.in_flight > c->given_up && !used))
		return "the chunks in use differ from the units in flight";
	if (layer_policy_is_plain(c->policy) && used + c->given_up != c->ledger.in_flight)
		return "the chunks in use differ from the chunks in flight";
	return NULL;
}

static const char *check_outputs(const struct capture *c)
{
	unsigned given_up = 0;

	for (unsigned i = 0; i < c->count; i++) {
		const struct output *o = &c->outputs[i];

		if ((o->writing || o->reading_back) && !o->busy && !o->stats.hung)
			return "a writer has a chunk outside of a call";
		if (o->unsafe && o->checkpoint >= o->unsafe)
			return "a checkpoint covers a pass that is not confirmed";
		if (o->sealed && !o->busy && !o->form->closed)
			return "a sealed member has no footer";
		if (o->stats.state == SINK_DEAD && o->given_up)
			return "a dead output is to read records back";
		given_up += o->given_up;
	}
	return given_up == c->given_up ? NULL : "the records that are given up are counted wrongly";
}

/* Only outputs that count hold units, and a sealed one holds none behind its last footer. */
static const char *check_holders(const struct capture *c)
{
	const struct ledger *l = &c->ledger;

	for (uint64_t i = 0; i < l->next; i++) {
		const struct output *o;

		if (l->holder[i] == LEDGER_NONE || l->holder[i] == LEDGER_IN_FLIGHT)
			continue;
		if (l->holder[i] > c->count)
			return "an output that does not exist holds a unit";
		o = &c->outputs[l->holder[i] - 1];
		if (o->stats.state == SINK_DEAD || o->stats.state == SINK_RESERVED)
			return "an output holds a unit and does not count";
		if (o->sealed && ledger_is_late(l, i))
			return "a sealed member has a record behind its last footer";
	}
	return NULL;
}

const char *engine_check(const struct capture *c)
{
	const char *broken = check_chunks(c);

	if (!broken)
		broken = check_outputs(c);
	if (broken || c->ledger.units * c->policy->layers > ITEMS_CHECKED)
		return broken;
	if (c->policy->first.count && !c->layers.first && c->ledger.next > c->ledger.units)
		return "layer 1 was begun before all of the first ranges";
	if (c->ledger.end > c->ledger.barrier && ledger_passes_held(&c->ledger) * c->ledger.units < c->ledger.barrier)
		return "a pass goes on that has to wait";
	broken = ledger_check(&c->ledger);
	return broken ? broken : check_holders(c);
}
