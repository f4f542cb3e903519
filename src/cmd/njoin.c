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
#include "cmd/njoin_free_space.h"
#include "cmd/njoin.h"

void njoin_report_unreadable(void *arg, uint64_t offset, uint64_t length)
{
	struct njoin *njoin = arg;

	if (njoin->unreadable++ < RANGES_TOLD || njoin->options.verbose)
		message("unreadable when it was captured: bytes %" PRIu64 " to %" PRIu64, offset,
			offset + length - 1);
}

/* After the walk that listed the first of them. */
static void report_more_unreadable(const struct njoin *njoin)
{
	unsigned more = njoin->unreadable > RANGES_TOLD ? njoin->unreadable - RANGES_TOLD : 0;

	if (more && !njoin->options.verbose)
		message("unreadable when it was captured: %u more range%s", more,
			more == 1 ? "" : "s");
}

static void current_figures(const struct njoin *njoin, struct progress_figures *figures)
{
	uint64_t done, read;

	walk_progress(njoin->walk, &done, &read);
	*figures = (struct progress_figures){
		.done = done,
		.total = UINT64_MAX,
		.moved = read,
		.verb = "read",
		.seconds = clock_seconds() - njoin->started,
	};
	if (!njoin->set.has_stream)
		figures->total = max_u64(done, njoin->to - njoin->from);
}

static void on_request(struct njoin *njoin, enum request request)
{
	struct progress_figures figures;

	if (request == REQUEST_REPORT) {
		current_figures(njoin, &figures);
		progress_now(&figures);
		return;
	}
	/* Asked twice, or a stream may never take more: what is unfinished goes now. */
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
	current_figures(njoin, &figures);
	progress_tick(&njoin->progress, &figures);
}

/*
 * A pipe may wait long for its reader, and meanwhile any signal may end the program; once
 * there is a file to clear away, none may.
 */
static enum status open_outputs_and_signals(struct njoin *njoin, struct error *e)
{
	enum status status = STATUS_OK;

	signals_prepare();
	if (!njoin_seekable(njoin))
		status = njoin_open_outputs(njoin, e);
	if (!status)
		status = signals_open(&njoin->signal_fd, e);
	if (!status && njoin_seekable(njoin))
		status = njoin_open_outputs(njoin, e);
	return status;
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

static enum status walk_set(struct njoin *njoin, struct error *e)
{
	const struct njoin_options *o = &njoin->options;
	bool writes = o->mode == NJOIN_WRITE;
	struct walk_settings settings = {
		.ordered = writes && !njoin_seekable(njoin),
		/* A check tells of all damage, not of the first. */
		.past_damage = o->salvage || !writes,
		.deliver = writes ? copy_deliver : NULL,
		.deliver_arg = &njoin->copy,
		.unreadable = njoin_report_unreadable,
		.damaged = njoin_warn,
		.arg = njoin,
	};

	njoin->copy = (struct copy){ .output = njoin->outputs, .from = njoin->from };
	return njoin_walk(njoin, &settings, e);
}

static void summarize(const struct njoin *njoin)
{
	char done[SIZE_TEXT_LENGTH], moved[SIZE_TEXT_LENGTH], rate[SIZE_TEXT_LENGTH];
	struct progress_figures f;

	current_figures(njoin, &f);
	message("%s %s in %.2f s, %s/s; %s read from %u member%s", size_format(f.done, done),
		njoin->options.mode == NJOIN_WRITE ? "put together" : "verified", f.seconds,
		size_format(f.seconds > 0 ? (uint64_t)((double)f.done / f.seconds) : 0, rate),
		size_format(f.moved, moved), njoin->set.count, njoin->set.count == 1 ? "" : "s");
}

static int failed(const struct error *e)
{
	message("%s", e->text);
	return e->status == STATUS_USAGE ? EXIT_USAGE : EXIT_FAILED;
}

/* A device holds something else where nothing was written; a new file and a stream do not. */
static enum status clear_holes(struct njoin *njoin, struct error *e)
{
	struct output_file *output = njoin->outputs;
	uint64_t offset = njoin->from, length;
	enum status status = STATUS_OK;

	if (!output->seekable || output->target)
		return STATUS_OK;
	for (; walk_hole(njoin->walk, &offset, &length) && !status; offset += length)
		status = output_file_write(output, offset - njoin->from, NULL, length, e);
	return status;
}

static enum status finish_outputs(struct njoin *njoin, struct error *e)
{
	uint64_t to = min_u64(njoin->to, njoin->set.source_size);
	uint64_t size = to > njoin->from ? to - njoin->from : 0;
	enum status status;

