// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "capture/end_commands.h"

static bool is_taking_command(const struct output *o)
{
	return o->stats.state == SINK_TAKING && sink_ends(o->writer.sink);
}

/* The command that keeps running while the others end. */
static unsigned last_command(const struct capture *c)
{
	unsigned i = 0;

	while (i < c->count && !is_taking_command(&c->outputs[i]))
		i++;
	return i;
}

unsigned commands_running(const struct capture *c)
{
	unsigned count = 0;

	for (unsigned i = 0; i < c->count; i++)
		count += c->outputs[i].stats.state == SINK_ENDING ||
			 is_taking_command(&c->outputs[i]);
	return count;
}

bool command_may_end(const struct capture *c, unsigned output)
{
	if (!is_taking_command(&c->outputs[output]))
		return false;
	return output != last_command(c) || commands_running(c) == 1;
}
