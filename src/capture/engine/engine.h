// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The capture engine: the state that the threads of a capture share.  The steps that they take are
 * in workers.c and writers.c.
 *
 * Threads.  N workers fill chunks, one writer for each output writes them, and the thread that
 * called capture_run() watches.  With --serial, one thread takes the same steps in turn
 * (serial_run() in capture.c).
 *
 * Locking.  One lock covers everything that changes.  It is held for bookkeeping only, never during
 * a system call that moves data.  With chunks of 1 MiB it is taken some thousand times a second,
 * for a short time each; finer locks would gain nothing.
 *
 * Workers.  A worker waits until a chunk is free and there is something left to capture.  It takes
 * the chunk first and then claims the next range of the source.  In this order the lowest range
 * claimed always has its memory, so an output that waits for that range (--stripe) cannot be
 * waiting for memory.  The worker unlocks, reads, compresses, locks, and appends the chunk to the
 * ready list.  It then writes ready chunks itself, in the place of a writer, as long as that takes a
 * CPU and nothing else (writers.c): the bytes are in its cache, and nobody has to be woken.
 *
 * Writers.  A writer opens its output.  It then waits for a ready chunk that it may take, or for
 * another task, such as fsync or the footer.  It unlocks, writes, locks, records in the ledger that
 * the output holds the chunk, and frees the chunk.
 *
 * Memory is bounded by the pool: every chunk is free, or with a worker, or ready, or with a writer.
 *
 * Layers.  If parts of the source are to be left out, it is passed over several times (workers.c).
 * When layers are complete, files and devices get checkpoints that say so (writers.c).
 *
 * Phases.  Each step of a worker, a writer or the watching thread ends with phases_advance(), which
 * alone changes the phase (capture.c).  CAPTURING ends when nothing is left to claim and nothing is in flight.
 * In SYNCING, every writer syncs its output.  In ENDING, commands receive their footers and are
 * ended.  In SEALING, all other writers write their footers.  So no file has a footer before all
 * data is safe.  When an output fails, in any phase, the chunks that it held become unassigned; if
 * the source can be read again, the capture returns to CAPTURING.  A sealed member can take more
 * records (doc/format.md, section 1).  The chunk that was being written when the output failed goes
 * back to the ready list, so it is not lost even if the source is a stream.
 *
 * A sealed member that fails after taking more records is truncated behind its footer.  It takes no
 * further chunks and counts as it was sealed.
 *
 * Full outputs.  When there is no space for a record, or for the index and footer, the output gives
 * up its last records, and index and footer are written over them.  It takes no further chunks, and
 * what it still holds counts.  The chunks of the records given up become unassigned.  A stream
 * cannot be read again, so the writer reads these records back before it overwrites them and puts
 * them on the ready list.  It does so when two chunks are free: if the read hangs, one chunk is
 * lost, and the capture needs another one to continue.
 *
 * Commands.  Only the exit status of a command says whether it stored its input, and a command that
 * has ended takes no more.  So one command is kept running until the others have ended well, to
 * make up for any that fail, and is ended last.  This holds even when files take chunks and
 * fallbacks are in reserve: a file may fill up, and a fallback may fail to open.  If there is no
 * other output, data is lost only if this last command fails.
 *
 * Fallbacks.  A fallback is not even opened before all other outputs have stopped taking chunks
 * while data is left to write.  From then on it is an output like any other and makes up for those
 * that failed.  The next fallback stays in reserve until this one stops taking chunks.
 *
 * Hung outputs.  The watching thread abandons an output whose system call does not return.  The
 * writer remains in that call, perhaps for ever, and the call uses the sink, the form and
 * the chunk, so these are neither touched again nor freed.  A copy of the chunk goes back to the
 * ready list (if no other chunk is free, the chunk itself does, since the call only reads it); of an
 * output that shares nothing, the chunk is not needed.  If the call returns after all, the writer sees
 * that it was abandoned and its thread ends.  A worker that writes has become the writer long before:
 * stand_in() in capture.c.
 */
#ifndef NSPLIT_CAPTURE_ENGINE_ENGINE_H
#define NSPLIT_CAPTURE_ENGINE_ENGINE_H

#include <pthread.h>

#include "capture/auto/auto_codec.h"
#include "capture/engine/capture.h"
#include "capture/fill/fill.h"
#include "capture/fill/ledger.h"
#include "capture/form/member_writer.h"

enum phase {
	PHASE_CAPTURING,
	PHASE_SYNCING,
	PHASE_ENDING,
	PHASE_SEALING,
	PHASE_DONE,
};

