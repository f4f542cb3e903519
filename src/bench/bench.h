// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A benchmark: every combination of threads, codecs, outputs and block sizes is captured and read
 * back, in rounds.  The order is reversed in each round, so that a machine that becomes slower or
 * faster affects all combinations alike.
 */
#ifndef NSPLIT_BENCH_BENCH_H
#define NSPLIT_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/thread_pool.h"
#include "bench/measure.h"
#include "bench/settings.h"
#include "bench/targets.h"
#include "format/classes.h"
#include "format/footer.h"
#include "io/source.h"

/* What a capture has left out.  All zero: it was to leave out nothing. */

struct bench_left_out {
	uint64_t of_class[CLASSES];	/* bytes of the source */
	char kept_because[REASON_TEXT_LENGTH + 1];	/* why some are stored after all; or empty */
};

struct bench_progress {
	unsigned done, total;		/* cells times rounds */
	double seconds;
	const struct cell *cell;	/* being measured */
};

struct bench;

/*
 * The source can be read at any offset and is not empty.  Files are overwritten in each round, and
 * bench_free() removes new ones.  STATUS_USAGE: the settings are invalid.
 */
enum status bench_new(struct bench **bench, const struct bench_settings *settings,
		      struct source *source, struct error *e);
void bench_free(struct bench *b);

/*
 * Measures.  A capture that is not perfect ends the benchmark, since its figures would not be
 * comparable.  STATUS_STOPPED after bench_stop().  In all cases, the results so far are kept.
 */
enum status bench_run(struct bench *b, const struct watch *watch, struct error *e);

/* Called from the tick of the watch. */
void bench_stop(struct bench *b);
/* The same, before the program ends at once: removes the files that the benchmark has created. */
void bench_abandon(struct bench *b);
/* A thread may still use an output that hangs: the program must end with _exit(). */
bool bench_hung(const struct bench *b);
void bench_get_progress(const struct bench *b, struct bench_progress *progress);

const struct cell *bench_cells(const struct bench *b, size_t *count);
/* True if any capture was measured, and so whether there is anything to report. */
bool bench_has_results(const struct bench *b);
enum caches bench_caches(const struct bench *b);
/* Of the latest capture, which is the same for all. */
const struct bench_left_out *bench_left_out(const struct bench *b);

#endif
