// SPDX-License-Identifier: GPL-2.0-or-later
/* A sink that keeps its bytes in memory and fails when it is told to. */
#ifndef NSPLIT_TESTS_UNIT_TRIAL_SINK_H
#define NSPLIT_TESTS_UNIT_TRIAL_SINK_H

#include "io/sink.h"

struct trial_sink {
	/* How it fails; set before it is used. */
	unsigned fail_append;		/* from the how-manieth append on; 0: never */
	unsigned fail_sync;		/* likewise */
	bool sync_once;			/* only that one: the kernel tells of lost data once */
	uint64_t fail_behind;		/* an append that would end behind this; 0: never */
	int errnum;			/* with what */
	bool rewinds;			/* it can be written over: trial_sink_prepare() */
	bool copies;			/* and that takes as much room again, until it is cut */
	unsigned delay;			/* microseconds an append takes */
	unsigned hang_append;		/* the how-manieth does not return before released; 0: none */
	unsigned hang_sync;		/* likewise */
	unsigned hang_read;
	bool fail_read;
	bool fail_finish, hang_finish;	/* of one that ends */
	_Atomic bool released;

	/* What became of the call that hung; for any thread. */
	_Atomic unsigned returned;	/* 1: it came back */
	_Atomic unsigned late;		/* calls that were made after that */
	_Atomic unsigned abandoned;	/* how often */

	/* When, as *clock told, which then went on; 0: never, or there is no clock. */
	_Atomic unsigned *clock;	/* the test's */
	unsigned appended;		/* the last time */
	unsigned begun, finished;	/* the call that finishes it */

	/* What became of it; of the thread that writes to it. */
	uint8_t *bytes;			/* owned */
	size_t length, room;
	unsigned appends, syncs, reads;
};

/* What sink_probe() would have made.  t stays the caller's, and is due to trial_sink_free(). */
void trial_sink_probe(struct sink *s, struct trial_sink *t, const char *name);
/* Before it is used, once it is said how it fails. */
void trial_sink_prepare(struct sink *s);
/* It ends, as a command does: sink_ends(). */
void trial_sink_ends(struct sink *s);
void trial_sink_free(struct trial_sink *t);

#endif
