// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * -C auto: measures what workers and outputs do, and chooses the preset of each chunk.
 *
 * It has the figures and the choice; for each worker, what it packs by way of trial; and for each
 * output, the throughput of its latest calls.  With a fixed codec, nothing of this is called or allocated.
 */
#ifndef NSPLIT_CAPTURE_AUTO_AUTO_CODEC_H
#define NSPLIT_CAPTURE_AUTO_AUTO_CODEC_H

#include "base/clock.h"
#include "capture/fill/fill.h"
#include "codec/codec.h"

/* --- the choice ------------------------------------------------------------ */

/*
 * The choice of a preset for the next chunk, with -C auto.
 *
 * Workers, CPUs and outputs each limit what a capture does in a second.  For a period of the
 * source, which is a few chunks,
 *
 *	workers need  (reading + (other work + packing) / their share of a CPU) / workers
 *	CPUs need     (the CPU time of these + writing the packed bytes) / CPUs
 *	outputs need  packed bytes / bytes that they take in a second
 *
 * (and a stream, which is read by one worker at a time, needs the time to read), where packing and
 * packed bytes depend on the preset.  The longest of these times is what the preset would take for
 * the period; their sum over the latest periods is what it would have taken for these.  The preset
 * with the shortest sum is the fastest.  Of all presets within 2 % of it, the one that leaves the
 * fewest bytes is chosen.  All figures are learnt during the capture, so the choice follows the
 * machine and the data.
 *
 * Times are added up period by period because CPUs are the limit where data compresses well and
 * outputs elsewhere, and the queue between them holds only a few chunks.  Means over the whole
 * source would make a preset look better than it is.
 *
 * Rejected: to choose a faster preset when outputs wait and a slower one when workers wait.  Near
 * the balance this mixes two presets, which is faster than either and stores more than the better
 * one would.  (Tried again on 2026-11-28, a step for each chunk or by the times that workers and
 * outputs waited: 0.2 to 0.8 of the speed at 200M and 2G, because easy and hard parts of the source
 * move the choice to and fro.)  Also rejected: to choose what is best for each period by itself.  The queue lags
 * behind, so a preset meets outputs that are busy with the period before.  (A real core to a disk
 * of 200 MB/s by nsplit-bench --disk-rate=200M: no faster, and 6 % more stored.)
 */

/*
 * What packing one block takes and leaves with a preset and with the standard preset.  Only the ratios count, so
 * presets can be compared although they packed different blocks at different times.
 */
struct estimate {
	unsigned preset;
	double bytes;
	double seconds, packed;		/* with the preset: CPU time, and bytes */
	double standard_seconds, standard_packed;
};

/* The cost of filling a chunk.  Times are in seconds. */
struct fill_figures {
	unsigned preset;
	double bytes;			/* of the source; 0: nothing but the estimates counts */
	double packable;		/* of these, bytes in blocks that are not same-filled, */
	double packed;			/* and what they were packed to */
	double turn;			/* of a stream: time in which no other worker could read */
	double reading, packing;	/* by the clock */
	double reading_cpu, packing_cpu;	/* CPU time */
	struct estimate estimates[PRESETS_MAX];	/* made from the chunk */
	unsigned estimates_count;
};

/* The outputs that take chunks, together. */
struct sink_figures {
	double rate;			/* bytes a second in their calls; 0: not known yet */
	double cpu;			/* CPU seconds for a byte */
};

/*
 * The latest figures of a kind, and their median: so that a figure that was disturbed does not
 * count, while a change shows after five chunks.  Without a median (LATEST 1) a capture to an
 * emulated disk stored 4 % more.
 */
enum { LATEST = 9 };

struct latest {
	double values[LATEST];
	unsigned next, count;
	double median, shortest;
};

struct preset_figures {
	struct latest cost;		/* of packing, relative to the standard preset */
	double packed, standard_packed;	/* bytes that the same blocks were packed to */
};

/*
 * Chunks of a period: about as many as wait between workers and outputs (CHUNKS_WAITING, and one
 * with each thread), because the queue evens out differences within them.  PERIODS of them count.
 */
enum { PERIOD_CHUNKS = 8, PERIODS = 16 };

struct period {
	unsigned chunks;
	double bytes, packable;
	double standard_packed;		/* bytes that the standard preset packs these to */
};

struct choice {
	unsigned presets, workers, cpus;
	bool serial;			/* one thread fills and writes */
	unsigned preset;		/* the one chosen */
	/* Seconds for a byte of the source: */
	struct latest turn, reading, reading_cpu, other_cpu;
	struct latest cpu_share;	/* of a CPU that a worker gets when it wants one */
	struct latest standard_cost;	/* CPU seconds of the standard preset for a byte that it packs */
	double estimated, standard_packed;	/* bytes of all estimates, and what it packed them to */
	struct period periods[PERIODS];
	unsigned period;		/* the current one */
	struct preset_figures figures[PRESETS_MAX];
};

void choice_init(struct choice *c, unsigned presets, unsigned workers, unsigned cpus, bool serial);

void choice_learn(struct choice *c, const struct fill_figures *fill);

/* Returns the preset for the next chunk. */
unsigned choice_make(struct choice *c, const struct sink_figures *sinks);

struct auto_codec;

/* Bytes of memory for each worker. */
size_t auto_codec_worker_memory(const struct packers *packers);

/* For these fillers, one of each worker, which it observes from then on.  *a must be freed in any case. */
enum status auto_codec_new(struct auto_codec **a, struct filler *fillers, unsigned workers, unsigned outputs,
			   bool serial, struct error *e);
void auto_codec_free(struct auto_codec *a);

/* There are fewer workers than planned; 0: one thread does everything.  Before any is at work. */
void auto_codec_fewer_workers(struct auto_codec *a, unsigned workers);

/*
 * With the engine's lock held: sets the preset by which the worker fills its next chunk.  takes: of each output, whether
 * it takes chunks.
 */
void auto_codec_choose(struct auto_codec *a, unsigned worker, const bool *takes);
/* With the lock held, after that chunk was filled. */
void auto_codec_learn_fill(struct auto_codec *a, unsigned worker, const struct chunk *chunk);

/* With the lock held, unless the output was abandoned: a record of this length was written.  slept: by a call that did. */
void auto_codec_learn_write(struct auto_codec *a, unsigned output, uint32_t bytes, const struct clock_times *call,
			    bool slept);

#endif
