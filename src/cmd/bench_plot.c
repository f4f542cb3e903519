// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Two panels: throughput by threads, one line for each codec (dashed: its ceiling); and throughput
 * by ratio, with the most threads.  gnuplot reads script and data from a pipe.
 */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/size.h"
#include "cmd/bench_report.h"

/* A quoted string for gnuplot, in which only ' is special. */
static void put_quoted(FILE *file, const char *text)
{
	putc('\'', file);
	for (; *text; text++) {
		if (*text == '\'')
			putc('\'', file);
		putc(*text, file);
	}
	putc('\'', file);
}

/* The cells of a series differ only in threads, and are adjacent. */
static size_t series_length(const struct bench_report *r)
{
	return r->options->bench.threads.count;
}

static uint64_t most_threads(const struct bench_report *r)
{
	const struct numbers *threads = &r->options->bench.threads;
	uint64_t most = 0;

	for (size_t i = 0; i < threads->count; i++)
		most = max_u64(most, threads->values[i]);
	return most;
}

static void put_name(const struct bench_report *r, const struct cell *series, FILE *file)
{
	const struct bench_settings *b = &r->options->bench;

	fprintf(file, "'%s", series->codec->text);
	if (b->output_counts.count > 1 &&
	    series[0].outputs != series[series_length(r) - 1].outputs)
		fputs(", outputs as threads", file);
	else if (b->output_counts.count > 1)
		fprintf(file, ", %u output%s", series->outputs, series->outputs == 1 ? "" : "s");
	if (b->block_sizes.count > 1)
		fprintf(file, ", %" PRIu32 "K", series->block_size / 1024);
	putc('\'', file);
}

/* threads, MB/s: median, least, most, ceiling; ratio */
static void put_point(const struct bench_report *r, const struct cell *cell, FILE *file)
{
	struct summary capture, ceiling;

	if (!samples_summary(&cell->rate[MEASURE_CAPTURE], &capture) ||
	    !samples_summary(cell_ceiling(cell, MEASURE_CAPTURE), &ceiling))
		return;
	fprintf(file, "%u %f %f %f %f %f\n", cell->threads, capture.median / 1e6,
		capture.least / 1e6, capture.most / 1e6, ceiling.median / 1e6,
		bench_ratio(r, cell));
}

static void put_data(const struct bench_report *r, const struct cell *cells, size_t count,
		     FILE *file)
{
	for (size_t i = 0; i < count; i++) {
		if (i % series_length(r) == 0)
			fprintf(file, "$series%zu << END\n", i / series_length(r));
		put_point(r, &cells[i], file);
		if ((i + 1) % series_length(r) == 0)
			fputs("END\n", file);
	}
}

static void put_heading(const struct bench_report *r, const char *name, FILE *file)
{
	const struct machine *m = &r->machine;
	char size[SIZE_TEXT_LENGTH], title[512];

	if (strcmp(name + strlen(name) - 4, ".svg") == 0)
		fputs("set terminal svg size 1200,520 dynamic font 'sans,13' "
		      "background rgb 'white'\n", file);
	else
		fputs("set terminal pngcairo size 1200,520 font 'sans,11'\n", file);
	fputs("set encoding utf8\nset output ", file);
	put_quoted(file, name);
	snprintf(title, sizeof(title), "%s, %s: %s; %s, %u CPU%s", r->source->name,
		 size_format(r->source->size, size), m->date, m->processor, m->cpus,
		 m->cpus == 1 ? "" : "s");
	fputs("\nset multiplot layout 1,2 title ", file);
	put_quoted(file, title);
	fputs(" noenhanced\n", file);
}

static bool is_measured(const struct cell *cell)
{
	return cell->rate[MEASURE_CAPTURE].count;
}

/* The measured cell of a series with the most threads; NULL: none was measured. */
static const struct cell *widest(const struct bench_report *r, const struct cell *series)
{
	const struct cell *found = NULL;

	for (size_t i = 0; i < series_length(r); i++)
		if (is_measured(&series[i]) && (!found || series[i].threads > found->threads))
			found = &series[i];
	return found;
}

static void put_threads_panel(const struct bench_report *r, const struct cell *cells, size_t count,
			      FILE *file)
{
	const char *comma = "";

	fputs("set title 'Throughput over threads (dashed: the ceiling in memory)'\n"
	      "set xlabel 'threads'\nset ylabel 'MB/s of the source'\n"
	      "set grid\nset key below\nset yrange [0:*]\nset offsets 0.3,0.3,0,0\n", file);
	/* Whole numbers only, and not every one if there are many. */
	if (most_threads(r) <= 16)
		fputs("set xtics 1\n", file);
	fputs("plot ", file);
	for (size_t i = 0; i < count; i += series_length(r)) {
		size_t n = i / series_length(r);

		if (!widest(r, &cells[i]))
			continue;
		fprintf(file, "%s$series%zu using 1:2:3:4 with yerrorlines lt %zu lw 2 pt 7 ps 0.7 "
			"title ", comma, n, n + 1);
		put_name(r, &cells[i], file);
		fprintf(file, ", $series%zu using 1:5 with lines lt %zu dt 2 notitle", n, n + 1);
		comma = ", ";
	}
	putc('\n', file);
}

static void put_ratio_panel(const struct bench_report *r, const struct cell *cells, size_t count,
			    FILE *file)
{
	const char *comma = "";

	fputs("set title 'Throughput over ratio, with the most threads'\n"
	      "set xlabel 'ratio (bytes of the source / bytes of the members)'\n"
	      "unset xtics\nset xtics auto\nset xrange [*:*]\nset offsets graph 0.1,0.1,0,0\n"
	      "plot ", file);
	for (size_t i = 0; i < count; i += series_length(r)) {
		const struct cell *cell = widest(r, &cells[i]);
		struct summary capture;

		if (!cell || !samples_summary(&cell->rate[MEASURE_CAPTURE], &capture))
			continue;
		fprintf(file, "%s'+' using (%f):(%f) every ::0::0 with points lt %zu pt 7 ps 1.5 "
			"title ", comma, bench_ratio(r, cell), capture.median / 1e6,
			i / series_length(r) + 1);
		put_name(r, &cells[i], file);
		comma = ", ";
	}
	putc('\n', file);
}

static void put_script(const struct bench_report *r, const char *name, FILE *file)
{
	size_t count;
	const struct cell *cells = bench_cells(r->bench, &count);

	put_data(r, cells, count, file);
	put_heading(r, name, file);
	put_threads_panel(r, cells, count, file);
	put_ratio_panel(r, cells, count, file);
	fputs("unset multiplot\n", file);
}

static bool has_measurements(const struct bench_report *r)
{
	size_t count;
	const struct cell *cells = bench_cells(r->bench, &count);

	while (count)
		if (is_measured(&cells[--count]))
			return true;
	return false;
}

enum status bench_plot(const struct bench_report *report, const char *name, struct error *e)
{
	FILE *gnuplot;
	int status;

	if (!has_measurements(report))
		return error_set(e, STATUS_MISSING, "%s: not drawn, because nothing was measured",
				 name);
	gnuplot = popen("gnuplot", "w");
	if (!gnuplot)
		return error_system(e, errno, "gnuplot");
	put_script(report, name, gnuplot);
	status = pclose(gnuplot);
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return STATUS_OK;
	unlink(name);
	return error_set(e, STATUS_SYSTEM, "%s: gnuplot failed", name);
}
