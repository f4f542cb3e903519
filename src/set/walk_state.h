// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What the threads of a walk share; for walk.c and walk_*.c only.
 */
#ifndef NSPLIT_SET_WALK_STATE_H
#define NSPLIT_SET_WALK_STATE_H

#include <pthread.h>
#include <stdatomic.h>

#include "base/range.h"
#include "set/reader.h"
#include "set/walk.h"

/* One member as the walk goes along it. */
struct queue {
	struct member *member;
	struct scan scan;		/* of a stream: the hand's that reads it */
	/* Under the lock of the walk: */
	bool taken;			/* a hand reads the stream */
	size_t next;			/* place of a seekable member */
	bool ended;
};

/* What a thread has in hand: a record, and all it takes to make blocks of it. */
struct slot {
	struct walk *walk;
	struct record_reader reader;
	uint8_t *blocks;		/* chunk_size bytes, owned */
	unsigned own;			/* a stream that is its own to read, or a lane to begin at */
	unsigned queue;			/* where it looks first */
	/* The record in hand: */
	const struct location *location;	/* NULL: of a stream */
	uint64_t turn;			/* in an ordered walk */
	bool good;			/* it was there and whole: it can be delivered */
	bool unpacked;			/* blocks is what it holds */
	struct delivery run;		/* blocks of one kind, not delivered yet */
	uint64_t bad_offset, bad_length;	/* unreadable blocks, not told yet */
};

/* How the records of an ordered walk find back into order. */
struct order {
	struct slot **ready;		/* by turn, modulo slots_count; owned */
	struct slot **free;		/* the first free_count; owned */
	unsigned free_count;
	uint64_t turn;			/* whose it is */
	bool delivering;		/* a thread delivers what is ready */
};

struct walk {
	struct set *set;
	struct walk_settings settings;
	struct queue *queues;		/* one a member */
	struct slot *slots;		/* one a thread, in order more; owned */
	unsigned slots_count;
	int wake_fd;			/* eventfd: readable once stopping; -1: no stream */
	atomic_bool stopping;
	atomic_ullong done, read;	/* bytes */

	pthread_mutex_t lock;
	pthread_cond_t moved;		/* a stream is free, or all go home */
	pthread_cond_t freed;		/* in an ordered walk: a hand is free, or all go home */
	/* Under lock: */
	size_t next;			/* of the map, in an ordered walk of seekable members */
	uint64_t turns;			/* given out */
	struct order order;		/* of an ordered walk */
	bool stopped;			/* by walk_stop() */
	enum status status;		/* the first failure, */
	struct error error;		/* and why */
	struct range_list seen;		/* delivered; sorted and merged after the run */
};

/* Does anybody want what the records hold?  Else it is a check. */
bool walk_delivers(const struct walk *w);
/* Does any byte of this range count? */
bool walk_wants(const struct walk *w, uint64_t offset, uint64_t length);

/* Ends the walk for all hands; the first reason is kept. */
void walk_end(struct walk *w, enum status status, const struct error *e);
/* Tells of damage that is passed over. */
void walk_report_damage(struct walk *w, const struct error *e);

/* Claims the next record for a hand; false: there is none, or the walk has ended. */
bool walk_claim(struct walk *w, struct slot *h);

/* Reads, checks and unpacks the record of the hand. */
void walk_prepare(struct slot *h);
/* Delivers the record that the hand has unpacked. */
enum status walk_deliver(struct slot *h, struct error *e);
/* The same, if it is good; a failure ends the walk. */
void walk_hand_over(struct slot *h);

/* How many hands so many threads need to work in order. */
unsigned order_slots(unsigned threads);
/* Once the hands are made; order_free() is due in any case. */
enum status order_init(struct walk *w, struct error *e);
void order_free(struct walk *w);
/* A thread's life in an ordered walk; arg is the walk. */
void order_live(void *arg, unsigned number);

#endif
