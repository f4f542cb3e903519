// SPDX-License-Identifier: GPL-2.0-or-later
/* Measuring one capture. */
#ifndef NSPLIT_BENCH_WRITING_H
#define NSPLIT_BENCH_WRITING_H

#include "bench/activity.h"
#include "bench/left_out.h"
#include "bench/settings.h"
#include "bench/targets.h"

/* The results of a capture. */
struct written {
	double seconds;
	uint64_t stored_bytes;		/* of the source */
	uint64_t member_bytes;
	struct bench_left_out left_out;
};

/*
 * Captures the source to the outputs of the cell, and marks the files that it creates.  A capture
 * that is not perfect, or that has lost an output, is an error.
 */
enum status writing_run(const struct cell *cell, const struct bench_settings *settings,
			struct source *source, struct targets *targets,
			struct activity *activity, struct written *written, struct error *e);

#endif
