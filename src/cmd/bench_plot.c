// SPDX-License-Identifier: GPL-2.0-or-later
/* The charts of the captures side by side: SVG, or PNG by gnuplot, which reads from a pipe. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/size.h"
#include "base/text.h"
#include "cmd/bench_charts.h"
#include "draw/axis.h"

enum { CHARTS = CHART_RATIO + 1, HEADING = 40 };

bool plot_needs_gnuplot(const char *name)
{
	return strcmp(name + strlen(name) - 4, ".png") == 0;
}

static double height_of(const struct bench_report *r)
{
	double height = 0;

	for (int chart = 0; chart < CHARTS; chart++)
		height = larger(height, chart_height(r, chart));
	return HEADING + height;
}

static void put_heading(const struct bench_report *r, struct canvas *c)
{
	const struct machine *m = &r->machine;
	char size[SIZE_TEXT_LENGTH], text[512];

	snprintf(text, sizeof(text), "%.200s, %s; %s; %s, %u CPU%s", r->source->name,
		 size_format(r->source->size, size), m->date, m->processor, m->cpus,
		 m->cpus == 1 ? "" : "s");
	text_make_printable(text);
	canvas_text(c, 10, 24, ANCHOR_START, TEXT_NORMAL, INK_FAINT, text);
}

static enum status put_charts(const struct bench_report *r, struct canvas *c, struct error *e)
{
	enum status status = STATUS_OK;

	put_heading(r, c);
	c->top = HEADING;
	for (int chart = 0; chart < CHARTS && !status; chart++) {
		c->left = chart * PANEL_WIDTH;
		status = chart_draw(r, MEASURE_CAPTURE, chart, c, e);
	}
	return status;
}

static enum status write_svg(const struct bench_report *r, const char *name, struct error *e)
{
	FILE *file = fopen(name, "we");
	struct canvas c;
	enum status status;
	bool failed;

	if (!file)
		return error_system(e, errno, "%s", name);
	canvas_svg_begin(&c, file, CHARTS * PANEL_WIDTH, height_of(r), "Speed of captures", true);
	status = put_charts(r, &c, e);
	canvas_svg_end(&c);
	failed = ferror(file);
	if ((fclose(file) != 0 || failed) && !status)
		status = error_system(e, errno, "%s", name);
	return status;
}

static enum status write_png(const struct bench_report *r, const char *name, struct error *e)
{
	FILE *gnuplot = popen("gnuplot", "w");
	struct canvas c;
	enum status status;
	int ended;

	if (!gnuplot)
		return error_system(e, errno, "gnuplot");
	canvas_png_begin(&c, gnuplot, CHARTS * PANEL_WIDTH, height_of(r), name);
	status = put_charts(r, &c, e);
	canvas_png_end(&c);
	ended = pclose(gnuplot);
	if (status || (WIFEXITED(ended) && WEXITSTATUS(ended) == 0))
		return status;
	unlink(name);
	return error_set(e, STATUS_SYSTEM, "%s: gnuplot failed", name);
}

enum status bench_plot(const struct bench_report *r, const char *name, struct error *e)
{
	if (!chart_has_data(r, MEASURE_CAPTURE))
		return error_set(e, STATUS_MISSING, "%s: not drawn, because nothing was measured",
				 name);
	return plot_needs_gnuplot(name) ? write_png(r, name, e) : write_svg(r, name, e);
}
