// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>
#include <time.h>

#include "base/clock.h"
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

static bool is_good(const struct sink_stats *stats)
{
	/* An output that was full before its first record is no better than a dead one. */
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

bool engine_has_work(const struct capture *c)
{
	return !c->stopping && ledger_has_work(&c->ledger) && engine_takers(c);
}

static bool is_taking_command(const struct output *o)
{
	return o->stats.state == SINK_TAKING && sink_ends(o->form->sink);
}

/* The command that keeps running while the others end. */
static unsigned last_command(const struct capture *c)
{
	unsigned i = 0;

	while (i < c->count && !is_taking_command(&c->outputs[i]))
		i++;
	return i;
}

unsigned engine_commands_running(const struct capture *c)
{
	unsigned count = 0;

	for (unsigned i = 0; i < c->count; i++)
		count += c->outputs[i].stats.state == SINK_ENDING ||
			 is_taking_command(&c->outputs[i]);
	return count;
}

bool engine_command_may_end(const struct capture *c, unsigned output)
{
	if (!is_taking_command(&c->outputs[output]))
		return false;
	return output != last_command(c) || engine_commands_running(c) == 1;
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
		pthread_cond_broadcast(&c->can_write);
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
	return true;
}

int64_t engine_time(const struct capture *c)
{
	return c->settings.fixed_time >= 0 ? c->settings.fixed_time : time(NULL);
}
