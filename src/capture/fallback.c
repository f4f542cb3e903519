// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "capture/fallback.h"

/* Is there anything that an output must still take? */
static bool is_anything_left(const struct capture *c)
{
	bool undecided = c->settings.guide && !c->layers.judged;

	if (c->ledger.in_flight || (!c->stopping && (undecided || ledger_has_work(&c->ledger))))
		return true;
	/* An empty source needs a member, too. */
	return !c->ledger.chunks && !engine_any_good(c);
}

const struct output *fallback_activate(struct capture *c)
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
