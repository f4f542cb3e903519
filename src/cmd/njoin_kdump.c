// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cmd/message.h"
#include "cmd/njoin_kdump.h"
#include "cmd/njoin_outputs.h"
#include "export/kdump_split.h"
#include "export/missing.h"

enum { ASIDE_STACK = 512 * 1024 };

/* --- what is no walk, and may take long all the same --------------------------------- */

struct aside {
	struct njoin *njoin;
	enum status (*work)(struct njoin *njoin, struct error *e);
	enum status status;
	struct error *e;
};

static void work_aside(void *arg, unsigned number)
{
	struct aside *a = arg;

	(void)number;
	a->status = a->work(a->njoin, a->e);
}

/* There is nothing yet that could be made whole: what asks to stop ends the program. */
static void tick_aside(void *arg)
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

/* In a thread of its own, so that signals are heard meanwhile. */
static enum status do_aside(struct njoin *njoin, enum status (*work)(struct njoin *, struct error *),
			    struct error *e)
{
	struct error why = { 0 };
	struct aside aside = { .njoin = njoin, .work = work, .e = &why };
	struct thread_pool pool = { .count = 1, .stack = ASIDE_STACK, .work = work_aside, .arg = &aside };
	const struct watch watch = { .fd = njoin->signal_fd, .interval = 1, .tick = tick_aside,
				     .arg = njoin };
	enum status status = thread_pool_run(&pool, &watch, e);

	if (!status && aside.status)
		*e = why;
	return status ? status : aside.status;
}

/* --- the steps ------------------------------------------------------------------------ */

static void already_reported(void *arg, const struct error *e)
{
	(void)arg;
	(void)e;
}

static void unreadable_already(void *arg, uint64_t offset, uint64_t length)
{
	(void)arg;
	(void)offset;
	(void)length;
}

static bool needs_all(void *arg, const struct record_reader *r)
{
	(void)arg;
	(void)r;
	return true;
}

/* What a check of the set finds is told, and kept. */
struct check {
	struct njoin *njoin;
	struct missing_reported *told;
};

static void unreadable(void *arg, uint64_t offset, uint64_t length)
{
	struct check *check = arg;

	njoin_report_unreadable(check->njoin, offset, length);
	missing_report(check->told, offset, length);
}

/* Wants the bytes, as the second walk does: so spares are read only where they must do. */
static enum status take(void *arg, const struct delivery *piece, struct error *e)
{
	(void)arg;
	(void)piece;
	(void)e;
	return STATUS_OK;
}

static void damaged(void *arg, const struct error *e)
{
	struct check *check = arg;

	njoin_warn(check->njoin, e);
}

/*
 * A page's place among the descriptors depends on all before it, so what is lost must be known
 * before the first one is written.
 */
static enum status check_set(struct njoin *njoin, struct missing_reported *told, struct error *e)
{
	struct check check = { .njoin = njoin, .told = told };
	struct walk_settings settings = {
		.past_damage = true,
		.deliver = take,
		.unreadable = unreadable,
		.damaged = damaged,
		.arg = &check,
	};
	enum status status = njoin_walk(njoin, &settings, e);

	return status ? status : missing_reported_end(told, njoin->walk, e);
}

/* What the map tells to be missing. */
static enum status open_as_told(struct njoin *njoin, struct error *e)
{
	struct range *missing = NULL;
	size_t count = 0;
	enum status status = missing_find(&njoin->set, &missing, &count, e);

	if (!status)
		status = kdump_export_open(&njoin->kdump, &njoin->set, missing, count, e);
	free(missing);
	return status;
}

/* What is no core, or too small for so many files, is so however long it is looked at. */
static enum status open_damaged(struct njoin *njoin, struct error *e)
{
	struct missing_reported told;
	enum status status = do_aside(njoin, open_as_told, e);

	if (!status)
		status = kdump_split_check(&njoin->kdump.pages, njoin->outputs_count, e);
	if (status)
		return status;
	missing_reported_init(&told);
	status = check_set(njoin, &told, e);
	if (!status)
		status = kdump_export_find_pages(&njoin->kdump, told.list.ranges, told.list.count,
						 e);
	missing_reported_free(&told);
	return status;
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

enum status njoin_write_kdump(struct njoin *njoin, struct error *e)
{
	bool salvage = njoin->options.salvage;
	struct walk_settings settings = {
		.past_damage = salvage,
		.deliver_record = kdump_deliver_record,
		/* What the check took for damage, a packed block that cannot be, is so again. */
		.needs_blocks = salvage ? needs_all : kdump_needs_blocks,
		.deliver_arg = &njoin->kdump,
		.unreadable = salvage ? unreadable_already : njoin_report_unreadable,
		.damaged = salvage ? already_reported : njoin_warn,
		.arg = njoin,
	};
	enum status status = salvage ? open_damaged(njoin, e) : do_aside(njoin, open_as_told, e);

	if (!status)
		status = do_aside(njoin, begin_files, e);
	return status ? status : njoin_walk(njoin, &settings, e);
}

bool njoin_report_lost_pages(const struct njoin *njoin)
{
	uint64_t lost = njoin->kdump.pages.lost;

	if (lost)
		message("left out: %" PRIu64 " page%s of %" PRIu32 " bytes, which %s missing", lost,
			lost == 1 ? "" : "s", njoin->kdump.pages.page_size, lost == 1 ? "is" : "are");
	return lost;
}
