// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <limits.h>

#include "base/bytes.h"
#include "base/size.h"
#include "base/text.h"
#include "cmd/members.h"
#include "cmd/njoin_layers.h"
#include "cmd/njoin_report.h"

const char records_not_checked[] = "records: not checked; njoin --verify checks them";

/* The next hole at or after *offset in the range that is wanted. */
static bool next_hole(const struct njoin *njoin, uint64_t *offset, uint64_t *length)
{
	bool found = njoin->walk ? walk_hole(njoin->walk, offset, length) :
		     set_has_layers(&njoin->set) ? njoin_next_missing(njoin, offset, length)
					 : set_hole(&njoin->set, offset, length);

	if (!found || *offset >= njoin->to)
		return false;
	*length = min_u64(*length, njoin->to - *offset);
	return true;
}

static bool has_holes(const struct njoin *njoin)
{
	uint64_t offset = njoin->from, length;

	return next_hole(njoin, &offset, &length);
}

/* A range that is complete does not depend on the end of the source. */
static bool ends_early(const struct njoin *njoin)
{
	return njoin->set.stopped && !njoin->options.range_given;
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

static void report_holes(const struct njoin *njoin)
{
	struct message_ranges ranges;
	uint64_t offset = njoin->from, length;
	char text[SIZE_TEXT_LENGTH];

	message_ranges_begin(&ranges, njoin->options.verbose ? UINT_MAX : RANGES_SHOWN);
	for (; next_hole(njoin, &offset, &length); offset += length)
		message_range(&ranges, offset, length);
	message_ranges_end(&ranges);
	njoin_report_missing_classes(njoin);
	message("missing: %s in total%s", size_format(ranges.bytes, text), consequence(njoin));
}

void njoin_report_missing(const struct njoin *njoin)
{
	bool holes = has_holes(njoin);

	if (holes) {
		/* First the members, since they can be looked for. */
		report_rests(&njoin->set);
		members_report_missing(&njoin->set);
		report_holes(njoin);
	}
	if (ends_early(njoin))
		message("the capture ended before the end of the source%s",
			holes ? "" : consequence(njoin));
}

void njoin_report_unreadable(void *arg, uint64_t offset, uint64_t length)
{
	struct njoin *njoin = arg;
	uint64_t last = offset + length - 1;

	if (message_list_next(&njoin->unreadable) != ENTRY_LISTED)
		return;
	if (set_is_plain(&njoin->set))
		message("unreadable: bytes %" PRIu64 " to %" PRIu64, offset, last);
	else
		message("unreadable when captured: bytes %" PRIu64 " to %" PRIu64, offset, last);
}

void njoin_report_more_unreadable(const struct njoin *njoin)
{
	unsigned more = message_list_more(&njoin->unreadable);

	if (more && set_is_plain(&njoin->set))
		message("unreadable: %u more range%s", more, plural(more));
	else if (more)
		message("unreadable when captured: %u more range%s", more, plural(more));
}

void njoin_report_damage(void *arg, const struct error *e)
{
	struct njoin *njoin = arg;
	enum message_entry entry = message_list_next(&njoin->damage);

	if (entry == ENTRY_LISTED)
		message("%s", e->text);
	else if (entry == ENTRY_FIRST_OMITTED)
		message("further damage is not listed");
}
