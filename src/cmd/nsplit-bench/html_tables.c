// SPDX-License-Identifier: GPL-2.0-or-later
/* The tables of the page of --html. */
#include "config.h"

#include <inttypes.h>

#include "base/markup.h"
#include "cmd/nsplit-bench/html.h"
#include "cmd/nsplit-bench/verdict.h"

/* A table that is too wide for the screen scrolls, also by keyboard. */
static void begin_table(FILE *file, const char *caption)
{
	fprintf(file, "<p class=\"caption faint\">%s</p>\n<div class=\"scroll\" tabindex=\"0\" "
		"role=\"region\" aria-label=\"%s\">\n<table>\n<thead><tr>", caption, caption);
}

static void end_table(FILE *file)
{
	fputs("</tbody>\n</table>\n</div>\n", file);
}

static void put_headings(FILE *file, const char *const *headings)
{
	for (; *headings; headings++)
		fprintf(file, "<th scope=\"col\">%s</th>", *headings);
	fputs("</tr></thead>\n<tbody>\n", file);
}

static void put_rate(FILE *file, bool there, double rate)
{
	char text[FIGURE_TEXT_LENGTH];

	fprintf(file, "<td>%s</td>", there ? figure_format_rate(rate, text) : "–");
}

static void put_median(FILE *file, const struct samples *samples)
{
	struct summary s = { 0 };
	bool there = samples_summary(samples, &s);

	put_rate(file, there, s.median);
}

static void put_share(FILE *file, bool there, double share)
{
	char text[FIGURE_TEXT_LENGTH];

	fprintf(file, "<td>%s</td>", there ? share_format(share, text) : "–");
}

/* A figure of this text in a cell with a bar, of which part is 1 at full width. */
static void put_bar(FILE *file, double part, const char *text)
{
	fprintf(file, "<td class=\"bar\" style=\"--part: %.1f%%\">%s</td>", 100 * part, text);
}

/* Unreliable figures are marked. */
static void put_spread(FILE *file, bool there, const struct summary *s)
{
	if (!there || s->count < 2)
		fputs("<td>–</td>", file);
	else if (summary_is_wide(s))
		fprintf(file, "<td class=\"unsure\">%.0f&nbsp;%% !</td>", 100 * s->spread);
	else
		fprintf(file, "<td>%.0f&nbsp;%%</td>", 100 * s->spread);
}

static void put_cell_headings(FILE *file)
{
	fputs("<th scope=\"col\" class=\"name\">codec</th><th scope=\"col\">threads</th>"
	      "<th scope=\"col\">outputs</th><th scope=\"col\">block</th>", file);
}

static void put_cell(FILE *file, const struct cell *cell)
{
	char threads[THREADS_TEXT_LENGTH];

	fputs("<tr><td class=\"name\">", file);
	markup_text(file, cell->codec->text);
	fprintf(file, "</td><td>%s</td><td>%u</td><td>%" PRIu32 "K</td>",
		threads_format(cell->threads, threads), cell->outputs, cell->block_size / 1024);
}

/* most: of the medians of all cells */
static void put_figures(FILE *file, const struct cell *cell, enum measure what, double most)
{
	struct summary rate = { 0 }, share = { 0 };
	bool has_rate = samples_summary(&cell->rate[what], &rate);
	bool has_share = cell_share(cell, what, &share);
	char text[FIGURE_TEXT_LENGTH];

	put_bar(file, rate.median / most, has_rate ? figure_format_rate(rate.median, text) : "–");
	put_spread(file, has_rate, &rate);
	put_rate(file, has_rate, rate.most);
	put_bar(file, share.median < 1 ? share.median : 1,
		has_share ? share_format(share.median, text) : "–");
	put_spread(file, has_share, &share);
	put_share(file, has_share, cell_best(cell, what));
	put_median(file, cell_ceiling(cell, what));
}

static void put_capture(const struct cell *cell, FILE *file)
{
	put_median(file, &cell->rate[MEASURE_COPY]);
	if (cell->member_bytes)
		fprintf(file, "<td>%.2f</td>", bench_ratio(cell));
	else
		fputs("<td>–</td>", file);
}

static double most_of(const struct cell *cells, size_t count, enum measure what)
{
	struct summary rate;
	double most = 1;

	for (size_t i = 0; i < count; i++)
		if (samples_summary(&cells[i].rate[what], &rate) && rate.median > most)
			most = rate.median;
	return most;
}

void html_rates(const struct bench_report *r, enum measure what, FILE *file)
{
	static const char *const headings[] = { "median", "spread", "fastest", "share", "spread",
						"best", "ceiling", NULL };
	static const char *const capture[] = { "median", "spread", "fastest", "share", "spread",
					       "best", "ceiling", "memcpy", "ratio", NULL };
	size_t count;
	const struct cell *cells = bench_cells(r->bench, &count);

	begin_table(file, "MB/s of the source; share: of the ceiling; best: fastest round of each");
	put_cell_headings(file);
	put_headings(file, what == MEASURE_CAPTURE ? capture : headings);
	for (const struct cell *cell = cells; cell < cells + count; cell++) {
		if (what != MEASURE_CAPTURE && !cell->reads)
			continue;
		put_cell(file, cell);
		put_figures(file, cell, what, most_of(cells, count, what));
		if (what == MEASURE_CAPTURE)
			put_capture(cell, file);
		fputs("</tr>\n", file);
	}
	end_table(file);
}

void html_latencies(const struct bench_report *r, FILE *file)
{
	static const char *const headings[] = { "median", "90 %", "99 %", "slowest", NULL };
	static const double shares[] = { 0.5, 0.9, 0.99, 1 };
	size_t count;
	const struct cell *cells = bench_cells(r->bench, &count);

	begin_table(file, "Microseconds to read 4 KiB");
	put_cell_headings(file);
	put_headings(file, headings);
	for (const struct cell *cell = cells; cell < cells + count; cell++) {
		if (!cell->latency.count)
			continue;
		put_cell(file, cell);
		for (size_t i = 0; i < sizeof(shares) / sizeof(*shares); i++)
			fprintf(file, "<td>%.1f</td>",
				1e6 * samples_percentile(&cell->latency, shares[i]));
		fputs("</tr>\n", file);
	}
	end_table(file);
}

void html_verdict(const struct bench_report *r, FILE *file)
{
	static const char *const headings[] = { "figures", "reliable", "widest spread", NULL };
	const struct verdict *v = &r->verdict;
	bool good = verdict_speeds_reliable(v) && verdict_shares_reliable(v) && !v->few;

	fprintf(file, "<section class=\"verdict%s\">\n<p class=\"conclusion\">%s</p>\n", good ? " good" : "",
		verdict_sentence(v));
	begin_table(file, "A figure is reliable if it has at least three rounds and a spread of at "
		    "most 20 %");
	fputs("<th scope=\"col\" class=\"name\">measurement</th>", file);
	put_headings(file, headings);
	for (int kind = 0; kind < JUDGED_KINDS; kind++) {
		if (!v->kinds[kind].figures)
			continue;
		fprintf(file, "<tr><td class=\"name\">%s</td><td>%zu</td><td>%zu</td>",
			verdict_names[kind], v->kinds[kind].figures, v->kinds[kind].reliable);
		put_share(file, v->kinds[kind].rounds > 1, v->kinds[kind].widest);
		fputs("</tr>\n", file);
	}
	end_table(file);
	fputs("</section>\n", file);
}
