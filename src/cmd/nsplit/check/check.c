// SPDX-License-Identifier: GPL-2.0-or-later
/* nsplit --check-params: whether a capture would work, without capturing. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "base/json.h"
#include "base/text.h"
#include "capture/memory/memory_limits.h"
#include "capture/memory/memory_plan.h"
#include "cmd/common/message.h"
#include "cmd/common/operands.h"
#include "cmd/common/page_policy.h"
#include "cmd/nsplit/check/findings.h"
#include "cmd/nsplit/crash_machine.h"
#include "cmd/nsplit/dump.h"
#include "cmd/nsplit/nsplit.h"
#include "cmd/nsplit/options.h"
#include "cmd/nsplit/probe.h"
#include "core/kinds/page_class.h"
#include "io/path.h"
#include "io/sink.h"

struct check {
	const struct nsplit_options *options;
	const struct crash_machine *machine;
	struct findings found;
	struct source *source;			/* NULL: it could not be opened */
	struct sink *sinks;			/* one for each output of the options */
	struct page_policy page_policy;
	const struct layer_policy *policy;	/* NULL: nothing is left out */
	bool later;				/* the source exists only in the capture kernel, */
	struct crash_kernel kernel;		/* which is this one; otherwise, nothing is known of it */
	/* Of the capture: bytes, UINT64_MAX: unknown; and the threads with which it fits. */
	uint64_t need, available;
	unsigned threads;
};

/* --- if the outputs could take a dump ------------------------------------------------- */

/* Of a new file, its directory. */
static enum status check_writable(const struct sink *sink, struct error *e)
{
	int failed = 0;

	if (sink->kind == SINK_FILE || sink->kind == SINK_BLOCK_DEVICE)
		failed = outputs_write_errno(sink->name);
	return failed ? error_system(e, failed, "%s: cannot be written", sink->name) : STATUS_OK;
}

/*
 * False: the file system that /etc/fstab names for the directory is not the one that it is on.  Notes settings that may be
 * intended.
 */
static bool check_mounted(struct check *check, const char *name, const struct mount_points *points)
{
	struct findings *found = &check->found;
	const char *mounted = points->mounted.directory, *listed = points->listed.directory;

	if (!points->is_mounted)
		return true;
	if (points->is_listed && strlen(listed) > strlen(mounted)) {
		found_add(found, FOUND_ERROR, "output-not-mounted", "%s: %s has a line in /etc/fstab but is not mounted, so "
			  "the dump would be written to the file system of %s", name, listed, mounted);
		return false;
	}
	if (strcmp(mounted, "/") == 0) {
		if (path_is_within(points->directory, "/mnt") || path_is_within(points->directory, "/media"))
			found_add(found, FOUND_NOTE, "output-on-root", "output %s: %s is on the root file "
				  "system; mount its disk if it has one", name, points->directory);
	} else if (check->later && (!points->is_listed || strcmp(listed, mounted) != 0)) {
		found_add(found, FOUND_NOTE, "output-not-in-fstab", "output %s: %s is mounted but has no "
			  "line in /etc/fstab, so it may not be mounted after a crash", name, mounted);
	}
	return true;
}

static void describe(struct findings *found, const char *name, const struct sink *sink,
		     const struct mount_points *points)
{
	char size[SIZE_TEXT_LENGTH];
	struct space space;

	if (sink->kind == SINK_NULL)
		found_add(found, FOUND_NOTE, "output-saves-nothing", "output %s saves nothing", name);
	else if (sink->kind == SINK_COMMAND)
		found_add(found, FOUND_UNCHECKED, "output-unknown", "output %s: what its command does, and how "
			  "much it can hold", name);
	else if (!nsplit_space_of(sink, &space))
		found_add(found, FOUND_UNCHECKED, "output-unknown", "output %s: how much it can hold", name);
	else if (sink->kind == SINK_BLOCK_DEVICE)
		found_add(found, FOUND_GOOD, "", "output %s: a device of %s", name, size_format(space.bytes, size));
	else if (points->is_mounted)
		found_add(found, FOUND_GOOD, "", "output %s: %s free (%s on %s)", name, size_format(space.bytes, size),
			   points->mounted.type, points->mounted.directory);
	else
		found_add(found, FOUND_GOOD, "", "output %s: %s free", name, size_format(space.bytes, size));
}

