// SPDX-License-Identifier: GPL-2.0-or-later
/* When a fallback is called: see engine.h. */
#include "config.h"

#include "capture/engine.h"

bool engine_is_reserved(const struct capture *c, unsigned output)
{
	return c->outputs[output].stats.state == SINK_RESERVED;
}

static bool is_good(const struct sink_stats *stats)
{
	/* A sink that was full before its first record is no better than a dead one. */
	return stats->state == SINK_TAKING || stats->state == SINK_ENDING ||
	       stats->state == SINK_ENDED || (stats->state == SINK_FULL && stats->records);
}

bool engine_any_good(const struct capture *c)
{
	for (unsigned i = 0; i < c->count; i++)
		if (is_good(&c->outputs[i].stats))
			return true;
	return false;
}

/* Is there anything that an output must still take? */
static bool is_anything_left(const struct capture *c)
{
	if (c->ledger.in_flight || (!c->stopping && ledger_has_work(&c->ledger)))
		return true;
	/* A source without a byte makes a member, too. */
	return !c->ledger.chunks && !engine_any_good(c);
}

const struct output *engine_call_fallback(struct capture *c)
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
