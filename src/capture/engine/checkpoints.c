// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>

#include "capture/engine/checkpoints.h"
#include "capture/engine/fail_output.h"
#include "capture/engine/layers.h"

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

void checkpoints_wake(struct capture *c)
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
	if (!engine_leave_write(c, o))
		return;
	o->stats.member_bytes = form_stored(o->form);
	if (status)
		fail_call(c, output, &e);
	else
		step_done(c, o, step, opened);
}
