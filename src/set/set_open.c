// SPDX-License-Identifier: GPL-2.0-or-later
/* Opens all members of a set. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/names.h"
#include "base/text.h"
#include "io/transfer.h"
#include "set/dump.h"
#include "set/plain.h"
#include "set/salvage.h"
#include "set/set.h"
#include "set/spool.h"

/* --- members that are not in the set until all have been opened ------------------------- */

/* Takes ownership of the member.  Its footer may have been found. */
static enum status aside_add(struct aside_list *list, struct member *m, const struct error *why, const char *what,
			     struct error *e)
{
	if (!array_grow(&list->all, list->count, sizeof(*list->all)))
		return error_system(e, ENOMEM, "%u members", list->count + 1);
	list->all[list->count++] = (struct aside_member){ .member = *m, .why = *why, .what = what };
	*m = (struct member){ .fd = -1 };
	return STATUS_OK;
}

static void aside_free(struct aside_list *list)
{
	for (unsigned i = 0; i < list->count; i++)
		if (!list->all[i].admitted)
			member_close(&list->all[i].member);
	free(list->all);
}

/* --- which members belong to a set ------------------------------------------------------ */

/* Two captures have the same UUID only by chance, or if it was given twice. */
static enum status check_same_capture(const struct member *m, const struct member *first,
				      struct error *e)
{
	const struct superblock *a = &m->superblock, *b = &first->superblock;
	const char *what = superblocks_differ(a, b);
	char time[TIME_TEXT_LENGTH], other[TIME_TEXT_LENGTH];

	if (!uuid_equal(&a->id.uuid, &b->id.uuid))
		return error_set(e, STATUS_FOREIGN, "%s: belongs to a different set than %s",
				 m->name, first->name);
	if (!what)
		return STATUS_OK;
	if (a->created == b->created)
		return error_set(e, STATUS_FOREIGN, "%s: belongs to a different capture than %s "
				 "with the same UUID (different: %s); give members of one capture",
				 m->name, first->name, what);
	return error_set(e, STATUS_FOREIGN, "%s: was captured at %s, but %s at %s: two captures "
			 "with the same UUID; give members of one capture", m->name,
			 time_format(a->created, time), first->name,
			 time_format(b->created, other));
}

static enum status check_member(const struct set *set, const struct member *m, struct error *e)
{
	const struct superblock *sb = &m->superblock;
	enum status status = check_same_capture(m, &set->members[0], e);

	if (status)
		return status;
	for (unsigned i = 0; i < set->count; i++) {
		const struct member *other = &set->members[i];

		if (identity_equal(&m->identity, &other->identity))
			return names_refuse_repeated(m->name, other->name, e);
		if (sb->number == other->superblock.number && sb->number != MEMBER_NUMBER_UNKNOWN)
			return error_set(e, STATUS_FOREIGN, "%s: is member %u of the set, and so is %s",
					 m->name, sb->number, other->name);
	}
	return STATUS_OK;
}

static void take_identity(struct set *set, const struct member *m)
{
	set->assumed = m->identity_assumed;
	set->id = m->superblock.id;
	set->expected = m->superblock.members;
	/* Not all outputs can be fallbacks: such a number is ignored. */
	if (m->superblock.fallbacks < set->expected)
		set->fallbacks = m->superblock.fallbacks;
	set->block_size = m->superblock.block_size;
	set->chunk_size = m->superblock.chunk_size;
	set->cell_size = m->superblock.cell_size;
}

/* With salvage, all members without an index are searched later, at once. */
static enum status load_locations(struct member *m, const struct set_settings *settings,
				  struct error *e)
{
	enum status status;

	m->needs_search = m->identity_assumed;
	if (m->needs_search)
		return STATUS_OK;
	status = member_load_index(m, e);
	if (status == STATUS_CUT && m->is_copy && salvage_find_end(m))
		status = member_load_index(m, e);
	if (!status)
		return STATUS_OK;
	if (status == STATUS_NO_MEMORY)
		return status;
	if (!settings->salvage)
		return error_suffix(e, "; use --salvage to read what is intact");
	settings->warn(settings->arg, e);
	m->needs_search = true;
	return STATUS_OK;
}

static enum status admit(struct set *set, const struct set_settings *settings, struct error *e)
{
	struct member *m = &set->members[set->count];
	enum status status;

