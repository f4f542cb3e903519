// SPDX-License-Identifier: GPL-2.0-or-later
/* nsplit-bench: measures captures on this machine, and compares them with ceilings. */
#include "config.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/signals.h"
#include "base/system.h"
#include "base/text.h"
#include "cmd/common/common_options.h"
#include "cmd/common/message.h"
#include "cmd/common/operands.h"
#include "cmd/common/page_policy.h"
#include "cmd/nsplit-bench/nsplit_bench.h"
#include "export/output_file.h"
#include "io/existing.h"
#include "io/path.h"
#include "io/sink.h"

/* Leaves pages out of the captures of a benchmark, as nsplit does. */
struct pages_left_out {
	unsigned classes;		/* of dump levels */
	struct page_policy policy;	/* of the running capture; otherwise closed */
};

/* The state of the program.  main() has it and passes it to all functions. */
struct nsplit_bench {
	struct bench_options options;
	struct source *source;
	struct pages_left_out pages;
	struct bench *bench;
	const struct bench_results *results;	/* of bench */
	char draw[PATH_MAX];		/* draw.py; empty: it is not needed */
	struct progress progress;
	int signal_fd;
	struct stop stop;
};

/* --- files of reports -------------------------------------------------------------------- */

static const char *const json_words[] = { "{", "\"version\"", "\"date\"", "\"source\"", NULL },
	*const csv_words[] = { "threads,codec,outputs,block_size,", NULL },
	*const html_words[] = { "<!DOCTYPE html>", "<title>Speed of captures: ", NULL },
	*const svg_words[] = { "<?xml", "GNUPLOT", NULL }, *const script_words[] = { "set terminal ", NULL },
	*const png_words[] = { "\x89PNG", NULL };

/* Options, and what shows that one of them has written a file. */
static const struct {
	const char *option;
	const char *const *signs[4];
} reports[REPORTS] = {
	[REPORT_JSON] = { "--json", { json_words } },
	[REPORT_CSV] = { "--csv", { csv_words } },
	[REPORT_HTML] = { "--html", { html_words } },
	/* A PNG does not say which program has drawn it. */
	[REPORT_PLOT] = { "--plot", { svg_words, script_words, png_words } },
};

static struct side_file report_file(const struct bench_options *o, enum report report)
{
	struct side_file side = { .called = reports[report].option, .name = o->reports[report] };

	memcpy(side.signs, reports[report].signs, sizeof(side.signs));
	return side;
}

static bool is_file(const char *name)
{
	return name && *name;
}

/* STATUS_USAGE: a report that is to be drawn may not replace a file; see side_file_refuse(). */
static enum status refuse_reports(const struct bench_options *o, enum report from, struct error *e)
{
	for (enum report report = from; report < REPORTS; report++) {
		const struct side_file side = report_file(o, report);

		if (is_file(side.name) && side_file_refuse(&side, e))
			return e->status;
	}
	return STATUS_OK;
}

/* --- before the first round ------------------------------------------------------------ */

/* --join-to replaces a file by another one; the other options write reports. */
static enum status check_files(const struct bench_options *o, const struct source *source,
			       const struct sink *sinks, struct error *e)
{
	for (enum report i = 0; i <= REPORTS; i++) {
		const char *option = i < REPORTS ? reports[i].option : "--join-to";
		const char *name = i < REPORTS ? o->reports[i] : o->bench.join_to;
		int failed;

		if (!is_file(name))
			continue;
		if (outputs_refuse_file(option, name, source, sinks, o->bench.outputs.count, e))
			return e->status;
		failed = i < REPORTS ? outputs_write_errno(name) : outputs_replace_errno(name);
		if (failed) {
			path_creation_error(e, failed, name);
			return error_prefix(e, "%s=", option);
		}
		for (enum report j = 0; j < i; j++)
			if (o->reports[j] && strcmp(name, o->reports[j]) == 0)
				return error_set(e, STATUS_USAGE, "%s=%s: is also given as %s", option, name,
						 reports[j].option);
	}
	return refuse_reports(o, 0, e);
}

static enum status check_join_to(const struct bench_settings *b, struct error *e)
{
	struct output_file output;
	enum status status;

	if (!b->reads)
		return STATUS_OK;
	status = output_file_probe(&output, b->join_to, b->permits, true, e);
	output_file_free(&output);
	return status;
}

