// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A page that is complete in one file: no scripts, fonts, pictures or style sheets from elsewhere,
 * so that it can be sent by mail and opened on a machine without a network.  gnuplot draws the charts.
 * Machines that are measured may lack it, so the tables have bars of their own.
 */
#include "config.h"

#include <string.h>

#include "base/markup.h"
#include "base/size.h"
#include "base/text.h"
#include "cmd/nsplit-bench/charts.h"
#include "cmd/nsplit-bench/gnuplot.h"
#include "cmd/nsplit-bench/html.h"
#include "cmd/nsplit-bench/verdict.h"
#include "cmd/common/message.h"

static void put_head(const struct bench_report *r, FILE *file)
{
	fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	      "<title>Speed of captures: ", file);
	markup_text(file, r->source->name);
	fprintf(file, ", %s</title>\n<style>\n%s</style>\n</head>\n<body>\n", r->machine.date,
		html_style);
}

static void put_heading(const struct bench_report *r, FILE *file)
{
	char size[SIZE_TEXT_LENGTH];

	fputs("<header>\n<h1>Speed of captures</h1>\n<p class=\"faint\">", file);
	markup_text(file, r->source->name);
	fprintf(file, ", %s, on %s</p>\n</header>\n", size_format(r->source->size, size),
		r->machine.date);
}

/* "raw with 2 threads: 8,507 MB/s, 33 % of the ceiling, ratio 1.93": of a cell that has a rate. */
static void put_result(const struct cell *cell, FILE *file)
{
	char threads[THREADS_TEXT_LENGTH], text[FIGURE_TEXT_LENGTH];
	struct summary rate, share;

	samples_summary(&cell->rate[MEASURE_CAPTURE], &rate);
	markup_text(file, cell->codec->text);
	fprintf(file, "%s%s: %s MB/s", cell->threads ? " with " : ", ",
		threads_describe(cell->threads, threads), figure_format_rate(rate.median, text));
	if (cell_share(cell, MEASURE_CAPTURE, &share))
		fprintf(file, ", %s of the ceiling", share_format(share.median, text));
	fprintf(file, ", ratio %.2f", bench_ratio(cell));
}

static void put_best(const struct bench_report *r, FILE *file)
{
	size_t count;
	const struct cell *cells = bench_cells(r->bench, &count), *fastest = cells_fastest(cells, count);
	const char *doubt;

	if (!fastest)
		return;
	fputs("<ul>\n<li>Fastest: ", file);
	put_result(fastest, file);
	doubt = bench_best_doubt(cells, count, fastest);
	fprintf(file, "%s%s", *doubt ? ", " : "", doubt);
	fputs("</li>\n<li>Smallest: ", file);
	put_result(cells_smallest(cells, count), file);
	fputs("</li>\n</ul>\n", file);
}

/* A picture as a part of the page: every byte that means something there or in an address is encoded. */
static void put_picture(FILE *picture, const char *title, FILE *file)
{
	int c;

	fprintf(file, "<figure><img alt=\"%s\" src=\"data:image/svg+xml,", title);
	while ((c = getc(picture)) != EOF)
		if (c <= ' ' || c > '~' || strchr("\"#%&<>", c))
			fprintf(file, "%%%02X", (unsigned)c);
		else
			putc(c, file);
	fputs("\"></figure>\n", file);
}

static enum status draw_chart(const struct bench_report *r, enum measure what, enum chart chart,
			      FILE *picture, struct error *e)
{
	FILE *script;
	enum status status = gnuplot_file(&script, e);

	if (status)
		return status;
	gnuplot_begin(script, false, CHART_WIDTH, chart_height(r, chart));
	status = chart_write(r, what, chart, script, e);
	if (!status)
		status = gnuplot_run(script, picture, chart_title(what, chart), e);
	fclose(script);
	return status;
}

/* These return false if a chart failed, which they report. */
static bool put_chart(const struct bench_report *r, enum measure what, enum chart chart,
		      FILE *file)
{
	FILE *picture = NULL;
	struct error e;
	enum status status = gnuplot_file(&picture, &e);

	if (!status)
		status = draw_chart(r, what, chart, picture, &e);
	if (status)
		message("%s", e.text);
	else
		put_picture(picture, chart_title(what, chart), file);
	if (picture)
		fclose(picture);
	return !status;
}

static bool put_charts(const struct bench_report *r, enum measure what, FILE *file)
{
	bool good = true;

	fputs("<div class=\"charts\">\n", file);
	for (int chart = 0; chart < (what == MEASURE_CAPTURE ? CHARTS : CHART_RATIO); chart++)
		good &= put_chart(r, what, chart, file);
	fputs("</div>\n", file);
	return good;
}

static bool put_measure(const struct bench_report *r, enum measure what, const char *heading,
			bool charts, FILE *file)
{
	bool good = true;

	if (!chart_has_data(r, what))
		return true;
	fprintf(file, "<section>\n<h2>%s</h2>\n", heading);
	if (charts)
		good = put_charts(r, what, file);
	html_rates(r, what, file);
	fputs("</section>\n", file);
	return good;
}

