// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>

#include "base/size.h"
#include "base/text.h"
#include "cmd/bench_report.h"
#include "cmd/bench_verdict.h"

/* MB/s with the significant digits; "-" if not measured. */
static void put_rate(FILE *file, const struct samples *samples, bool fastest)
{
	struct summary s;
	double rate;

	if (!samples_summary(samples, &s)) {
		fprintf(file, " %8s", "-");
		return;
	}
	rate = (fastest ? s.most : s.median) / 1e6;
	fprintf(file, rate < 10 ? " %8.2f" : rate < 100 ? " %8.1f" : " %8.0f", rate);
}

/* "-" for a single value; marked with "!" if the figure is unreliable. */
static void put_spread(FILE *file, const struct summary *s)
{
	if (!s || s->count < 2)
		fprintf(file, " %7s", "- ");
	else
		fprintf(file, " %4.0f %%%c", 100 * s->spread,
			summary_is_wide(s) ? '!' : ' ');
}

static void put_share(FILE *file, const struct cell *cell, enum measure what)
{
	struct summary share;
	bool there = cell_share(cell, what, &share);

	if (there)
		fprintf(file, "  %5.2f", share.median);
	else
		fprintf(file, "  %5s", "-");
	put_spread(file, there ? &share : NULL);
	if (there)
		fprintf(file, "  %5.2f", cell_best(cell, what));
	else
		fprintf(file, "  %5s", "-");
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

static void put_cell(FILE *file, const struct cell *cell)
{
	char threads[THREADS_TEXT_LENGTH];

	fprintf(file, "%7s %-9s %7u %4" PRIu32 "K", threads_format(cell->threads, threads),
		cell->codec->text, cell->outputs, cell->block_size / 1024);
}

static void put_cell_heading(FILE *file)
{
	fprintf(file, "\n%7s %-9s %7s %5s", "threads", "codec", "outputs", "block");
}

static void put_writes(const struct bench_report *r, FILE *file)
{
	size_t count;
	const struct cell *cells = bench_cells(r->bench, &count);

	put_cell_heading(file);
	fprintf(file, "  %5s %7s  %5s %8s %8s %7s %8s %8s %6s\n", "share", "spread ", "best", "capture",
		"fastest", "spread ", "ceiling", "memcpy", "ratio");
	for (const struct cell *cell = cells; cell < cells + count; cell++) {
		put_cell(file, cell);
		put_share(file, cell, MEASURE_CAPTURE);
		put_measure(file, &cell->rate[MEASURE_CAPTURE]);
		put_rate(file, cell_ceiling(cell, MEASURE_CAPTURE), false);
		put_rate(file, &cell->rate[MEASURE_COPY], false);
		if (cell->member_bytes)
			fprintf(file, " %6.2f\n", bench_ratio(r, cell));
		else
			fprintf(file, " %6s\n", "-");
	}
}

static void put_reads(const struct bench_report *r, FILE *file, enum measure what,
		      const char *name)
{
	size_t count;
	const struct cell *cells = bench_cells(r->bench, &count);

	put_cell_heading(file);
	fprintf(file, "  %5s %7s  %5s %8s %8s %7s %8s\n", "share", "spread ", "best", name, "fastest",
		"spread ", "ceiling");
	for (const struct cell *cell = cells; cell < cells + count; cell++) {
		if (!cell->reads)
			continue;
		put_cell(file, cell);
		put_share(file, cell, what);
		put_measure(file, &cell->rate[what]);
		put_rate(file, cell_ceiling(cell, what), false);
		putc('\n', file);
	}
}

static void put_latencies(const struct bench_report *r, FILE *file)
{
	static const double shares[] = { 0.5, 0.9, 0.99, 1 };
	size_t count;
	const struct cell *cells = bench_cells(r->bench, &count);

	put_cell_heading(file);
	fprintf(file, "  4 KiB at random, us: %8s %8s %8s %8s\n", "median", "90 %", "99 %", "slowest");
	for (const struct cell *cell = cells; cell < cells + count; cell++) {
		if (!cell->latency.count)
			continue;
		put_cell(file, cell);
		fprintf(file, "  %20s", "");
		for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++)
			fprintf(file, " %8.1f", 1e6 * samples_percentile(&cell->latency, shares[i]));
		putc('\n', file);
	}
}

static void put_rates(const struct numbers *rates, FILE *file)
{
	char size[SIZE_TEXT_LENGTH];

	for (size_t i = 0; i < rates->count; i++)
		fprintf(file, " %s/s", size_format(rates->values[i], size));
}

static void put_header(const struct bench_report *r, FILE *file)
{
	const struct bench_settings *b = &r->options->bench;
	char size[SIZE_TEXT_LENGTH];

	fprintf(file, "%s, %s: %s, %u CPU%s, %s\n", PACKAGE_STRING, r->machine.date,
		r->machine.processor, r->machine.cpus, plural(r->machine.cpus),
		r->machine.system);
	fprintf(file, "source: %s, %s\n", r->source->name, size_format(r->source->size, size));
	fprintf(file, "outputs:");
	for (size_t i = 0; i < b->outputs.count; i++)
		fprintf(file, " %s", b->outputs.names[i]);
	if (b->disk_rates.count)
		fprintf(file, "; emulated disks of");
	put_rates(&b->disk_rates, file);
	if (b->later_rates.count)
		fprintf(file, ", after %g s of", b->later);
	put_rates(&b->later_rates, file);
	fprintf(file, "\npage cache: %s\n", caches_name(bench_caches(r->bench)));
	fprintf(file, "%u round%s after %u to warm up%s\n", b->rounds, plural(b->rounds),
		b->warmups, r->whole ? "" : "; ended early, so the results are incomplete");
	fprintf(file, "MB/s: 10^6 bytes of the source per second, median; captures, and joins to a "
		"file, include fsync;\nshare: of the ceiling; best: of the fastest rounds\n");
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
}

static void put_all_reads(const struct bench_report *r, FILE *file)
{
	put_reads(r, file, MEASURE_VERIFY, "verify");
	put_reads(r, file, MEASURE_JOIN, "join");
	put_latencies(r, file);
}

void bench_table(const struct bench_report *r, FILE *file)
{
	size_t count;
	bool reads = false;

	for (const struct cell *cells = bench_cells(r->bench, &count); count; count--)
		reads |= cells[count - 1].reads;
	put_header(r, file);
	put_writes(r, file);
	if (reads)
		put_all_reads(r, file);
	put_verdict(&r->verdict, file);
}
