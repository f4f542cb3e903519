// SPDX-License-Identifier: GPL-2.0-or-later
/* What njoin has been given: members, holes, the range that is wanted. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/size.h"
#include "cmd/members.h"
#include "cmd/message.h"
#include "cmd/njoin.h"

enum { DAMAGE_TOLD = 100 };

void njoin_warn(void *arg, const struct error *e)
{
	struct njoin *njoin = arg;
	unsigned told = njoin->damaged++;

	if (told < DAMAGE_TOLD)
		message("%s", e->text);
	else if (told == DAMAGE_TOLD)
		message("more damage is not listed");
}

/* The next hole at or after *offset of what is wanted. */
static bool next_hole(const struct njoin *njoin, uint64_t *offset, uint64_t *length)
{
	bool found = njoin->walk ? walk_hole(njoin->walk, offset, length)
			       : set_hole(&njoin->set, offset, length);

	if (!found || *offset >= njoin->to)
		return false;
	*length = min_u64(*length, njoin->to - *offset);
	return true;
}

/* Names the holes; returns the bytes of all. */
static uint64_t report_holes(const struct njoin *njoin)
{
	struct message_ranges ranges = { .all = njoin->options.verbose };
	uint64_t offset = njoin->from, length;

	for (; next_hole(njoin, &offset, &length); offset += length)
		message_range(&ranges, offset, length);
	message_ranges_end(&ranges);
	return ranges.bytes;
}

static void report_rests(const struct set *set)
{
	struct error e;

	for (unsigned i = 0; i < set->count; i++)
		if (member_has_rest(&set->members[i], &e))
			message("%s", e.text);
}

/* What follows a message about something missing. */
static const char *advice(const struct njoin *njoin)
{
	bool stops = njoin->options.mode == NJOIN_WRITE && !njoin->options.salvage;

	return stops ? "; nothing is written (--salvage writes what is there)" : "";
}

bool njoin_survey(const struct njoin *njoin)
{
	char text[SIZE_TEXT_LENGTH];
	uint64_t bytes = 0, offset = njoin->from, length;

	/* The members first: they are what can be looked for. */
	if (next_hole(njoin, &offset, &length)) {
		report_rests(&njoin->set);
		members_report_missing(&njoin->set);
		bytes = report_holes(njoin);
		message("missing: %s in all%s", size_format(bytes, text), advice(njoin));
	}
	/* A range that is all there is none the worse for it. */
	if (!njoin->set.stopped || njoin->options.range_given)
		return bytes;
	message("the capture was stopped before the end of the source%s",
		bytes ? "" : advice(njoin));
	return true;
}

enum status njoin_check_range(const struct njoin *njoin, struct error *e)
{
	uint64_t size = njoin->set.source_size;

	if (njoin->options.range_given && njoin->to > size)
		return error_set(e, STATUS_USAGE, "--range: byte %" PRIu64 " is beyond the end of "
				 "the source, which has %" PRIu64, njoin->to - 1, size);
	return STATUS_OK;
}

static enum status choose_range(struct njoin *njoin, struct error *e)
{
	const struct njoin_options *o = &njoin->options;

	njoin->to = njoin->set.source_size;
	if (o->range_given) {
		njoin->from = o->from;
		njoin->to = o->from + o->length;
	}
	return njoin_check_range(njoin, e);
}

struct searched {
	uint64_t done, all;
	double seconds;
};

/* "12.5 %, 1.2 GiB of 9.6 GiB searched, 600.0 MiB/s, 0:14 left", which fits any terminal */
static void describe_search(const void *arg, unsigned columns, char line[PROGRESS_LINE_LENGTH])
{
	const struct searched *s = arg;
	char done[SIZE_TEXT_LENGTH], all[SIZE_TEXT_LENGTH], rate[SIZE_TEXT_LENGTH];
	char left[SIZE_TEXT_LENGTH];
	double speed = s->seconds > 0 ? (double)s->done / s->seconds : 0;

	(void)columns;
	snprintf(line, PROGRESS_LINE_LENGTH, "%.1f %%, %s of %s searched, %s/s, %s left",
		 s->all ? 100.0 * (double)s->done / (double)s->all : 100.0,
		 size_format(s->done, done), size_format(s->all, all),
		 size_format((uint64_t)speed, rate),
		 duration_format(speed > 0 ? (double)(s->all - s->done) / speed : 0, left));
}

/* Signals end the program as they do any other: nothing has been written yet. */
static void searching(void *arg, uint64_t done, uint64_t all)
{
	struct njoin *njoin = arg;
	const struct searched s = { done, all, clock_seconds() - njoin->started };

	progress_line(&njoin->progress, s.seconds, describe_search, &s);
}

enum status njoin_open_set(struct njoin *njoin, struct error *e)
{
	struct set_settings settings = {
		.salvage = njoin->options.salvage,
		.search = njoin->search,
		.warn = njoin_warn,
		.arg = njoin,
		.watch = { .searching = searching, .arg = njoin },
	};
	enum status status;

	members_leave_out_absent(&njoin->options.members);
	progress_init(&njoin->progress, njoin->options.progress, njoin->options.quiet);
	settings.watch.interval = progress_interval(&njoin->progress);
	njoin->started = clock_seconds();
	status = set_open(&njoin->set, &njoin->options.members, &settings, e);
	/* If a line has been shown: most sets are not searched. */
	if (njoin->progress.due > settings.watch.interval)
		progress_end(&njoin->progress);
	if (status)
		return status;
	members_report_in_use(&njoin->set);
	if (njoin->options.verbose)
		members_report(&njoin->set);
	return choose_range(njoin, e);
}
