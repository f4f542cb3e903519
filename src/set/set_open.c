// SPDX-License-Identifier: GPL-2.0-or-later
/* Opening the members of a set: which belong to it, and which have to be searched. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/size.h"
#include "set/unidentified.h"

/* Nothing but chance or a UUID that was given twice makes two captures look like one set. */
static enum status check_same_capture(const struct member *m, const struct member *first,
				      struct error *e)
{
	const struct superblock *a = &m->superblock, *b = &first->superblock;
	const char *what = superblocks_differ(a, b);
	char time[TIME_TEXT_LENGTH], other[TIME_TEXT_LENGTH];

	if (!uuid_equal(&a->id.uuid, &b->id.uuid))
		return error_set(e, STATUS_FOREIGN, "%s: is a member of another set than %s",
				 m->name, first->name);
	if (!what)
		return STATUS_OK;
	if (a->created == b->created)
		return error_set(e, STATUS_FOREIGN, "%s: is of another capture than %s, with the "
				 "same UUID (it differs in: %s); give members of one capture",
				 m->name, first->name, what);
	return error_set(e, STATUS_FOREIGN, "%s: was captured at %s, and %s at %s: two captures "
			 "with the same UUID; give members of one capture", m->name,
			 time_format(a->created, time), first->name,
			 time_format(b->created, other));
}

enum status set_check_member(const struct set *set, const struct member *m, struct error *e)
{
	const struct superblock *sb = &m->superblock;
	enum status status = check_same_capture(m, &set->members[0], e);

	if (status)
		return status;
	for (unsigned i = 0; i < set->count; i++) {
		const struct member *other = &set->members[i];

		if (identity_equal(&m->identity, &other->identity))
			return error_set(e, STATUS_FOREIGN, "%s: is the same file as %s", m->name,
					 other->name);
		if (sb->number == other->superblock.number && sb->number != MEMBER_NUMBER_UNKNOWN)
			return error_set(e, STATUS_FOREIGN, "%s: is member %u of the set, as is %s",
					 m->name, sb->number, other->name);
	}
	return STATUS_OK;
}

void set_take_identity(struct set *set, const struct member *m)
{
	set->assumed = m->identity_assumed;
	set->id = m->superblock.id;
	set->expected = m->superblock.members;
	/* One member at least was none; what says otherwise says nothing. */
	if (m->superblock.fallbacks < set->expected)
		set->fallbacks = m->superblock.fallbacks;
	set->block_size = m->superblock.block_size;
	set->chunk_size = m->superblock.chunk_size;
}

/* With salvage, a member without an index is searched later, with all others of its kind. */
static enum status load_locations(struct member *m, const struct set_settings *settings,
			       struct error *e)
{
	enum status status;

	m->needs_search = m->identity_assumed;
	if (m->is_stream || m->needs_search)
		return STATUS_OK;
	status = member_load_index(m, e);
	if (!status)
		return STATUS_OK;
	if (status == STATUS_NO_MEMORY)
		return status;
	if (!settings->salvage)
		return error_suffix(e, "; --salvage reads what is there");
	settings->warn(settings->arg, e);
	m->needs_search = true;
	return STATUS_OK;
}

enum status set_admit(struct set *set, const struct set_settings *settings, struct error *e)
{
	struct member *m = &set->members[set->count];
	enum status status = load_locations(m, settings, e);

	if (status) {
		member_close(m);
		return status;
	}
	if (!set->count)
		set_take_identity(set, m);
	set->has_stream |= m->is_stream;
	set->count++;
	return STATUS_OK;
}

static enum status open_member(struct set *set, struct unidentified_list *lost, const char *name,
			       const struct set_settings *settings, struct error *e)
{
	struct member *m = &set->members[set->count];
	enum status status = member_open(m, name, settings->salvage, e);

	if (!status && m->superblock_lost) {
		member_verdict(m, STATUS_DAMAGED, 0, "superblock", e);
		return unidentified_add(lost, m, e, e);
	}
	if (status && settings->salvage && settings->search && member_can_be_searched(m, status))
		return unidentified_add(lost, m, e, e);
	if (!status && set->count)
		status = set_check_member(set, m, e);
	if (status) {
		member_close(m);
		return status;
	}
	return set_admit(set, settings, e);
}

