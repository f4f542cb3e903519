// SPDX-License-Identifier: GPL-2.0-or-later
/* nsplit-bench: measures captures on this machine, and compares them with ceilings. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/signals.h"
#include "base/text.h"
#include "bench/bench.h"
#include "cmd/common/common_options.h"
#include "cmd/common/message.h"
#include "cmd/common/outputs.h"
#include "cmd/common/page_policy.h"
#include "cmd/common/shell.h"
#include "cmd/common/vmcore.h"
#include "cmd/nsplit-bench/options.h"
#include "cmd/nsplit-bench/report.h"
#include "export/output_file.h"
#include "io/existing.h"
#include "io/path.h"
#include "io/sink.h"

/* --- files of earlier reports ---------------------------------------------------------- */

static const char *const json_words[] = { "{", "\"version\"", "\"date\"", "\"source\"", NULL },
	*const csv_words[] = { "threads,codec,outputs,block_size,", NULL },
	*const html_words[] = { "<!DOCTYPE html>", "<title>Speed of captures: ", NULL },
	*const svg_words[] = { "<?xml", "GNUPLOT", NULL }, *const script_words[] = { "set terminal ", NULL },
	*const png_words[] = { "\x89PNG", NULL };

static struct side_file report_file(const char *called, const char *name)
{
	const struct side_file files[] = {
		{ "--json", name, { json_words } }, { "--csv", name, { csv_words } }, { "--html", name, { html_words } },
		/* A PNG does not say which program has drawn it. */
		{ "--plot", name, { svg_words, script_words, png_words } },
	};
	size_t i = 0;

	while (strcmp(files[i].called, called) != 0)
		i++;
	return files[i];
}

/* STATUS_USAGE: the file may not be replaced by this report; see side_file_refuse(). */
static enum status bench_refuse_report(const char *called, const char *name, struct error *e)
{
	const struct side_file side = report_file(called, name);

	return side_file_refuse(&side, e);
}

/* --- before the first round ------------------------------------------------------------ */

/* A file that an option names; NULL: not given, "": standard output. */
struct named_file {
	const char *option, *name;
	bool is_output;			/* a file of this name is replaced by another one; otherwise it is a report */
};

static enum status check_file(const struct named_file *file, const struct source *source,
			      const struct sink *sinks, size_t count, struct error *e)
{
	int failed;

	if (outputs_refuse_file(file->option, file->name, source, sinks, count, e) ||
	    (!file->is_output && bench_refuse_report(file->option, file->name, e)))
		return e->status;
	failed = file->is_output ? outputs_replace_errno(file->name) : outputs_write_errno(file->name);
	if (!failed)
		return STATUS_OK;
	path_creation_error(e, failed, file->name);
	return error_prefix(e, "%s=", file->option);
}

