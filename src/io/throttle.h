// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An emulated disk: so many bytes a second and no more.  A token bucket that fills only while
 * a write is under way: a disk that was idle has saved nothing, but a thread that woke up late
 * may make up for that.
 */
#ifndef NSPLIT_IO_THROTTLE_H
#define NSPLIT_IO_THROTTLE_H

#include <stddef.h>
#include <stdint.h>

/* Belongs to the sink that it slows down, and so to one thread at a time. */
struct throttle {
	double rate;		/* bytes a second, above 0 */
	double began;		/* clock_seconds() when the write under way began */
	double paid;		/* when all that was taken has its tokens */
	double late;		/* seconds by which the last one woke up late */
	double later_rate;	/* 0: it stays as it is */
	double later;		/* clock_seconds() from which on that is the rate */
};

/* From now on, with an empty bucket. */
void throttle_start(struct throttle *t, uint64_t rate);

/* So many seconds from now, the rate becomes another one: from the next write on. */
void throttle_change(struct throttle *t, double seconds, uint64_t rate);

/* Before a write. */
void throttle_begin(struct throttle *t);
/* After it: waits until such a disk would have written the bytes. */
void throttle_take(struct throttle *t, size_t bytes);

#endif
