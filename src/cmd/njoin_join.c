// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "cmd/members.h"
#include "cmd/njoin_exit.h"
#include "cmd/njoin_free_space.h"
#include "cmd/njoin_join.h"
#include "cmd/njoin_kdump.h"
#include "cmd/njoin_layers.h"
#include "cmd/njoin_outputs.h"
#include "cmd/njoin_report.h"
#include "cmd/njoin_set.h"
#include "cmd/njoin_step.h"
#include "cmd/njoin_walk.h"

/*
 * Opening a pipe may wait long for its reader, and any signal may end the program meanwhile.  Once
 * there is a file to remove, none may.
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

static enum status walk_set(struct njoin *njoin, struct error *e)
{
	const struct njoin_options *o = &njoin->options;
	bool writes = o->mode == NJOIN_WRITE;
	struct walk_settings settings = {
		.ordered = writes && !njoin_seekable(njoin),
		/* --verify reports all damage, not only the first. */
		.past_damage = o->salvage || !writes,
		.mode = writes ? WALK_BYTES : WALK_CHECK,
		.deliver = copy_deliver,
		.deliver_arg = &njoin->copy,
		.unreadable = njoin_report_unreadable,
		.damaged = njoin_report_damage,
		.unfinished = o->salvage ? NULL : members_report_unfinished,
		.arg = njoin,
	};

	njoin->copy = (struct copy){ .output = njoin->outputs, .from = njoin->from };
	return njoin_walk(njoin, &settings, e);
}

static enum status write_or_verify(struct njoin *njoin, struct error *e)
{
	enum status status = njoin_probe_outputs(njoin, e);

	/* Signals keep their default action meanwhile, since nothing has been written yet. */
	if (!status && njoin_must_be_complete(njoin)) {
		status = njoin_find_absent(njoin, e);
		if (!status && njoin_is_incomplete(njoin))
			return STATUS_OK;
	}
	if (!status)
		status = njoin_refuse_left_out(njoin, e);
	if (!status)
		status = open_outputs_and_signals(njoin, e);
	if (!status)
		status = njoin_check_free_space(njoin, e);
	if (status)
		return status;
	njoin_report_little_space(njoin);
	return njoin->options.format == NJOIN_KDUMP ? njoin_write_kdump(njoin, e)
						    : walk_set(njoin, e);
}

static enum status clear_holes(struct njoin *njoin, struct error *e)
{
	struct output_file *output = njoin->outputs;
	uint64_t offset = njoin->from, length;
	enum status status = STATUS_OK;

	for (; walk_hole(njoin->walk, &offset, &length) && !status; offset += length)
		status = output_file_write_zeros(output, offset - njoin->from, length, e);
	return status;
}

static enum status finish_source(struct njoin *njoin, struct error *e)
{
	uint64_t to = min_u64(njoin->to, njoin->set.source_size);
	uint64_t size = to > njoin->from ? to - njoin->from : 0;

	return output_file_finish(njoin->outputs, size, e);
}

static enum status finish_kdump(struct njoin *njoin, struct error *e)
{
	return kdump_export_end(&njoin->kdump, e);
}

static enum status finish_outputs(struct njoin *njoin, struct error *e)
{
	enum status status = STATUS_OK;

	if (njoin->options.mode != NJOIN_WRITE)
		return STATUS_OK;
	if (njoin->options.format == NJOIN_KDUMP)
		return njoin_run_sync(njoin, finish_kdump, e);
	/* A device holds old data where nothing was written; a new file and a stream do not. */
	if (njoin->outputs->kind == OUTPUT_DEVICE)
		status = njoin_run_step(njoin, clear_holes, e);
	return status ? status : njoin_run_sync(njoin, finish_source, e);
}

/* Without --salvage, the set is complete here. */
static enum njoin_finding finish(struct njoin *njoin, bool incomplete)
{
	struct error e;

	if (finish_outputs(njoin, &e)) {
		enum njoin_finding found = njoin_failed(&e);

		/* That came while they were being synced. */
		if (njoin->stop.signal)
			njoin_die(njoin);
		return found;
	}
	njoin_report_pages(njoin);
	if (njoin->progress.shown)
		njoin_report_summary(njoin);
	if (njoin->stop.signal) {
		message("nothing was left to write when the signal came; everything is kept");
		njoin_die(njoin);
	}
	if (incomplete || njoin->damage.count)
		return FOUND_INCOMPLETE;
	return njoin->unreadable.count || njoin->kdump.pages.lost ? FOUND_UNREADABLE : FOUND_PERFECT;
}

enum njoin_finding njoin_join(struct njoin *njoin)
{
	bool salvage = njoin->options.salvage;
	/*
	 * The indexes of a stream come last, those of layers say it only of some records, and
	 * salvage may find more damage than they show.
	 */
	bool indexed = !njoin->set.has_stream && !set_has_layers(&njoin->set);
	bool incomplete = !salvage && indexed && njoin_is_incomplete(njoin);
	bool reported = incomplete;
	struct error e;
	enum status status;

	if (incomplete)
		njoin_report_missing(njoin);
	if (incomplete && njoin->options.mode == NJOIN_WRITE)
		return FOUND_INCOMPLETE;
	status = write_or_verify(njoin, &e);
	if (status == STATUS_STOPPED)
		njoin_die(njoin);
	njoin_report_more_unreadable(njoin);
	if (!status && njoin->walk)
		njoin_report_layers(njoin);
	/* The size of a stream is known now. */
	if (!status && !salvage)
		status = njoin_check_range(njoin, &e);
	if (status)
		return njoin_failed(&e);
	if (!reported && njoin_is_incomplete(njoin)) {
		njoin_report_missing(njoin);
		incomplete = true;
	}
	if (!salvage && (incomplete || njoin->damage.count))
		return FOUND_INCOMPLETE;
	if (njoin_check_range(njoin, &e)) {
		message("%s", e.text);
		incomplete = true;
	}
	return finish(njoin, incomplete);
}
