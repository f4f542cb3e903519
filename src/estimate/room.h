// SPDX-License-Identifier: GPL-2.0-or-later
/* How many dumps the outputs have room for, and how fast they were in a trial. */
#ifndef NSPLIT_ESTIMATE_ROOM_H
#define NSPLIT_ESTIMATE_ROOM_H

#include "estimate/trial.h"
#include "io/path.h"
#include "io/sink.h"

struct room_output {
	struct space space;
	bool space_known;
	bool tried;
	struct trial trial;
	struct error why;		/* why it was not tried; the text of a status other than STATUS_OK */
};

struct room {
	struct room_output *of;		/* one for each output; owned */
	unsigned count;
	bool space_known;		/* of all outputs */
	uint64_t bytes;			/* of them together, if it is known */
	/* Of the outputs that are written from the beginning, all of which were tried; a file system counts once. */
	bool rate_known;
	double rate;			/* bytes a second; 0: they discard everything */
	struct trial tried;		/* all trials of these together */
};

/*
 * Looks at outputs that were probed, and tries their file systems.  fallbacks: the number of the last ones that are
 * written only if others fail.  room_free() in any case.
 */
enum status room_look(struct room *room, const struct sink *sinks, unsigned count, unsigned fallbacks,
		      struct error *e);
void room_free(struct room *room);

/* The CPU seconds that it takes to write these bytes to the outputs that were tried. */
double room_cpu_seconds(const struct room *room, uint64_t bytes);

/* The dumps that fit into an output, or into all together: a device holds one at most. */
uint64_t room_dumps_of(const struct room_output *output, uint64_t bytes);
uint64_t room_dumps(const struct room *room, uint64_t bytes);

#endif