/* Returns whether it can be used. */
static bool check_output(struct check *check, unsigned i)
{
	const struct nsplit_options *o = check->options;
	struct mount_points points = { .is_mounted = false };
	const struct sink *sink = &check->sinks[i];
	struct findings *found = &check->found;
	const char *name = o->outputs.names[i];
	struct error e;
	enum status status = nsplit_probe_output(o, check->source, check->sinks, i, &e);
	/* A further output that is refused is skipped by the capture; another one ends it. */
	bool good = status == STATUS_USAGE && i < o->required ?
		    found_no_error(found, FOUND_ERROR, "output-refused", status, &e) :
		    found_no_error(found, FOUND_WARNING, "output-unusable", status, &e);

	good = good && found_no_error(found, FOUND_ERROR, "output-in-memory", nsplit_probe_memory(o, sink, &e), &e);
	if (*name == '|')
		good &= nsplit_check_command(found, name, name + 1);
	if (!good || !found_no_error(found, FOUND_WARNING, "output-unusable", check_writable(sink, &e), &e))
		return false;
	/* null: may be intended: see describe().  Standard output will be another one after a crash. */
	if (sink->kind != SINK_NULL && !sink->is_stdout &&
	    !found_no_error(found, FOUND_WARNING, "output-not-stored", nsplit_probe_stored(o, sink, &e), &e))
		return false;
	/* A filter's output may also be a name on another machine, so only its directory is looked at. */
	if ((sink->kind == SINK_FILE || (sink->kind == SINK_COMMAND && *name != '|')) &&
	    mount_points_of(name, &points) && !check_mounted(check, name, &points))
		return false;
	describe(found, name, sink, &points);
	return true;
}

/* The capture continues without an output, but not without all of them. */
static void check_each(struct check *check)
{
	size_t first = check->found.count;
	bool any = false;

	for (unsigned i = 0; i < check->options->outputs.count; i++)
		any |= check_output(check, i);
	if (any)
		return;
	findings_set_severity(&check->found, "output-unusable", first, FOUND_ERROR);
	findings_set_severity(&check->found, "output-not-stored", first, FOUND_ERROR);
	findings_set_severity(&check->found, "command-wrong", first, FOUND_ERROR);
}

static void check_space(struct check *check)
{
	const struct nsplit_options *o = check->options;
	struct findings *found = &check->found;
	char text[SPACE_TEXT_LENGTH];
	struct error e;

	if (!found_no_error(found, FOUND_ERROR, "space-too-small",
			    nsplit_space_check(o, check->source, check->sinks, text, &e), &e))
		return;
	if (*text)
		found_add(found, FOUND_GOOD, "", "space: %s", text);
	else if (!check->source->is_stream)
		found_add(found, FOUND_UNCHECKED, "space-unknown", "space: that of some outputs is unknown");
}

static bool has_command(const struct nsplit_options *o)
{
	for (size_t i = 0; i < o->outputs.count; i++)
		if (o->outputs.names[i][0] == '|')
			return true;
	return o->filter;
}