static void put_latencies(const struct bench_report *r, FILE *file)
{
	size_t count;
	const struct cell *cells = bench_cells(r->bench, &count);
	bool there = false;

	for (size_t i = 0; i < count; i++)
		there |= cells[i].latency.count > 0;
	if (!there)
		return;
	fputs("<section>\n<h2>Random reads</h2>\n", file);
	html_latencies(r, file);
	fputs("</section>\n", file);
}

static void put_term(FILE *file, const char *term)
{
	fprintf(file, "<dt>%s</dt><dd>", term);
}

static void put_disk_rates(const struct bench_settings *b, FILE *file)
{
	char size[SIZE_TEXT_LENGTH];

	if (!b->disk_rates.count)
		return;
	put_term(file, "Emulated disks");
	for (size_t i = 0; i < b->disk_rates.count; i++)
		fprintf(file, "%s%s/s", i ? ", " : "", size_format(b->disk_rates.values[i], size));
	if (b->later_rates.count)
		fprintf(file, "; after %g s: ", b->later);
	for (size_t i = 0; i < b->later_rates.count; i++)
		fprintf(file, "%s%s/s", i ? ", " : "", size_format(b->later_rates.values[i], size));
	fputs("</dd>\n", file);
}

static void put_machine(const struct bench_report *r, FILE *file)
{
	put_term(file, "Processor");
	markup_text(file, r->machine.processor);
	fprintf(file, ", %u CPU%s</dd>\n", r->machine.cpus, plural(r->machine.cpus));
	put_term(file, "System");
	markup_text(file, r->machine.system);
	fputs("</dd>\n", file);
}

static void put_left_out(const struct bench_report *r, FILE *file)
{
	char text[CLASS_AMOUNTS_LENGTH];

	if (!r->options->left_out.given)
		return;
	class_amounts_format(bench_left_out(r->bench)->of_class, text);
	put_term(file, "Pages left out");
	fprintf(file, "%s</dd>\n", text);
}

static void put_settings(const struct bench_report *r, FILE *file)
{
	const struct bench_settings *b = &r->options->bench;
	char size[SIZE_TEXT_LENGTH];

	fputs("<section>\n<h2>Machine and settings</h2>\n<dl>\n", file);
	put_machine(r, file);
	put_term(file, "Source");
	markup_text(file, r->source->name);
	fprintf(file, ", %s</dd>\n", size_format(r->source->size, size));
	put_left_out(r, file);
	put_term(file, "Outputs");
	for (size_t i = 0; i < b->outputs.count; i++) {
		fputs(i ? ", " : "", file);
		markup_text(file, b->outputs.names[i]);
	}
	fputs("</dd>\n", file);
	put_disk_rates(b, file);
	put_term(file, "Page cache");
	fprintf(file, "%s</dd>\n", caches_name(bench_caches(r->bench)));
	put_term(file, "Chunks");
	fprintf(file, "%s</dd>\n", size_format(b->chunk_size, size));
	put_term(file, "Rounds");
	fprintf(file, "%u after %u to warm up</dd>\n</dl>\n</section>\n", b->rounds, b->warmups);
}

static const char explanation[] =
"<section>\n<h2>What the figures mean</h2>\n"
"<p>MB/s are 10<sup>6</sup> bytes of the source per second, without pages that are left out: the\n"
"median of all rounds, with a thin line from the slowest to the fastest one. The time of a capture\n"
"goes from the first open of an output to its last fsync and close.</p>\n"
"<p>The <em>ceiling</em> is the speed of compression alone (for reading, of decompression alone):\n"
"the same threads and blocks, in memory, without input, output, records or checksums. It is\n"
"measured just before each figure that is compared with it. A share near 100 % means that the\n"
"processors limit the speed; with a low share, something else does, usually the disks.</p>\n"
"<p>The <em>spread</em> is the difference between the slowest and the fastest round, relative to\n"
"the median. Figures marked with ! allow no conclusions.</p>\n</section>\n";

bool bench_html(const struct bench_report *r, FILE *file)
{
	bool good, charts = gnuplot_found();

	put_head(r, file);
	put_heading(r, file);
	if (!r->whole)
		fputs("<p><strong>The benchmark ended early, so the results are incomplete.</strong></p>\n",
		      file);
	fputs("<main>\n", file);
	put_best(r, file);
	html_verdict(r, file);
	good = put_measure(r, MEASURE_CAPTURE, "Captures", charts, file);
	good &= put_measure(r, MEASURE_VERIFY, "Verify", charts, file);
	good &= put_measure(r, MEASURE_JOIN, "Join", charts, file);
	put_latencies(r, file);
	put_settings(r, file);
	fputs(explanation, file);
	fprintf(file, "</main>\n<footer>\n<p class=\"faint\">Written by nsplit-bench of %s.</p>\n"
		"</footer>\n</body>\n</html>\n", PACKAGE_STRING);
	return good;
}