	status = load_locations(m, settings, e);
	if (status)
		return status;
	if (!set->count)
		take_identity(set, m);
	set->count++;
	return STATUS_OK;
}

/*
 * --- unfinished members: what is left of outputs that the capture did without ---
 *
 * An output that fails leaves a member that was not closed, or an empty file, and a fallback that was
 * not needed is a device with other contents.  Footers are written after all data is safe on other
 * outputs, so a set with a closed member may be whole without its unfinished ones; holes show it if
 * it is not.
 */

/* Errors of a disk, a file system or a server that has failed, not of the call. */
static bool is_lost(int errnum)
{
	switch (errnum) {
	case EIO:
	case EUCLEAN:		/* ext4, xfs and btrfs: damaged metadata, */
	case EBADMSG:		/* or its checksum */
	case ENXIO:
	case ENODEV:
	case ENODATA:
	case ENOMEDIUM:
	case EREMOTEIO:
	case ESTALE:
	case ETIMEDOUT:
		return true;
	default:
		return false;
	}
}

/* As after a journal was replayed: the file has its length, but not its data. */
static bool begins_with_zeros(const struct member *m)
{
	uint8_t unit[ALIGNMENT];
	size_t got;

	if (m->fd < 0)
		return false;
	got = transfer_pread(m->fd, unit, ALIGNMENT, 0);
	return got && bytes_are_zero(unit, got);
}

/*
 * A file with other contents may have been given by mistake, but a device keeps what was on it before the
 * capture.  A stream without a superblock shows that the command which should have sent it has failed.
 */
static bool is_unfinished(const struct member *m, const struct error *e, const char **what)
{
	bool foreign = e->status == STATUS_NOT_OURS || e->status == STATUS_FOREIGN;

	*what = NULL;
	if (e->status == STATUS_CUT && !m->is_stream) {
		*what = m->size < SUPERBLOCK_LENGTH ? m->size ? "incomplete" : "empty" : NULL;
		return true;
	}
	*what = "cannot be read";
	if (e->status == STATUS_SYSTEM && is_lost(e->errnum))
		return true;
	*what = "begins with zeros";
	if (e->status == STATUS_NOT_OURS && begins_with_zeros(m))
		return true;
	*what = "holds no member of this set";
	return foreign && S_ISBLK(m->identity.type);
}

static bool is_any_closed(const struct set *set)
{
	for (unsigned i = 0; i < set->count; i++)
		if (set->members[i].has_footer && !set->members[i].footer.stopped)
			return true;
	return false;
}

/* As far as it is known: with layers, holes show only when the records are read. */
static bool is_finished(const struct set *set)
{
	uint64_t offset = 0, length;

	return is_any_closed(set) && (set_has_layers(set) || !set_hole(set, &offset, &length));
}

/* A member of another capture, given by mistake, is refused in whatever order they are given. */
static enum status check_capture(const struct aside_member *u, const struct set *set, struct error *e)
{
	if (!u->member.superblock.block_size || S_ISBLK(u->member.identity.type))
		return STATUS_OK;
	return check_member(set, &u->member, e);
}

static void report(const struct aside_member *u, const struct set_settings *settings)
{
	const struct member *m = &u->member;
	struct error note;

	if (u->what)
		error_set(&note, STATUS_CUT, "%s: %s", m->name, u->what);
	else
		error_set(&note, STATUS_CUT, "%s: incomplete, without a footer at byte %" PRIu64, m->name,
			  member_footer_location(m));
	/* The member may hold data that the others do not have: holes show that. */
	error_suffix(&note, "; another member says that the capture finished");
	settings->unfinished(settings->arg, &note);
}

static enum status unfinished_judge(const struct aside_list *list, const struct set *set,
			     const struct set_settings *settings, struct error *e)
{
	enum status status = STATUS_OK;

	if (list->count && !is_finished(set)) {
		*e = list->all[0].why;
		return e->status;
	}
	for (size_t i = 0; i < list->count && !status; i++)
		status = check_capture(&list->all[i], set, e);
	for (size_t i = 0; i < list->count && !status; i++)
		report(&list->all[i], settings);
	return status;
}

/* --- members whose superblock cannot be read ------------------------------------------- */

/*
 * With salvage only.  They are admitted after all other members, since those identify the set.  A member with a footer
 * is identified by that.  Any other is assumed to belong to the set of the other members; if there
 * are none, the first intact piece that is found in it identifies the set.
 */

