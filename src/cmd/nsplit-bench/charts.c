// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/nsplit-bench/charts.h"
#include "cmd/nsplit-bench/gnuplot.h"

enum { LABEL_LENGTH = 80, NAME_LENGTH = 3 * LABEL_LENGTH, BARS_THREADS_MAX = 2 };

/* Curves that differ by no more than this are drawn as one: of the rate; of the ceiling. */
#define ALIKE_RATE 0.01
#define ALIKE_SHARE 0.02

/* The longest bar leaves room for its value. */
#define VALUE_ROOM 1.25

/*
 * Each of the colours is lighter than the one before it, so that they differ in grey, too; curves also
 * differ in markers and dashes.  bench/pictures.py has the same ones.
 */
static const unsigned colours[] = { 0x17365c, 0xa3243b, 0x1b7f79, 0xe07a1f, 0x79b4e8, 0xd9c24a };
static const int markers[] = { 7, 5, 9, 13, 11 };
enum { COLOURS = 6, MARKERS = 5, DASHES = 4 };

/* The cells that a panel shows, and their names. */
struct data {
	const struct bench_report *report;
	const struct cell *cells;
	size_t count;
	size_t threads;			/* cells of a series: they differ only in threads */
	size_t series;
};

static struct data data_of(const struct bench_report *r)
{
	struct data d = { .report = r, .threads = r->options->bench.threads.count };

	d.cells = bench_cells(r->bench, &d.count);
	d.series = d.count / d.threads;
	return d;
}

static bool are_bars(const struct data *d)
{
	return d->threads <= BARS_THREADS_MAX;
}

bool chart_has_data(const struct bench_report *r, enum measure what)
{
	struct data d = data_of(r);

	for (size_t i = 0; i < d.count; i++)
		if (d.cells[i].rate[what].count)
			return true;
	return false;
}

static const char *const titles[MEASURES][CHART_RATIO + 1] = {
	[MEASURE_CAPTURE] = { "Captures", "Captures, as a share of the ceiling",
			      "Speed and compression" },
	[MEASURE_VERIFY] = { "Verify", "Verify, as a share of the ceiling", NULL },
	[MEASURE_JOIN] = { "Join", "Join, as a share of the ceiling", NULL },
};

const char *chart_title(enum measure what, enum chart chart)
{
	return titles[what][chart];
}

/* "lzo, 2 outputs, 64K": what the series of this benchmark differ in. */
static void name_series(const struct data *d, const struct cell *series, char label[LABEL_LENGTH])
{
	const struct bench_settings *b = &d->report->options->bench;

	snprintf(label, LABEL_LENGTH, "%.40s", series->codec->text);
	if (b->output_counts.count > 1 && series[0].outputs != series[d->threads - 1].outputs)
		text_append(label, LABEL_LENGTH, ", as many outputs");
	else if (b->output_counts.count > 1)
		text_append(label, LABEL_LENGTH, ", %u output%s", series->outputs, plural(series->outputs));
	if (b->block_sizes.count > 1)
		text_append(label, LABEL_LENGTH, ", %" PRIu32 "K", series->block_size / 1024);
}

static void name_cell(const struct data *d, size_t i, char label[LABEL_LENGTH])
{
	char threads[THREADS_TEXT_LENGTH];

	name_series(d, &d->cells[i / d->threads * d->threads], label);
	if (d->threads > 1)
		text_append(label, LABEL_LENGTH, ", %s", threads_describe(d->cells[i].threads, threads));
}

/* The figure that a panel shows of a cell, in MB/s or percent; false: not measured. */
static bool figure(const struct cell *cell, enum measure what, enum chart chart,
		   struct summary *s)
{
	double unit = chart == CHART_SHARE ? 0.01 : 1e6;
	bool there = chart == CHART_SHARE ? cell_share(cell, what, s) :
					    samples_summary(&cell->rate[what], s);

	if (there) {
		s->median /= unit;
		s->least /= unit;
		s->most /= unit;
	}
	return there;
}

static void put_style(const char *title, const char *x_label, const char *y_label, FILE *script)
{
	fprintf(script, "reset\n"
		"set title '{/:Bold*1.2 %s}' enhanced\n"
		"set border 3 lc rgb '#666666'\n"
		"set grid back lt 1 lc rgb '#dddddd' lw 1\n"
		"set tics nomirror scale 0 textcolor rgb '#666666' noenhanced\n"
		"set xlabel '%s' offset 0,0.3 textcolor rgb '#666666'\n"
		"set ylabel '%s' textcolor rgb '#666666'\n"
		"set key bmargin center horizontal height 1 Left reverse samplen 3 noenhanced\n",
		title, x_label, y_label);
}

/* The values along x or y are percentages, of a ceiling that is marked. */
static void put_percent(char axis, FILE *script)
{
	fprintf(script, "set format %c '%%.0f %%%%'\nset arrow from ", axis);
	fputs(axis == 'x' ? "100,graph 0 to 100,graph 1" : "graph 0,first 100 to graph 1,first 100",
	      script);
	fputs(" nohead back dt 2 lw 1.5 lc rgb '#666666'\n", script);
}