/* Goes on without what fails, if there is salvage. */
static enum status open_members(struct set *set, struct unidentified_list *lost,
				const struct names *names, const struct set_settings *settings,
				struct error *e)
{
	for (size_t i = 0; i < names->count; i++) {
		enum status status = open_member(set, lost, names->names[i], settings, e);

		if (!status)
			continue;
		if (!settings->salvage || status == STATUS_NO_MEMORY)
			return status;
		settings->warn(settings->arg, e);
	}
	return unidentified_admit(lost, set, settings, e);
}

static void drop_member(struct set *set, unsigned i)
{
	member_close(&set->members[i]);
	set->count--;
	memmove(&set->members[i], &set->members[i + 1],
		(set->count - i) * sizeof(*set->members));
}

/* What the search of a member has brought; a failure: the set is better off without it. */
static enum status judge_search(struct set *set, const struct salvage_job *job,
				const struct unidentified_list *lost,
				const struct set_settings *settings)
{
	struct error e = job->error;
	enum status status = job->status;

	if (!status && !job->member->identity_assumed)
		return STATUS_OK;
	if (!status)
		status = unidentified_judge(lost, set, job->member, &e);
	settings->warn(settings->arg, &e);
	return status;
}

static enum status judge_searches(struct set *set, struct salvage_job *jobs, unsigned count,
				  const struct unidentified_list *lost,
				  const struct set_settings *settings, struct error *e)
{
	for (unsigned i = 0; i < count; i++) {
		*e = jobs[i].error;
		if (jobs[i].status == STATUS_NO_MEMORY)
			return STATUS_NO_MEMORY;
		jobs[i].status = judge_search(set, &jobs[i], lost, settings);
	}
	/* From behind, so that what the jobs name stays where it is. */
	while (count--)
		if (jobs[count].status)
			drop_member(set, (unsigned)(jobs[count].member - set->members));
	return STATUS_OK;
}

/* Of all that have no index, at once. */
static enum status search_members(struct set *set, const struct unidentified_list *lost,
				  const struct set_settings *settings, struct error *e)
{
	struct salvage_job *jobs = calloc(set->count + 1, sizeof(*jobs));
	unsigned count = 0;
	enum status status;

	if (!jobs)
		return error_system(e, ENOMEM, "%u members", set->count);
	for (unsigned i = 0; i < set->count; i++)
		if (set->members[i].needs_search)
			jobs[count++].member = &set->members[i];
	salvage_run(jobs, count, &settings->watch);
	status = judge_searches(set, jobs, count, lost, settings, e);
	free(jobs);
	return status;
}

/*
 * Buffers are made for chunk_size bytes.  What any chunk may have is more than most have, and each
 * thread that reads takes memory for one; and a footer that was found by the search may tell of less
 * than the records that were found before it have.
 */
static void fit_chunks(struct set *set)
{
	uint32_t most = BLOCK_SIZE_MIN;

	for (unsigned i = 0; i < set->count; i++)
		for (size_t k = 0; k < set->members[i].count; k++)
			most = (uint32_t)max_u64(most, set->members[i].locations[k].entry.source_length);
	most = (uint32_t)round_up(most, UNIT);
	if (set->assumed || most > set->chunk_size)
		set->chunk_size = most;
}

static enum status open_and_search(struct set *set, const struct names *names,
				   const struct set_settings *settings, struct error *e)
{
	struct unidentified_list lost = { 0 };
	enum status status = open_members(set, &lost, names, settings, e);

	if (!status)
		status = search_members(set, &lost, settings, e);
	unidentified_free(&lost);
	fit_chunks(set);
	return status;
}

enum status set_open(struct set *set, const struct names *names,
		     const struct set_settings *settings, struct error *e)
{
	enum status status;

	*set = (struct set){ .source_size = SOURCE_SIZE_UNKNOWN };
	set->members = calloc(names->count, sizeof(*set->members));
	if (!set->members)
		return error_system(e, ENOMEM, "%zu members", names->count);
	status = open_and_search(set, names, settings, e);
	if (status)
		return status;
	if (!set->count)
		return error_set(e, STATUS_MISSING, "no member is left to read");
	while (set_disagrees(set, e)) {
		if (!settings->salvage)
			return e->status;
		settings->warn(settings->arg, e);
	}
	return set_build_map(set, settings, e);
}
