// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Walk: visits every cell of a set once, on N threads.
 *
 * The unit of a walk is the cell.  Each thread repeats three steps, and holds no lock meanwhile:
 *   claim	takes the next cell (walk.c).
 *   load	reads the records of the cell, checks them, and unpacks their blocks (walk_cell.c).
 *   deliver	passes the bytes, or the records themselves, to the caller (walk_cell.c).
 *
 * Without order, each member is read from its beginning to its end, and all members are read at
 * once, unless the set has layers: these are far from each other.  An ordered walk follows the source, for
 * output to a stream.  There a thread does not wait until its cell is next: it puts it down and claims another,
 * and whichever thread completes the next one delivers all that are ready.
 *
 * A thread has buffers for one cell, in an ordered walk for two.  The buffers of an ordered walk take at most
 * 256 MiB, or two buffers if these are larger.  So the memory of a walk depends on the number of threads, not
 * on the size of the set, except for 16 bytes for each cell (beside the 48 or so for each record of the set's
 * map).
 */
#ifndef NSPLIT_SET_READ_WALK_H
#define NSPLIT_SET_READ_WALK_H

#include "base/thread_pool.h"
#include "format/superblock.h"
#include "set/read/range.h"
#include "set/read/reader.h"
#include "set/set.h"

/* A range of the source. */
struct delivery {
	uint64_t offset;
	uint64_t length;
	const uint8_t *data;		/* EXTENT_STORED; otherwise NULL: all zero */
	enum extent_kind kind;		/* not of what is missing */
};

enum walk_mode {
	WALK_CHECK,			/* reads and unpacks everything, duplicates too */
	WALK_BYTES,			/* calls deliver() */
	WALK_RECORDS,			/* calls deliver_record(); never ordered */
};

struct walk_settings {
	enum walk_mode mode;
	unsigned threads;
	bool ordered;			/* in the order of the source */
	bool past_damage;		/* continue after damage, which leaves a hole */
	struct roots *roots;		/* WALK_CHECK: takes what is needed of all records; borrowed; NULL: not wanted */
	uint64_t from, to;		/* the wanted part of the source; WALK_RECORDS: all of it */

	/*
	 * WALK_BYTES: takes a range.  A failure ends the walk.  Called by several threads at once,
	 * unless ordered.  A range that no member holds is not delivered.
	 */
	enum status (*deliver)(void *arg, const struct delivery *delivery, struct error *e);
	/*
	 * WALK_RECORDS: takes a record as it is stored; its checksum is correct.  Called by several
	 * threads at once, each with a worker number of its own below threads.  blocks: the
	 * unpacked blocks, as record_reader_unpack() leaves them, if needs_blocks() returned true;
	 * otherwise NULL, and the packed blocks may be damaged.
	 *
	 * x is an extent of a record that counts, and x->at where it begins in its stored bytes.  What is in a
	 * second place, zero, unreadable or left out, comes without a record (r and blocks are NULL): its bytes
	 * are those that range_read() reads, or cannot read.
	 */
	enum status (*deliver_record)(void *arg, unsigned worker, const struct record_reader *r,
				      const struct extent *x, const uint8_t *blocks,
				      struct error *e);
	bool (*needs_blocks)(void *arg, const struct record_reader *r);
	/*
	 * WALK_RECORDS: a record that it does not want is neither read nor checked; at most its head is.  NULL: all
	 * are wanted.
	 */
	bool (*wants_record)(void *arg, uint64_t offset, uint64_t length);
	void *deliver_arg;		/* for these four */
	/*
	 * Called for what is unreadable, and for damage after which the walk continues, by any
	 * thread, without a lock, perhaps by several at once.  If ordered, what is unreadable is
	 * reported in order.  NULL: not called.
	 */
	void (*unreadable)(void *arg, uint64_t offset, uint64_t length);
	void (*damaged)(void *arg, const struct error *e);
	void *arg;			/* for these two */
	struct watch watch;
};

struct walk;

enum status walk_new(struct walk **walk, const struct set *set, const struct walk_settings *settings,
		     struct error *e);
void walk_free(struct walk *w);

/*
 * STATUS_OK: everything that the members hold was delivered; walk_hole() finds what they do not
 * hold.  STATUS_STOPPED: walk_stop() was called.
 */
enum status walk_run(struct walk *w, struct error *e);

/* May be called by any thread. */
void walk_stop(struct walk *w);
/* Bytes of the source that are finished, and bytes of members that were read for them. */
void walk_progress(struct walk *w, uint64_t *done, uint64_t *read);

/* After walk_run(): what the wanted part of the source is. */
const struct layer_totals *walk_totals(const struct walk *w);

/*
 * After walk_run(): the next wanted range at or after *offset that was not visited; false if there
 * is none.
 */
bool walk_hole(const struct walk *w, uint64_t *offset, uint64_t *length);

/* --- roots --- */

/*
 * The roots of members (doc/format.md, section 9), computed again by a walk that checks all records.
 *
 * The walk reads the records of a member in any order, so their checksums are collected in memory, eight bytes for each.
 */

struct roots;

enum root_verdict {
	ROOT_NONE,			/* the member was not closed, or its footer has no root */
	ROOT_SAME,
	ROOT_DIFFERENT,
	ROOT_UNKNOWN,			/* not all records of the member are there and intact */
};

/* *roots stays NULL where digest_supported() is false.  The set is borrowed. */
enum status roots_new(struct roots **roots, const struct set *set, struct error *e);
void roots_free(struct roots *roots);

/* After the walk.  bytes: what the records have; only if ROOT_SAME or ROOT_DIFFERENT is returned. */
enum root_verdict roots_verdict(const struct roots *roots, unsigned member, uint8_t bytes[ROOT_LENGTH]);

#endif
