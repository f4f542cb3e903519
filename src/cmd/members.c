// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/members.h"
#include "cmd/message.h"

static bool is_absent(const char *name)
{
	struct stat st;

	return strcmp(name, "-") != 0 && stat(name, &st) < 0 && errno == ENOENT;
}

void members_leave_out_absent(struct names *names)
{
	size_t kept = 0, absent = 0;

	for (size_t i = 0; i < names->count; i++)
		absent += is_absent(names->names[i]);
	if (absent == names->count)
		return;
	for (size_t i = 0; i < names->count; i++) {
		char *name = names->names[i];

		if (!is_absent(name)) {
			names->names[kept++] = name;
			continue;
		}
		message("%s: No such file or directory; going on without it", name);
		free(name);
	}
	names->count = kept;
}

void members_tell(const struct set *set)
{
	for (unsigned i = 0; i < set->count; i++)
		message("%s: member %" PRIu32 " of %" PRIu32 ", %zu records", set->members[i].name,
			set->members[i].superblock.number, set->expected, set->members[i].count);
}

void members_tell_in_use(const struct set *set)
{
	for (unsigned i = 0; i < set->count; i++)
		if (set->members[i].in_use)
			message("%s: is mounted or in use by another program; it is read all the "
				"same; make sure that nothing writes to it", set->members[i].name);
}

void members_tell_missing(const struct set *set)
{
	for (uint32_t number = 0; number < set->expected; number++)
		if (!set_has_member(set, number))
			message("member %" PRIu32 " of %" PRIu32 " (0 to %" PRIu32 ") is missing%s",
				number, set->expected, set->expected - 1,
				set_is_fallback(set, number) ?
				"; a fallback, which may not have been needed" : "");
}
