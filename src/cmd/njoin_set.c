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
#include "cmd/members.h"
#include "cmd/njoin_outputs.h"
#include "cmd/njoin_report.h"
#include "cmd/njoin_set.h"
#include "io/path.h"

enum status njoin_check_range(const struct njoin *njoin, struct error *e)
{
	uint64_t size = njoin->set.source_size;

	if (njoin->options.range_given && njoin->to > size)
		return error_set(e, STATUS_USAGE, "--range: byte %" PRIu64 " is beyond the end of "
				 "the source, which has %" PRIu64 " byte%s", njoin->to - 1, size, plural(size));
	return STATUS_OK;
}

static enum status choose_range(struct njoin *njoin, struct error *e)
{
	const struct njoin_options *o = &njoin->options;

	njoin->to = njoin->set.source_size;
	if (o->range_given) {
		njoin->from = o->from;
		njoin->to = o->from + o->length;
	}
	return njoin_check_range(njoin, e);
}

/* Signals keep their default action meanwhile, since nothing has been written yet. */
static void show_progress(struct njoin *njoin, const char *action, uint64_t done, uint64_t total)
{
	const struct progress_figures figures = {
		.done = done,
		.total = total,
		.action = action,
		.seconds = clock_seconds() - njoin->started,
	};

	progress_tick(&njoin->progress, &figures);
}

static void show_search(void *arg, uint64_t done, uint64_t all)
{
	show_progress(arg, "searched", done, all);
}

static void show_spooling(void *arg, uint64_t done)
{
	show_progress(arg, "copied from pipes", done, UINT64_MAX);
}

static bool is_stream(const char *name)
{
	struct stat st;

	return strcmp(name, "-") == 0 ||
	       (stat(name, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISBLK(st.st_mode));
}

static bool any_stream(const struct names *names)
{
	for (size_t i = 0; i < names->count; i++)
		if (is_stream(names->names[i]))
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
static enum status open_members(struct njoin *njoin, struct set_settings *settings, struct error *e)
{
	const struct njoin_options *o = &njoin->options;
	bool describes = o->mode == NJOIN_INFO || o->mode == NJOIN_LIST;
	enum status status;

	status = members_open(&njoin->set, &o->members, settings, e);
	if (!status || status == STATUS_NO_MEMORY || settings->salvage || !describes ||
	    any_stream(&o->members))
		return status;
	set_close(&njoin->set);
	settings->salvage = true;
	return members_open(&njoin->set, &o->members, settings, e);
}

/* A mistake is found before hours are spent on a stream, which cannot be read again. */
static enum status probe_early(struct njoin *njoin, struct error *e)
{
	enum status status = njoin_probe_outputs(njoin, e);

	njoin_free_outputs(njoin);
	return status;
}

enum status njoin_open_set(struct njoin *njoin, struct error *e)
{
	const struct njoin_options *o = &njoin->options;
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
		.arg = njoin,
		.watch = { .searching = show_search, .spooling = show_spooling, .arg = njoin },
	};
	enum status status;

	choose_spool(o, spool);
	if (any_stream(&o->members) && probe_early(njoin, e))
		return e->status;
	members_skip_absent(&njoin->options.members);
	progress_init(&njoin->progress, o->progress, o->quiet);
	settings.watch.interval = progress_interval(&njoin->progress);
	njoin->began = njoin->started = clock_seconds();
	status = open_members(njoin, &settings, e);
	/* Only if a line was shown, since most sets are not searched. */
	if (njoin->progress.due > settings.watch.interval)
		progress_end(&njoin->progress);
	if (status)
		return status;
	members_report_in_use(&njoin->set);
	if (o->verbose && !set_is_plain(&njoin->set))
		members_report(&njoin->set);
	return choose_range(njoin, e);
}
