// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

#include "base/json.h"
#include "base/size.h"
#include "capture/memory/crash_kernel.h"
#include "cmd/common/message.h"
#include "cmd/common/page_policy.h"
#include "cmd/common/vmcore.h"
#include "cmd/nsplit/check/check.h"
#include "cmd/nsplit/check/findings.h"
#include "cmd/nsplit/check/kernel.h"
#include "cmd/nsplit/check/memory.h"
#include "cmd/nsplit/check/outputs.h"
#include "cmd/nsplit/check/system.h"
#include "cmd/nsplit/dump.h"
#include "cmd/nsplit/options.h"
#include "cmd/nsplit/probe.h"
#include "cmd/nsplit/space.h"
#include "cmd/nsplit/stats.h"
#include "core/kinds/page_class.h"
#include "io/sink.h"

/* nsplit --check-params --json: what was found, as a JSON object.  nsplit(1) describes the fields. */

struct check_report {
	const struct nsplit_options *options;
	const struct findings *found;
	const struct source *source;		/* NULL: it could not be opened */
	const struct sink *sinks;		/* one for each output of the options; NULL: not probed */
	const struct crash_kernel *kernel;	/* NULL: this kernel captures */
	struct memory_checked memory;
	const struct kdump_system *kdump;	/* NULL: not looked at */
};

/* Fields whose values are unknown are left out. */
static void write_known(struct json *json, const char *name, uint64_t value)
{
	if (value != UINT64_MAX)
		json_number(json, name, value);
}

static void write_identity(struct json *json)
{
	char build[BUILD_ID_LENGTH];
	struct utsname uts;

	json_text(json, "version", PACKAGE_VERSION);
	if (nsplit_build_id(build))
		json_text(json, "build", build);
	if (uname(&uts) == 0)
		json_text(json, "host", uts.nodename);
}

/* The worst that was found. */
static const char *status_name(const struct findings *found)
{
	if (findings_exit_status(found) != EXIT_PERFECT)
		return finding_severity_name(FOUND_ERROR);
	return finding_severity_name(findings_of(found, FOUND_WARNING) ? FOUND_WARNING : FOUND_GOOD);
}

static void write_findings(struct json *json, const struct findings *found)
{
	json_array(json, "findings");
	for (size_t i = 0; i < found->count; i++) {
		const struct finding *finding = &found->list[i];

		if (finding->severity == FOUND_GOOD)
			continue;
		json_object(json, NULL);
		json_text(json, "id", finding_name(finding->kind));
		json_text(json, "severity", finding_severity_name(finding->severity));
		json_text(json, "text", finding->text);
		json_close_object(json);
	}
	json_close_array(json);
}

static void write_settings(struct json *json, const struct nsplit_options *o)
{
	if (o->config)
		json_text(json, "config", o->config);
	json_text(json, "codec", o->codec_text);
	json_number(json, "dump_level",
		    dump_level_of_classes(o->left_out.classes) | o->left_out.zero);
}

static void write_kernel(struct json *json, const struct crash_kernel *kernel)
{
	if (!kernel)
		return;
	if (kernel->reserved_known)
		json_number(json, "reserved_bytes", kernel->reserved);
	if (kernel->loaded_known)
		json_bool(json, "kernel_loaded", kernel->loaded);
	if (kernel->initramfs)
		json_number(json, "initramfs_bytes", kernel->initramfs);
}

static void write_given(struct json *json, const char *name, const char *text)
{
	if (*text)
		json_text(json, name, text);
}

static void write_system(struct json *json, const struct kdump_system *kdump)
{
	json_object(json, "kdump");
	json_text(json, "system", kdump->name);
	write_given(json, "collector", kdump->collector);
	write_given(json, "options", kdump->options);
	write_given(json, "program", kdump->program);
	write_given(json, "directory", kdump->directory);
	write_given(json, "target", kdump->target);
	write_given(json, "initramfs", kdump->initramfs);
	json_close_object(json);
	if (*kdump->secure_boot)
		json_bool(json, "secure_boot", *kdump->secure_boot == '1');
	json_text(json, "lockdown", kdump->lockdown);
}