/*
 * Nothing that the footer said is true of this set; above all, what it said of classes could make missing
 * pages look left out.
 */
static void change_identity(struct member *m, const struct superblock *sb)
{
	m->superblock = *sb;
	m->classes = sb->classes;
	m->footer = (struct footer){ 0 };
	m->has_footer = false;
}

/* If the first piece contradicts the footer, an earlier capture left that footer on the device. */
static void take_first_piece(struct member *m, const struct superblock *first)
{
	bool has_footer = m->has_footer || m->footer.checkpoint;

	if (has_footer && capture_id_equal(&first->id, &m->superblock.id))
		return;
	change_identity(m, first);
	m->superblock_lost = true;
	m->identity_assumed = first->number == MEMBER_NUMBER_UNKNOWN;
}

/* If no member has its superblock: the first piece of each identifies it. */
static enum status identify_all(struct aside_list *list, const struct set_settings *settings,
				struct error *e)
{
	struct salvage_job *jobs = calloc(list->count, sizeof(*jobs));
	enum status status = STATUS_OK;

	if (!jobs)
		return error_system(e, ENOMEM, "%u members", list->count);
	for (unsigned i = 0; i < list->count; i++)
		jobs[i] = (struct salvage_job){ .member = &list->all[i].member, .identify = true };
	salvage_run(jobs, list->count, &settings->watch);
	for (unsigned i = 0; i < list->count && !status; i++) {
		if (!jobs[i].status)
			take_first_piece(&list->all[i].member, &jobs[i].first);
		if (jobs[i].status == STATUS_NO_MEMORY) {
			*e = jobs[i].error;
			status = STATUS_NO_MEMORY;
		}
	}
	free(jobs);
	return status;
}

/* Does the member belong to the set?  If it does not say, that is assumed. */
static enum status check_identity(struct aside_member *u, const struct set *set,
				  const struct set_settings *settings, struct error *e)
{
	struct member *m = &u->member;

	if (!set->count)
		return STATUS_OK;
	if (m->superblock_lost && !m->identity_assumed) {
		enum status status = check_member(set, m, e);

		/*
		 * A footer of another capture does not exclude that the records belong to this one.
		 */
		if (!status || !settings->search ||
		    capture_id_equal(&m->superblock.id, &set->id))
			return status;
		u->why = *e;
	} else if (m->superblock_lost && !capture_id_equal(&m->superblock.id, &set->id)) {
		error_set(&u->why, STATUS_FOREIGN, "%s: damaged at byte 0: superblock; its first "
			  "record belongs to a different set than %s, and it holds no record of "
			  "that set", m->name, set->members[0].name);
	}
	change_identity(m, &set->members[0].superblock);
	m->superblock.number = MEMBER_NUMBER_UNKNOWN;
	m->identity_assumed = true;
	return check_member(set, m, e);
}

static enum status admit_unidentified(struct aside_member *u, struct set *set, const struct set_settings *settings,
				      struct error *e)
{
	struct member *m = &set->members[set->count];
	enum status status;

	/* Can its set be identified? */
	if (!u->member.superblock_lost && !(set->count && settings->search)) {
		*e = u->why;
		return e->status;
	}
	status = check_identity(u, set, settings, e);
	if (status)
		return status;
	*m = u->member;
	u->admitted = true;
	status = admit(set, settings, e);
	if (status)
		member_close(m);
	if (status || m->identity_assumed)
		return status;
	member_verdict(m, STATUS_DAMAGED, 0, "superblock", e);
	settings->warn(settings->arg, e);
	return STATUS_OK;
}

/*
 * Admits the members to the set: with their index, or marked as needs_search.  Calls warn() for
 * each that is skipped.  The only failure is STATUS_NO_MEMORY.
 */
static enum status unidentified_admit(struct aside_list *list, struct set *set,
				      const struct set_settings *settings, struct error *e)
{
	enum status status = STATUS_OK;

	if (!set->count && list->count && settings->search)
		status = identify_all(list, settings, e);
	/* First those that state their set; then those for which it is assumed. */
	for (int assumed = 0; assumed < 2 && !status; assumed++) {
		for (unsigned i = 0; i < list->count && !status; i++) {
			struct aside_member *u = &list->all[i];
			bool stated = u->member.superblock_lost && !u->member.identity_assumed;

			if (u->admitted || stated == assumed)
				continue;
			status = admit_unidentified(u, set, settings, e);
			if (!status || status == STATUS_NO_MEMORY)
				continue;
			settings->warn(settings->arg, e);
			status = STATUS_OK;
		}
	}
	return status;
}

