// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "cmd/common/members.h"
#include "cmd/njoin/dump.h"
#include "cmd/njoin/free_space.h"
#include "cmd/njoin/join.h"
#include "cmd/njoin/kdump.h"
#include "cmd/njoin/missing.h"
#include "cmd/njoin/roots.h"
#include "export/copy.h"
#include "set/dump.h"

/*
 * Opening a pipe may wait long for its reader, and any signal may end the program meanwhile.  Once
 * there is a file to remove, none may.
 */
static enum status open_outputs_and_signals(struct njoin_run *run, struct error *e)
{
	bool seekable = njoin_seekable(&run->outputs);
	enum status status = STATUS_OK;

	signals_prepare();
	if (!seekable)
		status = njoin_open_outputs(&run->outputs, e);
	if (!status)
		status = signals_open(&run->signal_fd, e);
	if (!status && seekable)
		status = njoin_open_outputs(&run->outputs, e);
	return status;
}

static enum status walk_set(struct njoin *njoin, struct error *e)
{
	const struct njoin_options *o = &njoin->options;
	bool writes = o->mode == NJOIN_WRITE;
	struct copy copy = { .output = njoin->run.outputs.files, .from = njoin->input.from };
	struct walk_settings settings = {
		.ordered = writes && !njoin_seekable(&njoin->run.outputs),
		/* --verify reports all damage, not only the first. */
		.past_damage = o->salvage || !writes,
		.mode = writes ? WALK_BYTES : WALK_CHECK,
		.roots = njoin->roots,
		.deliver = copy_deliver,
		.deliver_arg = &copy,
		.unreadable = njoin_report_unreadable,
		.damaged = njoin_report_damage,
		.unfinished = o->salvage ? NULL : members_report_unfinished,
		.arg = &njoin->findings,
	};

	if (njoin->findings.dump)
		return njoin_walk_dump(njoin, &settings, e);
	return njoin_run_walk(&njoin->run, &settings, e);
}

static bool checks_roots(const struct njoin *njoin)
{
	return njoin->options.mode == NJOIN_VERIFY && !njoin->findings.dump;
}

static enum status write_or_verify(struct njoin *njoin, struct error *e)
{
	const struct njoin_options *o = &njoin->options;
	struct njoin_outputs *outputs = &njoin->run.outputs;
	enum status status = njoin_probe_outputs(outputs, o, &njoin->input.set, e);

	/* Signals keep their default action meanwhile, since nothing has been written yet. */
	if (!status && njoin_must_be_complete(njoin)) {
		status = njoin_find_absent(njoin, e);
		if (!status && njoin_is_incomplete(njoin))
			return STATUS_OK;
	}
	if (!status)
		status = njoin_refuse_left_out(njoin, e);
	if (!status && checks_roots(njoin))
		status = roots_new(&njoin->roots, &njoin->input.set, e);
	if (!status)
		status = open_outputs_and_signals(&njoin->run, e);
	if (!status)
		status = njoin_check_free_space(outputs, o, &njoin->input, e);
	if (status)
		return status;
	njoin_report_little_space(outputs, o, &njoin->input);
	return o->format == NJOIN_KDUMP ? njoin_write_kdump(njoin, e) : walk_set(njoin, e);
}

static enum status clear_holes(void *arg, struct error *e)
{
	const struct njoin_run *run = arg;
	uint64_t from = run->input->from, offset = from, length;
	enum status status = STATUS_OK;

	for (; walk_hole(run->walk, &offset, &length) && !status; offset += length)
		status = output_file_write_zeros(run->outputs.files, offset - from, length, e);
	return status;
}

static enum status finish_source(void *arg, struct error *e)
{
	const struct njoin_run *run = arg;
	const struct njoin_input *in = run->input;
	uint64_t to = min_u64(in->to, in->set.source_size);

	return output_file_finish(run->outputs.files, to > in->from ? to - in->from : 0, e);
}

