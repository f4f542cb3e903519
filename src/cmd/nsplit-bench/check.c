// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/nsplit-bench/check.h"
#include "cmd/nsplit-bench/draw.h"
#include "cmd/common/outputs.h"
#include "export/output_file.h"
#include "io/path.h"
#include "io/sink_probe.h"

/* A file that an option names; NULL: not given, "": standard output. */
struct named_file {
	const char *option, *name;
	bool replaced;			/* a file of this name is replaced, not overwritten */
};

static enum status check_file(const struct named_file *file, const struct source *source,
			      const struct sink *sinks, size_t count, struct error *e)
{
	enum status status = outputs_refuse_file(file->option, file->name, source, sinks, count, e);
	int failed;

	if (status)
		return status;
	failed = file->replaced ? outputs_replace_errno(file->name) :
				  outputs_write_errno(file->name);
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
	status = output_file_probe(&output, b->join_to, b->permits & SINK_OVERWRITE, true, e);
	output_file_free(&output);
	return status;
}

static enum status check_outputs(const struct bench_options *o, const struct source *source,
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

enum status bench_check(const struct bench_options *o, const struct source *source,
			struct error *e)
{
	enum status status = check_outputs(o, source, e);

	return status ? status : draw_check(o, e);
}
