// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>

#include "base/text.h"
#include "cmd/common/left_out.h"
#include "cmd/common/message.h"
#include "cmd/njoin/dump.h"
#include "cmd/njoin/kdump.h"
#include "cmd/njoin/missing.h"
#include "core/kinds/page_class.h"
#include "export/kdump_split.h"
#include "export/missing.h"
#include "set/dump.h"

/* Only what belongs to pages that are kept. */
static void report_unreadable(void *arg, uint64_t offset, uint64_t length)
{
	struct njoin *njoin = arg;
	uint64_t end = offset + length;

	for (; pages_next_wanted(&njoin->kdump.pages, &offset, end, &length); offset += length)
		njoin_report_unreadable(&njoin->findings, offset, length);
}

static void report_damage(void *arg, const struct error *e)
{
	struct njoin *njoin = arg;

	njoin_report_damage(&njoin->findings, e);
}

/* --- with --salvage, a first walk finds all damage ---------------------------------------- */

struct first_walk {
	struct njoin *njoin;
	struct missing_reported *missing;
};

static void first_unreadable(void *arg, uint64_t offset, uint64_t length)
{
	struct first_walk *walk = arg;

	missing_report(walk->missing, offset, length);
}

static void first_damaged(void *arg, const struct error *e)
{
	struct first_walk *walk = arg;

	report_damage(walk->njoin, e);
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

/* Whole ranges: the walk delivers those of each record on their own, in any order. */
static void report_all_unreadable(struct njoin *njoin, struct range_list *list)
{
	range_list_sort(list);
	range_list_merge(list);
	for (size_t i = 0; i < list->count; i++)
		report_unreadable(njoin, list->ranges[i].offset, list->ranges[i].length);
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
	enum status status = njoin_run_walk(&njoin->run, &settings, e);

	report_all_unreadable(njoin, &missing->list);
	return status ? status : missing_reported_end(missing, njoin->run.walk, e);
}

/* --- opening it ---------------------------------------------------------------------------- */

/* With what is missing according to the indexes. */
static enum status open_export(void *arg, struct error *e)
{
	struct njoin *njoin = arg;
	enum status status = njoin_find_absent(njoin, e);
	struct absent absent = set_absent_view(&njoin->absent);

	return status ? status : kdump_export_open(&njoin->kdump, &njoin->input.set, &absent, e);
}

static enum status filter(void *arg, struct error *e)
{
	struct njoin *njoin = arg;

	return kdump_export_filter(&njoin->kdump, njoin->options.threads,
				   njoin->options.left_out.classes, e);
}

static enum status leave_out(struct njoin *njoin, struct error *e)
{
	return njoin->options.left_out.classes ? njoin_run_step(&njoin->run, filter, njoin, e) : STATUS_OK;
}

static enum status open_and_leave_out(struct njoin *njoin, struct error *e)
{
	enum status status = njoin_run_step(&njoin->run, open_export, njoin, e);

	return status ? status : leave_out(njoin, e);
}

/* Finds the pages again, after a walk that finds everything that is missing. */
static enum status find_all_missing(struct njoin *njoin, struct error *e)
{
	struct absent absent = set_absent_view(&njoin->absent);
	struct missing_reported missing;
	enum status status;

	missing_reported_init(&missing);
	status = walk_first(njoin, &missing, e);
	absent.missing = missing.list.ranges;
	absent.missing_count = missing.list.count;
	if (!status)
		status = kdump_export_find_pages(&njoin->kdump, &absent, e);
	missing_reported_free(&missing);
	return status ? status : leave_out(njoin, e);
}

/*
 * Opens it with the indexes first: if the source is not a core or has too few pages for the number
 * of outputs, that is reported before a walk that may take hours.
 */
static enum status open_damaged(struct njoin *njoin, struct error *e)
{
	enum status status = open_and_leave_out(njoin, e);

	if (!status)
		status = kdump_split_check(&njoin->kdump.pages, njoin->run.outputs.count, e);
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

static void report_space(void *arg, const struct error *e)
{
	(void)arg;
	message("%s", e->text);
}

/* Does the header say that zero pages were left out? */
static bool names_zero(const struct njoin *njoin)
{
	const struct dump *dump = njoin->findings.dump;
	bool asked = njoin->options.left_out.zero || (dump && dump->level & DUMP_LEVEL_ZERO);

	return asked && njoin->run.outputs.count == 1;
}

/* That of the set, if the form has it; so the pages of the memory map are packed as the others are. */
static void take_codec_of_set(const struct set *set, struct kdump_settings *settings)
{
	const struct codec *codec = set_is_made(set) ? NULL : kdump_codec_of_set(set, &settings->level);

	settings->codec = codec ? codec : &codec_lzo;
}

/* For pages that cannot be copied. */
static void choose_codec(const struct njoin *njoin, struct kdump_settings *settings)
{
	const struct njoin_options *o = &njoin->options;

	settings->codec = o->codec;
	settings->level = o->level;
	if (o->keeps_pages && set_is_dump(&njoin->input.set) && !o->codec)
		settings->codec = &codec_raw;
	else if (!o->codec)
		take_codec_of_set(&njoin->input.set, settings);
}

static enum status begin_files(void *arg, struct error *e)
{
	struct njoin *njoin = arg;
	const struct njoin_options *o = &njoin->options;
	struct kdump_settings settings = {
		.outputs = njoin->run.outputs.files,
		.outputs_count = njoin->run.outputs.count,
		/* Pages of a dump are copied as they are, unless another codec is asked for. */
		.repack = o->codec && set_is_dump(&njoin->input.set),
		.threads = o->threads,
		.warn = report_space,
	};

	choose_codec(njoin, &settings);
	if (names_zero(njoin))
		njoin->kdump.form.dump_level |= DUMP_LEVEL_ZERO;
	return kdump_export_begin(&njoin->kdump, &settings, e);
}

static enum status begin_again(void *arg, struct error *e)
{
	struct njoin *njoin = arg;
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

	return njoin_run_walk(&njoin->run, &settings, e);
}

/* Of a dump, pages are known to be missing before it is read. */
static void report_absent(struct njoin *njoin)
{
	for (size_t i = 0; i < njoin->absent.missing_count; i++)
		report_unreadable(njoin, njoin->absent.missing[i].offset, njoin->absent.missing[i].length);
}

/*
 * What is unreadable in a plain file, and which pages of a dump are damaged, is known only after reading it.
 * Nearly always that is nothing, so the file is read once; if a page turns out to be unreadable, everything
 * begins again.
 */
static enum status write_plain(struct njoin *njoin, struct error *e)
{
	const struct page_filter *filter = &njoin->kdump.filter;
	enum status status = open_and_leave_out(njoin, e);
	unsigned classes = filter->classes;

	if (status)
		return status;
	left_out_report_kept(filter);
	status = njoin_run_step(&njoin->run, begin_files, njoin, e);
	if (!status)
		status = walk_plain(njoin, e);
	if (!status)
		report_absent(njoin);
	if (status != STATUS_MISSING)
		return status;
	status = find_all_missing(njoin, e);
	if (!status)
		status = kdump_split_check(&njoin->kdump.pages, njoin->run.outputs.count, e);
	if (status)
		return status;
	status = njoin_run_step(&njoin->run, begin_again, njoin, e);
	if (filter->classes != classes)
		left_out_report_kept(filter);
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
		.unreadable = salvage ? ignore_unreadable : report_unreadable,
		.damaged = salvage ? ignore_damage : report_damage,
		.arg = njoin,
	};
	enum status status = salvage ? open_damaged(njoin, e) : open_and_leave_out(njoin, e);

	if (status)
		return status;
	left_out_report_kept(&njoin->kdump.filter);
	/* Without pages that are left out, all records are checked. */
	if (njoin->kdump.filter.classes && !salvage)
		settings.wants_record = kdump_wants_record;
	status = njoin_run_step(&njoin->run, begin_files, njoin, e);
	return status ? status : njoin_run_walk(&njoin->run, &settings, e);
}

enum status njoin_write_kdump(struct njoin *njoin, struct error *e)
{
	return njoin->findings.plain ? write_plain(njoin, e) : write_set(njoin, e);
}

void njoin_report_pages(const struct njoin *njoin)
{
	const struct core *core = &njoin->kdump.source.core;
	uint64_t lost = njoin->kdump.pages.lost, end = core_segments_end(core);

	if (njoin->findings.dump)
		njoin_report_dump(&njoin->findings);
	else if (lost && njoin->findings.plain && end > core->bytes.size)
		message("%s: cut short: it ends at byte %" PRIu64 ", but its segments at byte %" PRIu64,
			njoin->input.set.members->name, core->bytes.size, end);
	if (lost)
		message("missing: %" PRIu64 " page%s of %" PRIu32 " bytes", lost, plural(lost),
			njoin->kdump.pages.page_size);
	if (!njoin->options.quiet)
		left_out_report(&njoin->kdump.filter, njoin->kdump.pages.page_size);
}
