// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "capture/fail_output.h"
#include "capture/fallback.h"
#include "capture/phases.h"

static struct sinks_left count_left(const struct capture *c, const struct output *fallback)
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

/* Without the lock, because a console may be slow. */
static void report(struct capture *c, const struct output *o, const struct sinks_left *left)
{
	struct sink_stats stats = o->stats;

	pthread_mutex_unlock(&c->lock);
	c->watch->sink_failed(c->watch->watch.arg, &stats, left);
	pthread_mutex_lock(&c->lock);
}

void fail_output(struct capture *c, unsigned output, bool full, const struct error *why)
{
	struct output *o = &c->outputs[output];
	bool reported = full && o->stats.state == SINK_FULL;	/* it has only given up more records */
	const struct output *fallback;
	struct sinks_left left;

	o->stats.state = full ? SINK_FULL : SINK_DEAD;
	o->stats.why = *why;
	if (!full)
		ledger_unassign_all(&c->ledger, output);
	c->striped = false;
	pthread_cond_broadcast(&c->can_write);
	pthread_cond_broadcast(&c->can_fill);
	fallback = fallback_activate(c);
	phases_advance(c);
	left = count_left(c, fallback);
	if (!left.taking)
		source_cancel(c->source);	/* whatever a stream still holds cannot be written */
	if (!reported)
		report(c, o, &left);
}
