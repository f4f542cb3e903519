// SPDX-License-Identifier: GPL-2.0-or-later
/* The results of nsplit-bench as a table. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "bench/bench.h"
#include "cmd/nsplit-bench/report.h"

/* A column of the combination is left out if all have the same value, to fit 80 columns. */
struct table {
	const struct bench_report *report;
	FILE *file;
	const struct cell *cells;
	size_t count;
	bool outputs, blocks;
};

/* MB/s with the significant digits; "-" if not measured. */
static void put_rate(FILE *file, const struct samples *samples, bool fastest)
{
	struct summary s;
	double rate;

	if (!samples_summary(samples, &s)) {
		fprintf(file, " %7s", "-");
		return;
	}
	rate = (fastest ? s.most : s.median) / 1e6;
	fprintf(file, rate < 10 ? " %7.2f" : rate < 100 ? " %7.1f" : " %7.0f", rate);
}

/* "-" for a single value; marked with "!" if the figure is unreliable. */
static void put_spread(FILE *file, const struct summary *s)
{
	if (!s || s->count < 2)
		fprintf(file, " %6s", "- ");
	else
		fprintf(file, " %3.0f %%%c", 100 * s->spread,
			summary_is_wide(s) ? '!' : ' ');
}

static void put_share(FILE *file, const struct cell *cell, enum measure what)
{
	struct summary share;
	bool there = cell_share(cell, what, &share);

	if (there)
		fprintf(file, " %5.2f", share.median);
	else
		fprintf(file, " %5s", "-");
	put_spread(file, there ? &share : NULL);
	if (there)
		fprintf(file, " %5.2f", cell_best(cell, what));
	else
		fprintf(file, " %5s", "-");
}

/* A rate, its fastest round, its spread. */
static void put_measure(FILE *file, const struct samples *samples)
{
	struct summary s;
	bool there = samples_summary(samples, &s);

	put_rate(file, samples, false);
	put_rate(file, samples, true);
	put_spread(file, there ? &s : NULL);
}

static void put_cell(const struct table *t, const struct cell *cell)
{
	char threads[THREADS_TEXT_LENGTH];

	fprintf(t->file, "%7s %-8s", threads_format(cell->threads, threads), cell->codec->text);
	if (t->outputs)
		fprintf(t->file, " %7u", cell->outputs);
	if (t->blocks)
		fprintf(t->file, " %4" PRIu32 "K", cell->block_size / 1024);
}

static void put_cell_heading(const struct table *t)
{
	fprintf(t->file, "%7s %-8s", "threads", "codec");
	if (t->outputs)
		fprintf(t->file, " %7s", "outputs");
	if (t->blocks)
		fprintf(t->file, " %5s", "block");
}

static void put_measure_heading(const struct table *t, const char *name)
{
	putc('\n', t->file);
	put_cell_heading(t);
	fprintf(t->file, " %5s %6s %5s %7s %7s %6s %7s", "share", "spread", "best", name, "fastest",
		"spread", "ceiling");
}

static void put_rates_of(const struct table *t, const struct cell *cell, enum measure what)
{
	put_cell(t, cell);
	put_share(t->file, cell, what);
	put_measure(t->file, &cell->rate[what]);
	put_rate(t->file, cell_ceiling(cell, what), false);
}

/* Five characters up to 99999, after rounding. */
static void put_ratio(FILE *file, double ratio)
{
	fprintf(file, ratio < 99.995 ? " %5.2f" : ratio < 999.95 ? " %5.1f" : " %5.0f", ratio);
}

static void put_captures(const struct table *t)
{
	put_measure_heading(t, "capture");
	fprintf(t->file, " %5s\n", "ratio");
	for (const struct cell *cell = t->cells; cell < t->cells + t->count; cell++) {
		if (!cell->rate[MEASURE_CAPTURE].count)
			continue;
		put_rates_of(t, cell, MEASURE_CAPTURE);
		put_ratio(t->file, bench_ratio(cell));
		putc('\n', t->file);
	}
}

/* The share of the ceiling by which the engine is said to keep up. */
static const double KEEPS_UP = 0.9;

