// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "cmd/common/members.h"
#include "cmd/common/message.h"
#include "cmd/common/vmcore.h"
#include "core/elf.h"
#include "set/plain.h"

enum status members_expand(struct names *names, const char *operand, struct error *e)
{
	struct stat st;

	if (lstat(operand, &st) == 0)
		return names_append(names, operand, MEMBERS_MAX, e);
	return names_expand(names, operand, MEMBERS_MAX, e);
}

static bool is_absent(const char *name)
{
	struct stat st;

	return strcmp(name, "-") != 0 && stat(name, &st) < 0 && errno == ENOENT;
}

bool members_is_stream(const char *name)
{
	struct stat st;

	return strcmp(name, "-") == 0 || (stat(name, &st) == 0 && !S_ISREG(st.st_mode) &&
					  !S_ISBLK(st.st_mode) && !S_ISDIR(st.st_mode));
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
		message("%s: No such file or directory; continuing without it", name);
		free(name);
	}
	names->count = kept;
}

void members_report_unfinished(void *arg, const struct error *e)
{
	(void)arg;
	message("%s", e->text);
}

enum status members_open(struct set *set, const struct names *names,
			 const struct set_settings *settings, struct error *e)
{
	if (names->count == 1 && vmcore_refuse_absent(names->names[0], e))
		return e->status;
	return set_open(set, names, settings, e);
}

static enum status read_plain(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	return plain_read(arg, offset, len, dst, e);
}

enum status members_refuse_plain(struct set *set, struct error *e)
{
	const struct core_bytes bytes = { .size = set->source_size, .read = read_plain, .arg = set };
	struct error why;
	uint64_t headers;

	if (!set_is_plain(set))
		return STATUS_OK;
	if (core_count_headers(&bytes, &headers, &why) == STATUS_USAGE)
		return error_set(e, STATUS_USAGE, "%s: is an ELF file, not a member of a capture, and njoin cannot read "
				 "it: %s", set->members->name, why.text);
	return error_set(e, STATUS_USAGE, "%s: is an ELF file, not a member of a capture; njoin reads "
			 "it with --format=kdump, --list or --dmesg", set->members->name);
}

static void report_member(const struct set *set, const struct member *m)
{
	if (m->superblock.number == MEMBER_NUMBER_UNKNOWN)
		message("%s: member with unknown number, %zu record%s", m->name, m->count,
			plural(m->count));
	else
		message("%s: member %" PRIu32 " of %" PRIu32 ", %zu record%s", m->name,
			m->superblock.number, set->expected, m->count, plural(m->count));
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
			message("%s: is mounted or in use by another program; reading it anyway; "
				"make sure that nothing writes to it", set->members[i].name);
}

/* Why a member that was not given may not be missing. */
static const char *missing_note(const struct set *set, uint32_t number)
{
	if (set_has_unknown_member(set))
		return "; or it is a given member whose number is unknown";
	return set_is_fallback(set, number) ? "; it is a fallback and may not have been needed" : "";
}

void members_report_missing(const struct set *set)
{
	for (uint32_t number = 0; number < set->expected; number++)
		if (!set_has_member(set, number))
			message("member %" PRIu32 " of %" PRIu32 " (numbered 0 to %" PRIu32 ") is missing%s",
				number, set->expected, set->expected - 1,
				missing_note(set, number));
}
