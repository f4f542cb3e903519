// SPDX-License-Identifier: GPL-2.0-or-later
/* The state that the threads of a walk share; for walk.c and walk_cell.c only. */
#ifndef NSPLIT_SET_READ_WALK_STATE_H
#define NSPLIT_SET_READ_WALK_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/array.h"
#include "set/read/range.h"
#include "set/read/walk.h"

/* The records of one member that are still to be claimed.  Under the lock of the walk. */
struct queue {
	const struct member *member;
	size_t next;			/* index of its next location */
};

/*
 * One cell being processed, with its buffers.  Belongs to the thread that works on it; in an ordered walk,
 * struct order passes it between threads.
 */
struct slot {
	struct walk *walk;
	struct set_cell cell;
	struct record_reader reader;
	uint8_t *blocks;		/* chunk_size bytes: the unpacked blocks of the record; owned */
	struct range_reader first;	/* for second places, if the set has any */
	uint8_t *aside;			/* see put_aside(); made when first needed; owned */
	unsigned next_queue;		/* where the next search for a record begins */
	uint64_t position;		/* ordered: how many were claimed before it */
	/* Since it was claimed: */
	size_t held;			/* index of the record whose bytes are in blocks; SIZE_MAX: none */
	bool unpacked;			/* they are */
	struct error damage;		/* the first in this cell; STATUS_OK: none */
};

/* How the records of an ordered walk return to their order.  Under the lock of the walk. */
struct order {
	struct slot **ready;		/* loaded, by position modulo slots_count; owned */
	struct slot **free;		/* the first free_count; owned */
	unsigned free_count;
	uint64_t next;			/* position of the cell to be delivered next */
	bool delivering;		/* a thread is delivering */
};

struct walk {
	const struct set *set;		/* borrowed */
	struct walk_settings settings;
	struct queue *queues;		/* one for each member; owned */
	struct slot *slots;		/* one for each thread; ordered: see order_slots(); owned */
	unsigned slots_count;
	atomic_bool stopping;		/* set under the lock */
	atomic_ullong done, read;	/* bytes, for walk_progress() */

	pthread_mutex_t lock;
	pthread_cond_t slot_free;	/* ordered: a slot is free, or stopping is set */
	/* Under lock: */
	uint64_t next;			/* cell, unless members are read in their order */
	uint64_t claimed;
	struct order order;		/* if ordered */
	bool stopped;			/* by walk_stop() */
	enum status status;		/* the first failure, */
	struct error error;		/* and its reason */
	struct range_list visited;	/* sorted and merged after the run */
	struct layer_totals totals;
};

/* --- what walk_cell.c has for walk.c ---------------------------------------------- */

/* Does the range have a byte that the caller wants? */
bool walk_wants(const struct walk *w, uint64_t offset, uint64_t length);

/* Wakes all threads, which then end.  With the lock. */
void walk_cancel(struct walk *w);
/* A failure ends the walk; the first one is kept. */
void walk_end(struct walk *w, enum status status, const struct error *e);

/*
 * Loads the records of the cell, lower layers first, as far as they are needed.  Unless the walk is ordered,
 * what counts of a record is delivered at once.  Then what is in second places is read through a range
 * reader, since the first places may be anywhere.  Damage is reported if the walk continues after damage.
 */
void walk_load(struct slot *slot);

/* Delivers the rest.  A failure ends the walk. */
void walk_deliver(struct slot *slot);

#endif
