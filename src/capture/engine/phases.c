// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>

#include "capture/engine/fail_output.h"
#include "capture/engine/layers.h"
#include "capture/engine/phases.h"
#include "capture/engine/read_back.h"

/* --- checkpoints ----------------------------------------------------------- */

/* The checkpoints that are to be written now. */
struct due {
	unsigned whole;			/* they speak of layers 1 to this one; 0: none are due */
	bool safe;			/* all outputs have confirmed what they hold of these */
};

enum step {
	STEP_NONE,
	STEP_CONFIRM,
	STEP_CHECKPOINT,
};

void checkpoints_count(struct output *o, unsigned layer)
{
	if (!o->unsafe || layer < o->unsafe)
		o->unsafe = layer;
	if (layer <= o->checkpoint)
		o->checkpoint = layer - 1;
	assert(o->checkpoint < o->unsafe);
}

static bool is_safe(const struct output *o, unsigned whole)
{
	return !o->unsafe || o->unsafe > whole;
}

/* Pipes and commands confirm nothing before they end, and null: never does. */
static bool can_confirm(const struct output *o)
{
	return engine_is_open(o) && o->begun && sink_rewinds(o->form->sink);
}

/* A member that was closed keeps its footer; a full one needs its space for that. */
static bool can_take_checkpoint(const struct output *o)
{
	return o->stats.state == SINK_TAKING && o->stats.records && !o->closed.member_bytes;
}

static struct due find_due(const struct capture *c)
{
	struct due due = { .safe = true };

	if (c->policy->layers == 1 || c->phase != PHASE_CAPTURING || c->stopping)
		return due;
	due.whole = layers_whole_before_others(c);
	for (unsigned i = 0; due.whole && i < c->count; i++) {
		const struct output *o = &c->outputs[i];

		if (o->stats.state == SINK_DEAD || is_safe(o, due.whole))
			continue;
		due.safe = false;
		if (!can_confirm(o))
			due.whole = 0;
	}
	return due;
}

static enum step next_step(const struct due *due, const struct output *o)
{
	if (!due->whole || !can_confirm(o))
		return STEP_NONE;
	if (!is_safe(o, due->whole))
		return STEP_CONFIRM;
	if (!due->safe || o->checkpoint >= due->whole || !can_take_checkpoint(o))
		return STEP_NONE;
	return STEP_CHECKPOINT;
}

bool checkpoints_due(const struct capture *c, unsigned output)
{
	struct due due = find_due(c);

	return next_step(&due, &c->outputs[output]) != STEP_NONE;
}

/* Wakes the writers of outputs for which one is. */
static void checkpoints_wake(struct capture *c)
{
	struct due due = find_due(c);

	for (unsigned i = 0; due.whole && i < c->count; i++) {
		const struct output *o = &c->outputs[i];

		/* A writer in a call looks for tasks when it returns. */
		if (o->busy || next_step(&due, o) == STEP_NONE)
			continue;
		pthread_cond_broadcast(&c->can_write);
		return;
	}
}

/* Without the lock. */
static enum status take_step(struct form *f, enum step step, const struct sink_stats *held,
			     int64_t now, struct error *e)
{
	return step == STEP_CONFIRM ? form_confirm(f, e) : form_checkpoint(f, held, now, e);
}

/* Without the lock, because a console may be slow. */
static void tell_that_it_opens(struct capture *c, const struct sink *sink)
{
	if (!c->watch->opens)
		return;
	pthread_mutex_unlock(&c->lock);
	c->watch->opens(c->watch->watch.arg, sink);
	pthread_mutex_lock(&c->lock);
}

static void step_done(struct capture *c, struct output *o, enum step step, bool opened)
{
	o->unsafe = 0;
	if (step == STEP_CHECKPOINT)
		o->checkpoint = o->form->layers.whole;
	if (o->form->opens && !opened)
		tell_that_it_opens(c, o->form->sink);
}