static void write_outputs(struct json *json, const struct check_report *report)
{
	const struct names *outputs = &report->options->outputs;
	uint64_t bytes;

	json_array(json, "outputs");
	for (size_t i = 0; report->sinks && i < outputs->count; i++) {
		const struct sink *sink = &report->sinks[i];

		json_object(json, NULL);
		json_text(json, "name", outputs->names[i]);
		if (sink->name) {
			json_text(json, "kind", nsplit_sink_kind(sink));
			if (nsplit_space_of(sink, &bytes))
				json_number(json, "free_bytes", bytes);
		}
		json_close_object(json);
	}
	json_close_array(json);
}

/* Errors are left to ferror(). */
static void check_json_write(const struct check_report *report, FILE *file)
{
	const struct source *source = report->source;
	struct json json;

	json_begin(&json, file);
	write_identity(&json);
	json_text(&json, "status", status_name(report->found));
	write_findings(&json, report->found);
	write_settings(&json, report->options);
	write_kernel(&json, report->kernel);
	if (report->kdump)
		write_system(&json, report->kdump);
	if (source && !source->is_stream)
		json_number(&json, "source_bytes", source->size);
	write_outputs(&json, report);
	write_known(&json, "memory_needed_bytes", report->memory.need);
	write_known(&json, "memory_available_bytes", report->memory.available);
	json_number(&json, "threads", report->memory.threads);
	json_end(&json);
}

struct check {
	const struct nsplit_options *options;
	const struct crash_machine *machine;
	struct findings found;
	struct source *source;
	struct sink *sinks;
	struct page_policy layers;
	const struct layer_policy *policy;	/* NULL: nothing is left out */
	struct memory_checked memory;
	bool later;		/* the source exists only in the capture kernel */
	struct crash_kernel kernel;
};

static enum status find_source(struct check *check, struct error *e)
{
	const struct nsplit_options *o = check->options;

	check->later = vmcore_absent(o->source);
	if (!check->later)
		return nsplit_open_source(o, &check->source, e);
	return source_expect(&check->source, o->source, crash_kernel_source(check->machine->root), o->mmap, e);
}

/* Outputs can be looked at without the source, as for a stream: it has no known length either. */
static enum status replace_source(struct check *check, struct error *e)
{
	const struct nsplit_options *o = check->options;
	enum status status = source_expect(&check->source, o->source, 0, o->mmap, e);

	if (!status)
		check->source->is_stream = true;
	return status;
}

static void report_options(struct check *check)
{
	const struct nsplit_options *o = check->options;

	if (o->config)
		found_good(&check->found, "configuration %s", o->config);
	else
		found_good(&check->found, "no configuration file");
	if (o->config_unsafe.status)
		found_kind(&check->found, FINDING_CONFIG_UNSAFE, "%s; after a crash, its commands are not run",
			   o->config_unsafe.text);
	/* They may be all that saves the dump. */
	if (o->config_commands)
		findings_set_severity(&check->found, FINDING_CONFIG_UNSAFE, 0, FOUND_ERROR);
	found_good(&check->found, "codec %s", o->codec_text);
}

static void report_source(struct check *check)
{
	const struct source *source = check->source;
	char size[SIZE_TEXT_LENGTH];

	if (source->is_stream)
		found_kind(&check->found, FINDING_SOURCE_LENGTH,
			   "source %s: the length of a stream is unknown", source->name);
	else
		found_good(&check->found, "source %s, %s%s", source->name,
			   size_format(source->size, size),
			   check->later ? ": the memory of this machine" : "");
}

/*
 * Whether pages of the crashed kernel can be left out is known only when it has crashed.  If they
 * cannot, there will be a larger dump, so that is reported but is not a failure.
 */