struct output {
	struct form *form;		/* owned; used by the thread that is in a call */
	/* Under the engine's lock: */
	struct sink_stats stats;
	struct sink_stats closed;	/* stats when the last footer was written */
	bool opened;			/* the sink was opened, or that failed */
	bool begun;			/* the superblock is written, or the output is dead */
	bool busy;			/* a thread is in a call */
	unsigned thread;		/* which one, or was last: its number in the pool */
	pthread_cond_t wake;		/* its writer has a task, or a chunk that is left to it */
	unsigned own;			/* so many of its next chunks are written by its writer, and by no worker */
	double called;			/* clock_seconds() when that call began */
	double waited;			/* seconds of that call since its last write, as counted by the watching thread */
	unsigned long writes;		/* of the sink, when that thread looked last */
	struct chunk *writing;		/* the chunk being written; NULL: none */
	unsigned given_up;		/* records of a stream still to be read back */
	struct chunk *reading_back;	/* the chunk that one of them is read into; NULL: none */
	uint64_t takes;			/* bytes when it is closed, with the chunk that it writes: for limits.size */
	uint64_t behind;		/* bytes that a sync may have to write */
	double sync_seconds;		/* of its last call that has synced; 0: none has */
	double call_seconds;		/* of the longest call that has written or synced */
	uint64_t next_chunk;		/* the only chunk that it may take, while striped */
	bool synced;			/* nothing was written since the last sync */
	bool sealed;			/* nothing was written since the last footer */
	bool sink_closed;		/* nothing of it is touched any more */
	bool unreported;		/* it has failed, and that is still to be reported, */
	struct sinks_left left;		/* with what was left then */
	/* With layers, see writers.c: */
	unsigned unsafe;		/* the first pass, from 1, with records not confirmed yet; 0: none */
	unsigned checkpoint;		/* the last pass that its checkpoint covers; 0: it needs one */
	double confirmed;		/* clock_seconds() when it last confirmed; only if cautious */
};

/* See workers.c. */
struct layers {
	struct class_table classes;	/* in force */
	char reason[REASON_TEXT_LENGTH + 1];	/* why some are saved after all */
	bool first;			/* all of policy->first may be claimed, not only what is urgent */
	double waited;			/* seconds that others have waited for urgent units, by the watching thread */
	unsigned filling;		/* chunks of layer 1, and of first ranges, that workers are filling */
	bool judging, judged;		/* the policy is being asked; it has answered */
	unsigned passes;		/* to be taken, as far as it is decided; the last may have to wait.  0: one layer */
};

struct capture {
	/* Set before the threads start, then constant. */
	struct capture_settings settings;
	const struct layer_policy *policy;	/* that of the settings, or layer_policy_plain() */
	const struct capture_watch *watch;
	struct source *source;
	struct filler *fillers;		/* one for each worker, which alone uses it */
	unsigned workers;
	unsigned count;			/* of outputs */
	unsigned ordinary;		/* outputs that are not fallbacks; they come first */
	struct chunk_pool pool;
	double started;			/* clock_seconds() */
	struct thread_pool threads;	/* not used with --serial */

	/* The watching thread's own. */
	double watched;			/* clock_seconds() when it last looked at the outputs */
	double watch_interval;		/* seconds between two looks */

	pthread_mutex_t lock;
	pthread_cond_t can_fill;	/* a chunk is free and there is work, or PHASE_DONE */

	/* Everything from here on is under the lock. */
	struct output *outputs;
	unsigned *roles;		/* of each thread of the pool: the output whose writer it is, or count + a worker's number */
	struct ledger ledger;
	struct layers layers;
	struct auto_codec *auto_codec;	/* NULL: the codec is fixed */
	struct chunk_list free;
	struct chunk_list ready;
	enum phase phase;
	unsigned turn;			/* the output to which a worker tries to write next */
	bool striped;			/* each output takes its own chunks; until one fails */
	unsigned given_up;		/* records that writers still have to read back */
	unsigned chunks_lost;		/* to calls that hang */
	bool stopping;			/* capture_stop() was called */
	enum capture_limit limit;	/* the last one that was reached */
	double fill_seconds;		/* of the chunk that took longest to fill */
	bool source_stopped;		/* reading a stream was stopped before its end */
	bool source_failed;		/* reading a stream failed */
	struct error source_error;	/* why */
};

/* Unless noted, all functions below are called with the lock held and return with it held. */

/* --- engine.c: the state and the phases --- */

