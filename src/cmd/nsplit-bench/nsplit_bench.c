// SPDX-License-Identifier: GPL-2.0-or-later
/* nsplit-bench: measures captures on this machine, and compares them with ceilings. */
#include "config.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/signals.h"
#include "base/size.h"
#include "base/text.h"
#include "bench/bench.h"
#include "bench/fake.h"
#include "bench/settings.h"
#include "cmd/common/common_options.h"
#include "cmd/common/message.h"
#include "cmd/common/page_policy.h"
#include "cmd/common/progress_bar.h"
#include "cmd/common/vmcore.h"
#include "cmd/nsplit-bench/check.h"
#include "cmd/nsplit-bench/draw.h"
#include "cmd/nsplit-bench/options.h"
#include "cmd/nsplit-bench/report.h"
#include "cmd/nsplit-bench/verdict.h"

/* Leaves pages out of the captures of a benchmark, as nsplit does. */

struct pages_left_out {
	unsigned classes;		/* of dump levels */
	struct page_policy policy;	/* of the running capture; otherwise closed */
};

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

/* For the settings of a benchmark.  *p is borrowed, and must not be moved until the benchmark is freed. */
static struct bench_pages bench_pages_of(struct pages_left_out *p, unsigned classes)
{
	p->classes = classes;
	return (struct bench_pages){ .begin = begin, .end = end, .arg = p };
}

/* The state of the program.  main() has it and passes it to all functions. */
struct nsplit_bench {
	struct bench_options options;
	struct source *source;
	struct pages_left_out pages;
	struct bench *bench;
	struct progress progress;
	int signal_fd;
	struct stop stop;
};

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
	const struct nsplit_bench *program = arg;
	char left[SIZE_TEXT_LENGTH] = "?", threads[THREADS_TEXT_LENGTH];
	char bar[PROGRESS_BAR_LENGTH];
	struct bench_progress p;

	bench_get_progress(program->bench, &p);
	progress_bar(columns, (double)p.done / p.total, bar);
	if (p.done)
		duration_format(p.seconds / p.done * (p.total - p.done), left);
	snprintf(line, PROGRESS_LINE_LENGTH,
		 "%s%s%u of %u, %s left: %s, %s, %u output%s, blocks of %uK", bar,
		 *bar ? " " : "", p.done, p.total, left,
		 p.cell->codec->text, threads_describe(p.cell->threads, threads),
		 p.cell->outputs, plural(p.cell->outputs),
		 (unsigned)p.cell->block_size / 1024);
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
	struct bench_progress p;
	enum request request;

	while ((request = signals_next(program->signal_fd, &program->stop)))
		on_request(program, request);
	bench_get_progress(program->bench, &p);
	progress_line(&program->progress, p.seconds, describe, program);
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

	if (o->left_out.given)
		o->bench.pages = bench_pages_of(&program->pages, o->left_out.classes);
	if (!status)
		status = bench_check(o, program->source, e);
	if (!status)
		status = draw_check(o, e);
	/* From now on, members in the outputs are those of the rounds before. */
	o->bench.permits |= PERMIT_DUMPS;
	if (!status)
		status = bench_new(&program->bench, &o->bench, program->source, e);
	/* Until here, a signal leaves nothing behind. */
	if (!status)
		status = signals_open(&program->signal_fd, e);
	return status;
}

static enum status measure(struct nsplit_bench *program, struct error *e)
{
	struct watch watch = { .fd = program->signal_fd, .tick = tick, .arg = program };
	enum status status;

	if (bench_caches(program->bench) == CACHES_DROPPED)
		message("the page cache of the whole machine is dropped before each measurement, which "
			"slows down other programs; --cache=members drops only the members");
	progress_init(&program->progress, program->options.progress, program->options.quiet);
	watch.interval = progress_interval(&program->progress);
	status = bench_run(program->bench, &watch, e);
	progress_end(&program->progress);
	return status;
}

/* "" is standard output. */
static FILE *open_report(const char *called, const char *name)
{
	FILE *file = stdout;
	struct error e;

	if (!*name || !bench_open_report(called, name, &file, &e))
		return file;
	message("%s", e.text);
	return NULL;
}

static bool close_report(FILE *file, const char *name)
{
	bool failed;

	/* Before the messages that follow. */
	if (file == stdout)
		return message_flush_output();
	failed = ferror(file);
	if (fclose(file) != 0 || failed) {
		message("%s: %s", name, strerror(errno));
		return false;
	}
	return true;
}

static bool write_to(const struct bench_report *report, const char *called, const char *name,
		     void (*write)(const struct bench_report *report, FILE *file))
{
	FILE *file = open_report(called, name);

	if (!file)
		return false;
	write(report, file);
	return close_report(file, name);
}

/* The figures are right, but not those of the dump level that was asked for. */
static void warn_of_kept(const struct bench *bench)
{
	const struct bench_left_out *left_out = bench_left_out(bench);

	if (left_out->kept_because[0])
		message("warning: pages that were to be left out were captured after all: %s", left_out->kept_because);
}

static bool report_all(const struct nsplit_bench *program, bool whole)
{
	const struct bench_options *o = &program->options;
	struct bench_report report = {
		.options = o,
		.source = program->source,
		.bench = program->bench,
		.whole = whole,
	};
	bool on_stdout = (o->json && !*o->json) || (o->csv && !*o->csv) || (o->html && !*o->html);
	bool good = true;
	const struct cell *cells;
	size_t count;

	machine_describe(&report.machine);
	cells = bench_cells(program->bench, &count);
	report.verdict = verdict_of(cells, count);
	if (!on_stdout)
		good &= write_to(&report, "", "", bench_table);
	if (o->json)
		good &= write_to(&report, "--json", o->json, bench_json);
	good &= draw_all(&report);
	warn_of_kept(program->bench);
	if (on_stdout)
		verdict_warn(&report.verdict);
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
	measured = bench_has_results(program->bench);
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
	if (program.bench && bench_hung(program.bench)) {
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