/*
 * Rounds take minutes or hours, and each overwrites all outputs.  So outputs and reports that
 * cannot be written, or that are the same file as another one, are found beforehand.
 * Creates nothing.
 */
static enum status bench_check(const struct bench_options *o, const struct source *source,
			       struct error *e)
{
	const struct bench_settings *b = &o->bench;
	unsigned count = (unsigned)b->outputs.count, probed = 0;
	struct sink *sinks = calloc(count, sizeof(*sinks));
	enum status status = STATUS_OK;

	if (!sinks)
		return error_system(e, ENOMEM, "benchmark");
	for (; probed < count && !status; probed++) {
		status = sink_probe(&sinks[probed], b->outputs.names[probed], NULL, b->permits,
				    b->direct, e);
		/* No option allows that. */
		if (status == STATUS_USAGE)
			outputs_refuse_source(b->outputs.names[probed], source, e);
		if (!status)
			status = outputs_refuse_repeated(sinks, probed, source, e);
	}
	if (!status)
		status = outputs_refuse_holes(sinks, count, e);
	if (!status)
		status = check_files(o, source, sinks, e);
	if (!status)
		status = check_join_to(b, e);
	while (probed)
		sink_free(&sinks[--probed]);
	free(sinks);
	return status;
}

/* --- pictures and pages: draw.py ----------------------------------------- */

