// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens all members of a set. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "set/dump.h"
#include "set/dump_stream.h"
#include "set/plain.h"
#include "set/set_admit.h"
#include "set/set_map.h"
#include "set/spool.h"
#include "set/unfinished.h"
#include "set/unidentified.h"

/* Members that are not in the set until all have been opened. */
struct aside {
	struct unidentified_list unidentified;	/* with salvage */
	struct unfinished_list unfinished;	/* without */
	struct spool_list spool;
};

/*
 * After member_open() of the member behind the last one, which has returned status and *e: adds it to
 * the set, or puts it aside.
 */
static enum status take_member(struct set *set, struct aside *aside, enum status status,
			       const struct set_settings *settings, struct error *e)
{
	struct member *m = &set->members[set->count];

	if (!status && m->superblock_lost) {
		member_verdict(m, STATUS_DAMAGED, 0, "superblock", e);
		return unidentified_add(&aside->unidentified, m, e, e);
	}
	if (status && settings->salvage && settings->search && member_can_be_searched(m, status))
		return unidentified_add(&aside->unidentified, m, e, e);
	if (!status && set->count)
		status = set_check_member(set, m, e);
	if (!status)
		status = set_admit(set, settings, e);
	if (!status)
		return STATUS_OK;
	if (!settings->salvage && settings->unfinished)
		status = unfinished_add(&aside->unfinished, m, e);
	member_close(m);
	return status;
}

/* The records of a pipe come layer by layer, so a range is complete only at its end. */
static bool must_be_spooled(const struct member *m, const struct set_settings *settings)
{
	return m->is_stream && settings->spool &&
	       (superblock_has_layers(&m->superblock) || settings->random_access);
}

static enum status open_member(struct set *set, struct aside *aside, const char *name,
			       const struct set_settings *settings, struct error *e)
{
	struct member *m = &set->members[set->count];
	enum status status = member_open(m, name, settings->salvage, e);

	if (!status && must_be_spooled(m, settings))
		return spool_add(&aside->spool, m, e);
	return take_member(set, aside, status, settings, e);
}

/* After all have been opened, since opening a pipe may wait for its sender. */
static enum status take_spooled(struct set *set, struct aside *aside,
				const struct set_settings *settings, struct error *e)
{
	if (aside->spool.count)
		spool_run(&aside->spool, settings);
	for (unsigned i = 0; i < aside->spool.count; i++) {
		struct spool_job *job = &aside->spool.jobs[i];
		enum status status;

		/* The reason is that of another one. */
		if (job->status == STATUS_STOPPED)
			continue;
		*e = job->error;
		if (!job->kept)
			return job->status;
		set->members[set->count] = job->member;
		job->member = (struct member){ .fd = -1 };
		status = job->status;
		if (status && settings->salvage) {
			settings->warn(settings->arg, e);
			status = STATUS_OK;
		}
		status = take_member(set, aside, status, settings, e);
		if (status && (!settings->salvage || status == STATUS_NO_MEMORY))
			return status;
		if (status)
			settings->warn(settings->arg, e);
	}
	return STATUS_OK;
}

/* With salvage, members that fail are skipped. */
static enum status open_members(struct set *set, struct aside *aside, const struct names *names,
				const struct set_settings *settings, struct error *e)
{
	for (size_t i = 0; i < names->count; i++) {
		enum status status = open_member(set, aside, names->names[i], settings, e);

		if (!status)
			continue;
		if (!settings->salvage || status == STATUS_NO_MEMORY)
			return status;
		settings->warn(settings->arg, e);
	}
	if (take_spooled(set, aside, settings, e))
		return e->status;
	return unidentified_admit(&aside->unidentified, set, settings, e);
}

static void drop_member(struct set *set, unsigned i)
{
	member_close(&set->members[i]);
	set->count--;
	memmove(&set->members[i], &set->members[i + 1],
		(set->count - i) * sizeof(*set->members));
}

/* After the search of a member.  A failure: the set does not use it. */
static enum status judge_search(struct set *set, const struct salvage_job *job,
				const struct unidentified_list *list,
				const struct set_settings *settings)
{
	struct error e = job->error;
	enum status status = job->status;

	if (!status && !job->member->identity_assumed)
		return STATUS_OK;
	if (!status)
		status = unidentified_judge(list, set, job->member, &e);
	settings->warn(settings->arg, &e);
	return status;
}