/* The set is not assumed, so at least one of its members is not. */
static const struct superblock *known_superblock(const struct set *set)
{
	const struct member *m = set->members;

	while (m->identity_assumed)
		m++;
	return &m->superblock;
}

/* The search may find a footer that is not in the last unit, as on a device. */
static bool take_footer(struct set *set, struct member *m)
{
	const struct superblock *sb = &m->footer.set;

	if ((!m->has_footer && !m->footer.checkpoint) || set_has_member(set, sb->number))
		return false;
	m->superblock = *sb;
	m->identity_assumed = false;
	if (set->assumed)
		take_identity(set, m);
	return true;
}

/*
 * After the search of a member whose identity was assumed.  STATUS_OK: something of the set was
 * found in it; e has a warning that says what is assumed.  Otherwise e says why it is not used.
 */
static enum status unidentified_judge(const struct aside_list *list, struct set *set,
				      struct member *m, struct error *e)
{
	const struct aside_member *u = list->all;
	const char *different = NULL;
	char uuid[UUID_TEXT_LENGTH + 1];

	if (!m->count && !m->has_footer) {
		while (u->member.name != m->name)
			u++;
		*e = u->why;
		return e->status;
	}
	/*
	 * Records without a capture tag do not say to which of two captures with the same UUID they belong,
	 * but the footer behind them does.
	 */
	if (m->has_footer && !set->assumed)
		different = superblocks_differ(known_superblock(set), &m->footer.set);
	if (different)
		return error_set(e, STATUS_FOREIGN, "%s: belongs to a different capture than %s with the "
				 "same UUID (different: %s); give members of one capture", m->name,
				 set->members[0].name, different);
	uuid_format(&set->id.uuid, uuid);
	if (take_footer(set, m))
		error_set(e, STATUS_DAMAGED, "%s: damaged at byte 0: superblock; a footer was found "
			  "at byte %" PRIu64, m->name, m->footer.offset);
	else
		error_set(e, STATUS_DAMAGED, "%s: damaged at byte 0: superblock, and no footer was found; the records in "
			  "it (%zu) belong to set %s%s", m->name, m->count, uuid, set->assumed ?
			  "; the size of the source and the number of members are unknown" :
			  ", as the other members do; its number is unknown");
	return STATUS_OK;
}

/* --- the set ------------------------------------------------------------------------ */

/* Members that are not in the set until all have been opened. */
struct aside {
	struct aside_list unidentified;	/* with salvage */
	struct aside_list unfinished;	/* without */
	struct aside_list spool;
};

/*
 * After member_open() of the member behind the last one, which has returned status and *e: adds it to
 * the set, or puts it aside.
 */
static enum status take_member(struct set *set, struct aside *aside, enum status status,
			       const struct set_settings *settings, struct error *e)
{
	struct member *m = &set->members[set->count];
	const char *what;

	if (!status && m->superblock_lost) {
		member_verdict(m, STATUS_DAMAGED, 0, "superblock", e);
		return aside_add(&aside->unidentified, m, e, NULL, e);
	}
	if (status && settings->salvage && settings->search && member_can_be_searched(m, status))
		return aside_add(&aside->unidentified, m, e, NULL, e);
	if (!status && set->count)
		status = check_member(set, m, e);
	if (!status)
		status = admit(set, settings, e);
	if (!status)
		return STATUS_OK;
	if (!settings->salvage && settings->unfinished && is_unfinished(m, e, &what))
		status = aside_add(&aside->unfinished, m, e, what, e);
	member_close(m);
	return status;
}

static enum status open_member(struct set *set, struct aside *aside, const char *name,
			       const struct set_settings *settings, struct error *e)
{
	struct member *m = &set->members[set->count];
	enum status status = member_open(m, name, settings->salvage, e);

	if (!status && m->is_stream && settings->spool) {
		/* The superblock is not needed again, so a hole takes its place. */
		m->size = SUPERBLOCK_LENGTH;
		return aside_add(&aside->spool, m, &(struct error){ .status = STATUS_OK }, NULL, e);
	}
	if (!status && m->is_stream)
		status = error_set(e, STATUS_USAGE, "%s: is a stream; give the member as a file or device", m->name);
	return take_member(set, aside, status, settings, e);
}

