// SPDX-License-Identifier: GPL-2.0-or-later
/* The command line of nsplit-bench (man/nsplit-bench.1 is the reference), and its results as a table and as JSON. */
#ifndef NSPLIT_CMD_NSPLIT_BENCH_NSPLIT_BENCH_H
#define NSPLIT_CMD_NSPLIT_BENCH_NSPLIT_BENCH_H

#include <stdio.h>

#include "bench/bench.h"
#include "cmd/common/progress.h"
#include "io/source.h"

struct bench_options {
	const char *source;
	struct bench_settings bench;
	enum mmap_mode mmap;
	bool force, overwrite_dumps, overwrite_devices, any_owner;
	const char *json;		/* a file; "": standard output, in place of the table; NULL: not wanted */
	enum progress_mode progress;
	bool quiet;
};

/* Like nsplit_options_read(). */
int bench_options_read(struct bench_options *o, int argc, char **argv);
void bench_options_free(struct bench_options *o);

/* At least one capture was measured. */
struct bench_report {
	const struct bench_options *options;
	const struct source *source;
	const struct bench_results *results;
	bool whole;			/* all rounds of all combinations were measured */
};

/* The caller checks ferror(). */
void bench_table(const struct bench_report *report, FILE *file);
void bench_json(const struct bench_report *report, FILE *file);
/* Prints a warning if some figures are unreliable: for a report without the table, which says so. */
void bench_warn(const struct bench_report *report);

/* "lzo, 2 threads, 8 outputs, blocks of 4K"; returns text. */
enum { CELL_TEXT_LENGTH = 160 };
const char *cell_describe(const struct cell *cell, char text[CELL_TEXT_LENGTH]);

#endif
