// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/nsplit-bench/check.h"
#include "cmd/common/outputs.h"
#include "export/output_file.h"
#include "io/existing.h"
#include "io/path.h"
#include "io/sink_probe.h"

/* --- files of earlier reports ---------------------------------------------------------- */

static bool is_json(const char *head, size_t length)
{
	static const char *const words[] = { "{", "\"version\"", "\"date\"", "\"source\"", NULL };

	return side_file_has(head, length, words);
}

static bool is_csv(const char *head, size_t length)
{
	static const char *const words[] = { "threads,codec,outputs,block_size,", NULL };

	return side_file_has(head, length, words);
}

static bool is_html(const char *head, size_t length)
{
	static const char *const words[] = { "<!DOCTYPE html>", "<title>Speed of captures: ", NULL };

	return side_file_has(head, length, words);
}

/* A PNG does not say which program has drawn it. */
static bool is_plot(const char *head, size_t length)
{
	static const char *const svg[] = { "<?xml", "GNUPLOT", NULL }, *const script[] = { "set terminal ", NULL },
			  *const png[] = { "\x89PNG", NULL };

	return side_file_has(head, length, svg) || side_file_has(head, length, script) || side_file_has(head, length, png);
}

static struct side_file report_file(const char *called, const char *name)
{
	struct side_file file = { .called = called, .name = name, .is_ours = is_plot };

	if (strcmp(called, "--json") == 0)
		file.is_ours = is_json;
	else if (strcmp(called, "--csv") == 0)
		file.is_ours = is_csv;
	else if (strcmp(called, "--html") == 0)
		file.is_ours = is_html;
	return file;
}

enum status bench_open_report(const char *called, const char *name, FILE **file, struct error *e)
{
	const struct side_file side = report_file(called, name);

	return side_file_open(&side, file, e);
}

enum status bench_refuse_report(const char *called, const char *name, struct error *e)
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

enum status bench_check(const struct bench_options *o, const struct source *source, struct error *e)
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
