// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walking a whole set: every record once, on N threads, each member in the order
 * it lies on its disk and all members at once; or in the order of the source, where what is
 * made of it is a stream.
 *
 * A thread's life: claim a record (streams: one thread at a time reads the next) →
 * read, check, unpack → deliver, as pieces of the source or as a record; in an ordered walk, put
 * it down, and deliver what is ready if no other thread does.  No lock is held meanwhile.  Each thread holds one record, in order two,
 * so memory does not grow with the set.
 *
 * A record that turns out damaged is taken from its spare if it has one.
 */
#ifndef NSPLIT_SET_WALK_H
#define NSPLIT_SET_WALK_H

#include "base/thread_pool.h"
#include "set/reader.h"

/* A part of the source: bytes, or zeros that are not shown (data NULL). */
struct delivery {
	uint64_t offset;
	uint64_t length;
	const uint8_t *data;
};

struct walk_settings {
	unsigned threads;
	bool ordered;			/* deliver in the order of the source */
	bool past_damage;		/* go on after damage; it is a hole then */
	uint64_t from, to;		/* what is wanted of the source */

	/*
	 * Takes a piece; a failure ends the walk.  Called by many threads at once unless
	 * ordered.  What nobody holds is not delivered.  NULL: nobody wants the bytes;
	 * each packed block is unpacked all the same, to see that it can be.
	 */
	enum status (*deliver)(void *arg, const struct delivery *delivery, struct error *e);
	/*
	 * Or, instead, in no order and of the whole source: takes a record, read and checked, as
	 * it lies.  No two calls at once have the same worker, which is below threads.  blocks: it
	 * unpacked, as record_reader_unpack() does, if needs_blocks() has said so; else NULL, and
	 * whether its packed blocks can be unpacked was not tried.
	 */
	enum status (*deliver_record)(void *arg, unsigned worker, const struct record_reader *r,
				      const uint8_t *blocks, struct error *e);
	bool (*needs_blocks)(void *arg, const struct record_reader *r);
	void *deliver_arg;		/* of these three */
	/*
	 * Told of unreadable blocks, and of damage that is passed over: by any thread, without
	 * a lock, several at once perhaps; of unreadable blocks in order, if ordered.
	 */
	void (*unreadable)(void *arg, uint64_t offset, uint64_t length);
	void (*damaged)(void *arg, const struct error *e);
	void *arg;			/* of these two */
	struct watch watch;
};

struct walk;

enum status walk_new(struct walk **walk, struct set *set, const struct walk_settings *settings,
		     struct error *e);
void walk_free(struct walk *w);

/*
 * STATUS_OK: all was delivered that the members hold.  Holes are not asked for here:
 * walk_hole().  STATUS_STOPPED after walk_stop().
 */
enum status walk_run(struct walk *w, struct error *e);

/* Any thread.  A stream that says nothing more is not waited for. */
void walk_stop(struct walk *w);
/* Bytes of the source done, and bytes of members read for them. */
void walk_progress(struct walk *w, uint64_t *done, uint64_t *read);

/*
 * After the run: the next range at or after *offset, of those wanted, that was not
 * delivered; false: none.
 */
bool walk_hole(const struct walk *w, uint64_t *offset, uint64_t *length);

#endif
