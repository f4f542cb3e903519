// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/size.h"
#include "capture/memory_available.h"
#include "capture/memory_fit.h"
#include "cmd/message.h"
#include "cmd/nsplit_check.h"
#include "cmd/nsplit_layers.h"
#include "cmd/nsplit_probe.h"
#include "cmd/nsplit_space.h"
#include "cmd/vmcore.h"
#include "io/source_open.h"

struct check {
	const struct nsplit_options *options;
	struct source *source;
	struct sink *sinks;
	struct nsplit_layers layers;
	const struct guide *guide;	/* NULL: nothing is left out */
	bool expected;		/* the source exists only in the capture kernel */
	int exit_status;
};

static void report(struct check *check, enum status status, const struct error *e)
{
	if (!status)
		return;
	message("%s", e->text);
	if (check->exit_status != EXIT_USAGE)
		check->exit_status = status == STATUS_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

static enum status find_source(struct check *check, struct error *e)
{
	const struct nsplit_options *o = check->options;
	enum status status = source_open(&check->source, o->source, o->mmap, e);

	if (!vmcore_absent(o->source, status, e))
		return status;
	check->expected = true;
	return source_expect(&check->source, o->source, available_machine_memory(), o->mmap, e);
}

/* sh -n reads a command without running it and prints its errors. */
static enum status check_command(const char *name, const char *command, struct error *e)
{
	const char *const argv[] = { "sh", "-n", "-c", "--", command, NULL };
	int failed, ended = 0;
	pid_t shell;

	failed = posix_spawn(&shell, "/bin/sh", NULL, NULL, (char *const *)argv, environ);
	if (failed)
		return error_system(e, failed, "%s", name);
	while (waitpid(shell, &ended, 0) < 0 && errno == EINTR)
		continue;
	if (ended)
		return error_set(e, STATUS_USAGE, "%s: syntax error in the shell command",
				 name);
	return STATUS_OK;
}

static void check_outputs(struct check *check)
{
	const struct nsplit_options *o = check->options;
	struct error e;

	for (unsigned i = 0; i < o->outputs.count; i++) {
		const char *name = o->outputs.names[i];

		report(check, nsplit_probe_output(o, check->source, check->sinks, i, &e), &e);
		report(check, nsplit_probe_memory(o, &check->sinks[i], &e), &e);
		if (*name == '|')
			report(check, check_command(name, name + 1, &e), &e);
	}
	if (o->filter)
		report(check, check_command("--filter", o->filter, &e), &e);
	report(check, nsplit_probe_together(o, check->source, check->sinks, &e), &e);
	report(check, nsplit_probe_stats(o, &e), &e);
	report(check, nsplit_space_check(o, check->source, check->sinks, &e), &e);
}

/* For -v: what was checked, and what cannot be known here. */
static void report_checks(const struct check *check)
{
	const struct nsplit_options *o = check->options;
	char text[SIZE_TEXT_LENGTH];

	if (o->config)
		message("checked: configuration %s", o->config);
	if (check->source->is_stream)
		message("not checked: source %s: the length of a stream is unknown", check->source->name);
	else
		message("checked: source %s, %s%s", check->source->name,
			size_format(check->source->size, text),
			check->expected ? ": the memory of this machine" : "");
	for (unsigned i = 0; i < o->outputs.count; i++) {
		uint64_t bytes;

		if (nsplit_space_of(&check->sinks[i], &bytes))
			message("checked: output %s, %s free", o->outputs.names[i],
				size_format(bytes, text));
		else
			message("not checked: output %s: how much it can hold%s", o->outputs.names[i],
				o->outputs.names[i][0] == '|' || o->filter ?
				", and what its command does" : "");
	}
	if (check->options->left_out && check->expected)
		message("not checked: which pages of the crashed kernel can be left out");
	message("not checked: the compression ratio and the speed of the outputs");
}

static void report_memory(const struct check *check, const struct limits *limits,
			const struct memory_plan *plan)
{
	char need[SIZE_TEXT_LENGTH], have[SIZE_TEXT_LENGTH];

	if (limits->memory.bytes == UINT64_MAX)
		message("not checked: memory: the available amount is unknown");
	else
		message("checked: memory: %s of %s (%s)", size_format(plan->total, need),
			size_format(limits->memory.bytes, have), limits->memory.what);
	if (check->expected)
		message("not checked: the memory that the initramfs of the capture kernel takes");
}

static struct limits limits_in_capture_kernel(uint64_t reserved)
{
	return (struct limits){
		.memory = { available_of_reserved(reserved),
			    "what a capture kernel leaves free of crashkernel=" },
		.addresses = { UINT64_MAX, "" },
	};
}

static enum status no_memory_reserved(struct error *e)
{
	return error_set(e, STATUS_NO_MEMORY, "no memory is reserved for a capture kernel "
			 "(crashkernel=)");
}

/*
 * The memory of the kernel that will capture: this one or the capture kernel.  If a smaller capture
 * fits, there will be a dump, so this is reported but is not a failure.
 */
static void check_memory(struct check *check)
{
	const struct nsplit_options *o = check->options;
	struct capture_settings settings = o->capture;
	struct limits limits = { .memory = { UINT64_MAX, "" }, .addresses = { UINT64_MAX, "" } };
	struct fit_note note = { .outcome = FIT_AS_WANTED };
	bool reserved_known = false;
	uint64_t reserved = 0;
	struct memory_plan plan;
	enum status status;
	struct error e;

	settings.guide = check->guide;
	if (!check->expected)
		limits = limits_here();
	else
		reserved_known = available_reserved(&reserved);
	if (reserved_known && !reserved) {
		report(check, no_memory_reserved(&e), &e);
		return;
	}
	if (reserved_known)
		limits = limits_in_capture_kernel(reserved);
	status = capture_fit(&settings, check->source, check->sinks, (unsigned)o->outputs.count,
			     &limits, &plan, &note, &e);
	if (!status && o->verbose)
		report_memory(check, &limits, &plan);
	if (!status && note.outcome == FIT_WITH_LESS)
		message("%s", note.text.text);
	if (!status && note.outcome == FIT_NOT) {
		e = note.text;
		status = e.status;
	}
	report(check, status, &e);
}

/*
 * Whether pages of the crashed kernel can be left out is known only when it has crashed.  If they
 * cannot, there will be a larger dump, so that is reported but is not a failure.
 */
static void check_layers(struct check *check)
{
	unsigned classes = check->options->left_out;
	struct error e;

	if (!check->options->layers)
		return;
	if (check->source->is_stream)
		report(check, nsplit_layers_refuse_stream(check->source, &e), &e);
	else if (check->expected)
		check->guide = nsplit_layers_expect(&check->layers, check->source, classes);
	else
		check->guide = nsplit_layers_open(&check->layers, check->source, classes);
}

static void check_all(struct check *check)
{
	struct error e;
	enum status status = find_source(check, &e);

	report(check, status, &e);
	if (status)
		return;
	check_layers(check);
	check_outputs(check);
	if (check->options->verbose)
		report_checks(check);
	check_memory(check);
}

int nsplit_check(const struct nsplit_options *o)
{
	struct check check = { .options = o, .exit_status = EXIT_PERFECT };
	struct error e;

	check.sinks = calloc(o->outputs.count, sizeof(*check.sinks));
	if (check.sinks)
		check_all(&check);
	else
		report(&check, error_system(&e, ENOMEM, "%zu outputs", o->outputs.count), &e);
	for (size_t i = 0; check.sinks && i < o->outputs.count; i++)
		sink_free(&check.sinks[i]);
	free(check.sinks);
	nsplit_layers_close(&check.layers);
	source_close(check.source);
	return check.exit_status;
}