void checkpoints_take_step(struct capture *c, unsigned output)
{
	struct output *o = &c->outputs[output];
	struct due due = find_due(c);
	enum step step = next_step(&due, o);
	bool opened = o->form->opens;
	int64_t now = engine_time(c);
	struct sink_stats held = o->stats;
	enum status status;
	struct error e;

	/* Perhaps this writer was woken for a chunk. */
	if (c->ready.first)
		pthread_cond_broadcast(&c->can_write);
	o->form->layers = layers_told(c);
	assert(step != STEP_NONE && o->form->layers.whole == due.whole);
	if (step == STEP_CHECKPOINT)
		o->synced = false;
	engine_enter_call(c, o);
	status = take_step(o->form, step, &held, now, &e);
	if (fail_leave_call(c, output, status, &e))
		step_done(c, o, step, opened);
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

static unsigned length_of(const struct chunk_list *list)
{
	unsigned length = 0;

	for (const struct chunk *p = list->first; p; p = p->next)
		length++;
	return length;
}

/* Every chunk is free, or with a worker, or ready, or with a writer, or lost. */
static const char *check_chunks(const struct capture *c)
{
	unsigned there = c->pool.count - c->chunks_lost, used = there - length_of(&c->free);
	unsigned with_workers = there;

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

static const char *check_output(const struct output *o)
{
	if ((o->writing || o->reading_back) && !o->busy && !o->stats.hung)
		return "a writer has a chunk outside of a call";
	if (o->unsafe && o->checkpoint >= o->unsafe)
		return "a checkpoint covers a layer that is not confirmed";
	if (o->sealed && !o->busy && !o->form->closed)
		return "a sealed member has no footer";
	if (o->stats.state == SINK_DEAD && o->given_up)
		return "a dead output is to read records back";
	return NULL;
}

static const char *check_outputs(const struct capture *c)
{
	unsigned given_up = 0;

	for (unsigned i = 0; i < c->count; i++) {
		const char *broken = check_output(&c->outputs[i]);

		if (broken)
			return broken;
		given_up += c->outputs[i].given_up;
	}
	return given_up == c->given_up ? NULL : "the records that are given up are counted wrongly";
}

static uint64_t items_of(const struct ledger *l)
{
	return l->late ? (uint64_t)(l->late - l->holder) : l->units;
}

static bool is_late(const struct ledger *l, uint64_t i)
{
	return l->late && l->late[i / 8] >> i % 8 & 1;
}

/* What holder[] and late[] say, to be compared with the sums that the ledger keeps. */
struct ledger_sums {
	uint64_t in_flight, claimable, first_claimable;
	uint64_t left[LEDGER_PASSES];
};

static void add_item(const struct ledger *l, uint64_t i, struct ledger_sums *sums)
{
	bool none = l->holder[i] == LEDGER_NONE, in_flight = l->holder[i] == LEDGER_IN_FLIGHT;
	bool unassigned = none && !is_late(l, i);

	sums->left[i / l->units] += unassigned || in_flight;
	sums->in_flight += in_flight;
	if (unassigned && i < l->next && !sums->claimable++)
		sums->first_claimable = i;
}

const char *ledger_check(const struct ledger *l)
{
	uint64_t items = items_of(l);
	struct ledger_sums sums = { 0 };

	if (l->next > items)
		return "a unit that does not exist was claimed";
	for (uint64_t i = 0; i < items; i++) {
		add_item(l, i, &sums);
		if (i >= l->next && l->holder[i] != LEDGER_NONE)
			return "a unit that was never claimed is held";
	}
	for (unsigned i = 0; i < LEDGER_PASSES; i++)
		if (sums.left[i] != l->left[i])
			return "the units left in a pass are counted wrongly";
	/* Of a stream, units that are being fetched are in flight and have no item yet. */
	if (sums.in_flight > l->in_flight || (l->late && sums.in_flight < l->in_flight))
		return "the units in flight are counted wrongly";
	if (l->late && sums.claimable != l->unassigned)
		return "the unassigned units are counted wrongly";
	return l->late && sums.claimable && sums.first_claimable < l->search ?
	       "an unassigned unit would not be found" : NULL;
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
		if (o->sealed && is_late(l, i))
			return "a sealed member has a record behind its last footer";
	}
	return NULL;
}

const char *engine_check(const struct capture *c)
{
	const char *broken = check_chunks(c);

	if (!broken)
		broken = check_outputs(c);
	if (broken || items_of(&c->ledger) > ITEMS_CHECKED)
		return broken;
	broken = ledger_check(&c->ledger);
	return broken ? broken : check_holders(c);
}

/* --- the phases ------------------------------------------------------------ */

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

/* No output is left to write these. */
static void drop_ready(struct capture *c)
{
	while (c->ready.first) {
		struct chunk *chunk = chunk_list_remove(&c->ready, &c->ready.first);

		engine_drop_chunk(c, chunk);
		engine_free_chunk(c, chunk);
	}
}

static enum phase next_phase(const struct capture *c)
{
	if (c->phase == PHASE_DONE)
		return PHASE_DONE;
	if (engine_has_work(c) || c->ledger.in_flight || layers_undecided(c))
		return PHASE_CAPTURING;
	if (c->phase == PHASE_CAPTURING)
		return PHASE_SYNCING;
	/* A full member may have to give up records even for its footer. */
	if (!all_synced(c))
		return PHASE_SYNCING;
	if (c->phase == PHASE_SYNCING)
		return PHASE_ENDING;
	if (c->phase == PHASE_ENDING && !engine_commands_running(c))
		return PHASE_SEALING;
	/* A fallback command was activated for an empty source, which leaves no work. */
	if (c->phase == PHASE_SEALING && engine_commands_running(c))
		return PHASE_ENDING;
	if (c->phase == PHASE_SEALING && all_sealed(c))
		return PHASE_DONE;
	return c->phase;
}

static void enter(struct capture *c, enum phase phase)
{
	assert(phase == PHASE_CAPTURING ||
	       (!c->ledger.in_flight && !c->ready.first && !c->given_up));
	/* No file has a footer before all data is safe. */
	assert(phase < PHASE_ENDING || all_synced(c));
	assert(phase < PHASE_SEALING || !engine_commands_running(c));
	assert(phase != PHASE_DONE || all_sealed(c));
	c->phase = phase;
	pthread_cond_broadcast(&c->needed);
	pthread_cond_broadcast(&c->can_fill);
	pthread_cond_broadcast(&c->can_write);
}

void phases_advance(struct capture *c)
{
	enum phase phase;

	assert(engine_is_locked(c));
	checkpoints_wake(c);
	if (!engine_takers(c)) {
		drop_ready(c);
		read_back_drop_all(c);
	}
	while ((phase = next_phase(c)) != c->phase)
		enter(c, phase);
#ifdef NSPLIT_CHECKS
	assert(!engine_check(c));
#endif
	fail_report(c);
}