/* The number of outputs that take chunks. */
unsigned engine_takers(const struct capture *c);
/* Does the output have a member that is still to be closed, whether it takes chunks or is full? */
bool engine_is_open(const struct output *o);
/* Is nothing left to do with the output but to close its sink? */
bool engine_is_finished(const struct output *o);
/* Is it a fallback that has not been needed yet? */
bool engine_is_reserved(const struct capture *c, unsigned output);
/* Is there something to capture, and an output to take it? */
bool engine_has_work(const struct capture *c);
/* Are all urgent units claimed, and not yet filled?  Nobody fills others meanwhile, which would be written before them. */
bool engine_waits_for_urgent(const struct capture *c);
/* The number of commands that have neither ended nor failed. */
unsigned engine_commands_running(const struct capture *c);
/* May this output be ended now?  Only if it is a command that runs. */
bool engine_command_may_end(const struct capture *c, unsigned output);
/* With layers: may there be more to capture than may be claimed now?  It is not decided, or the last pass waits. */
bool engine_pass_waits(const struct capture *c);
/* The same, and it will go on. */
bool engine_layers_undecided(const struct capture *c);

/* With layers: in which pass of the ledger one is captured; and how many layers are complete with these passes. */
unsigned engine_pass(const struct capture *c, unsigned layer);
unsigned engine_whole(const struct capture *c, unsigned passes);

/* All writers look for what they can do. */
void engine_wake_writers(struct capture *c);

/* For assertions: does a thread hold the lock? */
bool engine_is_locked(struct capture *c);

/* The units of a chunk are not written and become unassigned. */
void engine_drop_chunk(struct capture *c, const struct chunk *chunk);
/* Puts a chunk whose content is no longer needed on the free list. */
void engine_free_chunk(struct capture *c, struct chunk *chunk);

/*
 * These enclose a call of an output's sink, which the watching thread times.  The first releases
 * the lock and the second takes it again.  False: the output was abandoned meanwhile, and the
 * writer must not touch it any more.
 */
void engine_enter_call(struct capture *c, struct output *o);
bool engine_leave_call(struct capture *c, struct output *o);
/* As engine_leave_call(), after a call that has written or synced: also counts its time. */
bool engine_leave_write(struct capture *c, struct output *o);

/*
 * A limit of the whole capture is reached: all outputs are full, and ready chunks are dropped.  If one of them fails
 * after all, the others take chunks again, unless time is up.
 */
void engine_end(struct capture *c, enum capture_limit limit);
/* Ends the capture if the outputs can only just be closed in time; interval: seconds until the next call. */
void engine_check_time(struct capture *c, double interval);

/* The time for superblocks and footers. */
int64_t engine_time(const struct capture *c);

/*
 * The invariants of the engine that take longer to check than the steps that have to keep them;
 * the others are asserted where they matter.  Unit tests check them at each tick, and builds with
 * -DNSPLIT_CHECKS (HACKING.md) after each step.  NULL: all hold; otherwise which one is violated.
 */
const char *engine_check(const struct capture *c);

/* --- workers.c, writers.c: the steps of the threads, which release the lock while they fill a chunk or call a sink --- */

/* The units with the first ranges of the policy, those from one on, may be claimed. */
void layers_open_first(struct capture *c, size_t from, size_t end);

/* The others of them may, and what follows, if there is nothing urgent to be claimed. */
void layers_open_rest(struct capture *c);

/* Fills a chunk, or asks the policy.  False: there is nothing that a worker can do now. */
bool worker_step(struct capture *c, unsigned worker);

/* Writes a ready chunk to this output, in the thread of this number.  False: there is none that it may take now. */
bool writer_write(struct capture *c, unsigned output, unsigned thread);
/* If there is one, but no worker may write it, wakes the writer of the output.  False: it was not woken. */
bool writer_leave(struct capture *c, unsigned output);
/* Has the writer another task: to open, read back, sync, end or seal its output, or to finish? */
bool writer_has_task(const struct capture *c, unsigned output);
/* Does it.  False: the writer has finished. */
bool writer_do_task(struct capture *c, unsigned output, unsigned thread);
/*
 * Without the lock and before the threads start: opens pipes and begins their members, and fails outputs that were
 * already lost when they were probed.
 */
void writers_begin_first(struct capture *c);
/* Lets the last pass begin if it waits, and has not to any more; wakes the writers of outputs for which a checkpoint is due. */
void checkpoints_wake(struct capture *c);

/*
 * The output is dead: the chunks that it held become unassigned, and a fallback is activated if one
 * is needed.
 */
void fail_output(struct capture *c, unsigned output, const struct error *why);

/* Reports the outputs that have failed since the last time.  Releases the lock meanwhile. */
void fail_report(struct capture *c);

/* Are there enough chunks left to ever read one back, even if calls that hang keep some more? */
bool read_back_ever_possible(const struct capture *c, unsigned more);
/* Gives up reading back the records of one output, or of all; their chunks are unassigned. */
void read_back_drop(struct capture *c, struct output *o);
void read_back_drop_all(struct capture *c);

/* --- figures.c --- */

/* After the run: what capture_run() returns. */
enum status capture_outcome(struct capture *c, struct error *e);

#endif
