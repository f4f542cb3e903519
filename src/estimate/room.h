// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How many dumps the outputs have room for, and how fast they are in a short trial: a file without a name is written in
 * the directory of an output, synced, and gone afterwards, also if this process is killed.
 */
#ifndef NSPLIT_ESTIMATE_ROOM_H
#define NSPLIT_ESTIMATE_ROOM_H

#include "io/path.h"
#include "io/sink.h"

struct trial {
	uint64_t bytes;			/* that were written and synced */
	double seconds;
	double cpu_seconds;		/* of them; a file system in memory, or with a page cache, takes the CPU */
};

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
 * written only if others fail.  keep_free: bytes that each file leaves on its file system.  room_free() in any case.
 */
enum status room_look(struct room *room, const struct sink *sinks, unsigned count, unsigned fallbacks, uint64_t keep_free,
		      struct error *e);
void room_free(struct room *room);

/* The dumps that fit into an output, or into all together: a device holds one at most. */
uint64_t room_dumps_of(const struct room_output *output, uint64_t bytes);
uint64_t room_dumps(const struct room *room, uint64_t bytes);

#endif