/* After all have been opened, since opening a pipe may wait for its sender. */
static enum status take_spooled(struct set *set, struct aside *aside,
				const struct set_settings *settings, struct error *e)
{
	if (aside->spool.count)
		spool_run(&aside->spool, settings);
	for (unsigned i = 0; i < aside->spool.count; i++) {
		struct aside_member *job = &aside->spool.all[i];
		enum status status = job->why.status;

		/* The reason is that of another one. */
		if (status == STATUS_STOPPED)
			continue;
		*e = job->why;
		if (!job->kept)
			return status;
		set->members[set->count] = job->member;
		job->admitted = true;
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

/* After the search of all members.  Those that turn out not to be of the set are removed from it. */
static enum status judge_searches(struct set *set, struct salvage_job *jobs, unsigned count,
				  const struct aside_list *list,
				  const struct set_settings *settings, struct error *e)
{
	for (unsigned i = 0; i < count; i++) {
		struct salvage_job *job = &jobs[i];

		*e = job->error;
		if (job->status == STATUS_NO_MEMORY)
			return STATUS_NO_MEMORY;
		if (!job->status && !job->member->identity_assumed)
			continue;
		if (!job->status)
			job->status = unidentified_judge(list, set, job->member, e);
		settings->warn(settings->arg, e);
	}
	/* From the last to the first: a member that is dropped moves those behind it. */
	while (count--) {
		struct member *m = jobs[count].member;

		if (!jobs[count].status)
			continue;
		member_close(m);
		set->count--;
		memmove(m, m + 1, (size_t)(set->members + set->count - m) * sizeof(*m));
	}
	return STATUS_OK;
}

/* All members without an index, at once. */
static enum status search_members(struct set *set, const struct aside_list *list,
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

/* A first size is accepted. */
static bool accept_size(struct set *set, uint64_t size)
{
	if (set->source_size == SOURCE_SIZE_UNKNOWN)
		set->source_size = size;
	return size == SOURCE_SIZE_UNKNOWN || size == set->source_size;
}

/* What superblock and footer say.  STATUS_DAMAGED: the size of the source is another one than that of the members before. */
static enum status settle_member(struct set *set, struct member *m, struct error *e)
{
	uint64_t size = m->superblock.source_size;
	bool accepted = accept_size(set, size);

	class_table_merge(&set->classes, &m->classes);
	if (!set->second.count)
		set->second = m->superblock.second;
	if (m->has_footer)
		set->stopped |= m->footer.stopped;
	set->stopped_at_marked |= !m->has_footer && m->footer.dangerous;
	if (accepted && m->has_footer) {
		size = m->footer.set.source_size;
		accepted = accept_size(set, size);
	}
	if (accepted)
		return STATUS_OK;
	return error_set(e, STATUS_DAMAGED, "%s: has a source size of %" PRIu64 " bytes, but the set "
			 "has %" PRIu64, m->name, size, set->source_size);
}

static enum status open_all(struct set *set, struct aside *aside, const struct names *names,
			    const struct set_settings *settings, struct error *e)
{
	enum status status = open_members(set, aside, names, settings, e);

	if (!status)
		status = search_members(set, &aside->unidentified, settings, e);
	if (status)
		return status;
	fit_chunks(set);
	if (!set->count && !aside->unfinished.count)
		return error_set(e, STATUS_MISSING, "no member can be read");
	for (unsigned i = 0; i < set->count; i++) {
		if (!settle_member(set, &set->members[i], e))
			continue;
		if (!settings->salvage)
			return e->status;
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
		*status = dump_stream_open(&file, form, fd, settings, e);
		if (*status)
			dump_file_close(&file);
		else
			*status = dump_open_file(set, &file, e);
	} else if (fd >= 0) {
		close(fd);
	}
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
	set->members = calloc(names->count, sizeof(*set->members));
	if (!set->members)
		return error_system(e, ENOMEM, "%zu members", names->count);
	status = open_all(set, &aside, names, settings, e);
	aside_free(&aside.unidentified);
	aside_free(&aside.unfinished);
	aside_free(&aside.spool);
	return status;
}