static void put_engine_of(const struct table *t, const struct cell *cells, size_t count)
{
	size_t kept = cells_keeping_up(cells, count, KEEPS_UP);
	char threads[THREADS_TEXT_LENGTH];

	if (!cells[0].rate[MEASURE_CAPTURE].count)
		return;
	fprintf(t->file, "\nengine: %s", cells->codec->text);
	if (t->outputs)
		fprintf(t->file, ", %u output%s", cells->outputs, plural(cells->outputs));
	if (t->blocks)
		fprintf(t->file, ", blocks of %" PRIu32 "K", cells->block_size / 1024);
	if (kept)
		fprintf(t->file, ": 90 %% of the ceiling or more up to %s\n",
			threads_describe(cells[kept - 1].threads, threads));
	else
		fputs(": less than 90 % of the ceiling\n", t->file);
}

/* Codecs that sleep show the engine alone. */
static void put_engine(const struct table *t)
{
	size_t threads = t->report->options->bench.threads.count;

	for (size_t i = 0; i < t->count; i += threads)
		if (sleep_codec_named(t->cells[i].codec->text))
			put_engine_of(t, t->cells + i, threads);
}

static void put_reads(const struct table *t, enum measure what, const char *name)
{
	bool begun = false;

	for (const struct cell *cell = t->cells; cell < t->cells + t->count; cell++) {
		if (!cell->rate[what].count)
			continue;
		if (!begun) {
			put_measure_heading(t, name);
			putc('\n', t->file);
		}
		begun = true;
		put_rates_of(t, cell, what);
		putc('\n', t->file);
	}
}

static void put_latencies_heading(const struct table *t)
{
	fprintf(t->file, "\n4 KiB at random, microseconds\n");
	put_cell_heading(t);
	fprintf(t->file, " %8s %8s %8s %8s\n", "median", "90 %", "99 %", "slowest");
}

static void put_latencies(const struct table *t)
{
	static const double shares[] = { 0.5, 0.9, 0.99, 1 };
	bool begun = false;

	for (const struct cell *cell = t->cells; cell < t->cells + t->count; cell++) {
		if (!cell->latency.count)
			continue;
		if (!begun)
			put_latencies_heading(t);
		begun = true;
		put_cell(t, cell);
		for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++)
			fprintf(t->file, " %8.1f",
				1e6 * samples_percentile(&cell->latency, shares[i]));
		putc('\n', t->file);
	}
}

/* A heading and items after it, which continue on further lines that are indented. */
struct list {
	FILE *file;
	size_t indent, column;
};

static struct list begin_list(FILE *file, const char *heading)
{
	size_t length = text_characters(heading);

	fputs(heading, file);
	return (struct list){ .file = file, .indent = length, .column = length };
}

static void put_item(struct list *list, const char *item)
{
	size_t length = 1 + text_characters(item);

	if (list->column > list->indent && list->column + length > REPORT_COLUMNS)
		fprintf(list->file, "\n%*s", (int)(list->column = list->indent), "");
	fprintf(list->file, " %s", item);
	list->column += length;
}

static void put_outputs(const struct names *outputs, FILE *file)
{
	struct list list = begin_list(file, "outputs:");

	for (size_t i = 0; i < outputs->count; i++)
		put_item(&list, outputs->names[i]);
	putc('\n', file);
}

/* "left out: 6.8 GiB (clean 1.2 GiB, free 5.6 GiB)" */
static void put_left_out(const struct bench_report *r, FILE *file)
{
	struct list list = begin_list(file, "left out:");
	char text[CLASS_AMOUNTS_LENGTH], *next;

	class_amounts_format(bench_left_out(r->bench)->of_class, text);
	for (char *item = text; item; item = next) {
		next = strstr(item, ", ");
		if (next) {
			next[1] = '\0';
			next += 2;
		}
		put_item(&list, item);
	}
	putc('\n', file);
}

static void put_rates(const struct numbers *rates, FILE *file)
{
	char size[SIZE_TEXT_LENGTH];

	for (size_t i = 0; i < rates->count; i++)
		fprintf(file, "%s%s/s", i ? ", " : "", size_format(rates->values[i], size));
}

