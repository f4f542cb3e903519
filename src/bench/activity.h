// SPDX-License-Identifier: GPL-2.0-or-later
/* The current activity of the benchmark, so that the tick of the watch, in the same thread, can stop it. */
#ifndef NSPLIT_BENCH_ACTIVITY_H
#define NSPLIT_BENCH_ACTIVITY_H

#include <stdatomic.h>
#include <stdbool.h>

#include "base/thread_pool.h"

struct capture;
struct output_file;
struct walk;

struct activity {
	const struct watch *watch;
	atomic_bool stop;
	struct capture *capture;	/* NULL if none is running, as are the next two */
	struct walk *walk;
	const struct output_file *output;
	bool hung;			/* a thread may still use an output: do not free it */
};

#endif
