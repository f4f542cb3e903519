// SPDX-License-Identifier: GPL-2.0-or-later
/* What njoin has been given: members, holes, the range that is wanted. */
#include "config.h"

#include <inttypes.h>

#include "base/bytes.h"
#include "base/size.h"
#include "cmd/members.h"
#include "cmd/message.h"
#include "cmd/njoin_run.h"

enum { DAMAGE_TOLD = 100 };

void njoin_warn(void *arg, const struct error *e)
{
	struct run *run = arg;
	unsigned told = run->damaged++;

	if (told < DAMAGE_TOLD)
		message("%s", e->text);
	else if (told == DAMAGE_TOLD)
		message("more damage is not listed");
}

/* The next hole at or after *offset of what is wanted. */
static bool next_hole(const struct run *run, uint64_t *offset, uint64_t *length)
{
	bool found = run->walk ? walk_hole(run->walk, offset, length)
			       : set_hole(&run->set, offset, length);

	if (!found || *offset >= run->to)
		return false;
	*length = min_u64(*length, run->to - *offset);
	return true;
}

/* Names the holes; returns the bytes of all. */
static uint64_t tell_holes(const struct run *run)
{
	struct message_ranges ranges = { .all = run->options.verbose };
	uint64_t offset = run->from, length;

	for (; next_hole(run, &offset, &length); offset += length)
		message_range(&ranges, offset, length);
	message_ranges_end(&ranges);
	return ranges.bytes;
}

static void tell_rests(const struct set *set)
{
	struct error e;

	for (unsigned i = 0; i < set->count; i++)
		if (member_has_rest(&set->members[i], &e))
			message("%s", e.text);
}

/* What follows a message about something missing. */
static const char *advice(const struct run *run)
{
	bool stops = run->options.mode == NJOIN_WRITE && !run->options.salvage;

	return stops ? "; nothing is written (--salvage writes what is there)" : "";
}

bool njoin_survey(const struct run *run)
{
	char text[SIZE_TEXT_LENGTH];
	uint64_t bytes = 0, offset = run->from, length;

	/* The members first: they are what can be looked for. */
	if (next_hole(run, &offset, &length)) {
		tell_rests(&run->set);
		members_tell_missing(&run->set);
		bytes = tell_holes(run);
		message("missing: %s in all%s", size_format(bytes, text), advice(run));
	}
	/* A range that is all there is none the worse for it. */
	if (!run->set.stopped || run->options.range_given)
		return bytes;
	message("the capture was stopped before the end of the source%s",
		bytes ? "" : advice(run));
	return true;
}

enum status njoin_check_range(const struct run *run, struct error *e)
{
	uint64_t size = run->set.source_size;

	if (run->options.range_given && run->to > size)
		return error_set(e, STATUS_USAGE, "--range: byte %" PRIu64 " is beyond the end of "
				 "the source, which has %" PRIu64, run->to - 1, size);
	return STATUS_OK;
}

static enum status choose_range(struct run *run, struct error *e)
{
	const struct njoin_options *o = &run->options;

	run->to = run->set.source_size;
	if (o->range_given) {
		run->from = o->from;
		run->to = o->from + o->length;
	}
	return njoin_check_range(run, e);
}

enum status njoin_open_set(struct run *run, struct error *e)
{
	struct set_settings settings = {
		.salvage = run->options.salvage,
		.warn = njoin_warn,
		.arg = run,
	};
	enum status status;

	members_leave_out_absent(&run->options.members);
	status = set_open(&run->set, &run->options.members, &settings, e);
	if (status)
		return status;
	members_tell_in_use(&run->set);
	if (run->options.verbose)
		members_tell(&run->set);
	return choose_range(run, e);
}
