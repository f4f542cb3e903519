// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "base/size.h"
#include "cmd/nsplit/check/command.h"
#include "cmd/nsplit/check/outputs.h"
#include "cmd/nsplit/probe.h"
#include "cmd/nsplit/space.h"
#include "cmd/common/outputs.h"
#include "io/mount_point.h"
#include "io/path.h"

/* Of a new file, its directory. */
static enum status check_writable(const struct sink *sink, struct error *e)
{
	int failed = 0;

	if (sink->kind == SINK_FILE || sink->kind == SINK_BLOCK_DEVICE)
		failed = outputs_write_errno(sink->name);
	return failed ? error_system(e, failed, "%s: cannot be written", sink->name) : STATUS_OK;
}

/* The file system that /etc/fstab names for the directory is not the one that it is on. */
static bool lacks_mount(const struct mount_points *points)
{
	return points->is_listed && points->is_mounted &&
	       strlen(points->listed.directory) > strlen(points->mounted.directory);
}

static enum status check_mounted(const char *name, const struct mount_points *points,
				 struct error *e)
{
	if (!lacks_mount(points))
		return STATUS_OK;
	return error_set(e, STATUS_SYSTEM, "%s: %s has a line in /etc/fstab but is not mounted, so "
			 "the dump would be written to the file system of %s", name,
			 points->listed.directory, points->mounted.directory);
}

/* Reports settings that may be intended. */
static void note_mount(struct findings *found, const char *name,
		       const struct mount_points *points, bool later)
{
	const char *mounted = points->mounted.directory;

	if (!points->is_mounted)
		return;
	if (strcmp(mounted, "/") == 0) {
		if (path_is_within(points->directory, "/mnt") || path_is_within(points->directory, "/media"))
			found_kind(found, FINDING_OUTPUT_ON_ROOT, "output %s: %s is on the root file "
				   "system; mount its disk if it has one", name, points->directory);
	} else if (later && (!points->is_listed || strcmp(points->listed.directory, mounted) != 0)) {
		found_kind(found, FINDING_OUTPUT_NOT_IN_FSTAB, "output %s: %s is mounted but has no "
			   "line in /etc/fstab, so it may not be mounted after a crash", name, mounted);
	}
}

static void describe_file(struct findings *found, const char *name, const char *size,
			  const struct mount_points *points)
{
	if (points->is_mounted)
		found_good(found, "output %s: %s free (%s on %s)", name, size,
			   points->mounted.type, points->mounted.directory);
	else
		found_good(found, "output %s: %s free", name, size);
}

static void describe(struct findings *found, const char *name, const struct sink *sink,
		     const struct mount_points *points)
{
	char size[SIZE_TEXT_LENGTH];
	uint64_t bytes;

	if (sink->kind == SINK_NULL)
		found_kind(found, FINDING_OUTPUT_SAVES_NOTHING, "output %s saves nothing", name);
	else if (sink->kind == SINK_COMMAND)
		found_kind(found, FINDING_OUTPUT_UNKNOWN, "output %s: what its command does, and how "
			   "much it can hold", name);
	else if (!nsplit_space_of(sink, &bytes))
		found_kind(found, FINDING_OUTPUT_UNKNOWN, "output %s: how much it can hold", name);
	else if (sink->kind == SINK_BLOCK_DEVICE)
		found_good(found, "output %s: a device of %s", name, size_format(bytes, size));
	else
		describe_file(found, name, size_format(bytes, size), points);
}

/* A filter's output may also be a name on another machine, so only its directory is looked at. */
static bool has_directory(const struct sink *sink)
{
	return sink->kind == SINK_FILE || (sink->kind == SINK_COMMAND && sink->name[0] != '|');
}

static bool check_usable(struct findings *found, const struct nsplit_options *o, const char *name,
			 const struct sink *sink, bool later)
{
	struct mount_points points = { .is_mounted = false };
	struct error e;

	if (!found_no_error(found, FINDING_OUTPUT_UNUSABLE, check_writable(sink, &e), &e))
		return false;
	/* null: may be intended: see describe().  Standard output will be another one after a crash. */
	if (sink->kind != SINK_NULL && !sink->is_stdout &&
	    !found_no_error(found, FINDING_OUTPUT_NOT_STORED, nsplit_probe_stored(o, sink, &e), &e))
		return false;
	if (has_directory(sink) && mount_points_of(name, &points)) {
		if (!found_no_error(found, FINDING_OUTPUT_NOT_MOUNTED, check_mounted(name, &points, &e), &e))
			return false;
		note_mount(found, name, &points, later);
	}
	describe(found, name, sink, &points);
	return true;
}

