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

void members_skip_absent(struct names *names)
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

static void report_member(const struct set *set, const struct member *m)
{
	if (m->superblock.number == MEMBER_NUMBER_UNKNOWN)
		message("%s: a member of which the number is not known, %zu records", m->name, m->count);
	else
		message("%s: member %" PRIu32 " of %" PRIu32 ", %zu records", m->name,
			m->superblock.number, set->expected, m->count);
}

void members_report(const struct set *set)
{
	for (unsigned i = 0; i < set->count; i++)
		report_member(set, &set->members[i]);
}

void members_report_in_use(const struct set *set)
{
	for (unsigned i = 0; i < set->count; i++)
		if (set->members[i].in_use)
			message("%s: is mounted or in use by another program; it is read all the "
				"same; make sure that nothing writes to it", set->members[i].name);
}

static const char *perhaps_not_missing(const struct set *set, uint32_t number)
{
	if (set_has_unknown_member(set))
		return "; or it is a member given here of which the number is not known";
	return set_is_fallback(set, number) ? "; a fallback, which may not have been needed" : "";
}

void members_report_missing(const struct set *set)
{
	for (uint32_t number = 0; number < set->expected; number++)
		if (!set_has_member(set, number))
			message("member %" PRIu32 " of %" PRIu32 " (0 to %" PRIu32 ") is missing%s",
				number, set->expected, set->expected - 1,
				perhaps_not_missing(set, number));
}
