// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>

#include "base/clock.h"
#include "base/size.h"
#include "base/text.h"
#include "cmd/members.h"
#include "cmd/njoin_report.h"
#include "cmd/njoin_set.h"

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
static void show_search(void *arg, uint64_t done, uint64_t all)
{
	struct njoin *njoin = arg;
	const struct progress_figures figures = {
		.done = done,
		.total = all,
		.action = "searched",
		.seconds = clock_seconds() - njoin->started,
	};

	progress_tick(&njoin->progress, &figures);
}

/*
 * --info and --list describe damaged sets, too, but do not search files that have neither superblock
 * nor footer.
 */
static enum status open_members(struct njoin *njoin, struct set_settings *settings, struct error *e)
{
	const struct njoin_options *o = &njoin->options;
	enum status status = members_open(&njoin->set, &o->members, settings, e);

	if (!status || status == STATUS_NO_MEMORY || settings->salvage ||
	    !(o->mode == NJOIN_INFO || o->mode == NJOIN_LIST))
		return status;
	set_close(&njoin->set);
	settings->salvage = true;
	return members_open(&njoin->set, &o->members, settings, e);
}

enum status njoin_open_set(struct njoin *njoin, struct error *e)
{
	const struct njoin_options *o = &njoin->options;
	struct set_settings settings = {
		.plain = true,
		.salvage = o->salvage,
		.search = o->salvage,
		.warn = njoin_report_damage,
		.unfinished = members_report_unfinished,
		.arg = njoin,
		.watch = { .searching = show_search, .arg = njoin },
	};
	enum status status;

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
