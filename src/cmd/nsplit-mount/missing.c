// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <limits.h>

#include "base/size.h"
#include "base/text.h"
#include "cmd/common/members.h"
#include "cmd/common/message.h"
#include "cmd/nsplit-mount/missing.h"

/* Returns the bytes of all holes. */
static uint64_t report_holes(const struct set *set, const struct set_absent *absent, bool all)
{
	struct message_ranges ranges;
	uint64_t offset = 0, length;

	message_ranges_begin(&ranges, all ? UINT_MAX : RANGES_SHOWN);
	for (; set_absent_next_missing(set, absent, &offset, &length); offset += length)
		message_range(&ranges, offset, length);
	message_ranges_end(&ranges);
	return ranges.bytes;
}

bool mount_is_incomplete(const struct set *set, const struct set_absent *absent)
{
	uint64_t offset = 0, length;

	return set_absent_next_missing(set, absent, &offset, &length) ||
	       set_absent_unreadable(set, absent) ||
	       set->stopped;
}

static const char *consequence(const struct mount_options *options)
{
	return options->zero_holes ? "reads there return zeros" : "reads there fail";
}

void mount_report_missing(const struct set *set, const struct set_absent *absent,
			  const struct mount_options *options)
{
	uint64_t bytes, offset = 0, length, unreadable = set_absent_unreadable(set, absent);
	char text[SIZE_TEXT_LENGTH];

	/* First the members, since they can be looked for. */
	if (set_absent_next_missing(set, absent, &offset, &length)) {
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
