// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The engine: the state that a capture's threads share, and the steps they take.
 *
 * N workers fill chunks, one writer a sink writes them, and the thread that called
 * capture_run() watches.  There is one lock; it is held for bookkeeping only, never over a
 * system call that moves data.  With chunks of 1 MiB that is some thousand short holds
 * a second, which is why there are no finer locks.
 *
 * A worker's life: wait until a chunk is free and there is something to claim →
 * take the chunk, then the claim (in this order: the lowest claim always has its
 * memory, so a sink that waits for it, as with --stripe, is never waited for) →
 * unlock, read, pack, lock → put it on the ready list.
 *
 * A writer's life: open its sink → wait for a ready chunk that is its own to take, or for
 * a duty → unlock, write, lock → note in the ledger that the sink holds the chunk, and
 * give its memory back to the pool.
 *
 * The pool bounds the memory: a chunk is either free, with a worker, ready, or
 * with a writer.
 *
 * The capture goes through phases.  CAPTURING ends when nothing is left to claim and
 * nothing is in flight; in SYNCING every writer makes its sink safe, in ENDING commands get
 * their footers and are ended, in SEALING every other writer puts its footer; so no file has
 * a footer before all the data is
 * safe.  A sink that fails in any phase is retired: what it held is unassigned, and if the
 * source can be read again, the phase is CAPTURING again.  A sealed member takes more
 * records without harm (doc/format.md, section 1).  A chunk in a writer's hands when its
 * sink fails goes back on the ready list, so not even a stream loses it.
 *
 * When a sealed member that took more records fails, what lies behind its footer goes: the file is
 * cut off there, and so the member takes no more and counts as it was sealed.
 *
 * A sink that is full, for a record or for what closes the member, gives up its last records, and
 * index and footer are written in their place.  So it takes no more, and what it still holds
 * counts.  The chunks of those records are unassigned; of a stream, which cannot be read again, the
 * writer reads them back before it writes over them, whenever two chunks are free (should the
 * reading hang, one of them is lost, and one must be left), and they are ready once more.
 *
 * Whether a command has kept what it was given, only its exit status tells, and once it has
 * ended, it takes no more.  So one command stays, makes up for those that fail, and is ended
 * when the others have ended well.  It does so whatever else takes chunks or waits to: a file
 * may fill up, and a fallback may turn out not to be there.  Where there is nothing else, only the
 * loss of that very last command can lose anything.
 *
 * A fallback is an output that is not even opened until no other takes chunks any more and there
 * is still something to write.  Then it is an output as any other, and has to make up for those
 * that have failed; the next one waits until this one takes no more.
 *
 * A sink whose call does not return is given up by the thread that watches.  Its writer
 * stays in that call, perhaps for ever, with what the call was given: the sink, the member
 * writer, the chunk.  So nobody touches those any more, and none of it is freed; a copy
 * of the chunk goes on.  (If no other chunk is free, the chunk itself does: the call only reads
 * it.)  Should the writer come back after all, it finds that it was given up, and goes home.
 */
#ifndef NSPLIT_CAPTURE_ENGINE_H
#define NSPLIT_CAPTURE_ENGINE_H

#include <pthread.h>

#include "capture/capture.h"
#include "capture/choice.h"
#include "capture/fill.h"
#include "capture/ledger.h"
#include "capture/throughput.h"

enum phase {
	PHASE_CAPTURING,
	PHASE_SYNCING,
	PHASE_ENDING,
	PHASE_SEALING,
	PHASE_DONE,
};

struct output {
	struct member_writer writer;	/* the writer thread's own */
	/* Under the engine's lock: */
	struct sink_stats stats;
	struct sink_stats closed;	/* what they were at its last footer */
	bool opened;			/* it is open, before the threads started */
	bool begun;			/* it is open and has its superblock, or is dead */
	bool busy;			/* its writer is in a call */
	double called;			/* clock_seconds() when that began */
	double waited;			/* seconds for that call, as far as was watched */
	struct throughput throughput;
	struct chunk *in_hand;		/* that is being written */
	unsigned given_up;		/* records of a stream, still to be read back from it */
	struct chunk *reading;		/* that one of these is being read into */
	uint64_t next_chunk;		/* that it takes, while striped */
	bool synced;			/* nothing written since it was made safe */
	bool sealed;			/* nothing written since its footer */
};

struct capture {
	/* Set before the threads start, then constant. */
	struct capture_settings settings;
	const struct capture_watch *watch;
	struct source *source;
	struct filler *fillers;		/* one a worker, the worker's own */
	unsigned workers;
	unsigned count;			/* of outputs */
	unsigned ordinary;		/* of these; those behind are fallbacks */
	struct chunk_pool pool;
	double started;
	struct thread_pool threads;		/* of the threaded engine */

