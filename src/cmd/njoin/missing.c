// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/size.h"
#include "cmd/common/members.h"
#include "cmd/njoin/missing.h"

/* --- the search -------------------------------------------------------------------------- */

struct search {
	struct progress progress;
	double started;
	struct njoin_findings *findings;	/* NULL: damage is not reported */
};

static void report_damage(void *arg, size_t location, const struct error *e)
{
	const struct search *search = arg;

	(void)location;
	if (search->findings)
		njoin_report_damage(search->findings, e);
}

struct search_figures {
	uint64_t done, all;		/* records */
	double seconds;
};

/* "12.5 %, 10240 of 81920 records examined, 0:14 left" */
static void describe_search(const void *arg, unsigned columns, char line[PROGRESS_LINE_LENGTH])
{
	const struct search_figures *s = arg;
	double part = s->all ? (double)s->done / (double)s->all : 1;
	char left[SIZE_TEXT_LENGTH];

	(void)columns;			/* short enough for any terminal */
	snprintf(line, PROGRESS_LINE_LENGTH, "%.1f %%, %" PRIu64 " of %" PRIu64 " records examined, %s "
		 "left", 100 * part, s->done, s->all,
		 duration_format(part > 0 ? s->seconds / part - s->seconds : 0, left));
}

static void show_search(void *arg, uint64_t done, uint64_t all)
{
	struct search *search = arg;
	const struct search_figures s = { done, all, clock_seconds() - search->started };

	progress_line(&search->progress, s.seconds, describe_search, &s);
}

enum status njoin_find_absent(struct njoin *njoin, struct error *e)
{
	const struct njoin_options *o = &njoin->options;
	/* Without layers, a walk reports all damage, and so does that of --salvage. */
	bool silent = !set_has_layers(&njoin->input.set) || (o->mode == NJOIN_WRITE && o->salvage);
	struct search search = {
		.started = clock_seconds(),
		.findings = silent ? NULL : &njoin->findings,
	};
	struct contents_watch watch = {
		.damaged = report_damage, .searching = show_search, .arg = &search, .threads = o->threads,
	};
	enum status status;

	if (njoin->absent_known)
		return STATUS_OK;
	progress_init(&search.progress, o->progress, o->quiet);
	watch.interval = progress_interval(&search.progress);
	status = set_absent_find(&njoin->absent, &njoin->input.set, &watch, e);
	/* Only if a line was shown, since it rarely takes that long. */
	if (search.progress.due > watch.interval)
		progress_end(&search.progress);
	njoin->absent_known = !status;
	return status;
}

/* --- left out ---------------------------------------------------------------------------- */

static bool any_left_out(const struct set *set)
{
	for (unsigned i = 0; i < CLASSES; i++)
		if (class_state(&set->classes, i) == CLASS_LEFT_OUT)
			return true;
	return false;
}

enum status njoin_refuse_left_out(struct njoin *njoin, struct error *e)
{
	const struct njoin_options *o = &njoin->options;
	const struct layer_totals *totals = &njoin->absent.contents.totals;
	char text[CLASS_AMOUNTS_LENGTH];
	uint64_t offset = njoin->input.from, length;
	enum status status;

	if (o->mode != NJOIN_WRITE || o->format != NJOIN_ELF || o->zero_left_out || o->salvage ||
	    !set_has_layers(&njoin->input.set) || !any_left_out(&njoin->input.set))
		return STATUS_OK;
	status = njoin_find_absent(njoin, e);
	if (status || !contents_next_left_out(&njoin->absent.contents, &offset, &length) ||
	    offset >= njoin->input.to)
		return status;
	class_amounts_format(totals->memory.left_out, text);
	return error_set(e, STATUS_USAGE, "the capture left pages out, which an ELF file could only show as "
			 "zeros: %s; use --format=kdump, or --zero-left-out to write zeros", text);
}

/* --- missing ----------------------------------------------------------------------------- */

