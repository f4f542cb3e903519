// SPDX-License-Identifier: GPL-2.0-or-later
/* The results of nsplit-bench, as a table and as JSON.  At least one capture was measured. */
#ifndef NSPLIT_CMD_NSPLIT_BENCH_REPORT_H
#define NSPLIT_CMD_NSPLIT_BENCH_REPORT_H

#include <stdio.h>

#include "bench/bench.h"
#include "cmd/nsplit-bench/options.h"

/* Prints a warning if some figures are unreliable: for a report without the table, which says so. */
void verdict_warn(const struct verdict *verdict);

/* This machine. */
struct machine {
	char processor[128];		/* "Intel(R) Xeon(R) Processor", or the architecture */
	unsigned cpus;			/* those that this process may use */
	char system[256];		/* "Linux 6.12.1" */
	char date[32];			/* today, "2026-11-21", UTC */
};

void machine_describe(struct machine *machine);

struct bench_report {
	const struct bench_options *options;
	const struct source *source;
	const struct bench *bench;
	struct machine machine;
	struct verdict verdict;
	bool whole;			/* all rounds of all combinations were measured */
};

/* The caller checks ferror(). */
void bench_table(const struct bench_report *report, FILE *file);
void bench_json(const struct bench_report *report, FILE *file);

enum { THREADS_TEXT_LENGTH = 24 };
/* "2 threads", "1 thread" or "serial". */
const char *threads_describe(unsigned threads, char text[THREADS_TEXT_LENGTH]);

#endif
