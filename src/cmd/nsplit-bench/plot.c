// SPDX-License-Identifier: GPL-2.0-or-later
/* The charts of the captures side by side: SVG, PNG, or the script for gnuplot that draws them. */
#include "config.h"

#include <errno.h>
#include <string.h>

#include "base/size.h"
#include "base/text.h"
#include "cmd/nsplit-bench/charts.h"
#include "cmd/nsplit-bench/gnuplot.h"

enum { HEADING = 40 };

static bool ends_in(const char *name, const char *end)
{
	return strcmp(name + strlen(name) - strlen(end), end) == 0;
}

bool plot_needs_gnuplot(const char *name)
{
	return !ends_in(name, ".gp");
}

static void put_heading(const struct bench_report *r, FILE *script)
{
	const struct machine *m = &r->machine;
	char size[SIZE_TEXT_LENGTH], text[512];

	snprintf(text, sizeof(text), "%.200s, %s; %s; %s, %u CPU%s", r->source->name,
		 size_format(r->source->size, size), m->date, m->processor, m->cpus,
		 plural(m->cpus));
	fprintf(script, "set multiplot layout 1,%d title ", CHARTS);
	gnuplot_quote(script, text_make_printable(text));
	fputs(" noenhanced\n", script);
}

static enum status write_script(const struct bench_report *r, bool png, FILE *script, struct error *e)
{
	enum status status = STATUS_OK;
	double height = 0;

	for (int chart = 0; chart < CHARTS; chart++)
		if (chart_height(r, chart) > height)
			height = chart_height(r, chart);
	gnuplot_begin(script, png, CHARTS * CHART_WIDTH, HEADING + height);
	put_heading(r, script);
	for (int chart = 0; chart < CHARTS && !status; chart++)
		status = chart_write(r, MEASURE_CAPTURE, chart, script, e);
	fputs("unset multiplot\n", script);
	return status;
}

/* An older file of this name is changed only when there is a picture. */
static enum status copy_file(FILE *from, const char *name, struct error *e)
{
	FILE *file = fopen(name, "we");
	char buffer[4096];
	size_t got;
	bool failed;

	if (!file)
		return error_system(e, errno, "%s", name);
	rewind(from);
	while ((got = fread(buffer, 1, sizeof(buffer), from)) > 0)
		fwrite(buffer, 1, got, file);
	failed = ferror(file) || ferror(from);
	return fclose(file) != 0 || failed ? error_system(e, errno, "%s", name) : STATUS_OK;
}

enum status bench_plot(const struct bench_report *r, const char *name, struct error *e)
{
	FILE *script = NULL, *picture = NULL;
	enum status status = gnuplot_file(&script, e);

	if (!status)
		status = write_script(r, ends_in(name, ".png"), script, e);
	if (!status && plot_needs_gnuplot(name))
		status = gnuplot_file(&picture, e);
	if (!status && picture)
		status = gnuplot_run(script, picture, name, e);
	if (!status)
		status = copy_file(picture ? picture : script, name, e);
	if (picture)
		fclose(picture);
	if (script)
		fclose(script);
	return status;
}