static enum status judge_searches(struct set *set, struct salvage_job *jobs, unsigned count,
				  const struct unidentified_list *list,
				  const struct set_settings *settings, struct error *e)
{
	for (unsigned i = 0; i < count; i++) {
		*e = jobs[i].error;
		if (jobs[i].status == STATUS_NO_MEMORY)
			return STATUS_NO_MEMORY;
		jobs[i].status = judge_search(set, &jobs[i], list, settings);
	}
	/* From the last to the first: a member that is dropped moves those behind it. */
	while (count--)
		if (jobs[count].status)
			drop_member(set, (unsigned)(jobs[count].member - set->members));
	return STATUS_OK;
}

/* All members without an index, at once. */
static enum status search_members(struct set *set, const struct unidentified_list *list,
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
	status = judge_searches(set, jobs, count, list, settings, e);
	free(jobs);
	return status;
}

/*
 * chunk_size determines the buffers of each thread that reads.  If it is only assumed, it is
 * cell_size, so it is reduced to the largest record that was found.  If a footer was
 * found by the search, its chunk_size may be smaller than the records that were found before it: it
 * is raised.
 */
static void fit_chunks(struct set *set)
{
	uint32_t most = BLOCK_SIZE_MIN;

	for (unsigned i = 0; i < set->count; i++) {
		const struct member *m = &set->members[i];

		for (size_t k = 0; k < m->count; k++)
			most = (uint32_t)max_u64(most, (uint32_t)GRANULE * m->locations[k].entry.stored);
	}
	if (set->assumed || most > set->chunk_size)
		set->chunk_size = most;
}

static enum status open_and_search(struct set *set, struct aside *aside, const struct names *names,
				   const struct set_settings *settings, struct error *e)
{
	enum status status = open_members(set, aside, names, settings, e);

	if (!status)
		status = search_members(set, &aside->unidentified, settings, e);
	fit_chunks(set);
	return status;
}

static enum status open_all(struct set *set, struct aside *aside, const struct names *names,
			    const struct set_settings *settings, struct error *e)
{
	enum status status = open_and_search(set, aside, names, settings, e);

	if (status)
		return status;
	if (!set->count && !aside->unfinished.count)
		return error_set(e, STATUS_MISSING, "no member can be read");
	while ((status = set_settle_size(set, e))) {
		if (!settings->salvage)
			return status;
		settings->warn(settings->arg, e);
	}
	status = set_build_map(set, settings, e);
	return status ? status : unfinished_judge(&aside->unfinished, set, settings, e);
}

/* True: it is a dump, and *status says whether it was opened. */
static bool open_stream_of_dump(struct set *set, const char *name, const struct set_settings *settings,
				enum status *status, struct error *e)
{
	struct dump_file file;
	int fd = -1;
	enum dump_form form = settings->spool ? dump_stream_recognise(name, &fd) : DUMP_NONE;

	if (form != DUMP_NONE) {
		*set = (struct set){ .source_size = SOURCE_SIZE_UNKNOWN };
		if (dump_stream_is_file(fd)) {
			*status = dump_file_take(&file, "standard input", fd, form, e);
			fd = -1;
		} else {
			*status = dump_stream_open(&file, form, fd, settings->spool, e);
		}
		if (*status)
			dump_file_close(&file);
		else
			*status = dump_open_file(set, &file, e);
	}
	if (fd >= 0)
		close(fd);
	return form != DUMP_NONE;
}

enum status set_open(struct set *set, const struct names *names,
		     const struct set_settings *settings, struct error *e)
{
	struct aside aside = { 0 };
	enum status status;
	bool dumps = false;

	if (settings->plain && names->count == 1 && plain_recognise(names->names[0]))
		return plain_open(set, names->names[0], e);
	*set = (struct set){ .source_size = SOURCE_SIZE_UNKNOWN };
	if (settings->plain && dump_recognise_all(names, &dumps, e))
		return e->status;
	if (dumps)
		return dump_open(set, names, e);
	if (settings->plain && names->count == 1 && open_stream_of_dump(set, names->names[0], settings, &status, e))
		return status;
	*set = (struct set){ .source_size = SOURCE_SIZE_UNKNOWN };
	set->members = calloc(names->count, sizeof(*set->members));
	if (!set->members)
		return error_system(e, ENOMEM, "%zu members", names->count);
	status = open_all(set, &aside, names, settings, e);
	unidentified_free(&aside.unidentified);
	unfinished_free(&aside.unfinished);
	spool_free(&aside.spool);
	return status;
}