	if (njoin->options.mode != NJOIN_WRITE)
		return STATUS_OK;
	if (njoin->options.format == NJOIN_KDUMP)
		return kdump_export_end(&njoin->kdump, e);
	status = clear_holes(njoin, e);
	return status ? status : output_file_finish(njoin->outputs, size, e);
}

/* What was walked is whole, or --salvage said that it need not be. */
static int finish(struct njoin *njoin, bool incomplete)
{
	struct error e;

	if (finish_outputs(njoin, &e))
		return failed(&e);
	incomplete |= njoin_report_lost_pages(njoin);
	if (njoin->progress.shown)
		summarize(njoin);
	return incomplete || njoin->unreadable ? EXIT_INCOMPLETE : EXIT_PERFECT;
}

static int join(struct njoin *njoin)
{
	bool strict = !njoin->options.salvage, incomplete = false;
	struct error e;
	enum status status;

	if (strict && !njoin->set.has_stream)
		incomplete = njoin_survey(njoin);
	if (incomplete && njoin->options.mode == NJOIN_WRITE)
		return EXIT_FAILED;
	status = njoin_probe_outputs(njoin, &e);
	if (!status)
		status = open_outputs_and_signals(njoin, &e);
	if (!status)
		status = njoin_check_free_space(njoin, &e);
	if (!status)
		status = njoin->options.format == NJOIN_KDUMP ? njoin_write_kdump(njoin, &e)
							    : walk_set(njoin, &e);
	if (status == STATUS_STOPPED) {
		njoin_free_outputs(njoin);
		message_settle();
		signals_raise(njoin->stop.signal);
	}
	report_more_unreadable(njoin);
	if (!status && strict)
		status = njoin_check_range(njoin, &e);
	if (status)
		return failed(&e);
	/* What was told before the walk is not told again. */
	if (!incomplete && (njoin->set.has_stream || !strict || njoin->damaged))
		incomplete = njoin_survey(njoin);
	if (strict && (incomplete || njoin->damaged))
		return EXIT_FAILED;
	if (njoin_check_range(njoin, &e)) {
		message("%s", e.text);
		incomplete = true;
	}
	return finish(njoin, incomplete || njoin->damaged);
}

/*
 * One thread does it all, and while it waits for the reader of a stream it looks at nothing else:
 * there any signal may end the program, since nothing is to be cleared away.
 */
static enum status open_log_output(struct njoin *njoin, struct error *e)
{
	enum status status = STATUS_OK;

	signals_prepare();
	if (njoin_seekable(njoin))
		status = signals_open(&njoin->signal_fd, e);
	return status ? status : njoin_open_outputs(njoin, e);
}

/* What was looked for in the core is not there: a member that was not given may have it. */
static int not_found(const struct njoin *njoin, const struct error *e)
{
	int status = failed(e);

	if (e->status == STATUS_MISSING)
		members_report_missing(&njoin->set);
	return status;
}

static int dmesg(struct njoin *njoin)
{
	struct error e, lost = { 0 };
	enum status status = njoin_probe_outputs(njoin, &e);

	if (!status && njoin->outputs_count)
		status = open_log_output(njoin, &e);
	if (!status)
		status = dmesg_write(njoin, &lost, &e);
	if (status == STATUS_STOPPED) {
		njoin_free_outputs(njoin);
		message_settle();
		signals_raise(njoin->stop.signal);
	}
	/* Standard output took no more, which is told at the end. */
	if (status == STATUS_END)
		return EXIT_FAILED;
	if (status)
		return not_found(njoin, &e);
	if (lost.status)
		not_found(njoin, &lost);
	return lost.status || njoin->damaged ? EXIT_INCOMPLETE : EXIT_PERFECT;
}

static int list(struct njoin *njoin)
{
	bool complete;
	struct error e;

	if (list_print(&njoin->set, njoin->options.json, &complete, &e))
		return not_found(njoin, &e);
	return complete && !njoin->damaged ? EXIT_PERFECT : EXIT_INCOMPLETE;
}

static int info(struct njoin *njoin)
{
	return info_print(&njoin->set, njoin->options.json) && !njoin->damaged ? EXIT_PERFECT
									 : EXIT_INCOMPLETE;
}

static int run_all(struct njoin *njoin)
{
	enum njoin_mode mode = njoin->options.mode;
	struct error e;

	njoin->search = njoin->options.salvage;
	/* What is known of a damaged set is worth telling, too. */
	njoin->options.salvage |= mode == NJOIN_INFO || mode == NJOIN_LIST;
	if (njoin_open_set(njoin, &e))
		return failed(&e);
	if (njoin->set.has_stream && njoin->options.format == NJOIN_KDUMP) {
		message("--format=kdump needs members that can be read anywhere, not streams");
		return EXIT_USAGE;
	}
	if (mode == NJOIN_WRITE || mode == NJOIN_VERIFY)
		return join(njoin);
	if (njoin->set.has_stream) {
		message("--%s needs members that can be read anywhere, not streams",
			njoin_mode_name(mode));
		return EXIT_USAGE;
	}
	if (mode == NJOIN_INFO)
		return info(njoin);
	return mode == NJOIN_LIST ? list(njoin) : dmesg(njoin);
}

int main(int argc, char **argv)
{
	struct njoin njoin = { .signal_fd = -1 };
	int status;

	message_open_standard();
	signals_hold_requests();
	status = njoin_options_read(&njoin.options, argc, argv);
	if (status == OPTIONS_READ) {
		message_begin(true);
		status = run_all(&njoin);
	}
	walk_free(njoin.walk);
	kdump_export_free(&njoin.kdump);
	njoin_free_outputs(&njoin);
	set_close(&njoin.set);
	if (njoin.signal_fd >= 0)
		close(njoin.signal_fd);
	njoin_options_free(&njoin.options);
	status = message_close_output(status);
	message_end();
	return status;
}
