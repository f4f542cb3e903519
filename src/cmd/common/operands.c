// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "cmd/common/message.h"
#include "cmd/common/operands.h"
#include "core/elf.h"
#include "io/path.h"
#include "set/plain.h"

/* --- the source ---------------------------------------------------------- */

const char vmcore_name[] = "/proc/vmcore";

bool vmcore_absent(const char *name)
{
	struct stat st;

	return strcmp(name, vmcore_name) == 0 && stat(name, &st) < 0 && errno == ENOENT;
}

/*
 * STATUS_SYSTEM if it is absent: people try /proc/vmcore in the running system first, so the error says where it exists
 * and what to try.
 */
static enum status vmcore_refuse_absent(const char *name, struct error *e)
{
	if (!vmcore_absent(name))
		return STATUS_OK;
	return error_set(e, STATUS_SYSTEM, "%s: exists only in the capture kernel, after a crash; "
			 "'nsplit --check-params' checks the setup, and mkfakevmcore makes a core to "
			 "try with", name);
}

enum status vmcore_open(struct source **source, const char *name, enum mmap_mode mmap,
			struct error *e)
{
	if (vmcore_refuse_absent(name, e))
		return e->status;
	return source_open(source, name, mmap, e);
}

/* --- outputs ------------------------------------------------------------- */

/* Outputs without an identity (null:, or a missing directory) are equal to none. */
static bool same_file(const struct identity *a, const struct identity *b)
{
	return (a->device || a->inode) && identity_equal(a, b);
}

static enum status refuse_source(const char *name, const struct identity *id,
				 const struct source *source, struct error *e)
{
	if (!same_file(id, &source->identity))
		return STATUS_OK;
	if (strcmp(name, source->name) == 0)
		return error_set(e, STATUS_USAGE, "%s: is the source", name);
	return error_set(e, STATUS_USAGE, "%s: is the source, %s", name, source->name);
}

enum status outputs_refuse_source(const char *name, const struct source *source,
				  struct error *e)
{
	struct identity id;
	struct stat st;

	if (stat(name, &st) < 0)
		return STATUS_OK;
	id = identity_of(&st);
	return refuse_source(name, &id, source, e);
}

enum status outputs_refuse_repeated(const struct sink *sinks, unsigned i,
				    const struct source *source, struct error *e)
{
	const struct sink *sink = &sinks[i];

	if (refuse_source(sink->name, &sink->identity, source, e))
		return STATUS_USAGE;
	/* Two equal commands would most likely write to the same file. */
	for (unsigned j = 0; j < i; j++)
		if (same_file(&sink->identity, &sinks[j].identity) ||
		    (sink->kind == SINK_COMMAND && sinks[j].kind == SINK_COMMAND && strcmp(sink->name, sinks[j].name) == 0))
			return names_refuse_repeated(sink->name, sinks[j].name, e);
	return STATUS_OK;
}

enum status outputs_refuse_holes(const struct sink *sinks, size_t count, struct error *e)
{
	size_t nulls = 0;

	for (size_t i = 0; i < count; i++)
		nulls += sinks[i].kind == SINK_NULL;
	if (nulls == 0 || nulls == count)
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "null: discards its data, so it cannot be combined with "
			 "other outputs");
}

enum status outputs_refuse_file(const char *option, const char *name, const struct source *source,
				const struct sink *sinks, size_t count, struct error *e)
{
	struct identity id;
	struct stat st;

	if (stat(name, &st) == 0)
		id = identity_of(&st);
	else if (errno == ENOENT && lstat(name, &st) == 0)
		return error_set(e, STATUS_USAGE, "%s=%s: is a dangling symbolic link", option, name);
	else if (!identity_of_new(&id, name))
		return STATUS_OK;	/* it cannot be written: outputs_write_errno() */
	if (same_file(&id, &source->identity))
		return error_set(e, STATUS_USAGE, "%s=%s: is the source", option, name);
	for (size_t i = 0; i < count; i++)
		if (same_file(&id, &sinks[i].identity) && id.type != S_IFCHR)
			return error_set(e, STATUS_USAGE, "%s=%s: is an output", option, name);
	return STATUS_OK;
}

int outputs_write_errno(const char *name)
{
	char directory[PATH_MAX];
	struct stat st;

	if (stat(name, &st) == 0) {
		if (S_ISDIR(st.st_mode))
			return EISDIR;
		return faccessat(AT_FDCWD, name, W_OK, AT_EACCESS) ? errno : 0;
	}
	if (errno != ENOENT || !path_directory(name, directory))
		return errno;
	return faccessat(AT_FDCWD, directory, W_OK | X_OK, AT_EACCESS) ? errno : 0;
}

int outputs_replace_errno(const char *name)
{
	char real[PATH_MAX], directory[PATH_MAX];
	struct stat st;

	if (stat(name, &st) < 0 || !S_ISREG(st.st_mode))
		return outputs_write_errno(name);
	if (!realpath(name, real) || !path_directory(real, directory))
		return errno;
	return faccessat(AT_FDCWD, directory, W_OK | X_OK, AT_EACCESS) ? errno : 0;
}

bool outputs_take_stdout(const struct sink *sinks, size_t count)
{
	struct identity id;
	struct stat st;

	if (fstat(STDOUT_FILENO, &st) < 0)
		return false;
	id = identity_of(&st);
	for (size_t i = 0; i < count; i++)
		if (same_file(&id, &sinks[i].identity))
			return true;
	return false;
}

/* --- members ------------------------------------------------------------- */

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
