// SPDX-License-Identifier: GPL-2.0-or-later
/* The results of nsplit-bench, as a table and as JSON.  At least one capture was measured. */
#ifndef NSPLIT_CMD_NSPLIT_BENCH_REPORT_H
#define NSPLIT_CMD_NSPLIT_BENCH_REPORT_H

#include <stdio.h>

#include "bench/bench.h"
#include "cmd/nsplit-bench/options.h"

/* --- the verdict in words ------------------------------------------------ */

/* "captures", also a key of the JSON */
extern const char *const verdict_names[JUDGED_KINDS];

/* A sentence: what may be concluded from the figures. */
const char *verdict_sentence(const struct verdict *verdict);

/* Prints a warning if some figures are unreliable: for a report without the table, which says so. */
void verdict_warn(const struct verdict *verdict);

/* Describes this machine, for the reports of nsplit-bench. */

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

/* Columns of a terminal, for tables and text. */
enum { REPORT_COLUMNS = 80 };

/* The caller checks ferror(). */
void bench_table(const struct bench_report *report, FILE *file);
void bench_json(const struct bench_report *report, FILE *file);
/* A clause to add if the fastest cell (cells_fastest()) may not be the fastest one; otherwise "". */
const char *bench_best_doubt(const struct cell *cells, size_t count, const struct cell *fastest);
/*
 * A sentence about the fastest capture, with its numbers of outputs and blocks if these are asked for, and whether it
 * can be trusted.
 */
void bench_put_best(const struct bench_report *report, bool outputs, bool blocks, FILE *file);

/* "2", or "serial" for 0. */
enum { THREADS_TEXT_LENGTH = 24 };
const char *threads_format(unsigned threads, char text[THREADS_TEXT_LENGTH]);
/* "2 threads", "1 thread" or "serial". */
const char *threads_describe(unsigned threads, char text[THREADS_TEXT_LENGTH]);

enum { FIGURE_TEXT_LENGTH = 32 };

/* Of bytes per second, MB/s: "1,234", "12.3" or "0.52". */
const char *figure_format_rate(double rate, char text[FIGURE_TEXT_LENGTH]);
/* "52 %" or "1.5 %" */
const char *share_format(double share, char text[FIGURE_TEXT_LENGTH]);

/* Bytes of the source per byte of the members, without pages that were left out. */
double bench_ratio(const struct cell *cell);

const char *caches_name(enum caches caches);

#endif
