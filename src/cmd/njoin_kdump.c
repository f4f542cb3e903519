// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cmd/message.h"
#include "cmd/njoin_kdump.h"
#include "cmd/njoin_outputs.h"
#include "cmd/njoin_report.h"
#include "cmd/njoin_walk.h"
#include "export/kdump_split.h"
#include "export/missing.h"

enum { STEP_STACK = 512 * 1024 };

/* --- steps other than walks, which may take long, too ------------------------------------ */

struct step {
	struct njoin *njoin;
	enum status (*work)(struct njoin *njoin, struct error *e);
	enum status status;
	struct error error;
};

static void step_main(void *arg, unsigned number)
{
	struct step *step = arg;

	(void)number;
	step->status = step->work(step->njoin, &step->error);
}

/* No output is complete enough to be finished, so a request to stop ends the program at once. */
static void step_tick(void *arg)
{
	struct njoin *njoin = arg;
	enum request request;

	while ((request = signals_next(njoin->signal_fd, &njoin->stop))) {
		if (request == REQUEST_REPORT)
			continue;
		njoin_abandon_outputs(njoin);
		signals_raise(njoin->stop.latest);
	}
}

/* Runs a step in a thread, so that this one can read signals meanwhile. */
static enum status run_step(struct njoin *njoin,
			    enum status (*work)(struct njoin *njoin, struct error *e),
			    struct error *e)
{
	struct step step = { .njoin = njoin, .work = work };
	struct thread_pool pool = { .count = 1, .stack = STEP_STACK, .work = step_main,
				    .arg = &step };
	const struct watch watch = { .fd = njoin->signal_fd, .interval = 1, .tick = step_tick,
				     .arg = njoin };
	enum status status = thread_pool_run(&pool, &watch, e);

	if (!status && step.status)
		*e = step.error;
	return status ? status : step.status;
}

/* --- with --salvage, a first walk finds all damage ---------------------------------------- */

struct first_walk {
	struct njoin *njoin;
	struct missing_reported *missing;
};

static void first_unreadable(void *arg, uint64_t offset, uint64_t length)
{
	struct first_walk *walk = arg;

	njoin_report_unreadable(walk->njoin, offset, length);
	missing_report(walk->missing, offset, length);
}

static void first_damaged(void *arg, const struct error *e)
{
	struct first_walk *walk = arg;

	njoin_report_damage(walk->njoin, e);
}

/*
 * Ignores the bytes.  With a function that accepts them, both walks read duplicates in the same
 * cases: only to replace a damaged record.
 */
static enum status ignore_bytes(void *arg, const struct delivery *delivery, struct error *e)
{
	(void)arg;
	(void)delivery;
	(void)e;
	return STATUS_OK;
}

/*
 * The position of a page among the descriptors depends on all pages before it, so all missing pages
 * must be known before the first descriptor is written.
 */
static enum status walk_first(struct njoin *njoin, struct missing_reported *missing,
			      struct error *e)
{
	struct first_walk walk = { .njoin = njoin, .missing = missing };
	struct walk_settings settings = {
		.past_damage = true,
		.mode = WALK_BYTES,
		.deliver = ignore_bytes,
		.unreadable = first_unreadable,
		.damaged = first_damaged,
		.arg = &walk,
	};
	enum status status = njoin_walk(njoin, &settings, e);

	return status ? status : missing_reported_end(missing, njoin->walk, e);
}

/* With what is missing according to the indexes. */
static enum status open_export(struct njoin *njoin, struct error *e)
{
	struct range *missing = NULL;
	size_t count = 0;
	enum status status = missing_find(&njoin->set, &missing, &count, e);

	if (!status)
		status = kdump_export_open(&njoin->kdump, &njoin->set, missing, count, e);
	free(missing);
	return status;
}

/* Finds the pages again, after a walk that finds everything that is missing. */
static enum status find_all_missing(struct njoin *njoin, struct error *e)
{
	struct missing_reported missing;
	enum status status;

	missing_reported_init(&missing);
	status = walk_first(njoin, &missing, e);
	if (!status)
		status = kdump_export_find_pages(&njoin->kdump, missing.list.ranges,
						 missing.list.count, e);
	missing_reported_free(&missing);
	return status;
}

/*
 * Opens it with the indexes first: if the source is not a core or has too few pages for the number
 * of outputs, that is reported before a walk that may take hours.
 */
static enum status open_damaged(struct njoin *njoin, struct error *e)
{
	enum status status = run_step(njoin, open_export, e);

