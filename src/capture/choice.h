// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The choice of a rung for the next chunk, when the ladder has several.
 *
 * Workers, CPUs and sinks set a limit to what a capture does in a second.  For a stretch of the
 * source, of a few chunks,
 *
 *	workers need  (reading + (other work + packing) / their part of a CPU) / workers
 *	CPUs          (the CPU's part of these + writing what is left) / CPUs
 *	sinks         what is left / bytes that they take in a second
 *
 * (and a stream, which is read by one worker at a time, reading), where packing and what is left
 * are the rung's.  The longest of these is how long the rung would take for the stretch; and how
 * long for the latest stretches, the sum.  The fastest rung is the best; of those that come within
 * two hundredths of it, the one that leaves least.  All figures are learnt while capturing, so that
 * the choice follows the machine and the data.
 *
 * Stretch by stretch, since where data pack well CPUs are what is short, and elsewhere sinks, and
 * the queue between them holds a few chunks only: by the means over all the source, a rung would
 * look better than it is.
 *
 * Rejected: to go down when sinks wait and up when workers wait.  In the middle that mixes two
 * rungs, which is faster than either and stores more than the better one would.  And to choose for
 * each stretch what is best there: the queue lags behind, so a rung meets sinks that are busy with
 * the stretch before.  (A real core to a disk of 200 MB/s by nsplit-bench --disk-rate=200M: no
 * faster, and 6 % more stored.)
 */
#ifndef NSPLIT_CAPTURE_CHOICE_H
#define NSPLIT_CAPTURE_CHOICE_H

#include "capture/estimate.h"

/* What filling a chunk was like. */
struct fill_figures {
	unsigned preset;
	double bytes;			/* of the source; 0: only the assays say something */
	double packable;		/* of them: in blocks that are not same-filled; */
	double packed;			/* what those became */
	double turn;			/* of reading: seconds in which no other worker could read */
	double reading;			/* seconds on the clock, */
	double reading_cpu, packing_cpu;	/* and of the CPU */
	double packing;			/* on the clock, as far as it counts for that of the CPU */
	struct estimate estimates[PRESETS_MAX];	/* the chunk's */
	unsigned estimates_count;
};

/* What the sinks that take chunks are like, all together. */
struct sink_figures {
	double rate;			/* bytes a second in their calls; 0: not known yet */
	double cpu;			/* seconds of the CPU for a byte */
};

enum { LATEST = 9 };

/* The latest of some figures, and the middle one of them: one that was disturbed does not count. */
struct latest {
	double values[LATEST];
	unsigned next, count;
	double middle, shortest;
};

/* A mean of all at first, then one that older ones fade from. */
enum { MEAN_OF = 64 };

struct mean {
	double value;
	unsigned count;
};

struct preset_figures {
	struct latest cost;		/* of packing, in parts of what the standard takes */
	double packed, standard_packed;	/* bytes of the same blocks */
};

/* As many chunks as wait between workers and sinks; and of so many stretches it knows. */
enum { PERIOD_CHUNKS = 8, PERIODS = 64 };

struct period {
	unsigned chunks;
	double bytes, packable;
	double standard_packed;		/* bytes that the standard leaves, or would leave */
};

struct choice {
	unsigned presets, workers, cpus;
	bool serial;			/* one thread fills and writes */
	unsigned preset;			/* chosen */
	/* Seconds for a byte of the source: */
	struct latest turn, reading, reading_cpu, other_cpu;
	struct latest cpu_part;		/* that a worker gets of a CPU, when it wants one */
	/* What packing took: seconds, and in bytes that the standard would pack in these. */
	double packing_cpu, packed_by_standard;
	struct mean standard_packed;	/* part that it leaves of that */
	struct period periods[PERIODS];
	unsigned period;		/* the latest */
	bool learnt;			/* something that may change the choice */
	double rate;			/* of the sinks, when it was made */
	struct preset_figures figures[PRESETS_MAX];
};

void choice_init(struct choice *c, const struct presets *presets, unsigned workers, unsigned cpus,
		 bool serial);

void choice_learn(struct choice *c, const struct fill_figures *fill);

/* The rung for the next chunk. */
unsigned choice_make(struct choice *c, const struct sink_figures *sinks);

#endif