/* In the tree in which this program was built, or where it is installed. */
static void find_draw(char program[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", program, PATH_MAX - sizeof("bench/draw.py"));
	char *name;

	program[length > 0 ? length : 0] = '\0';
	name = strrchr(program, '/');
	if (name)
		strcpy(name + 1, "bench/draw.py");
	if (access(program, R_OK) != 0)
		strcpy(program, PKGDATADIR "/draw.py");
}

static bool is_installed(const char *name)
{
	struct error e;
	bool found;

	return !shell_finds(name, name, &found, &e) && found;
}

/* Before the first round, since what cannot be drawn may take hours to measure. */
static enum status draw_check(struct nsplit_bench *program, struct error *e)
{
	const char *csv = program->options.reports[REPORT_CSV], *html = program->options.reports[REPORT_HTML];
	const char *plot = program->options.reports[REPORT_PLOT];

	if (!csv && !html && !plot)
		return STATUS_OK;
	find_draw(program->draw);
	if (!is_installed("python3"))
		return error_set(e, STATUS_UNSUPPORTED, "python3 is not installed, so nothing can be drawn; "
				 "use --json, and draw it where it is");
	if (access(program->draw, R_OK) != 0)
		return error_set(e, STATUS_UNSUPPORTED, "%s does not exist, so nothing can be drawn; "
				 "use --json, and draw it where it is", program->draw);
	if (is_installed("gnuplot"))
		return STATUS_OK;
	if (plot && strcmp(plot + strlen(plot) - strlen(".gp"), ".gp") != 0)
		return error_set(e, STATUS_UNSUPPORTED, "--plot=%s: gnuplot is not installed", plot);
	if (html)
		message("gnuplot is not installed, so the page has tables, but no charts");
	return STATUS_OK;
}

/* With the options of this program that it has, too.  It says itself what failed. */
static bool run_draw(const struct nsplit_bench *program, int json)
{
	char options[REPORTS][PATH_MAX + sizeof("--html=")], command[64];
	const char *argv[5 + REPORTS + 1] = { "sh", "-c", command, "sh", program->draw };
	unsigned words = 5;
	bool good = false;
	struct error e;

	for (enum report i = REPORT_CSV; i < REPORTS; i++) {
		const char *name = program->options.reports[i];

		if (!name)
			continue;
		snprintf(options[i], sizeof(options[i]), "%s%s%s", reports[i].option, *name ? "=" : "", name);
		argv[words++] = options[i];
	}
	/* Not "<&": some shells take only one digit there. */
	snprintf(command, sizeof(command), "exec python3 -I \"$@\" < /proc/self/fd/%d", json);
	if (shell_run("python3", argv, &good, &e))
		message("%s", e.text);
	return good;
}

/* Returns false if some of it failed, which it reports. */
static bool draw(const struct nsplit_bench *program, const struct bench_report *report)
{
	int fd = memfd_create("json", 0);
	FILE *json = fd < 0 ? NULL : fdopen(fd, "w");
	bool good = false;
	struct error e;

	if (!json) {
		message("results: %s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	bench_json(report, json);
	if (fflush(json) != 0 || ferror(json) || lseek(fd, 0, SEEK_SET) < 0)
		message("results: %s", strerror(errno));
	/* Files may have been replaced since the beginning. */
	else if (refuse_reports(report->options, REPORT_CSV, &e))
		message("%s", e.text);
	else
		/* What stdio holds comes first. */
		good = message_flush_output() && run_draw(program, fd);
	fclose(json);
	return good;
}

/* --- pages that are left out ----------------------------------------------- */

/* Nobody needs the result of a benchmark that leaves out nothing although it should, so that is an error. */
static const struct layer_policy *begin(void *arg, struct source *source, struct error *e)
{
	struct pages_left_out *p = arg;
	const struct layer_policy *policy = page_policy_try(&p->policy, source, p->classes, e);

	if (policy)
		return policy;
	page_policy_close(&p->policy);
	if (!p->classes)
		return layer_policy_plain();
	error_prefix(e, "%s: nothing can be left out: ", source->name);
	e->status = STATUS_UNSUPPORTED;
	return NULL;
}

static void end(void *arg)
{
	struct pages_left_out *p = arg;

	page_policy_close(&p->policy);
}

/* --- the program --------------------------------------------------------- */

/* Parts end with a comma or a colon; the name of a codec may contain a colon. */
static void cut_last_part(char *line)
{
	char *end = line;

	for (char *at = line; (at = strpbrk(at, ",:")); at++)
		if (at[1] == ' ')
			end = at;
	*end = 0;
}

/*
 * On a terminal after a bar: "12 of 60, 0:41 left: lzo, 2 threads, 8 outputs, blocks of 4K"; without
 * the last parts if they do not fit.
 */
static void describe(const void *arg, unsigned columns, char line[PROGRESS_LINE_LENGTH])
{
	const struct bench_results *r = ((const struct nsplit_bench *)arg)->results;
	char left[SIZE_TEXT_LENGTH] = "?", bar[PROGRESS_BAR_LENGTH], cell[CELL_TEXT_LENGTH];

	progress_bar(columns, (double)r->done / r->total, bar);
	if (r->done)
		duration_format((clock_seconds() - r->started) / r->done * (r->total - r->done), left);
	snprintf(line, PROGRESS_LINE_LENGTH, "%s%s%u of %u, %s left: %s", bar, *bar ? " " : "", r->done, r->total,
		 left, cell_describe(r->now, cell));
	while (text_characters(line) > columns)
		cut_last_part(line);
}

static void on_request(struct nsplit_bench *program, enum request request)
{
	char line[PROGRESS_LINE_LENGTH];

	if (request == REQUEST_REPORT) {
		describe(program, PROGRESS_WHOLE, line);
		message("%s", line);
		return;
	}
	if (request == REQUEST_STOP_NOW) {
		bench_abandon(program->bench);
		signals_raise(program->stop.latest);
	}
	bench_stop(program->bench);
}

static void tick(void *arg)
{
	struct nsplit_bench *program = arg;
	enum request request;

	while ((request = signals_next(program->signal_fd, &program->stop)))
		on_request(program, request);
	progress_line(&program->progress, clock_seconds() - program->results->started, describe, program);
}

static enum status open_source(struct nsplit_bench *program, struct error *e)
{
	const char *name = program->options.source;
	enum status status;

	if (fake_named(name))
		return fake_open(&program->source, name, e);
	status = vmcore_open(&program->source, name, program->options.mmap, e);
	if (status && e->errnum == ENOENT)
		status = fake_suggest(name, e);
	if (!status && program->source->is_stream)
		status = error_set(e, STATUS_USAGE, "%s: is a stream, but a benchmark reads its "
				   "source many times", program->source->name);
	else if (!status && !program->source->size)
		status = error_set(e, STATUS_USAGE, "%s: is empty", program->source->name);
	return status;
}

static enum status prepare(struct nsplit_bench *program, struct error *e)
{
	struct bench_options *o = &program->options;
	enum status status = open_source(program, e);

	program->pages.classes = o->left_out.classes;
	if (o->left_out.given)
		o->bench.pages = (struct bench_pages){ .begin = begin, .end = end, .arg = &program->pages };
	if (!status)
		status = bench_check(o, program->source, e);
	if (!status)
		status = draw_check(program, e);
	/* From now on, members in the outputs are those of the rounds before. */
	o->bench.permits |= PERMIT_DUMPS;
	if (!status)
		status = bench_new(&program->bench, &o->bench, program->source, e);
	if (!status)
		program->results = bench_results(program->bench);
	/* Until here, a signal leaves nothing behind. */
	if (!status)
		status = signals_open(&program->signal_fd, e);
	return status;
}

static enum status measure(struct nsplit_bench *program, struct error *e)
{
	struct watch watch = { .fd = program->signal_fd, .tick = tick, .arg = program };
	enum status status;

	if (program->results->caches == CACHES_DROPPED)
		message("the page cache of the whole machine is dropped before each measurement, which "
			"slows down other programs; --cache=members drops only the members");
	progress_init(&program->progress, program->options.progress, program->options.quiet);
	watch.interval = progress_interval(&program->progress);
	status = bench_run(program->bench, &watch, e);
	progress_end(&program->progress);
	return status;
}

/* A file, or "": standard output. */
static bool write_json(const struct bench_report *report)
{
	const struct side_file side = report_file(report->options, REPORT_JSON);
	struct error e;
	bool failed;
	FILE *file;

	if (!*side.name) {
		bench_json(report, stdout);
		return message_flush_output();
	}
	if (side_file_open(&side, &file, &e)) {
		message("%s", e.text);
		return false;
	}
	bench_json(report, file);
	failed = ferror(file);
	if (fclose(file) == 0 && !failed)
		return true;
	message("%s: %s", side.name, strerror(errno));
	return false;
}

static bool report_all(const struct nsplit_bench *program, bool whole)
{
	const struct bench_options *o = &program->options;
	const struct bench_report report = {
		.options = o,
		.source = program->source,
		.results = program->results,
		.whole = whole,
	};
	bool on_stdout = false, good = true;

	for (enum report i = 0; i < REPORTS; i++)
		on_stdout |= o->reports[i] && !*o->reports[i];
	if (!on_stdout) {
		bench_table(&report, stdout);
		/* Before the messages that follow. */
		good &= message_flush_output();
	}
	if (o->reports[REPORT_JSON])
		good &= write_json(&report);
	if (*program->draw && !draw(program, &report)) {
		good = false;
		/* A benchmark may have taken hours. */
		if (!o->reports[REPORT_JSON]) {
			bench_json(&report, stdout);
			message_flush_output();
			message("the results were printed as JSON, of which 'python3 %s' draws what failed", program->draw);
		}
	}
	/* The figures are right, but not those of the dump level that was asked for. */
	if (program->results->left_out.kept_because[0])
		message("warning: pages that were to be left out were captured after all: %s",
			program->results->left_out.kept_because);
	if (on_stdout)
		bench_warn(&report);
	return good;
}

static void explain(const struct nsplit_bench *program, enum status status, bool measured,
		    const struct error *e)
{
	const char *name = strsignal(program->stop.signal);

	if (status != STATUS_STOPPED)
		message("%s", e->text);
	else if (measured)
		message("%s: reporting what was measured so far", name);
	else
		message("%s: nothing was measured yet, so there is no report", name);
}

static int run_all(struct nsplit_bench *program)
{
	struct error e;
	enum status status = prepare(program, &e);
	bool measured;

	if (status) {
		message("%s", e.text);
		return status == STATUS_USAGE ? EXIT_USAGE : EXIT_FAILED;
	}
	status = measure(program, &e);
	measured = program->results->captures;
	if (status)
		explain(program, status, measured, &e);
	if (measured && !report_all(program, !status))
		return EXIT_FAILED;
	return status ? EXIT_FAILED : EXIT_PERFECT;
}

int main(int argc, char **argv)
{
	struct nsplit_bench program = { .signal_fd = -1 };
	int status;

	message_open_standard();
	signals_prepare();
	status = bench_options_read(&program.options, argc, argv);
	if (status == OPTIONS_READ)
		status = run_all(&program);
	status = message_close_output(status);
	if (program.results && program.results->hung) {
		/* Removes files but frees nothing, since the hanging thread still uses it. */
		bench_abandon(program.bench);
		if (program.stop.signal)
			signals_raise(program.stop.signal);
		_exit(status);
	}
	bench_free(program.bench);
	source_close(program.source);
	if (program.signal_fd >= 0)
		close(program.signal_fd);
	bench_options_free(&program.options);
	if (program.stop.signal)
		signals_raise(program.stop.signal);
	return status;
}
