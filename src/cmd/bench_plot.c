// SPDX-License-Identifier: GPL-2.0-or-later
/* The charts of the captures side by side: SVG, or PNG by gnuplot. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/size.h"
#include "base/text.h"
#include "cmd/bench_charts.h"
#include "cmd/shell.h"
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
		height = double_max(height, chart_height(r, chart));
	return HEADING + height;
}

static void put_heading(const struct bench_report *r, struct canvas *c)
{
	const struct machine *m = &r->machine;
	char size[SIZE_TEXT_LENGTH], text[512];

	snprintf(text, sizeof(text), "%.200s, %s; %s; %s, %u CPU%s", r->source->name,
		 size_format(r->source->size, size), m->date, m->processor, m->cpus,
		 plural(m->cpus));
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

static enum status write_script(const struct bench_report *r, int script, struct error *e)
{
	FILE *file = fdopen(dup(script), "w");
	struct canvas c;
	enum status status;
	bool failed;

	if (!file)
		return error_system(e, errno, "gnuplot");
	canvas_png_begin(&c, file, CHARTS * PANEL_WIDTH, height_of(r));
	status = put_charts(r, &c, e);
	canvas_png_end(&c);
	failed = ferror(file);
	if ((fclose(file) != 0 || failed) && !status)
		status = error_system(e, errno, "gnuplot");
	return status;
}

/* Both files are in memory, so that nothing is left of them. */
static enum status run_gnuplot(int script, int picture, const char *name, struct error *e)
{
	enum status status;
	struct stat st;
	bool good;

	if (lseek(script, 0, SEEK_SET) < 0)
		return error_system(e, errno, "gnuplot");
	status = shell_filter("gnuplot", "exec gnuplot", script, picture, &good, e);
	if (!status && (!good || fstat(picture, &st) < 0 || !st.st_size))
		status = error_set(e, STATUS_SYSTEM, "%s: gnuplot failed", name);
	return status;
}

static enum status copy_picture(int picture, const char *name, struct error *e)
{
	FILE *file = fopen(name, "we");
	char buffer[4096];
	off_t at = 0;
	ssize_t got;
	bool failed;

	if (!file)
		return error_system(e, errno, "%s", name);
	while ((got = pread(picture, buffer, sizeof(buffer), at)) > 0) {
		fwrite(buffer, 1, (size_t)got, file);
		at += got;
	}
	failed = ferror(file) || got < 0;
	return fclose(file) != 0 || failed ? error_system(e, errno, "%s", name) : STATUS_OK;
}

/* An older file of this name is changed only when there is a picture. */
static enum status write_png(const struct bench_report *r, const char *name, struct error *e)
{
	int script = memfd_create("gnuplot", MFD_CLOEXEC);
	int picture = memfd_create("picture", MFD_CLOEXEC);
	enum status status = STATUS_OK;

	if (script < 0 || picture < 0)
		status = error_system(e, errno, "gnuplot");
	if (!status)
		status = write_script(r, script, e);
	if (!status)
		status = run_gnuplot(script, picture, name, e);
	if (!status)
		status = copy_picture(picture, name, e);
	if (script >= 0)
		close(script);
	if (picture >= 0)
		close(picture);
	return status;
}

enum status bench_plot(const struct bench_report *r, const char *name, struct error *e)
{
	return plot_needs_gnuplot(name) ? write_png(r, name, e) : write_svg(r, name, e);
}
