// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <limits.h>

#include "base/bytes.h"
#include "base/size.h"
#include "base/text.h"
#include "cmd/members.h"
#include "cmd/message.h"
#include "cmd/nsplit_mount_missing.h"

/* The next hole at or after *offset. */
static bool next_hole(const struct set *set, const struct set_absent *absent, uint64_t *offset,
		      uint64_t *length)
{
	const struct range_list *missing = &absent->contents.missing;
	size_t i;

	if (!set_has_layers(set))
		return set_hole(set, offset, length);
	i = ranges_find(missing->ranges, missing->count, *offset);
	if (i == missing->count)
		return false;
	*offset = missing->ranges[i].offset;
	*length = missing->ranges[i].length;
	return true;
}

/* Returns the bytes of all holes. */
static uint64_t report_holes(const struct set *set, const struct set_absent *absent, bool all)
{
	struct message_ranges ranges;
	uint64_t offset = 0, length;

	message_ranges_begin(&ranges, all ? UINT_MAX : RANGES_SHOWN);
	for (; next_hole(set, absent, &offset, &length); offset += length)
		message_range(&ranges, offset, length);
	message_ranges_end(&ranges);
	return ranges.bytes;
}

/* Blocks; with layers, granules. */
static uint64_t count_unreadable(const struct set *set, const struct set_absent *absent)
{
	uint64_t blocks = 0;

	if (set_has_layers(set))
		return divide_up(absent->contents.totals.unreadable, GRANULE);
	for (size_t i = 0; i < set->locations; i++)
		if (!set->map[i]->duplicate)
			blocks += set->map[i]->entry.unreadable;
	return blocks;
}

bool mount_is_incomplete(const struct set *set, const struct set_absent *absent)
{
	uint64_t offset = 0, length;

	return next_hole(set, absent, &offset, &length) || count_unreadable(set, absent) ||
	       set->stopped;
}

static const char *consequence(const struct mount_options *options)
{
	return options->zero_holes ? "reads there return zeros" : "reads there fail";
}

void mount_report_missing(const struct set *set, const struct set_absent *absent,
			  const struct mount_options *options)
{
	uint64_t bytes, offset = 0, length, unreadable = count_unreadable(set, absent);
	char text[SIZE_TEXT_LENGTH];

	/* First the members, since they can be looked for. */
	if (next_hole(set, absent, &offset, &length)) {
		members_report_missing(set);
		bytes = report_holes(set, absent, options->verbose);
		message("missing: %s in total; %s", size_format(bytes, text),
			consequence(options));
	}
	if (unreadable)
		message("unreadable when captured: %" PRIu64 " block%s; %s", unreadable,
			plural(unreadable), consequence(options));
	if (set->stopped)
		message("the capture ended before the end of the source");
}
