// SPDX-License-Identifier: GPL-2.0-or-later
/* What is under way, for who wants to stop it: from the watch's tick, in the same thread. */
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
	struct capture *capture;	/* NULL: none, as are */
	struct walk *walk;
	const struct output_file *output;
	bool hung;			/* an output may still be in a call: nothing of it is freed */
};

#endif