static void check_layers(struct check *check)
{
	const struct nsplit_options *o = check->options;
	unsigned classes = o->left_out.classes;
	struct error e;

	if (!o->left_out.given && o->format == NSPLIT_MEMBERS)
		return;
	if (check->source->is_stream) {
		found_no_error(&check->found, FINDING_SOURCE_UNUSABLE,
			       nsplit_refuse_stream(o, check->source, &e), &e);
		return;
	}
	if (!check->later) {
		check->policy = page_policy_open(&check->layers, check->source, classes);
		return;
	}
	check->policy = page_policy_expect(&check->layers, check->source, classes);
	if (classes)
		found_kind(&check->found, FINDING_PAGES,
			   "which pages of the crashed kernel can be left out");
}

static void check_without_source(struct check *check)
{
	struct findings *found = &check->found;

	nsplit_check_outputs(found, check->options, check->source, check->sinks, false);
	found_kind(found, FINDING_SPACE_UNKNOWN, "whether space and memory are sufficient for the source");
	if (check->options->left_out.classes)
		found_kind(found, FINDING_PAGES, "which pages can be left out");
}

/* In the order of a crash: the capture kernel starts, reads the source, and writes the outputs. */
static void check_all(struct check *check)
{
	const struct nsplit_options *o = check->options;
	struct findings *found = &check->found;
	struct error e;

	report_options(check);
	if (!found_no_error(found, FINDING_SOURCE_UNUSABLE, find_source(check, &e), &e)) {
		if (found_no_error(found, FINDING_SOURCE_UNUSABLE, replace_source(check, &e), &e))
			check_without_source(check);
		return;
	}
	if (check->later) {
		check->kernel = crash_kernel_of(check->machine->root);
		nsplit_check_kernel(found, &check->kernel);
		if (!o->capture_only)
			nsplit_check_system(found, &check->machine->kdump, &check->kernel, &o->outputs);
	}
	report_source(check);
	check_layers(check);
	nsplit_check_outputs(found, o, check->source, check->sinks, check->later);
	/* The scripts pass further disks, which may have the space and of which one suffices. */
	if (check->machine->called && check->machine->kdump.more_disks) {
		findings_set_severity(found, FINDING_SPACE_TOO_SMALL, 0, FOUND_WARNING);
		findings_set_severity(found, FINDING_OUTPUT_UNUSABLE, 0, FOUND_WARNING);
	}
	/* If no memory is reserved, that has been reported. */
	if (!check->later || !check->kernel.reserved_known || check->kernel.reserved)
		check->memory = nsplit_check_memory(found, o, check->source, check->sinks, check->policy,
						    check->later ? &check->kernel : NULL);
	found_kind(found, FINDING_SPEED, "the compression ratio and the speed of the outputs");
}

static void report(const struct check *check)
{
	const struct nsplit_options *o = check->options;
	const struct check_report all = {
		.options = o, .found = &check->found, .source = check->source,
		.sinks = check->sinks, .kernel = check->later ? &check->kernel : NULL,
		.memory = check->memory,
		.kdump = check->later && !o->capture_only ? &check->machine->kdump : NULL,
	};

	if (o->json)
		check_json_write(&all, stdout);
	else
		findings_print(&check->found, o->verbose);
}

static void check_free(struct check *check)
{
	for (size_t i = 0; check->sinks && i < check->options->outputs.count; i++)
		sink_free(&check->sinks[i]);
	free(check->sinks);
	page_policy_close(&check->layers);
	source_close(check->source);
	findings_free(&check->found);
}

int nsplit_check(const struct nsplit_options *o, struct crash_machine *machine)
{
	struct check check = {
		.options = o, .machine = machine, .found = machine->found,
		.memory = { UINT64_MAX, UINT64_MAX, o->capture.threads },
	};
	int status;

	machine->found = (struct findings){ 0 };
	check.sinks = calloc(o->outputs.count + 1, sizeof(*check.sinks));
	if (check.sinks)
		check_all(&check);
	else
		check.found.incomplete = true;
	report(&check);
	status = findings_exit_status(&check.found);
	check_free(&check);
	return o->json ? message_close_output(status) : status;
}