	/* The watching thread's own. */
	double watched;			/* clock_seconds() when it last looked */
	double watch_interval;		/* how often it looks; seconds */

	pthread_mutex_t lock;
	pthread_cond_t can_fill;	/* a chunk is free and there is a claim, or PHASE_DONE */
	pthread_cond_t can_write;	/* a chunk is ready, or there is a duty */
	pthread_cond_t needed;		/* a fallback is, or PHASE_DONE */

	/* Everything from here on is under lock. */
	struct output *outputs;
	struct ledger ledger;
	struct choice choice;
	struct chunk_list free;
	struct chunk_list ready;
	enum phase phase;
	bool striped;			/* until a sink fails: then any sink takes any chunk */
	unsigned given_up;		/* records that writers have still to read back */
	unsigned lost;			/* chunks that calls which hang have kept */
	bool stopping;
	bool source_stopped;		/* a stream was left before its end */
	bool source_failed;		/* a stream broke */
	struct error source_error;	/* why */
};

/*
 * The steps.  All are called with the lock held, return with it held, and let
 * go of it while they read, pack or write.
 */

/* Can a worker start on a chunk now? */
bool engine_can_fill(const struct capture *c);
void engine_fill(struct capture *c, struct filler *filler);

/* A chunk for this output to write, taken off the ready list; NULL: none now. */
struct chunk *engine_take_ready(struct capture *c, unsigned output);
void engine_write(struct capture *c, unsigned output, struct chunk *chunk);

/* Has this output's writer something else to do: make safe, seal, or go home? */
bool engine_has_duty(const struct capture *c, unsigned output);
/* Does it; false: the writer goes home. */
bool engine_do_duty(struct capture *c, unsigned output);

/* Moves the phase as far as it goes, and wakes who is concerned. */
void engine_advance(struct capture *c);

/*
 * Around a call of an output's sink, which the thread that watches times: the lock is let go of, and
 * held again.  False: the sink was given up meanwhile, and nothing of it is the writer's any more.
 */
void engine_enter_call(struct capture *c, struct output *o);
bool engine_leave_call(struct capture *c, struct output *o);

enum rescue { RESCUE_HUNG, RESCUE_FULL, RESCUE_DEAD };

/*
 * A call failed.  Is the output only full, and has room for what closes the member, if need be in
 * the place of its last records?  Or was it closed before?  If it is dead, e says why.
 */
enum rescue engine_rescue(struct capture *c, unsigned output, struct error *e);

/* Of a stream: reads back the last record that was given up.  Is that possible now, or ever? */
void engine_read_back(struct capture *c, struct output *o);
bool engine_can_read_back(const struct capture *c, const struct output *o);
bool engine_can_ever_read_back(const struct capture *c);
/* Would that still be so, if a call that hangs kept one chunk more? */
bool engine_can_lose_chunk(const struct capture *c);

/* Records that were to be read back are not: those of an output, or of all. */
void engine_drop_given_up(struct capture *c, struct output *o);
void engine_drop_all_given_up(struct capture *c);

/* May this output, a command that takes chunks, be ended now?  Have all of them ended? */
bool engine_may_end(const struct capture *c, unsigned output);
bool engine_all_ended(const struct capture *c);

/* Has it a member that is still to be closed, and takes chunks or is full? */
bool engine_is_open(const struct output *o);
/* Is it a fallback that nobody has needed yet? */
bool engine_is_reserved(const struct capture *c, unsigned output);
/* Calls the next fallback if it is needed; NULL: it is not, or none is left. */
const struct output *engine_call_fallback(struct capture *c);
/* Is there an output whose member counts, or will perhaps? */
bool engine_any_good(const struct capture *c);

/* Outputs that take chunks. */
unsigned engine_takers(const struct capture *c);
/* What those are like together. */
struct sink_figures engine_sink_figures(const struct capture *c);
/* A chunk's memory is free again. */
void engine_give_back(struct capture *c, struct chunk *chunk);

/* For capture_open(), without the lock: what does not wait for the threads. */
void engine_begin_first(struct capture *c);

/* For the thread that watches, without the lock; each watch_interval: gives up who hangs. */
void engine_begin_watch(struct capture *c);
void engine_watch(struct capture *c);

/* The two ways to run a capture until PHASE_DONE. */
enum status engine_run_threads(struct capture *c, struct error *e);
enum status engine_run_serial(struct capture *c, struct error *e);

/*
 * Stack of an engine thread: LZ4 HC and zstd keep some tables there.  And the part of it that
 * is used: measured with --stats on glibc 2.36.
 */
enum { ENGINE_STACK = 512 * 1024, STACK_TOUCHED = 96 * 1024 };

#endif