bool njoin_must_be_complete(const struct njoin *njoin)
{
	const struct njoin_options *o = &njoin->options;

	if (!set_has_layers(&njoin->input.set) || o->mode != NJOIN_WRITE || o->salvage)
		return false;
	for (size_t i = 0; i < njoin->run.outputs.count; i++)
		if (njoin->run.outputs.files[i].kind != OUTPUT_FILE)
			return true;
	return o->format == NJOIN_KDUMP;
}

/* The next hole at or after *offset in the range that is wanted. */
static bool next_hole(const struct njoin *njoin, uint64_t *offset, uint64_t *length)
{
	const struct walk *walk = njoin->run.walk;
	bool found = walk ? walk_hole(walk, offset, length)
			  : set_absent_next_missing(&njoin->input.set, &njoin->absent, offset, length);

	if (!found || *offset >= njoin->input.to)
		return false;
	*length = min_u64(*length, njoin->input.to - *offset);
	return true;
}

static bool has_holes(const struct njoin *njoin)
{
	uint64_t offset = njoin->input.from, length;

	return next_hole(njoin, &offset, &length);
}

/* A range that is complete does not depend on the end of the source. */
static bool ends_early(const struct njoin *njoin)
{
	return njoin->input.set.stopped && !njoin->options.range_given;
}

bool njoin_is_incomplete(const struct njoin *njoin)
{
	return has_holes(njoin) || ends_early(njoin);
}

static void report_rests(const struct set *set)
{
	struct error e;

	for (unsigned i = 0; i < set->count; i++)
		if (member_check_end(&set->members[i], &e))
			message("%s", e.text);
}

/* The end of a message about missing data. */
static const char *consequence(const struct njoin *njoin)
{
	bool stops = njoin->options.mode == NJOIN_WRITE && !njoin->options.salvage;

	return stops ? "; nothing was written; use --salvage to write what is available" : "";
}

/* Are the totals those of the whole source?  If only records are left, its end is not known. */
static bool is_whole_source(const struct njoin *njoin)
{
	const struct njoin_input *in = &njoin->input;

	return !in->set.assumed && !in->from && in->to >= in->set.source_size;
}

/* What is missing, by class, as far as that is known, and the layers of which nothing is. */
static void report_missing_classes(const struct njoin *njoin)
{
	const struct layer_totals *totals = njoin->run.walk ? walk_totals(njoin->run.walk) :
							  &njoin->absent.contents.totals;
	char text[CLASS_AMOUNTS_LENGTH], twice[SIZE_TEXT_LENGTH];
	uint64_t second = layer_totals_sum(totals->second.missing), sum;
	unsigned complete = 0;

	if (!set_has_layers(&njoin->input.set))
		return;
	sum = class_amounts_format_missing(totals->memory.missing, totals->memory.unknown, text);
	if (second)
		message("missing by class: %s, and %s that the source has twice", text, size_format(second, twice));
	else if (sum)
		message("missing by class: %s", text);
	if (is_whole_source(njoin))
		complete = layer_totals_complete(totals, &njoin->input.set.classes);
	if (complete)
		message("complete: layers up to %u", complete);
}

static void report_holes(const struct njoin *njoin)
{
	struct message_ranges ranges;
	uint64_t offset = njoin->input.from, length;
	char text[SIZE_TEXT_LENGTH];

	message_ranges_begin(&ranges, njoin->options.verbose ? UINT_MAX : RANGES_SHOWN);
	for (; next_hole(njoin, &offset, &length); offset += length)
		message_range(&ranges, offset, length);
	message_ranges_end(&ranges);
	report_missing_classes(njoin);
	message("missing: %s in total%s", size_format(ranges.bytes, text), consequence(njoin));
}

void njoin_report_missing(const struct njoin *njoin)
{
	bool holes = has_holes(njoin);

	if (holes) {
		/* First the members, since they can be looked for. */
		report_rests(&njoin->input.set);
		members_report_missing(&njoin->input.set);
		report_holes(njoin);
	}
	if (ends_early(njoin))
		message("the capture ended before the end of the source%s",
			holes ? "" : consequence(njoin));
}
