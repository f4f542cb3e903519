// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line of nsplit-bench; man/nsplit-bench.1 is the reference. */
#ifndef NSPLIT_CMD_BENCH_OPTIONS_H
#define NSPLIT_CMD_BENCH_OPTIONS_H

#include "bench/settings.h"
#include "cmd/progress.h"
#include "io/source.h"

/* Where a form of the report goes: not at all, to standard output (""), or into a file. */
struct bench_options {
	const char *source;
	struct bench_settings bench;
	enum mmap_mode mmap;
	const char *json, *csv, *plot;
	enum progress_mode progress;
	bool quiet;
};

/* As nsplit_options_read(). */
int bench_options_read(struct bench_options *o, int argc, char **argv);
void bench_options_free(struct bench_options *o);

#endif
