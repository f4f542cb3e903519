// SPDX-License-Identifier: GPL-2.0-or-later
/* The best result of a benchmark, in a sentence. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "base/size.h"
#include "base/text.h"
#include "cmd/nsplit-bench/report.h"

enum { LINE_LENGTH = 160 };

/* A lower ratio is no gain worth a word. */
static const double SMALLER = 1.05;

/* "zstd:3 with 4 threads, 2 outputs and blocks of 16K captured" */
static void describe_cell(const struct cell *cell, bool outputs, bool blocks, char line[LINE_LENGTH])
{
	char threads[THREADS_TEXT_LENGTH];

	snprintf(line, LINE_LENGTH, "%s with %s", cell->codec->text,
		 cell->threads ? threads_describe(cell->threads, threads) : "--serial");
	if (outputs)
		text_append(line, LINE_LENGTH, "%s %u output%s", blocks ? "," : " and", cell->outputs,
			    plural(cell->outputs));
	if (blocks)
		text_append(line, LINE_LENGTH, " and blocks of %" PRIu32 "K", cell->block_size / 1024);
	text_append(line, LINE_LENGTH, " captured");
}

/* "8.0 GiB in 2.6 s, at 3,325 MB/s, and made it 1.9 times smaller" */
static void describe_result(const struct cell *cell, char line[LINE_LENGTH])
{
	char size[SIZE_TEXT_LENGTH], figure[FIGURE_TEXT_LENGTH];
	double ratio = bench_ratio(cell), seconds;
	struct summary rate;

	samples_summary(&cell->rate[MEASURE_CAPTURE], &rate);
	seconds = (double)cell->stored_bytes / rate.median;
	snprintf(line, LINE_LENGTH, "%s in ", size_format(cell->stored_bytes, size));
	text_append(line, LINE_LENGTH, seconds < 1 ? "%.2f ms" : "%.1f s", seconds < 1 ? 1e3 * seconds : seconds);
	text_append(line, LINE_LENGTH, ", at %s MB/s, and ", figure_format_rate(rate.median, figure));
	if (ratio < SMALLER)
		text_append(line, LINE_LENGTH, "did not make it smaller");
	else
		text_append(line, LINE_LENGTH, "made it %.1f times smaller", ratio);
}

const char *bench_best_doubt(const struct cell *cells, size_t count, const struct cell *fastest)
{
	switch (cells_fastest_trust(cells, count, fastest)) {
	case FASTEST_UNRELIABLE:
		return "but this speed is unreliable; use more --rounds or a larger SOURCE";
	case FASTEST_DOUBTFUL:
		return "but another may be faster, as some speeds are unreliable; use more --rounds";
	default:
		return "";
	}
}

void bench_put_best(const struct bench_report *r, bool outputs, bool blocks, FILE *file)
{
	char what[LINE_LENGTH], result[LINE_LENGTH];
	const struct cell *cells, *best;
	const char *doubt;
	size_t count;

	cells = bench_cells(r->bench, &count);
	best = cells_fastest(cells, count);
	if (!best)
		return;
	describe_cell(best, outputs, blocks, what);
	describe_result(best, result);
	doubt = bench_best_doubt(cells, count, best);
	fprintf(file, "Best: %s%c%s%s%s.\n", what,
		strlen("Best:  .") + strlen(what) + strlen(result) > REPORT_COLUMNS ? '\n' : ' ', result,
		*doubt ? ",\n" : "", doubt);
}
