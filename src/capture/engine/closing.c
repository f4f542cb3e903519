// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#include "capture/engine/closing.h"
#include "capture/engine/fail_output.h"
#include "capture/engine/layers.h"

/*
 * Did the capture end before the source?  A request to stop may come when all of it has been read.
 * When no output is left, nothing may have waited for the stream, so its end is unknown.  Of any other
 * source, what was not written because outputs are full or failed is missing, and nothing else.
 */
static bool ended_early(const struct capture *c)
{
	return c->source_failed || c->source_stopped ||
	       (c->stopping && !c->layers.judged) ||
	       ((c->stopping || c->source->is_stream) && ledger_has_work(&c->ledger));
}

/* The arguments of a step, copied under the lock, since it runs without the lock. */
struct step {
	enum phase phase;
	struct sink_stats held;
	struct member_layers layers;
	struct form_end end;
};

static struct step next_step(const struct capture *c, const struct output *o)
{
	struct step step = {
		.phase = c->phase,
		.held = o->stats,
		.layers = layers_told(c),
		.end = {
			/* In these phases no worker is reading, so the size does not change. */
			.source_size = c->source->size,
			.stopped = ended_early(c),
			.finished = engine_time(c),
		},
	};

	if (step.end.stopped && c->source->is_stream)
		step.end.source_size = SOURCE_SIZE_UNKNOWN;
	return step;
}

/* Without the lock. */
static enum status take_step(struct form *f, const struct step *step, struct error *e)
{
	enum status status;

	if (step->phase == PHASE_SYNCING)
		return form_sync(f, e);
	f->layers = step->layers;
	status = form_seal(f, &step->held, &step->end, e);
	if (!status && step->phase == PHASE_ENDING)
		status = sink_finish(f->sink, e);
	return status;
}

static void step_done(struct capture *c, struct output *o, enum phase phase)
{
	if (phase != PHASE_SYNCING) {
		o->stats.digested = o->form->digested;
		memcpy(o->stats.digest, o->form->digest, DIGEST_LENGTH);
	}
	if (phase == PHASE_SYNCING) {
		o->synced = true;
	} else if (phase == PHASE_SEALING) {
		o->sealed = true;
		o->closed = o->stats;
		ledger_seal(&c->ledger, (unsigned)(o - c->outputs));
	} else {
		o->stats.state = SINK_ENDED;
		o->unsafe = 0;		/* it has confirmed everything */
		pthread_cond_broadcast(&c->can_write);	/* the last command may end now */
	}
}

void close_member(struct capture *c, unsigned output)
{
	struct output *o = &c->outputs[output];
	struct step step = next_step(c, o);
	enum status status;
	struct error e;

	assert(engine_is_open(o) && !o->given_up);
	assert(step.phase == PHASE_SYNCING || o->synced);
	if (step.phase == PHASE_ENDING)
		o->stats.state = SINK_ENDING;
	engine_enter_call(c, o);
	status = take_step(o->form, &step, &e);
	if (!engine_leave_write(c, o))
		return;
	o->stats.member_bytes = form_stored(o->form);
	if (status)
		fail_call(c, output, &e);
	else
		step_done(c, o, step.phase);
}

void close_sink(struct capture *c, struct output *o)
{
	bool dead = o->stats.state == SINK_DEAD && (o->stats.written || c->settings.dump), found = false;
	enum status status;
	struct error e;

	if (o->sink_closed)
		return;
	engine_enter_call(c, o);
	/* What the reader of a pipe has kept that it has left is not known. */
	if (dead)
		found = form_leave(o->form) && (sink_rewinds(o->form->sink) || o->stats.why.errnum != EPIPE);
	status = sink_close(o->form->sink, &e);
	if (!engine_leave_call(c, o))
		return;
	o->sink_closed = true;
	o->stats.salvageable = found;
	if (status)
		o->stats.closing = e;
}