/* Probes each output into the sink of the same index, as nsplit_probe() does. */
static void check_outputs(struct check *check)
{
	const struct nsplit_options *o = check->options;
	struct findings *found = &check->found;
	size_t first;
	struct error e;

	if (!o->outputs.count)
		found_add(found, FOUND_UNCHECKED, "outputs-none", "outputs: none are given");
	check_each(check);
	/* The filter is that of all outputs. */
	first = found->count;
	if (o->filter && !nsplit_check_command(found, "--filter", o->filter))
		findings_set_severity(found, "command-wrong", first, FOUND_ERROR);
	if (check->later && has_command(o))
		found_add(found, FOUND_UNCHECKED, "command-environment", "whether the capture environment has the "
			  "programs of commands, and a network");
	found_no_error(found, FOUND_ERROR, "outputs-conflict",
		       nsplit_probe_together(o, check->source, check->sinks, &e), &e);
	if (o->stats_file &&
	    found_no_error(found, FOUND_WARNING, "stats-unwritable", nsplit_probe_stats(o, &e), &e))
		found_add(found, FOUND_GOOD, "", "--stats=%s can be written", o->stats_file);
	if (o->outputs.count)
		check_space(check);
}

/* --- if there is enough memory --------------------------------------------------------- */

/* In the capture kernel, or here.  All outputs were probed. */
static void check_memory(struct check *check)
{
	const struct nsplit_options *o = check->options;
	const struct crash_kernel *kernel = check->later ? &check->kernel : NULL;
	struct capture_settings settings = o->capture;
	struct findings *found = &check->found;
	struct limit limit = kernel ? crash_machine_limit(kernel) : limit_here();
	struct fit_note note = { .outcome = FIT_AS_WANTED };
	char need[SIZE_TEXT_LENGTH], have[SIZE_TEXT_LENGTH];
	struct memory_plan plan;
	struct error e;

	check->available = limit.bytes;
	settings.policy = check->policy;
	nsplit_set_headers(&settings, o, check->source, kernel ? crash_machine_root() : NULL);
	if (!found_no_error(found, FOUND_ERROR, "memory-limit",
			    capture_fit(&settings, check->source, check->sinks, (unsigned)o->outputs.count, &limit,
					&plan, &note, &e), &e))
		return;
	check->need = plan.total;
	check->threads = settings.threads;
	if (note.outcome == FIT_NOT) {
		found_add(found, FOUND_ERROR, "memory-too-small", "%s", note.text.text);
		return;
	}
	/* With a smaller capture there will be a dump. */
	if (note.outcome == FIT_WITH_LESS)
		found_add(found, FOUND_WARNING, "memory-short", "%s", note.text.text);
	if (limit.bytes == UINT64_MAX)
		found_add(found, FOUND_UNCHECKED, "memory-unknown", "memory: the available amount is unknown");
	else
		found_add(found, FOUND_GOOD, "", "memory: %s of %s (%s)", size_format(plan.total, need),
			   size_format(limit.bytes, have), limit.what);
	if (kernel && !kernel->initramfs)
		found_add(found, FOUND_UNCHECKED, "memory-initramfs",
			  "the memory that the initramfs of the capture kernel takes");
}

/* --- --json: what was found, as one object; nsplit-check(1) describes the fields */

/* The worst that was found. */
static const char *status_name(const struct findings *found)
{
	if (findings_exit_status(found) != EXIT_PERFECT)
		return finding_severities[FOUND_ERROR];
	return finding_severities[findings_of(found, FOUND_WARNING) ? FOUND_WARNING : FOUND_GOOD];
}

static void write_findings(struct json *json, const struct findings *found)
{
	json_array(json, "findings");
	for (size_t i = 0; i < found->count; i++) {
		const struct finding *finding = &found->list[i];

		if (finding->severity == FOUND_GOOD)
			continue;
		json_object(json, NULL);
		json_text(json, "id", finding->name);
		json_text(json, "severity", finding_severities[finding->severity]);
		json_text(json, "text", finding->text);
		json_close_object(json);
	}
	json_close_array(json);
}

