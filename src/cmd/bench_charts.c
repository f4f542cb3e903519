// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cmd/bench_charts.h"
#include "draw/bars.h"
#include "draw/curves.h"
#include "draw/plane.h"

enum { LABEL_LENGTH = 80, BARS_THREADS_MAX = 2 };

/* The cells that a panel shows, and their names. */
struct data {
	const struct bench_report *report;
	const struct cell *cells;
	size_t count;
	size_t threads;			/* cells of a series: they differ only in threads */
	size_t series;
	char (*labels)[LABEL_LENGTH];	/* of the cells in bars, of the series otherwise; owned */
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

/* The figure that a panel shows of a cell, in MB/s or as a share; false: not measured. */
static bool figure(const struct cell *cell, enum measure what, enum chart chart,
		   struct summary *s)
{
	if (chart == CHART_SHARE)
		return cell_share(cell, what, s);
	if (!samples_summary(&cell->rate[what], s))
		return false;
	s->median /= 1e6;
	s->least /= 1e6;
	s->most /= 1e6;
	return true;
}

static struct bars bars_of(const struct data *d, enum measure what, enum chart chart,
			   const struct bar *rows)
{
	return (struct bars){
		.title = chart_title(what, chart),
		.unit = chart == CHART_SHARE ? "of the ceiling" : "MB/s of the source",
		.percent = chart == CHART_SHARE,
		.rows = rows,
		.count = d->count,
	};
}

static void draw_bars(const struct data *d, enum measure what, enum chart chart,
		      struct bar *rows, struct canvas *c)
{
	struct bars bars = bars_of(d, what, chart, rows);

	for (size_t i = 0; i < d->count; i++) {
		struct summary s;

		name_cell(d, i, d->labels[i]);
		rows[i] = (struct bar){ .label = d->labels[i], .series = i / d->threads,
					.missing = true };
		if (!figure(&d->cells[i], what, chart, &s))
			continue;
		rows[i].missing = false;
		rows[i].unsure = summary_is_wide(&s);
		rows[i].value = s.median;
		rows[i].least = s.least;
		rows[i].most = s.most;
	}
	bars_draw(&bars, c);
}

static int by_x(const void *a, const void *b)
{
	const struct curve_point *p = a, *q = b;

	return (p->x > q->x) - (p->x < q->x);
}

static bool has_serial(const struct data *d)
{
	for (size_t i = 0; i < d->threads; i++)
		if (!d->cells[i].threads)
			return true;
	return false;
}

/* The measured points of a series; returns their number. */
static size_t find_points(const struct cell *series, size_t threads, enum measure what,
			  enum chart chart, struct curve_point *points)
{
	size_t count = 0;

	for (size_t i = 0; i < threads; i++) {
		struct summary s;

		if (figure(&series[i], what, chart, &s))
			points[count++] = (struct curve_point){ series[i].threads, s.median, s.least,
								s.most };
	}
	qsort(points, count, sizeof(*points), by_x);
	return count;
}

static void name_curves(const struct data *d, struct curve *curves)
{
	for (size_t i = 0; i < d->series; i++) {
		name_series(d, &d->cells[i * d->threads], d->labels[i]);
		curves[i].name = d->labels[i];
	}
}

static enum status draw_curves(const struct data *d, enum measure what, enum chart chart,
			       struct curve *curves, struct curve_point *points,
			       struct canvas *c, struct error *e)
{
	const struct curves all = {
		.title = chart_title(what, chart),
		.x_unit = "threads",
		.y_unit = chart == CHART_SHARE ? "of the ceiling" : "MB/s of the source",
		.percent = chart == CHART_SHARE,
		.zero = has_serial(d) ? "serial" : NULL,
		.all = d->report->options->bench.codecs_count == d->series ? "all codecs" : "all",
		.curves = curves,
		.count = d->series,
	};

	name_curves(d, curves);
	for (size_t i = 0; i < d->series; i++) {
		struct curve_point *own = &points[i * d->threads];

		curves[i].points = own;
		curves[i].count = find_points(&d->cells[i * d->threads], d->threads, what, chart, own);
	}
	return curves_draw(&all, c, e);
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

static enum status draw_plane(const struct data *d, struct plane_point *points, struct canvas *c,
			      struct error *e)
{
	struct plane plane = {
		.title = chart_title(MEASURE_CAPTURE, CHART_RATIO),
		.x_unit = "ratio (bytes of the source per byte of the members)",
		.y_unit = "MB/s of the source, with the most threads",
		.all = d->report->options->bench.codecs_count == d->series ? "all codecs" : "all",
		.points = points,
	};

	for (size_t i = 0; i < d->series; i++) {
		const struct cell *cell = widest(d, &d->cells[i * d->threads]);
		struct summary s;

		if (!cell || !figure(cell, MEASURE_CAPTURE, CHART_RATE, &s))
			continue;
		name_series(d, &d->cells[i * d->threads], d->labels[i]);
		points[plane.count++] = (struct plane_point){
			d->labels[i], i, bench_ratio(d->report, cell), s.median,
		};
	}
	return plane_draw(&plane, c, e);
}

/* Only the series of the rows matters. */
static double bars_chart_height(const struct data *d, enum chart chart, struct bar *rows)
{
	struct bars bars = bars_of(d, MEASURE_CAPTURE, chart, rows);

	for (size_t i = 0; i < d->count; i++)
		rows[i].series = i / d->threads;
	return bars_height(&bars);
}

/* Only the names of the curves matter. */
static double curves_chart_height(const struct data *d, struct curve *curves)
{
	struct curves all = { .curves = curves, .count = d->series };

	name_curves(d, curves);
	return curves_height(&all);
}

double chart_height(const struct bench_report *r, enum chart chart)
{
	struct data d = data_of(r);
	struct bar *rows = calloc(d.count, sizeof(*rows));
	struct curve *curves = calloc(d.series, sizeof(*curves));
	double height = PLANE_HEIGHT;

	d.labels = calloc(d.count, sizeof(*d.labels));
	if (chart != CHART_RATIO && rows && curves && d.labels)
		height = are_bars(&d) ? bars_chart_height(&d, chart, rows) :
					curves_chart_height(&d, curves);
	free(d.labels);
	free(curves);
	free(rows);
	return height;
}

enum status chart_draw(const struct bench_report *r, enum measure what, enum chart chart,
		       struct canvas *c, struct error *e)
{
	struct data d = data_of(r);
	struct bar *rows = calloc(d.count, sizeof(*rows));
	struct curve *curves = calloc(d.series, sizeof(*curves));
	struct curve_point *points = calloc(d.count, sizeof(*points));
	struct plane_point *plane = calloc(d.series, sizeof(*plane));
	enum status status = STATUS_OK;

	d.labels = calloc(d.count, sizeof(*d.labels));
	if (!d.labels || !rows || !curves || !points || !plane)
		status = error_system(e, ENOMEM, "picture");
	else if (chart == CHART_RATIO)
		status = draw_plane(&d, plane, c, e);
	else if (are_bars(&d))
		draw_bars(&d, what, chart, rows, c);
	else
		status = draw_curves(&d, what, chart, curves, points, c, e);
	free(d.labels);
	free(plane);
	free(points);
	free(curves);
	free(rows);
	return status;
}
