// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The matrix: every combination of threads, codecs, outputs and block sizes, captured and
 * read back in rounds, each round in the opposite order of the one before, so that what drifts
 * on the machine hits all alike.
 */
#ifndef NSPLIT_BENCH_BENCH_H
#define NSPLIT_BENCH_BENCH_H

#include <stdbool.h>
#include <stddef.h>

#include "base/thread_pool.h"
#include "bench/measure.h"
#include "bench/settings.h"
#include "bench/targets.h"
#include "io/source.h"

struct bench_progress {
	unsigned done, total;		/* cells times rounds */
	double seconds;
	const struct cell *cell;	/* under way */
};

struct bench;

/*
 * The source is positioned, and not empty.  Every output that is a file is written again
 * and again, and a new one is removed by bench_free().  STATUS_USAGE: the matrix makes no
 * sense.
 */
enum status bench_new(struct bench **bench, const struct bench_settings *settings,
		      struct source *source, struct error *e);
void bench_free(struct bench *b);

/*
 * Measures.  A capture that is not perfect ends it, since its figures would be of something
 * else.  STATUS_STOPPED after bench_stop().  Whatever it returns, the rounds that were
 * measured stay.
 */
enum status bench_run(struct bench *b, const struct watch *watch, struct error *e);

/* From the watch's tick. */
void bench_stop(struct bench *b);
/* Likewise, before the program ends at once: removes what is there because of us. */
void bench_abandon(struct bench *b);
/* An output may still be in a call, in a thread that was left behind: end by _exit(). */
bool bench_hung(const struct bench *b);
void bench_get_progress(const struct bench *b, struct bench_progress *progress);

const struct cell *bench_cells(const struct bench *b, size_t *count);
enum caches bench_caches(const struct bench *b);

#endif
