// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The results of nsplit-bench as CSV: one line for each combination.  Rates in bytes per second, fsync
 * included; latencies in seconds.
 */
#include "config.h"

#include <inttypes.h>

#include "cmd/nsplit-bench/report.h"

/* A single round has no spread. */
static void put_spread(FILE *file, const struct summary *s)
{
	if (s->count > 1)
		fprintf(file, ",%.4f", s->spread);
	else
		putc(',', file);
}

static void put_rate(FILE *file, const struct samples *samples)
{
	struct summary s;

	if (!samples_summary(samples, &s)) {
		fputs(",,,,", file);
		return;
	}
	fprintf(file, ",%.0f,%.0f,%.0f", s.median, s.least, s.most);
	put_spread(file, &s);
}

static void put_share(FILE *file, const struct cell *cell, enum measure what)
{
	struct summary share;

	if (!cell_share(cell, what, &share)) {
		fputs(",,,", file);
		return;
	}
	fprintf(file, ",%.4f", share.median);
	put_spread(file, &share);
	fprintf(file, ",%.4f", cell_best(cell, what));
}

static void put_latency(FILE *file, const struct samples *latency)
{
	if (latency->count)
		fprintf(file, ",%.9f,%.9f,%.9f", samples_percentile(latency, 0.5),
			samples_percentile(latency, 0.9), samples_percentile(latency, 0.99));
	else
		fputs(",,,", file);
}

void bench_csv(const struct bench_report *r, FILE *file)
{
	char threads[THREADS_TEXT_LENGTH];
	size_t count;
	const struct cell *cells = bench_cells(r->bench, &count);

	fputs("threads,codec,outputs,block_size,source_bytes,bytes,share,share_spread,share_best,"
	      "capture,capture_least,capture_most,capture_spread,ceiling,ceiling_least,ceiling_most,ceiling_spread,"
	      "memcpy,memcpy_least,memcpy_most,memcpy_spread,"
	      "verify_share,verify_share_spread,verify_share_best,verify,verify_least,verify_most,verify_spread,"
	      "join_share,join_share_spread,join_share_best,join,join_least,join_most,join_spread,"
	      "unpack_ceiling,unpack_ceiling_least,unpack_ceiling_most,unpack_ceiling_spread,"
	      "random_median,random_p90,random_p99\n", file);
	for (const struct cell *cell = cells; cell < cells + count; cell++) {
		fprintf(file, "%s,%s,%u,%" PRIu32 ",%" PRIu64 ",%" PRIu64,
			threads_format(cell->threads, threads), cell->codec->text, cell->outputs,
			cell->block_size, cell->stored_bytes, cell->member_bytes);
		put_share(file, cell, MEASURE_CAPTURE);
		put_rate(file, &cell->rate[MEASURE_CAPTURE]);
		put_rate(file, cell_ceiling(cell, MEASURE_CAPTURE));
		put_rate(file, &cell->rate[MEASURE_COPY]);
		put_share(file, cell, MEASURE_VERIFY);
		put_rate(file, &cell->rate[MEASURE_VERIFY]);
		put_share(file, cell, MEASURE_JOIN);
		put_rate(file, &cell->rate[MEASURE_JOIN]);
		put_rate(file, cell_ceiling(cell, MEASURE_JOIN));
		put_latency(file, &cell->latency);
		putc('\n', file);
	}
}
