// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <sys/utsname.h>

#include "base/json.h"
#include "cmd/common/message.h"
#include "cmd/nsplit/check/json.h"
#include "cmd/nsplit/space.h"
#include "cmd/nsplit/stats.h"
#include "core/kinds/page_class.h"
#include "system/build_id.h"

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
	if (build_id_of("/proc/self/exe", build))
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

static void write_system(struct json *json, const struct system_checked *system)
{
	const struct kdump_system *kdump = system->kdump;

	json_object(json, "kdump");
	json_text(json, "system", kdump->name);
	write_given(json, "collector", kdump->collector);
	write_given(json, "options", kdump->options);
	write_given(json, "program", kdump->program.name);
	write_given(json, "directory", kdump->directory);
	write_given(json, "target", kdump->target);
	if (*kdump->initramfs.path)
		json_text(json, "initramfs", kdump->initramfs.name);
	json_close_object(json);
	if (system->lockdown.secure_boot_known)
		json_bool(json, "secure_boot", system->lockdown.secure_boot);
	json_text(json, "lockdown", lockdown_name(system->lockdown.mode));
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

void check_json_write(const struct check_report *report, FILE *file)
{
	const struct source *source = report->source;
	struct json json;

	json_begin(&json, file);
	write_identity(&json);
	json_text(&json, "status", status_name(report->found));
	write_findings(&json, report->found);
	write_settings(&json, report->options);
	write_kernel(&json, report->kernel);
	if (report->system)
		write_system(&json, report->system);
	if (source && !source->is_stream)
		json_number(&json, "source_bytes", source->size);
	write_outputs(&json, report);
	write_known(&json, "memory_needed_bytes", report->memory.need);
	write_known(&json, "memory_available_bytes", report->memory.available);
	json_number(&json, "threads", report->memory.threads);
	json_end(&json);
}