/* A setting has the name of its field. */
static void write_system(struct json *json, const struct crash_machine *m)
{
	static const char *const settings[] = {
		"collector", "options", "program", "directory", "target", "initramfs",
	};
	const char *secure_boot = crash_machine_setting(m, "secure-boot");

	json_object(json, "kdump");
	json_text(json, "system", m->unknown ? "unknown" : crash_machine_setting(m, "system"));
	for (size_t i = 0; i < sizeof(settings) / sizeof(*settings); i++) {
		const char *text = crash_machine_setting(m, settings[i]);

		if (*text)
			json_text(json, settings[i], text);
	}
	json_close_object(json);
	if (*secure_boot)
		json_bool(json, "secure_boot", *secure_boot == '1');
	json_text(json, "lockdown", m->unknown ? "unknown" : crash_machine_setting(m, "lockdown"));
}

static void write_outputs(struct json *json, const struct check *check)
{
	const struct names *outputs = &check->options->outputs;
	struct space space;

	json_array(json, "outputs");
	for (size_t i = 0; check->sinks && i < outputs->count; i++) {
		const struct sink *sink = &check->sinks[i];

		json_object(json, NULL);
		json_text(json, "name", outputs->names[i]);
		if (sink->name) {
			json_text(json, "kind", nsplit_sink_kind(sink));
			if (nsplit_space_of(sink, &space))
				json_number(json, "free_bytes", space.bytes);
		}
		json_close_object(json);
	}
	json_close_array(json);
}

/* Fields whose values are unknown are left out.  Errors are left to ferror(). */
static void write_json(const struct check *check)
{
	const struct nsplit_options *o = check->options;
	const struct crash_kernel *kernel = &check->kernel;
	const struct source *source = check->source;
	const char *build = crash_machine_setting(check->machine, "build");
	struct utsname uts;
	struct json json;

	json_begin(&json, stdout);
	json_text(&json, "version", PACKAGE_VERSION);
	if (*build)
		json_text(&json, "build", build);
	if (uname(&uts) == 0)
		json_text(&json, "host", uts.nodename);
	json_text(&json, "status", status_name(&check->found));
	write_findings(&json, &check->found);
	if (o->config)
		json_text(&json, "config", o->config);
	json_text(&json, "codec", o->codec_text);
	json_number(&json, "dump_level", dump_level_of_classes(o->left_out.classes) | o->left_out.zero);
	if (kernel->reserved_known)
		json_number(&json, "reserved_bytes", kernel->reserved);
	if (kernel->loaded_known)
		json_bool(&json, "kernel_loaded", kernel->loaded);
	if (kernel->initramfs)
		json_number(&json, "initramfs_bytes", kernel->initramfs);
	if (check->later && !o->capture_only)
		write_system(&json, check->machine);
	if (source && !source->is_stream)
		json_number(&json, "source_bytes", source->size);
	write_outputs(&json, check);
	if (check->need != UINT64_MAX)
		json_number(&json, "memory_needed_bytes", check->need);
	if (check->available != UINT64_MAX)
		json_number(&json, "memory_available_bytes", check->available);
	json_number(&json, "threads", check->threads);
	json_end(&json);
}

/* --- all ------------------------------------------------------------------------------- */

static enum status find_source(struct check *check, struct error *e)
{
	const struct nsplit_options *o = check->options;

	check->later = vmcore_absent(o->source);
	if (!check->later)
		return nsplit_open_source(o, &check->source, e);
	return source_expect(&check->source, o->source, crash_kernel_source(check->machine->root), o->mmap, e);
}

static void report_options(struct check *check)
{
	const struct nsplit_options *o = check->options;

	if (o->config)
		found_add(&check->found, FOUND_GOOD, "", "configuration %s", o->config);
	else
		found_add(&check->found, FOUND_GOOD, "", "no configuration file");
	if (o->config_unsafe.status)
		found_add(&check->found, FOUND_WARNING, "config-unsafe",
			  "%s; after a crash, its commands are not run",
			   o->config_unsafe.text);
	/* They may be all that saves the dump. */
	if (o->config_commands)
		findings_set_severity(&check->found, "config-unsafe", 0, FOUND_ERROR);
	found_add(&check->found, FOUND_GOOD, "", "codec %s", o->codec_text);
}

