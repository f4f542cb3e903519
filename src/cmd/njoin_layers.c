// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/size.h"
#include "cmd/class_amounts.h"
#include "cmd/njoin_layers.h"
#include "cmd/njoin_report.h"

static void report_damage(void *arg, size_t location, const struct error *e)
{
	(void)location;
	njoin_report_damage(arg, e);
}

static void ignore_damage(void *arg, size_t location, const struct error *e)
{
	(void)arg;
	(void)location;
	(void)e;
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
	struct njoin *njoin = arg;
	const struct search_figures s = { done, all, clock_seconds() - njoin->started };

	progress_line(&njoin->progress, s.seconds, describe_search, &s);
}

enum status njoin_find_absent(struct njoin *njoin, struct error *e)
{
	/* Without layers, a walk reports all damage, and so does the first one of --salvage. */
	bool silent = !set_has_layers(&njoin->set) ||
		      (njoin->options.mode == NJOIN_WRITE && njoin->options.salvage);
	struct contents_watch watch = {
		.damaged = silent ? ignore_damage : report_damage,
		.searching = show_search,
		.arg = njoin,
		.threads = njoin->options.threads,
	};
	enum status status;

	if (njoin->absent_known)
		return STATUS_OK;
	progress_init(&njoin->progress, njoin->options.progress, njoin->options.quiet);
	watch.interval = progress_interval(&njoin->progress);
	njoin->started = clock_seconds();
	status = set_absent_find(&njoin->absent, &njoin->set, &watch, e);
	/* Only if a line was shown, since it rarely takes that long. */
	if (njoin->progress.due > watch.interval)
		progress_end(&njoin->progress);
	njoin->absent_known = !status;
	return status;
}

bool njoin_next_missing(const struct njoin *njoin, uint64_t *offset, uint64_t *length)
{
	const struct range_list *missing = &njoin->absent.contents.missing;
	size_t i = ranges_find(missing->ranges, missing->count, *offset);
	uint64_t end;

	if (i == missing->count)
		return false;
	end = missing->ranges[i].offset + missing->ranges[i].length;
	*offset = max_u64(*offset, missing->ranges[i].offset);
	*length = end - *offset;
	return true;
}

bool njoin_must_be_complete(const struct njoin *njoin)
{
	const struct njoin_options *o = &njoin->options;

	if (!set_has_layers(&njoin->set) || o->mode != NJOIN_WRITE || o->salvage)
		return false;
	for (size_t i = 0; i < njoin->outputs_count; i++)
		if (njoin->outputs[i].kind != OUTPUT_FILE)
			return true;
	return o->format == NJOIN_KDUMP;
}

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
	char text[CLASS_AMOUNTS_LENGTH];
	uint64_t offset = njoin->from, length;
	enum status status;

	if (o->mode != NJOIN_WRITE || o->format != NJOIN_ELF || o->zero_left_out || o->salvage ||
	    !set_has_layers(&njoin->set) || !any_left_out(&njoin->set))
		return STATUS_OK;
	status = njoin_find_absent(njoin, e);
	if (status || !contents_next_left_out(&njoin->absent.contents, &offset, &length) ||
	    offset >= njoin->to)
		return status;
	class_amounts_format(njoin->absent.contents.totals.left_out, text);
	return error_set(e, STATUS_USAGE, "the capture left pages out, which an ELF file could only show as "
			 "zeros: %s; use --format=kdump, or --zero-left-out to write zeros", text);
}

/* Are the totals those of the whole source?  If only records are left, its end is not known. */
static bool is_whole_source(const struct njoin *njoin)
{
	return !njoin->set.assumed && !njoin->from && njoin->to >= njoin->set.source_size;
}

void njoin_report_missing_classes(const struct njoin *njoin)
{
	const struct layer_totals *totals = njoin->walk ? walk_totals(njoin->walk) :
							  &njoin->absent.contents.totals;
	char text[CLASS_AMOUNTS_LENGTH];
	unsigned complete = 0;

	if (!set_has_layers(&njoin->set))
		return;
	if (class_amounts_format(totals->missing, text))
		message("missing of known classes: %s", text);
	if (is_whole_source(njoin))
		complete = layer_totals_complete(totals, &njoin->set.classes);
	if (complete)
		message("complete: layers up to %u", complete);
}

void njoin_report_layers(const struct njoin *njoin)
{
	char text[CLASS_AMOUNTS_LENGTH];

	if (set_has_layers(&njoin->set) && !njoin->options.quiet &&
	    class_amounts_format(walk_totals(njoin->walk)->left_out, text))
		message("left out when captured: %s", text);
}