static void put_look(size_t series, FILE *script)
{
	fprintf(script, " lc rgb '#%06x' pt %d", colours[series % COLOURS],
		markers[series % MARKERS]);
}

/* Ends a list of plots that end with a comma. */
static void put_nothing(FILE *script)
{
	fputs(" NaN notitle\n", script);
}

/* Rows of the same series are adjacent; there is a gap between two series. */
static double row_of(const struct data *d, size_t i)
{
	return (double)i + 0.3 * (double)(i / d->threads);
}

/* Columns: label, place, colour, median, least, most, and the median as text. */
static double put_rows(const struct data *d, enum measure what, enum chart chart, FILE *script)
{
	char label[LABEL_LENGTH], text[FIGURE_TEXT_LENGTH];
	double most = chart == CHART_SHARE ? 100 : 0;

	fputs("$rows << END\n", script);
	for (size_t i = 0; i < d->count; i++) {
		struct summary s = { 0 };
		bool there = figure(&d->cells[i], what, chart, &s);

		name_cell(d, i, label);
		most = s.most > most ? s.most : most;
		if (chart == CHART_SHARE)
			share_format(s.median / 100, text);
		else
			figure_format_rate(s.median * 1e6, text);
		fprintf(script, "\"%s\" %g %u %g %g %g \"%s%s\"\n", label, row_of(d, i),
			colours[i / d->threads % COLOURS], s.median, s.least, s.most,
			there ? text : "not measured", there && summary_is_wide(&s) ? " !" : "");
	}
	fputs("END\n", script);
	return most > 0 ? most : 1;
}

/* 1, 2 or 5 times a power of ten, so that an axis has at most six numbers, which do not touch. */
static double step_of(double most)
{
	static const double parts[] = { 1, 2, 5 };

	for (double unit = 1e-6;; unit *= 10)
		for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
			if (most / (unit * parts[i]) <= 6)
				return unit * parts[i];
}

static void put_bars(const struct data *d, enum measure what, enum chart chart, FILE *script)
{
	double most = put_rows(d, what, chart, script) * VALUE_ROOM;

	fprintf(script, "unset key\nset grid noytics\n"
		"set style textbox opaque noborder margins 0.5,0.3\n"
		"set xrange [0:%g]\nset xtics %g\nset yrange [%g:-0.7]\n",
		most, step_of(most), row_of(d, d->count - 1) + 0.7);
	fputs("plot $rows using (0):2:(0):4:($2-0.4):($2+0.4):3:ytic(1) with boxxyerror fs solid "
	      "noborder lc rgb variable, "
	      "'' using 5:2:($6-$5):(0) with vectors nohead lw 1.5 lc rgb '#666666', "
	      "'' using 6:2:7 with labels boxed left offset 0.7,0 noenhanced\n", script);
}

static bool has_points(const struct data *d, enum measure what, enum chart chart, size_t series)
{
	struct summary s;

	for (size_t i = 0; i < d->threads; i++)
		if (figure(&d->cells[series * d->threads + i], what, chart, &s))
			return true;
	return false;
}

/* Whether two series have the same measured points and cannot be told apart. */
static bool are_alike(const struct data *d, enum measure what, enum chart chart, size_t a, size_t b)
{
	for (size_t i = 0; i < d->threads; i++) {
		struct summary p = { 0 }, q = { 0 };
		bool there = figure(&d->cells[a * d->threads + i], what, chart, &p);
		double far = chart == CHART_SHARE ? 100 * ALIKE_SHARE : ALIKE_RATE * p.median;

		if (figure(&d->cells[b * d->threads + i], what, chart, &q) != there ||
		    q.median < p.median - far || q.median > p.median + far)
			return false;
	}
	return has_points(d, what, chart, a);
}

/*
 * Of each series, the first one that looks like it.  Compared with the first ones only: a chain of small
 * steps is no group.
 */
static void find_groups(const struct data *d, enum measure what, enum chart chart, size_t *first)
{
	for (size_t i = 0; i < d->series; i++) {
		size_t a = 0;

		while (a < i && (first[a] != a || !are_alike(d, what, chart, a, i)))
			a++;
		first[i] = a;
	}
}

/* "lzo", "lzo, lz4, 2 more, within 1 %", or "all codecs, within 1 %" */
static void name_group(const struct data *d, enum chart chart, const size_t *first, size_t group,
		       char name[NAME_LENGTH])
{
	size_t size = 0, length;
	char label[LABEL_LENGTH];

	*name = '\0';
	for (size_t i = group; i < d->series; i++) {
		if (first[i] != group || size++ > 1)
			continue;
		name_series(d, &d->cells[i * d->threads], label);
		length = strlen(name);
		snprintf(name + length, NAME_LENGTH - length, "%s%s", i > group ? ", " : "", label);
	}
	if (size == 1)
		return;
	if (size == d->series)
		snprintf(name, NAME_LENGTH, "%s", d->report->options->bench.codecs_count == size ?
						  "all codecs" : "all");
	length = strlen(name);
	if (size > 2 && size < d->series)
		length += (size_t)snprintf(name + length, NAME_LENGTH - length, ", %zu more", size - 2);
	snprintf(name + length, NAME_LENGTH - length, "%s",
		 chart == CHART_SHARE ? ", within 2 points" : ", within 1 %");
}

