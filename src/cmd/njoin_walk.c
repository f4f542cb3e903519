// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/size.h"
#include "base/text.h"
#include "cmd/njoin_outputs.h"
#include "cmd/njoin_walk.h"

void njoin_walk_figures(const struct njoin *njoin, struct progress_figures *figures)
{
	uint64_t done, read;

	walk_progress(njoin->walk, &done, &read);
	*figures = (struct progress_figures){
		.done = done,
		.total = UINT64_MAX,
		.moved = read,
		.verb = set_is_plain(&njoin->set) ? NULL : "read",
		.seconds = clock_seconds() - njoin->started,
	};
	if (!njoin->set.has_stream)
		figures->total = max_u64(done, njoin->to - njoin->from);
}

static void on_request(struct njoin *njoin, enum request request)
{
	struct progress_figures figures;

	if (request == REQUEST_REPORT) {
		njoin_walk_figures(njoin, &figures);
		progress_now(&figures);
		return;
	}
	/* A stream may never accept more, so output to one is not finished. */
	if (request == REQUEST_STOP_NOW || !njoin_seekable(njoin)) {
		njoin_abandon_outputs(njoin);
		signals_raise(njoin->stop.latest);
	}
	walk_stop(njoin->walk);
}

static void tick(void *arg)
{
	struct njoin *njoin = arg;
	struct progress_figures figures;
	enum request request;

	while ((request = signals_next(njoin->signal_fd, &njoin->stop)))
		on_request(njoin, request);
	njoin_walk_figures(njoin, &figures);
	progress_tick(&njoin->progress, &figures);
}

enum status njoin_walk(struct njoin *njoin, struct walk_settings *settings, struct error *e)
{
	enum status status;

	settings->threads = njoin->options.threads;
	settings->from = njoin->from;
	settings->to = njoin->to;
	settings->watch = (struct watch){ .fd = njoin->signal_fd, .tick = tick, .arg = njoin };
	progress_init(&njoin->progress, njoin->options.progress, njoin->options.quiet);
	settings->watch.interval = progress_interval(&njoin->progress);
	walk_free(njoin->walk);
	njoin->walk = NULL;
	njoin->started = clock_seconds();
	status = walk_new(&njoin->walk, &njoin->set, settings, e);
	if (!status)
		status = walk_run(njoin->walk, e);
	progress_end(&njoin->progress);
	return status;
}

void njoin_report_summary(const struct njoin *njoin)
{
	char done[SIZE_TEXT_LENGTH], moved[SIZE_TEXT_LENGTH], rate[SIZE_TEXT_LENGTH];
	struct progress_figures f;

	njoin_walk_figures(njoin, &f);
	f.seconds = clock_seconds() - njoin->began;
	if (set_is_plain(&njoin->set)) {
		message("exported %s in %.2f s, %s/s", size_format(f.done, done), f.seconds,
			size_format(f.seconds > 0 ? (uint64_t)((double)f.done / f.seconds) : 0, rate));
		return;
	}
	message("%s %s in %.2f s, %s/s; %s read from %u member%s", size_format(f.done, done),
		njoin->options.mode == NJOIN_WRITE ? "joined" : "verified", f.seconds,
		size_format(f.seconds > 0 ? (uint64_t)((double)f.done / f.seconds) : 0, rate),
		size_format(f.moved, moved), njoin->set.count, plural(njoin->set.count));
}
