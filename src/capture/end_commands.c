// SPDX-License-Identifier: GPL-2.0-or-later
/* When commands are ended: see engine.h. */
#include "config.h"

#include "capture/engine.h"

static bool ends(const struct output *o)
{
	return sink_ends(o->writer.sink);
}

static bool is_taking(const struct output *o)
{
	return o->stats.state == SINK_TAKING;
}

/* The one that stays while the other commands end. */
static unsigned last_command(const struct capture *c)
{
	unsigned i = 0;

	while (i < c->count && !(is_taking(&c->outputs[i]) && ends(&c->outputs[i])))
		i++;
	return i;
}

static unsigned commands_running(const struct capture *c)
{
	unsigned count = 0;

	for (unsigned i = 0; i < c->count; i++)
		count += c->outputs[i].stats.state == SINK_ENDING ||
			 (is_taking(&c->outputs[i]) && ends(&c->outputs[i]));
	return count;
}

bool engine_may_end(const struct capture *c, unsigned output)
{
	const struct output *o = &c->outputs[output];

	if (!is_taking(o) || !ends(o))
		return false;
	return output != last_command(c) || commands_running(c) == 1;
}

bool engine_all_ended(const struct capture *c)
{
	return commands_running(c) == 0;
}
