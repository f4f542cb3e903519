// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line of nsplit-bench; man/nsplit-bench.1 is the reference. */
#ifndef NSPLIT_CMD_NSPLIT_BENCH_OPTIONS_H
#define NSPLIT_CMD_NSPLIT_BENCH_OPTIONS_H

#include "bench/bench.h"
#include "cmd/common/left_out.h"
#include "cmd/common/progress.h"
#include "io/source.h"

struct bench_options {
	const char *source;
	struct bench_settings bench;
	enum mmap_mode mmap;
	struct left_out_option left_out;
	bool force, overwrite_dumps, overwrite_devices, any_owner;
	/* Files; "" is standard output, NULL: not wanted. */
	const char *json, *csv, *html, *plot;
	enum progress_mode progress;
	bool quiet;
};

/* Like nsplit_options_read(). */
int bench_options_read(struct bench_options *o, int argc, char **argv);
void bench_options_free(struct bench_options *o);

#endif
