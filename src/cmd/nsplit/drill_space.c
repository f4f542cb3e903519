// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "cmd/nsplit/drill_space.h"
#include "cmd/nsplit/space.h"
#include "io/sink.h"

/* What the space of an output depends on; that of all but files and devices is unknown. */
static struct sink sink_of(char *name, enum drill_place place)
{
	return (struct sink){
		.name = name,
		.kind = place == DRILL_FILE ? SINK_FILE : place == DRILL_DEVICE ? SINK_BLOCK_DEVICE : SINK_COMMAND,
	};
}

enum status drill_space_check(const struct nsplit_options *o, const enum drill_place *places,
			      const struct source *source, struct error *e)
{
	struct sink *sinks = calloc(o->outputs.count, sizeof(*sinks));
	struct nsplit_options all = *o;
	enum status status;

	if (!sinks)
		return error_system(e, ENOMEM, "%zu outputs", o->outputs.count);
	/* Nothing is left out of made-up data: its size is that of what would be kept. */
	all.left_out.classes = 0;
	for (size_t i = 0; i < o->outputs.count; i++)
		sinks[i] = sink_of(o->outputs.names[i], places[i]);
	status = nsplit_space_check(&all, source, sinks, e);
	free(sinks);
	return status;
}
