// SPDX-License-Identifier: GPL-2.0-or-later
/* A sink that keeps its bytes in memory and fails as requested. */
#ifndef NSPLIT_TESTS_UNIT_TRIAL_SINK_H
#define NSPLIT_TESTS_UNIT_TRIAL_SINK_H

#include "io/sink.h"

struct trial_sink {
	/* How it fails; set before it is used. */
	unsigned fail_append;		/* the number of the first append to fail; 0: none */
	unsigned fail_sync;		/* likewise */
	unsigned fail_write_at;
	bool sync_once;			/* only that one fails: the kernel reports lost data once */
	uint64_t fail_behind;		/* an append that would end behind this; 0: never */
	int errnum;			/* with what */
	bool rewinds;			/* it can be written over: trial_sink_prepare() */
	bool knows_space;		/* and the space left is known, as of a device */
	bool anywhere;			/* and takes sink_write_at(): of one that rewinds */
	bool copies;			/* and that takes the same space again, until it is truncated */
	unsigned delay;			/* microseconds an append takes */
	unsigned hang_append;		/* the number of the append that hangs until released; 0: none */
	unsigned hang_sync;		/* likewise */
	unsigned hang_read;
	bool fail_read;
	bool fail_finish, hang_finish;	/* of one that ends */
	_Atomic bool released;

	/* The state of the call that hung; for any thread. */
	_Atomic unsigned returned;	/* 1: it has returned */
	_Atomic unsigned late;		/* calls that were made after that */
	_Atomic unsigned abandoned;	/* how often */

	/* The value of *clock, which is then incremented; 0: never, or there is no clock. */
	_Atomic unsigned *clock;	/* the test's */
	unsigned appended;		/* the last time */
	unsigned begun, finished;	/* the call that finishes it */

	/* Called before each append that does not hang or fail; NULL: nothing.  The test's. */
	void (*before_append)(void *arg, const struct trial_sink *t, const void *bytes, size_t len);
	/* Likewise before each sink_write_at(). */
	void (*before_write_at)(void *arg, const struct trial_sink *t, const void *bytes, size_t len, uint64_t offset);
	void *arg;

	/* For any thread. */
	_Atomic size_t safe;		/* its length when it was last synced */
	_Atomic bool failed;		/* a call has failed */

	/* The result; used by the writing thread. */
	uint8_t *bytes;			/* owned */
	size_t length, capacity;
	_Atomic unsigned syncs;		/* whoever reads it sees all that came before, also of one that hangs */
	unsigned appends, reads, writes_at;
};

/*
 * As sink_probe() would have made it.  t is borrowed; the caller frees it with trial_sink_free().
 */
void trial_sink_probe(struct sink *s, struct trial_sink *t, const char *name);
/* To be called before use, when the failures are set. */
void trial_sink_prepare(struct sink *s);
/* It ends, as a command does: sink_ends(). */
void trial_sink_ends(struct sink *s);
void trial_sink_free(struct trial_sink *t);

#endif