static void put_disk_rates(const struct bench_settings *b, FILE *file)
{
	if (!b->disk_rates.count)
		return;
	fputs("emulated disks: ", file);
	put_rates(&b->disk_rates, file);
	if (b->later_rates.count)
		fprintf(file, "; after %g s: ", b->later);
	put_rates(&b->later_rates, file);
	putc('\n', file);
}

/* Settings that have no column. */
static void put_common(const struct table *t)
{
	const struct cell *cell = t->cells;

	if (t->outputs && t->blocks)
		return;
	fputs("every combination: ", t->file);
	if (!t->outputs)
		fprintf(t->file, "%u output%s%s", cell->outputs, plural(cell->outputs),
			t->blocks ? "\n" : ", ");
	if (!t->blocks)
		fprintf(t->file, "blocks of %" PRIu32 "K\n", cell->block_size / 1024);
}

static void put_header(const struct table *t)
{
	const struct bench_report *r = t->report;
	const struct bench_settings *b = &r->options->bench;
	char size[SIZE_TEXT_LENGTH];

	fprintf(t->file, "%s, %s\nprocessor: %s, %u CPU%s\nsystem: %s\n", PACKAGE_STRING,
		r->machine.date, r->machine.processor, r->machine.cpus, plural(r->machine.cpus),
		r->machine.system);
	fprintf(t->file, "source: %s, %s\n", r->source->name, size_format(r->source->size, size));
	if (r->options->left_out.given)
		put_left_out(r, t->file);
	put_outputs(&b->outputs, t->file);
	put_disk_rates(b, t->file);
	fprintf(t->file, "page cache: %s\n", caches_name(bench_caches(r->bench)));
	put_common(t);
	fprintf(t->file, "%u round%s after %u to warm up%s\n", b->rounds, plural(b->rounds),
		b->warmups, r->whole ? "" : "; ended early, so the results are incomplete");
	fputs("MB/s: 10^6 bytes of the source per second, median; captures, and joins to a\n"
	      "file, include fsync; share: of the ceiling; best: of the fastest rounds\n", t->file);
	if (r->options->left_out.given)
		fputs("speeds and ratios count only the pages that the members store\n", t->file);
}

static void put_verdict(const struct verdict *v, FILE *file)
{
	fprintf(file, "\n%-9s %8s %8s  %s\n", "verdict", "figures", "reliable", "widest spread");
	for (int kind = 0; kind < JUDGED_KINDS; kind++) {
		if (!v->kinds[kind].figures)
			continue;
		fprintf(file, "%-9s %8zu %8zu ", verdict_names[kind], v->kinds[kind].figures,
			v->kinds[kind].reliable);
		if (v->kinds[kind].rounds > 1)
			fprintf(file, "%12.0f %%\n", 100 * v->kinds[kind].widest);
		else
			fprintf(file, "%12s\n", "-");
	}
	fprintf(file, "%s\n", verdict_sentence(v));
	if (!v->few && !verdict_all_reliable(v))
		fprintf(file, "Unreliable (!): fewer than %d rounds or a spread above %.0f %%; use more "
			"--rounds\nor a larger SOURCE.\n", COUNT_FEW, 100 * SPREAD_WIDE);
}

static void find_columns(struct table *t)
{
	for (size_t i = 1; i < t->count; i++) {
		t->outputs |= t->cells[i].outputs != t->cells[0].outputs;
		t->blocks |= t->cells[i].block_size != t->cells[0].block_size;
	}
}

void bench_table(const struct bench_report *r, FILE *file)
{
	struct table t = { .report = r, .file = file };

	t.cells = bench_cells(r->bench, &t.count);
	find_columns(&t);
	put_header(&t);
	put_captures(&t);
	put_engine(&t);
	put_reads(&t, MEASURE_VERIFY, "verify");
	put_reads(&t, MEASURE_JOIN, "join");
	put_latencies(&t);
	put_verdict(&r->verdict, file);
	bench_put_best(r, t.outputs, t.blocks, file);
}
