// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A page that is complete in one file: no scripts, fonts, pictures or style sheets from elsewhere,
 * so that it can be sent by mail and opened on a machine without a network.
 */
#include "config.h"

#include "base/markup.h"
#include "base/size.h"
#include "base/text.h"
#include "cmd/bench_charts.h"
#include "cmd/bench_html.h"
#include "cmd/bench_verdict.h"
#include "cmd/message.h"
#include "draw/axis.h"

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
static void put_result(const struct bench_report *r, const struct cell *cell, FILE *file)
{
	char threads[THREADS_TEXT_LENGTH], text[AXIS_TEXT_LENGTH];
	struct summary rate, share;
	struct axis axis;

	samples_summary(&cell->rate[MEASURE_CAPTURE], &rate);
	axis = (struct axis){ .most = rate.median / 1e6 };
	markup_text(file, cell->codec->text);
	fprintf(file, "%s%s: %s MB/s", cell->threads ? " with " : ", ",
		threads_describe(cell->threads, threads), axis_format(&axis, axis.most, text));
	if (cell_share(cell, MEASURE_CAPTURE, &share)) {
		axis = (struct axis){ .most = share.median, .percent = true };
		fprintf(file, ", %s of the ceiling", axis_format(&axis, axis.most, text));
	}
	fprintf(file, ", ratio %.2f", bench_ratio(r, cell));
}

static void put_best(const struct bench_report *r, FILE *file)
{
	const struct cell *fastest = NULL, *smallest = NULL, *cells;
	double most = 0, ratio = 0;
	size_t count;

	cells = bench_cells(r->bench, &count);
	for (const struct cell *cell = cells; cell < cells + count; cell++) {
		struct summary rate;

		if (!samples_summary(&cell->rate[MEASURE_CAPTURE], &rate))
			continue;
		if (rate.median > most) {
			most = rate.median;
			fastest = cell;
		}
		/* Of those with the same ratio, such as those that differ in threads, the last. */
		if (bench_ratio(r, cell) >= ratio * 0.999) {
			ratio = bench_ratio(r, cell);
			smallest = cell;
		}
	}
	if (!fastest)
		return;
	fputs("<ul>\n<li>Fastest: ", file);
	put_result(r, fastest, file);
	fputs("</li>\n<li>Smallest: ", file);
	put_result(r, smallest, file);
	fputs("</li>\n</ul>\n", file);
}

/* These return false if a chart failed, which they report. */
static bool put_chart(const struct bench_report *r, enum measure what, enum chart chart,
		      FILE *file)
{
	struct canvas c;
	struct error e;
	bool good;

	fputs("<figure>\n", file);
	canvas_svg_begin(&c, file, PANEL_WIDTH, chart_height(r, chart), chart_title(what, chart),
			 false);
	good = !chart_draw(r, what, chart, &c, &e);
	if (!good)
		message("%s", e.text);
	canvas_svg_end(&c);
	fputs("</figure>\n", file);
	return good;
}

static bool put_measure(const struct bench_report *r, enum measure what, const char *heading,
			FILE *file)
{
	bool good;

	if (!chart_has_data(r, what))
		return true;
	fprintf(file, "<section>\n<h2>%s</h2>\n<div class=\"charts\">\n", heading);
	good = put_chart(r, what, CHART_RATE, file);
	good &= put_chart(r, what, CHART_SHARE, file);
	if (what == MEASURE_CAPTURE)
		good &= put_chart(r, what, CHART_RATIO, file);
	fputs("</div>\n", file);
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

static void put_settings(const struct bench_report *r, FILE *file)
{
	const struct bench_settings *b = &r->options->bench;
	char size[SIZE_TEXT_LENGTH];

	fputs("<section>\n<h2>Machine and settings</h2>\n<dl>\n", file);
	put_machine(r, file);
	put_term(file, "Source");
	markup_text(file, r->source->name);
	fprintf(file, ", %s</dd>\n", size_format(r->source->size, size));
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
"<p>MB/s are 10<sup>6</sup> bytes of the source per second: the median of all rounds, with a thin\n"
"line from the slowest to the fastest one. The time of a capture goes from the first open of an\n"
"output to its last fsync and close.</p>\n"
"<p>The <em>ceiling</em> is the speed of compression alone (for reading, of decompression alone):\n"
"the same threads and blocks, in memory, without input, output, records or checksums. It is\n"
"measured just before each figure that is compared with it. A share near 100 % means that the\n"
"processors limit the speed; with a low share, something else does, usually the disks.</p>\n"
"<p>The <em>spread</em> is the difference between the slowest and the fastest round, relative to\n"
"the median. Figures marked with ! allow no conclusions.</p>\n</section>\n";

bool bench_html(const struct bench_report *r, FILE *file)
{
	bool good;

	put_head(r, file);
	put_heading(r, file);
	if (!r->whole)
		fputs("<p><strong>The benchmark ended early, so the results are incomplete.</strong></p>\n",
		      file);
	fputs("<main>\n", file);
	put_best(r, file);
	html_verdict(r, file);
	good = put_measure(r, MEASURE_CAPTURE, "Captures", file);
	good &= put_measure(r, MEASURE_VERIFY, "Verify", file);
	good &= put_measure(r, MEASURE_JOIN, "Join", file);
	put_latencies(r, file);
	put_settings(r, file);
	fputs(explanation, file);
	fprintf(file, "</main>\n<footer>\n<p class=\"faint\">Written by nsplit-bench of %s.</p>\n"
		"</footer>\n</body>\n</html>\n", PACKAGE_STRING);
	return good;
}
