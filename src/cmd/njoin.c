// SPDX-License-Identifier: GPL-2.0-or-later
/* njoin: put together what nsplit captured. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/signals.h"
#include "base/size.h"
#include "cmd/members.h"
#include "cmd/message.h"
#include "cmd/njoin_dmesg.h"
#include "cmd/njoin_info.h"
#include "cmd/njoin_kdump.h"
#include "cmd/njoin_outputs.h"
#include "cmd/njoin_list.h"
#include "cmd/njoin_room.h"
#include "cmd/njoin_run.h"

void njoin_tell_unreadable(void *arg, uint64_t offset, uint64_t length)
{
	struct run *run = arg;

	if (run->unreadable++ < RANGES_TOLD || run->options.verbose)
		message("unreadable when it was captured: bytes %" PRIu64 " to %" PRIu64, offset,
			offset + length - 1);
}

/* After the walk that listed the first of them. */
static void tell_more_unreadable(const struct run *run)
{
	unsigned more = run->unreadable > RANGES_TOLD ? run->unreadable - RANGES_TOLD : 0;

	if (more && !run->options.verbose)
		message("unreadable when it was captured: %u more range%s", more,
			more == 1 ? "" : "s");
}

static void current_figures(const struct run *run, struct progress_figures *figures)
{
	uint64_t done, read;

	walk_progress(run->walk, &done, &read);
	*figures = (struct progress_figures){
		.done = done,
		.total = UINT64_MAX,
		.moved = read,
		.verb = "read",
		.seconds = clock_seconds() - run->started,
	};
	if (!run->set.has_stream)
		figures->total = max_u64(done, run->to - run->from);
}

static void on_signal(struct run *run, int signal)
{
	struct progress_figures figures;

	if (!signal_asks_to_stop(signal)) {
		current_figures(run, &figures);
		progress_now(&figures);
		return;
	}
	stop_ask(&run->stop, signal);
	/* Asked twice, or a stream may never take more: what is unfinished goes now. */
	if (run->stop.twice || !njoin_seekable(run)) {
		njoin_abandon_outputs(run);
		signals_raise(signal);
	}
	walk_stop(run->walk);
}

static void tick(void *arg)
{
	struct run *run = arg;
	struct progress_figures figures;
	int signal;

	while ((signal = signals_next(run->signal_fd)))
		on_signal(run, signal);
	current_figures(run, &figures);
	progress_tick(&run->progress, &figures);
}

/*
 * A pipe may wait long for its reader, and meanwhile any signal may end the program; once
 * there is a file to clear away, none may.
 */
static enum status open_outputs_and_signals(struct run *run, struct error *e)
{
	enum status status = STATUS_OK;

	signals_prepare();
	if (!njoin_seekable(run))
		status = njoin_open_outputs(run, e);
	if (!status)
		status = signals_open(&run->signal_fd, e);
	if (!status && njoin_seekable(run))
		status = njoin_open_outputs(run, e);
	return status;
}

enum status njoin_walk(struct run *run, struct walk_settings *settings, struct error *e)
{
	enum status status;

	settings->threads = run->options.threads;
	settings->from = run->from;
	settings->to = run->to;
	settings->watch = (struct watch){ .fd = run->signal_fd, .tick = tick, .arg = run };
	progress_init(&run->progress, run->options.progress, run->options.quiet);
	settings->watch.interval = progress_interval(&run->progress);
	walk_free(run->walk);
	run->walk = NULL;
	run->started = clock_seconds();
	status = walk_new(&run->walk, &run->set, settings, e);
	if (!status)
		status = walk_run(run->walk, e);
	progress_end(&run->progress);
	return status;
}

static enum status walk_set(struct run *run, struct error *e)
{
	const struct njoin_options *o = &run->options;
	bool writes = o->mode == NJOIN_WRITE;
	struct walk_settings settings = {
		.ordered = writes && !njoin_seekable(run),
		/* A check tells of all damage, not of the first. */
		.past_damage = o->salvage || !writes,
		.deliver = writes ? copy_deliver : NULL,
		.deliver_arg = &run->copy,
		.unreadable = njoin_tell_unreadable,
		.damaged = njoin_warn,
		.arg = run,
	};

	run->copy = (struct copy){ .output = run->outputs, .from = run->from };
	return njoin_walk(run, &settings, e);
}

static void summarize(const struct run *run)
{
	char done[SIZE_TEXT_LENGTH], moved[SIZE_TEXT_LENGTH], rate[SIZE_TEXT_LENGTH];
	struct progress_figures f;

	current_figures(run, &f);
	message("%s %s in %.2f s, %s/s; %s read from %u member%s", size_format(f.done, done),
		run->options.mode == NJOIN_WRITE ? "put together" : "verified", f.seconds,
		size_format(f.seconds > 0 ? (uint64_t)((double)f.done / f.seconds) : 0, rate),
		size_format(f.moved, moved), run->set.count, run->set.count == 1 ? "" : "s");
}

