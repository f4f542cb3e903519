// SPDX-License-Identifier: GPL-2.0-or-later
/* nsplit-bench: measures captures on this machine, and compares them with ceilings. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/signals.h"
#include "base/text.h"
#include "cmd/common/common_options.h"
#include "cmd/common/message.h"
#include "cmd/common/operands.h"
#include "cmd/nsplit-bench/nsplit_bench.h"
#include "export/output_file.h"
#include "io/existing.h"
#include "io/path.h"
#include "io/sink.h"

/* The state of the program.  main() has it and passes it to all functions. */
struct nsplit_bench {
	struct bench_options options;
	struct source *source;
	struct bench *bench;
	const struct bench_results *results;	/* of bench */
	struct progress progress;
	int signal_fd;
	struct stop stop;
};

/* --- before the first round ------------------------------------------------------------ */

/* The first keys that bench_json() writes. */
static struct side_file json_file(const struct bench_options *o)
{
	static const char *const words[] = { "{", "\"version\"", "\"date\"", "\"source\"", NULL };

	return (struct side_file){ .called = "--json", .name = o->json, .signs = words };
}

/* failed: the errno that writing the file would fail with. */
static enum status check_file(const char *option, const char *name, int failed, const struct source *source,
			      const struct sink *sinks, size_t count, struct error *e)
{
	if (outputs_refuse_file(option, name, source, sinks, count, e))
		return e->status;
	if (!failed)
		return STATUS_OK;
	path_creation_error(e, failed, name);
	return error_prefix(e, "%s=", option);
}

/* --join-to replaces a file by another one. */
static enum status check_files(const struct bench_options *o, const struct source *source,
			       const struct sink *sinks, struct error *e)
{
	const char *join_to = o->bench.join_to;
	const struct side_file json = json_file(o);
	size_t count = o->bench.outputs.count;
	bool writes = json.name && *json.name;

	if (writes && check_file("--json", json.name, outputs_write_errno(json.name), source, sinks, count, e))
		return e->status;
	if (check_file("--join-to", join_to, outputs_replace_errno(join_to), source, sinks, count, e))
		return e->status;
	if (writes && strcmp(json.name, join_to) == 0)
		return error_set(e, STATUS_USAGE, "--join-to=%s: is also given as --json", join_to);
	return writes ? side_file_refuse(&json, e) : STATUS_OK;
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

/* --- the program --------------------------------------------------------- */

/* "12 of 60, 0:41 left: lzo, 2 threads, 8 outputs, blocks of 4K" */
static void describe(const struct bench_results *r, char line[PROGRESS_LINE_LENGTH])
{
	char left[SIZE_TEXT_LENGTH] = "?", cell[CELL_TEXT_LENGTH];

	if (r->done)
		duration_format((clock_seconds() - r->started) / r->done * (r->total - r->done), left);
	snprintf(line, PROGRESS_LINE_LENGTH, "%u of %u, %s left: %s", r->done, r->total, left, cell_describe(r->now, cell));
}

static void on_request(struct nsplit_bench *program, enum request request)
{
	char line[PROGRESS_LINE_LENGTH];

	if (request == REQUEST_REPORT) {
		describe(program->results, line);
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
	char line[PROGRESS_LINE_LENGTH];
	enum request request;

	while ((request = signals_next(program->signal_fd, &program->stop)))
		on_request(program, request);
	describe(program->results, line);
	progress_line(&program->progress, clock_seconds() - program->results->started, line);
}

static enum status open_source(struct nsplit_bench *program, struct error *e)
{
	const char *name = program->options.source;
	enum status status;

	if (fake_named(name))
		return fake_open(&program->source, name, e);
	status = vmcore_open(&program->source, name, program->options.mmap, e);
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

	if (!status)
		status = bench_check(o, program->source, e);
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

	progress_init(&program->progress, program->options.progress, program->options.quiet);
	watch.interval = progress_interval(&program->progress);
	status = bench_run(program->bench, &watch, e);
	progress_end(&program->progress);
	return status;
}

/* A file, or "": standard output. */
static bool write_json(const struct bench_report *report)
{
	const struct side_file side = json_file(report->options);
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
	bool on_stdout = o->json && !*o->json, good = true;

	if (!on_stdout) {
		bench_table(&report, stdout);
		/* Before the messages that follow. */
		good = message_flush_output();
	}
	if (o->json)
		good &= write_json(&report);
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