static enum status check_files(const struct bench_options *o, const struct source *source,
			       const struct sink *sinks, struct error *e)
{
	const struct named_file files[] = {
		{ "--join-to", o->bench.join_to, true }, { "--json", o->json, false },
		{ "--csv", o->csv, false }, { "--html", o->html, false },
		{ "--plot", o->plot, false },
	};

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		enum status status;

		if (!files[i].name || !*files[i].name)
			continue;
		status = check_file(&files[i], source, sinks, o->bench.outputs.count, e);
		if (status)
			return status;
		for (size_t j = 0; j < i; j++)
			if (files[j].name && strcmp(files[i].name, files[j].name) == 0)
				return error_set(e, STATUS_USAGE, "%s=%s: is also given as %s",
						 files[i].option, files[i].name, files[j].option);
	}
	return STATUS_OK;
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
		status = sink_probe(&sinks[probed], b->outputs.names[probed], b->permits,
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

enum { OPTIONS = 3, OPTION_LENGTH = PATH_MAX + 16 };

/* The options of draw.py, which are those of nsplit-bench. */
struct drawing {
	char options[OPTIONS][OPTION_LENGTH];
	size_t count;
	const char *file;		/* that the first one names; NULL: standard output */
};

static void add(struct drawing *d, const char *option, const char *file)
{
	if (!file)
		return;
	snprintf(d->options[d->count++], OPTION_LENGTH, "--%s%s%s", option, *file ? "=" : "", file);
	if (!d->file && *file)
		d->file = file;
}

static struct drawing drawing_of(const struct bench_options *o)
{
	struct drawing d = { 0 };

	add(&d, "csv", o->csv);
	add(&d, "html", o->html);
	add(&d, "plot", o->plot);
	return d;
}

/* In the tree in which this program was built, or where it is installed. */
static bool find_program(char program[PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", program, PATH_MAX - sizeof("bench/draw.py"));
	char *name;

	program[length > 0 ? length : 0] = '\0';
	name = strrchr(program, '/');
	if (name) {
		strcpy(name + 1, "bench/draw.py");
		if (access(program, R_OK) == 0)
			return true;
	}
	strcpy(program, PKGDATADIR "/draw.py");
	return access(program, R_OK) == 0;
}

static bool is_installed(const char *name)
{
	struct error e;
	bool found;

	return !shell_finds(name, name, &found, &e) && found;
}

/*
 * Before the first round.  Fails if gnuplot is missing for --plot; says what else is missing, and that the results
 * will be kept.
 */
static enum status draw_check(const struct bench_options *o, struct error *e)
{
	bool needs = o->plot && strcmp(o->plot + strlen(o->plot) - strlen(".gp"), ".gp") != 0;
	char program[PATH_MAX];

	if (!o->csv && !o->html && !o->plot)
		return STATUS_OK;
	if (!is_installed("python3"))
		message("python3 is not installed, so the results will be kept as JSON, to be drawn later");
	else if (!find_program(program))
		message("%s does not exist, so the results will be kept as JSON, to be drawn later", program);
	else if (needs && !is_installed("gnuplot"))
		return error_set(e, STATUS_UNSUPPORTED, "--plot=%s: gnuplot is not installed", o->plot);
	else if (o->html && !is_installed("gnuplot"))
		message("gnuplot is not installed, so the page has tables, but no charts");
	return STATUS_OK;
}

/* The program says itself what failed. */
static bool run(const char *program, struct drawing *d, int json)
{
	const char *argv[3 + OPTIONS + 1] = { "python3", "-I", program };
	posix_spawn_file_actions_t files;
	int failed, ended;
	pid_t python;

	for (size_t i = 0; i < d->count; i++)
		argv[3 + i] = d->options[i];
	failed = posix_spawn_file_actions_init(&files);
	if (!failed) {
		failed = posix_spawn_file_actions_adddup2(&files, json, STDIN_FILENO);
		if (!failed)
			failed = posix_spawnp(&python, argv[0], &files, NULL, (char *const *)argv, environ);
		posix_spawn_file_actions_destroy(&files);
	}
	if (failed) {
		message("python3: %s", strerror(failed));
		return false;
	}
	while (waitpid(python, &ended, 0) < 0 && errno == EINTR)
		continue;
	return !ended;
}

static bool draw(const struct bench_report *r, const char *program, struct drawing *d)
{
	int fd = memfd_create("json", MFD_CLOEXEC);
	FILE *json = fd < 0 ? NULL : fdopen(fd, "w");
	bool good = false;

	if (!json) {
		message("results: %s", strerror(errno));
		if (fd >= 0)
			close(fd);
		return false;
	}
	bench_json(r, json);
	if (fflush(json) != 0 || ferror(json) || lseek(fd, 0, SEEK_SET) < 0)
		message("results: %s", strerror(errno));
	else
		/* What stdio holds comes first. */
		good = message_flush_output() && run(program, d, fd);
	fclose(json);
	return good;
}

/*
 * Beside the file that is missing, unless --json has written them; never over another file.  Otherwise on standard
 * output: a benchmark may have taken hours.
 */
static void keep(const struct bench_report *r, const char *program, const struct drawing *d)
{
	char name[PATH_MAX] = "", command[PATH_MAX + OPTIONS * OPTION_LENGTH];
	FILE *file = NULL;
	bool failed;
	int fd;

	snprintf(command, sizeof(command), "python3 %s", program);
	for (size_t i = 0; i < d->count; i++)
		text_append(command, sizeof(command), " %s", d->options[i]);
	if (r->options->json) {
		snprintf(name, sizeof(name), "%s", r->options->json);
	} else {
		if (d->file && snprintf(name, sizeof(name), "%s.json", d->file) < (int)sizeof(name))
			fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
		else
			fd = -1;
		if (fd >= 0)
			file = fdopen(fd, "w");
		if (file) {
			bench_json(r, file);
			failed = ferror(file);
			if (fclose(file) != 0 || failed)
				file = NULL;
		}
		if (!file) {
			*name = '\0';
			bench_json(r, stdout);
			message_flush_output();
		}
	}
	if (*name)
		message("the results are in %s; draw them later with '%s < %s'", name, command, name);
	else
		message("the results were printed as JSON; draw them later with '%s < JSON'", command);
}

/* They may have been replaced since the beginning. */
static bool may_be_written(const struct bench_options *o)
{
	const struct {
		const char *called, *name;
	} files[] = { { "--csv", o->csv }, { "--html", o->html }, { "--plot", o->plot } };
	struct error e;

	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		if (files[i].name && *files[i].name && bench_refuse_report(files[i].called, files[i].name, &e)) {
			message("%s", e.text);
			return false;
		}
	return true;
}

/* All that the options ask for.  Returns false if some of it failed, which it reports; then the JSON is kept. */
static bool draw_all(const struct bench_report *r)
{
	struct drawing d = drawing_of(r->options);
	char program[PATH_MAX];
	bool found = find_program(program);

	if (!d.count || (found && may_be_written(r->options) && is_installed("python3") && draw(r, program, &d)))
		return true;
	keep(r, program, &d);
	return false;
}

/* --- the program --------------------------------------------------------- */

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
	struct side_file side;
	struct error e;

	if (!*name)
		return file;
	side = report_file(called, name);
	if (!side_file_open(&side, &file, &e))
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