/* Columns: threads, median, least, most. */
static void put_points(const struct data *d, enum measure what, enum chart chart, FILE *script)
{
	for (size_t i = 0; i < d->count; i++) {
		struct summary s;

		if (i % d->threads == 0)
			fprintf(script, "$series%zu << END\n", i / d->threads);
		if (figure(&d->cells[i], what, chart, &s))
			fprintf(script, "%u %g %g %g\n", d->cells[i].threads, s.median, s.least,
				s.most);
		if (i % d->threads == d->threads - 1)
			fputs("END\n", script);
	}
}

/* Whole numbers, at most about eight; 0 stands for the serial engine. */
static void put_threads_axis(const struct data *d, FILE *script)
{
	bool serial = false;
	unsigned most = 1;

	for (size_t i = 0; i < d->threads; i++) {
		serial |= !d->cells[i].threads;
		most = d->cells[i].threads > most ? d->cells[i].threads : most;
	}
	fprintf(script, "set xrange [0:%u]\nset xtics %u\n", most, (most + 7) / 8);
	if (serial)
		fputs("set xtics add ('serial' 0)\n", script);
}

static void put_curves(const struct data *d, enum measure what, enum chart chart,
		       const size_t *first, FILE *script)
{
	char name[NAME_LENGTH];

	put_points(d, what, chart, script);
	put_threads_axis(d, script);
	fputs(chart == CHART_SHARE ? "set yrange [0:100<*]\n" : "set yrange [0:*]\n", script);
	fputs("plot", script);
	for (size_t i = 0; i < d->series; i++) {
		if (first[i] != i || !has_points(d, what, chart, i))
			continue;
		name_group(d, chart, first, i, name);
		fprintf(script, " $series%zu using 1:3:(0):($4-$3) with vectors nohead ", i);
		fprintf(script, "lc rgb '#%06x' notitle, '' using 1:2 smooth unique with linespoints lw 2 "
			"ps 0.8 dt %zu", colours[i % COLOURS], i % DASHES + 1);
		put_look(i, script);
		fprintf(script, " title \"%s\",", name);
	}
	put_nothing(script);
}

/* The measured cell of a series with the most threads; NULL: none was measured. */
static const struct cell *widest(const struct data *d, const struct cell *series)
{
	const struct cell *found = NULL;

	for (size_t i = 0; i < d->threads; i++)
		if (series[i].rate[MEASURE_CAPTURE].count &&
		    (!found || series[i].threads > found->threads))
			found = &series[i];
	return found;
}

static void put_plane(const struct data *d, FILE *script)
{
	char label[LABEL_LENGTH];

	fputs("set offsets 0, graph 0.05, graph 0.05, 0\n"
	      "set xrange [0:*]\nset yrange [0:*]\nplot", script);
	for (size_t i = 0; i < d->series; i++) {
		const struct cell *cell = widest(d, &d->cells[i * d->threads]);
		struct summary s;

		if (!cell || !figure(cell, MEASURE_CAPTURE, CHART_RATE, &s))
			continue;
		name_series(d, &d->cells[i * d->threads], label);
		fprintf(script, " '+' every ::::0 using (%g):(%g) with points",
			bench_ratio(cell), s.median);
		put_look(i, script);
		fprintf(script, " title \"%s\",", label);
	}
	put_nothing(script);
}

double chart_height(const struct bench_report *r, enum chart chart)
{
	struct data d = data_of(r);

	return chart == CHART_RATIO || !are_bars(&d) ? 384 : 100 + 23 * row_of(&d, d.count);
}

enum status chart_write(const struct bench_report *r, enum measure what, enum chart chart,
			FILE *script, struct error *e)
{
	struct data d = data_of(r);
	const char *unit = chart == CHART_SHARE ? "of the ceiling" : "MB/s of the source";
	size_t *first;

	if (chart == CHART_RATIO) {
		put_style(chart_title(what, chart), "ratio (bytes of the source per byte of the members)",
			  "MB/s of the source, with the most threads", script);
		put_plane(&d, script);
		return STATUS_OK;
	}
	first = calloc(d.series, sizeof(*first));
	if (!first)
		return error_system(e, ENOMEM, "picture");
	put_style(chart_title(what, chart), are_bars(&d) ? unit : "threads", are_bars(&d) ? "" : unit,
		  script);
	if (chart == CHART_SHARE)
		put_percent(are_bars(&d) ? 'x' : 'y', script);
	if (are_bars(&d)) {
		put_bars(&d, what, chart, script);
	} else {
		find_groups(&d, what, chart, first);
		put_curves(&d, what, chart, first, script);
	}
	free(first);
	return STATUS_OK;
}