static void report_source(struct check *check)
{
	const struct source *source = check->source;
	char size[SIZE_TEXT_LENGTH];

	if (source->is_stream)
		found_add(&check->found, FOUND_UNCHECKED, "source-length",
			  "source %s: the length of a stream is unknown", source->name);
	else
		found_add(&check->found, FOUND_GOOD, "", "source %s, %s%s", source->name,
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
	const struct filter_wishes wishes = nsplit_wishes(o);
	struct error e;

	if (!nsplit_has_policy(o, check->source))
		return;
	if (check->source->is_stream) {
		found_no_error(&check->found, FOUND_ERROR, "source-unusable",
			       nsplit_refuse_stream(o, check->source, &e), &e);
		return;
	}
	if (!check->later) {
		check->policy = page_policy_open(&check->page_policy, check->source, &wishes);
		return;
	}
	check->policy = page_policy_expect(&check->page_policy, check->source, &wishes);
	if (wishes.classes)
		found_add(&check->found, FOUND_UNCHECKED, "pages",
			  "which pages of the crashed kernel can be left out");
}

/* In the order of a crash: the capture kernel starts, reads the source, and writes the outputs. */
static void check_all(struct check *check)
{
	const struct nsplit_options *o = check->options;
	struct findings *found = &check->found;
	struct error e;

	report_options(check);
	if (!found_no_error(found, FOUND_ERROR, "source-unusable", find_source(check, &e), &e)) {
		/* Outputs can be looked at without the source, as for a stream: it has no known length either. */
		if (!found_no_error(found, FOUND_ERROR, "source-unusable",
				    source_expect(&check->source, o->source, 0, o->mmap, &e), &e))
			return;
		check->source->is_stream = true;
		check_outputs(check);
		found_add(found, FOUND_UNCHECKED, "space-unknown", "whether space and memory are sufficient for the source");
		if (o->left_out.classes)
			found_add(found, FOUND_UNCHECKED, "pages", "which pages can be left out");
		return;
	}
	if (check->later)
		check->kernel = crash_machine_check(check->machine, o->capture_only ? "kernel" : "check", &o->outputs, found);
	report_source(check);
	check_layers(check);
	check_outputs(check);
	/* The scripts pass further disks, which may have the space and of which one suffices. */
	if (check->machine->called && *crash_machine_setting(check->machine, "more-disks")) {
		findings_set_severity(found, "space-too-small", 0, FOUND_WARNING);
		findings_set_severity(found, "output-unusable", 0, FOUND_WARNING);
	}
	/* If no memory is reserved, that has been reported. */
	if (!check->later || !check->kernel.reserved_known || check->kernel.reserved)
		check_memory(check);
	found_add(found, FOUND_UNCHECKED, "speed", "the compression ratio and the speed of the outputs");
}

static void check_free(struct check *check)
{
	for (size_t i = 0; check->sinks && i < check->options->outputs.count; i++)
		sink_free(&check->sinks[i]);
	free(check->sinks);
	page_policy_close(&check->page_policy);
	source_close(check->source);
	findings_free(&check->found);
}

int nsplit_check(const struct nsplit_options *o, struct crash_machine *machine)
{
	struct check check = {
		.options = o, .machine = machine, .found = machine->found,
		.need = UINT64_MAX, .available = UINT64_MAX, .threads = o->capture.threads,
	};
	int status;

	machine->found = (struct findings){ 0 };
	check.sinks = calloc(o->outputs.count + 1, sizeof(*check.sinks));
	if (check.sinks)
		check_all(&check);
	else
		check.found.incomplete = true;
	if (o->json)
		write_json(&check);
	else
		findings_print(&check.found, o->verbose);
	status = findings_exit_status(&check.found);
	check_free(&check);
	return o->json ? message_close_output(status) : status;
}