	if (!status)
		status = kdump_split_check(&njoin->kdump.pages, njoin->outputs_count, e);
	return status ? status : find_all_missing(njoin, e);
}

/* --- writing ------------------------------------------------------------------------------ */

/* The first walk has reported everything. */
static void ignore_damage(void *arg, const struct error *e)
{
	(void)arg;
	(void)e;
}

static void ignore_unreadable(void *arg, uint64_t offset, uint64_t length)
{
	(void)arg;
	(void)offset;
	(void)length;
}

static bool needs_all_blocks(void *arg, const struct record_reader *r)
{
	(void)arg;
	(void)r;
	return true;
}

static enum status begin_files(struct njoin *njoin, struct error *e)
{
	const struct njoin_options *o = &njoin->options;
	struct kdump_settings settings = {
		.outputs = njoin->outputs,
		.outputs_count = njoin->outputs_count,
		.codec = o->codec ? o->codec : &codec_lzo,
		.level = o->level,
		.threads = o->threads,
	};

	return kdump_export_begin(&njoin->kdump, &settings, e);
}

static enum status begin_again(struct njoin *njoin, struct error *e)
{
	enum status status = kdump_export_restart(&njoin->kdump, e);

	return status ? status : begin_files(njoin, e);
}

static enum status walk_plain(struct njoin *njoin, struct error *e)
{
	struct walk_settings settings = {
		.mode = WALK_RECORDS,
		.deliver_record = kdump_deliver_record,
		.needs_blocks = kdump_needs_blocks,
		.wants_record = kdump_wants_record,
		.deliver_arg = &njoin->kdump.writer,
		.unreadable = ignore_unreadable,
		.damaged = ignore_damage,
		.arg = njoin,
	};

	return njoin_walk(njoin, &settings, e);
}

/*
 * What is unreadable in a plain file is known only after reading it.  Nearly always that is nothing,
 * so the file is read once; if a page turns out to be unreadable, everything begins again.
 */
static enum status write_plain(struct njoin *njoin, struct error *e)
{
	enum status status = run_step(njoin, open_export, e);

	if (status)
		return status;
	status = run_step(njoin, begin_files, e);
	if (!status)
		status = walk_plain(njoin, e);
	if (status != STATUS_MISSING)
		return status;
	status = find_all_missing(njoin, e);
	if (!status)
		status = kdump_split_check(&njoin->kdump.pages, njoin->outputs_count, e);
	if (status)
		return status;
	status = run_step(njoin, begin_again, e);
	if (!status)
		status = walk_plain(njoin, e);
	return status == STATUS_MISSING ? error_suffix(e, ", although they could be read before; "
						       "copy the file to another disk first")
					: status;
}

static enum status write_set(struct njoin *njoin, struct error *e)
{
	bool salvage = njoin->options.salvage;
	struct walk_settings settings = {
		.past_damage = salvage,
		.mode = WALK_RECORDS,
		.deliver_record = kdump_deliver_record,
		/*
		 * The second walk must find the same damage as the first, so it decompresses every
		 * block, too.
		 */
		.needs_blocks = salvage ? needs_all_blocks : kdump_needs_blocks,
		.deliver_arg = &njoin->kdump.writer,
		.unreadable = salvage ? ignore_unreadable : njoin_report_unreadable,
		.damaged = salvage ? ignore_damage : njoin_report_damage,
		.arg = njoin,
	};
	enum status status = salvage ? open_damaged(njoin, e) : run_step(njoin, open_export, e);

	if (!status)
		status = run_step(njoin, begin_files, e);
	return status ? status : njoin_walk(njoin, &settings, e);
}

enum status njoin_write_kdump(struct njoin *njoin, struct error *e)
{
	return set_is_plain(&njoin->set) ? write_plain(njoin, e) : write_set(njoin, e);
}

void njoin_report_lost_pages(const struct njoin *njoin)
{
	const struct core *core = &njoin->kdump.source.core;
	uint64_t lost = njoin->kdump.pages.lost, end = core_segments_end(core);

	if (set_is_plain(&njoin->set) && end > core->bytes.size)
		message("%s: cut short: it ends at byte %" PRIu64 ", but its segments at byte %" PRIu64,
			njoin->set.members->name, core->bytes.size, end);
	if (lost)
		message("left out: %" PRIu64 " missing page%s of %" PRIu32 " bytes", lost,
			lost == 1 ? "" : "s", njoin->kdump.pages.page_size);
}
