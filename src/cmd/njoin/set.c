// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "base/size.h"
#include "base/text.h"
#include "cmd/common/members.h"
#include "cmd/njoin/outputs.h"
#include "cmd/njoin/set.h"
#include "io/path.h"

enum status njoin_check_range(const struct njoin_input *in, const struct njoin_options *o, struct error *e)
{
	uint64_t size = in->set.source_size;

	if (o->range_given && in->to > size)
		return error_set(e, STATUS_USAGE, "--range: byte %" PRIu64 " is beyond the end of "
				 "the source, which has %" PRIu64 " byte%s", in->to - 1, size, plural(size));
	return STATUS_OK;
}

static enum status choose_range(struct njoin_input *in, const struct njoin_options *o, struct error *e)
{
	in->to = in->set.source_size;
	if (o->range_given) {
		in->from = o->from;
		in->to = o->from + o->length;
	}
	return njoin_check_range(in, o, e);
}

struct opening {
	struct progress progress;
	double started;
};

/* Signals keep their default action meanwhile, since nothing has been written yet. */
static void show_progress(struct opening *opening, const char *action, uint64_t done, uint64_t total)
{
	const struct progress_figures figures = {
		.done = done,
		.total = total,
		.action = action,
		.seconds = clock_seconds() - opening->started,
	};

	progress_tick(&opening->progress, &figures);
}

static void show_search(void *arg, uint64_t done, uint64_t all)
{
	show_progress(arg, "searched", done, all);
}

static void show_spooling(void *arg, uint64_t done)
{
	show_progress(arg, "copied from pipes", done, UINT64_MAX);
}

static bool any_stream(const struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		if (members_is_stream(names->names[i]))
			return true;
	return false;
}

/* Where members from pipes are copied to: beside the output, which needs as much space, if it is a file. */
static void choose_spool(const struct njoin_options *o, char directory[PATH_MAX])
{
	const char *fallback = getenv("TMPDIR");
	const char *output = o->outputs.count ? o->outputs.names[0] : "-";
	struct stat st;
	bool file = strcmp(output, "-") != 0 && (stat(output, &st) < 0 || S_ISREG(st.st_mode));
	char target[PATH_MAX];

	/* A link is followed when the output is written, too. */
	if (!file || !path_directory(realpath(output, target) ? target : output, directory))
		snprintf(directory, PATH_MAX, "%s", fallback && *fallback ? fallback : "/var/tmp");
}

/*
 * --info and --list describe damaged sets, too, but do not search files that have neither superblock
 * nor footer.  A stream can be read only once, so --salvage is needed to describe one that is damaged.
 */
static enum status open_members(struct set *set, const struct njoin_options *o,
				struct set_settings *settings, struct error *e)
{
	bool describes = o->mode == NJOIN_INFO || o->mode == NJOIN_LIST;
	enum status status;

	status = members_open(set, &o->members, settings, e);
	if (!status || status == STATUS_NO_MEMORY || settings->salvage || !describes ||
	    any_stream(&o->members))
		return status;
	set_close(set);
	settings->salvage = true;
	return members_open(set, &o->members, settings, e);
}

/* A mistake is found before hours are spent on a stream, which cannot be read again. */
static enum status probe_early(const struct njoin_options *o, const struct set *set, struct error *e)
{
	struct njoin_outputs outputs = { 0 };
	enum status status = njoin_probe_outputs(&outputs, o, set, e);

	njoin_free_outputs(&outputs);
	return status;
}

enum status njoin_open_set(struct njoin_input *in, struct njoin_options *o, struct njoin_findings *findings,
			   struct error *e)
{
	struct opening opening = { .started = clock_seconds() };
	char spool[PATH_MAX];
	struct set_settings settings = {
		.plain = true,
		.random_access = o->format == NJOIN_KDUMP ||
				 (o->mode != NJOIN_WRITE && o->mode != NJOIN_VERIFY),
		.spool = spool,
		.salvage = o->salvage,
		.search = o->salvage,
		.warn = njoin_report_damage,
		.unfinished = members_report_unfinished,
		.arg = findings,
		.watch = { .searching = show_search, .spooling = show_spooling, .arg = &opening },
	};
	enum status status;

	choose_spool(o, spool);
	if (any_stream(&o->members) && probe_early(o, &in->set, e))
		return e->status;
	members_skip_absent(&o->members);
	progress_init(&opening.progress, o->progress, o->quiet);
	settings.watch.interval = progress_interval(&opening.progress);
	status = open_members(&in->set, o, &settings, e);
	/* Only if a line was shown, since most sets are not searched. */
	if (opening.progress.due > settings.watch.interval)
		progress_end(&opening.progress);
	if (status)
		return status;
	findings->plain = set_is_made(&in->set);
	findings->dump = in->set.members[0].dump;
	members_report_in_use(&in->set);
	if (o->verbose && !findings->plain)
		members_report(&in->set);
	return choose_range(in, o, e);
}