static enum status finish_kdump(void *arg, struct error *e)
{
	return kdump_export_end(arg, e);
}

static enum status finish_outputs(struct njoin *njoin, struct error *e)
{
	struct njoin_run *run = &njoin->run;
	enum status status = STATUS_OK;

	if (njoin->options.mode != NJOIN_WRITE)
		return STATUS_OK;
	if (njoin->options.format == NJOIN_KDUMP)
		return njoin_run_sync(run, finish_kdump, &njoin->kdump, e);
	/* A device holds old data where nothing was written; a new file and a stream do not. */
	if (run->outputs.files->kind == OUTPUT_DEVICE)
		status = njoin_run_step(run, clear_holes, run, e);
	return status ? status : njoin_run_sync(run, finish_source, run, e);
}

static void report_summary(const struct njoin *njoin)
{
	const struct njoin_findings *found = &njoin->findings;
	/* All 0 unless a kdump-compressed file was written. */
	const struct pages *p = &njoin->kdump.pages;
	struct njoin_pages pages = { .written = p->count * p->page_size, .missing = p->lost * p->page_size };

	if (found->dump_pages)
		pages.missing = found->dump_pages * found->dump->page_size;
	njoin_report_summary(&njoin->run, &pages);
}

/* Without --salvage, the set is complete here. */
static enum njoin_finding finish(struct njoin *njoin, bool incomplete)
{
	const struct njoin_findings *found = &njoin->findings;
	struct njoin_run *run = &njoin->run;
	struct error e;

	if (finish_outputs(njoin, &e)) {
		enum njoin_finding failed = njoin_failed(&e);

		/* That came while they were being synced. */
		if (run->stop.signal)
			njoin_die(run);
		return failed;
	}
	njoin_report_pages(njoin);
	if (run->progress.shown)
		report_summary(njoin);
	if (run->stop.signal) {
		message("nothing was left to write when the signal came; everything is kept");
		njoin_die(run);
	}
	if (incomplete || found->damage.count)
		return FOUND_INCOMPLETE;
	if (found->dump && (!dump_is_intact(found->dump) || found->dump->erased_lost))
		return FOUND_UNREADABLE;
	return found->unreadable.count || njoin->kdump.pages.lost ? FOUND_UNREADABLE : FOUND_PERFECT;
}

static void report_left_out(const struct njoin *njoin)
{
	const struct walk *walk = njoin->run.walk;
	const struct layer_totals *totals = walk ? walk_totals(walk) : NULL;
	char text[CLASS_AMOUNTS_LENGTH];

	if (totals && set_has_layers(&njoin->input.set) && !njoin->options.quiet &&
	    class_amounts_format(totals->memory.left_out, text))
		message("left out when captured: %s", text);
}

enum njoin_finding njoin_join(struct njoin *njoin)
{
	const struct set *set = &njoin->input.set;
	bool salvage = njoin->options.salvage;
	/*
	 * The indexes of a stream come last, those of layers say it only of some records, and
	 * salvage may find more damage than they show.
	 */
	bool indexed = !set->has_stream && !set_has_layers(set);
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
		njoin_die(&njoin->run);
	njoin_report_more_unreadable(&njoin->findings);
	if (!status)
		report_left_out(njoin);
	/* The size of a stream is known now. */
	if (!status && !salvage)
		status = njoin_check_range(&njoin->input, &njoin->options, &e);
	if (status)
		return njoin_failed(&e);
	if (checks_roots(njoin))
		njoin_report_roots(&njoin->findings, set, njoin->roots, njoin->options.quiet);
	if (!reported && njoin_is_incomplete(njoin)) {
		njoin_report_missing(njoin);
		incomplete = true;
	}
	if (!salvage && (incomplete || njoin->findings.damage.count))
		return FOUND_INCOMPLETE;
	if (njoin_check_range(&njoin->input, &njoin->options, &e)) {
		message("%s", e.text);
		incomplete = true;
	}
	return finish(njoin, incomplete);
}