static int failed(const struct error *e)
{
	message("%s", e->text);
	return e->status == STATUS_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

/* A device holds something else where nothing was written; a new file and a stream do not. */
static enum status clear_holes(struct run *run, struct error *e)
{
	struct output *output = run->outputs;
	uint64_t offset = run->from, length;
	enum status status = STATUS_OK;

	if (!output->seekable || output->target)
		return STATUS_OK;
	for (; walk_hole(run->walk, &offset, &length) && !status; offset += length)
		status = output_write(output, offset - run->from, NULL, length, e);
	return status;
}

static enum status finish_outputs(struct run *run, struct error *e)
{
	uint64_t to = min_u64(run->to, run->set.source_size);
	uint64_t size = to > run->from ? to - run->from : 0;
	enum status status;

	if (run->options.mode != NJOIN_WRITE)
		return STATUS_OK;
	if (run->options.format == NJOIN_KDUMP)
		return kdump_export_end(&run->kdump, e);
	status = clear_holes(run, e);
	return status ? status : output_finish(run->outputs, size, e);
}

/* What was walked is whole, or --salvage said that it need not be. */
static int finish(struct run *run, bool incomplete)
{
	struct error e;

	if (finish_outputs(run, &e))
		return failed(&e);
	incomplete |= njoin_tell_lost_pages(run);
	if (run->progress.shown)
		summarize(run);
	return incomplete || run->unreadable ? EXIT_INCOMPLETE : EXIT_PERFECT;
}

static int join(struct run *run)
{
	bool strict = !run->options.salvage, incomplete = false;
	struct error e;
	enum status status;

	if (strict && !run->set.has_stream)
		incomplete = njoin_survey(run);
	if (incomplete && run->options.mode == NJOIN_WRITE)
		return EXIT_FAILED;
	status = njoin_probe_outputs(run, &e);
	if (!status)
		status = open_outputs_and_signals(run, &e);
	if (!status)
		status = njoin_check_room(run, &e);
	if (!status)
		status = run->options.format == NJOIN_KDUMP ? njoin_write_kdump(run, &e)
							    : walk_set(run, &e);
	if (status == STATUS_STOPPED) {
		njoin_free_outputs(run);
		message_settle();
		signals_raise(run->stop.signal);
	}
	tell_more_unreadable(run);
	if (!status && strict)
		status = njoin_check_range(run, &e);
	if (status)
		return failed(&e);
	/* What was told before the walk is not told again. */
	if (!incomplete && (run->set.has_stream || !strict || run->damaged))
		incomplete = njoin_survey(run);
	if (strict && (incomplete || run->damaged))
		return EXIT_FAILED;
	if (njoin_check_range(run, &e)) {
		message("%s", e.text);
		incomplete = true;
	}
	return finish(run, incomplete || run->damaged);
}

/*
 * One thread does it all, and while it waits for the reader of a stream it looks at nothing else:
 * there any signal may end the program, since nothing is to be cleared away.
 */
static enum status open_log_output(struct run *run, struct error *e)
{
	enum status status = STATUS_OK;

	signals_prepare();
	if (njoin_seekable(run))
		status = signals_open(&run->signal_fd, e);
	return status ? status : njoin_open_outputs(run, e);
}

/* What was looked for in the core is not there: a member that was not given may have it. */
static int not_found(const struct run *run, const struct error *e)
{
	int status = failed(e);

	if (e->status == STATUS_MISSING)
		members_tell_missing(&run->set);
	return status;
}

static int dmesg(struct run *run)
{
	struct error e, lost = { 0 };
	enum status status = njoin_probe_outputs(run, &e);

	if (!status && run->outputs_count)
		status = open_log_output(run, &e);
	if (!status)
		status = dmesg_write(run, &lost, &e);
	if (status == STATUS_STOPPED) {
		njoin_free_outputs(run);
		message_settle();
		signals_raise(run->stop.signal);
	}
	/* Standard output took no more, which is told at the end. */
	if (status == STATUS_END)
		return EXIT_FAILED;
	if (status)
		return not_found(run, &e);
	if (lost.status)
		not_found(run, &lost);
	return lost.status || run->damaged ? EXIT_INCOMPLETE : EXIT_PERFECT;
}

static int list(struct run *run)
{
	bool complete;
	struct error e;

	if (list_print(&run->set, run->options.json, &complete, &e))
		return not_found(run, &e);
	return complete && !run->damaged ? EXIT_PERFECT : EXIT_INCOMPLETE;
}

static int info(struct run *run)
{
	return info_print(&run->set, run->options.json) && !run->damaged ? EXIT_PERFECT
									 : EXIT_INCOMPLETE;
}

static int run_all(struct run *run)
{
	enum njoin_mode mode = run->options.mode;
	struct error e;

	run->search = run->options.salvage;
	/* What is known of a damaged set is worth telling, too. */
	run->options.salvage |= mode == NJOIN_INFO || mode == NJOIN_LIST;
	if (njoin_open_set(run, &e))
		return failed(&e);
	if (run->set.has_stream && run->options.format == NJOIN_KDUMP) {
		message("--format=kdump needs members that can be read anywhere, not streams");
		return EXIT_USAGE;
	}
	if (mode == NJOIN_WRITE || mode == NJOIN_VERIFY)
		return join(run);
	if (run->set.has_stream) {
		message("--%s needs members that can be read anywhere, not streams",
			njoin_mode_name(mode));
		return EXIT_USAGE;
	}
	if (mode == NJOIN_INFO)
		return info(run);
	return mode == NJOIN_LIST ? list(run) : dmesg(run);
}

int main(int argc, char **argv)
{
	struct run run = { .signal_fd = -1 };
	int status;

	message_open_standard();
	signals_hold_requests();
	status = njoin_options_read(&run.options, argc, argv);
	if (status == OPTIONS_READ) {
		message_begin(true);
		status = run_all(&run);
	}
	walk_free(run.walk);
	kdump_export_free(&run.kdump);
	njoin_free_outputs(&run);
	set_close(&run.set);
	if (run.signal_fd >= 0)
		close(run.signal_fd);
	njoin_options_free(&run.options);
	status = message_close_output(status);
	message_end();
	return status;
}