/* A further output that is refused is skipped by the capture; another one ends it. */
static enum finding_kind kind_of_refusal(const struct nsplit_options *o, unsigned i, enum status status)
{
	return status == STATUS_USAGE && i < o->required ? FINDING_OUTPUT_REFUSED : FINDING_OUTPUT_UNUSABLE;
}

/* Returns whether it can be used. */
static bool check_output(struct findings *found, const struct nsplit_options *o,
			 const struct source *source, struct sink *sinks, unsigned i, bool later)
{
	const char *name = o->outputs.names[i];
	enum status status;
	struct error e;
	bool good;

	status = nsplit_probe_output(o, source, sinks, i, &e);
	good = found_no_error(found, kind_of_refusal(o, i, status), status, &e) &&
	       found_no_error(found, FINDING_OUTPUT_IN_MEMORY, nsplit_probe_memory(o, &sinks[i], &e), &e);
	if (*name == '|')
		good &= nsplit_check_command(found, name, name + 1);
	return good && check_usable(found, o, name, &sinks[i], later);
}

/* The capture continues without an output, but not without all of them. */
static void check_each(struct findings *found, const struct nsplit_options *o,
		       const struct source *source, struct sink *sinks, bool later)
{
	size_t first = found->count;
	bool any = false;

	for (unsigned i = 0; i < o->outputs.count; i++)
		any |= check_output(found, o, source, sinks, i, later);
	if (any)
		return;
	findings_set_severity(found, FINDING_OUTPUT_UNUSABLE, first, FOUND_ERROR);
	findings_set_severity(found, FINDING_OUTPUT_NOT_STORED, first, FOUND_ERROR);
	findings_set_severity(found, FINDING_COMMAND_WRONG, first, FOUND_ERROR);
}

/* The filter is that of all outputs. */
static void check_filter(struct findings *found, const struct nsplit_options *o)
{
	size_t first = found->count;

	if (o->filter && !nsplit_check_command(found, "--filter", o->filter))
		findings_set_severity(found, FINDING_COMMAND_WRONG, first, FOUND_ERROR);
}

static void check_space(struct findings *found, const struct nsplit_options *o,
			const struct source *source, const struct sink *sinks)
{
	char text[SPACE_TEXT_LENGTH];
	struct error e;

	if (!found_no_error(found, FINDING_SPACE_TOO_SMALL, nsplit_space_check(o, source, sinks, &e), &e))
		return;
	if (nsplit_space_text(o, source, sinks, text))
		found_good(found, "space: %s", text);
	else if (!source->is_stream)
		found_kind(found, FINDING_SPACE_UNKNOWN, "space: that of some outputs is unknown");
}

static void check_stats(struct findings *found, const struct nsplit_options *o)
{
	struct error e;

	if (o->stats_file &&
	    found_no_error(found, FINDING_STATS_UNWRITABLE, nsplit_probe_stats(o, &e), &e))
		found_good(found, "--stats=%s can be written", o->stats_file);
}

static bool has_command(const struct nsplit_options *o)
{
	for (size_t i = 0; i < o->outputs.count; i++)
		if (o->outputs.names[i][0] == '|')
			return true;
	return o->filter;
}

void nsplit_check_outputs(struct findings *found, const struct nsplit_options *o,
			  const struct source *source, struct sink *sinks, bool later)
{
	struct error e;

	if (!o->outputs.count)
		found_kind(found, FINDING_OUTPUTS_NONE, "outputs: none are given");
	check_each(found, o, source, sinks, later);
	check_filter(found, o);
	if (later && has_command(o))
		found_kind(found, FINDING_COMMAND_ENVIRONMENT, "whether the capture environment has the "
			   "programs of commands, and a network");
	found_no_error(found, FINDING_OUTPUTS_CONFLICT, nsplit_probe_together(o, source, sinks, &e), &e);
	check_stats(found, o);
	if (o->outputs.count)
		check_space(found, o, source, sinks);
}
