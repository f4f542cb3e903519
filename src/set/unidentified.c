// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/array.h"
#include "set/set_admit.h"
#include "set/unidentified.h"

enum status unidentified_add(struct unidentified_list *list, struct member *m,
			     const struct error *why, struct error *e)
{
	if (!array_grow(&list->all, list->count, sizeof(*list->all)))
		return error_system(e, ENOMEM, "%u members", list->count + 1);
	list->all[list->count++] = (struct unidentified){ .member = *m, .why = *why };
	*m = (struct member){ .fd = -1 };
	return STATUS_OK;
}

void unidentified_free(struct unidentified_list *list)
{
	for (unsigned i = 0; i < list->count; i++)
		if (!list->all[i].admitted)
			member_close(&list->all[i].member);
	free(list->all);
	*list = (struct unidentified_list){ 0 };
}

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
static enum status identify_all(struct unidentified_list *list, const struct set_settings *settings,
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

/* The member is assumed to belong to the set of the others. */
static void assume_identity(struct member *m, const struct set *set)
{
	change_identity(m, &set->members[0].superblock);
	m->superblock.number = MEMBER_NUMBER_UNKNOWN;
	m->identity_assumed = true;
}

/* Does the member belong to the set?  If it does not say, that is assumed. */
static enum status check(struct unidentified *u, const struct set *set,
			 const struct set_settings *settings, struct error *e)
{
	struct member *m = &u->member;

	if (!set->count)
		return STATUS_OK;
	if (m->superblock_lost && !m->identity_assumed) {
		enum status status = set_check_member(set, m, e);

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
	assume_identity(m, set);
	return set_check_member(set, m, e);
}

/* Can the set of the member be identified? */
static bool is_identifiable(const struct set *set, const struct member *m,
			    const struct set_settings *settings)
{
	return m->superblock_lost || (set->count && settings->search);
}

static enum status admit(struct unidentified *u, struct set *set, const struct set_settings *settings,
			 struct error *e)
{
	struct member *m = &set->members[set->count];
	enum status status;

	if (!is_identifiable(set, &u->member, settings)) {
		*e = u->why;
		return e->status;
	}
	status = check(u, set, settings, e);
	if (status)
		return status;
	*m = u->member;
	u->admitted = true;
	status = set_admit(set, settings, e);
	if (status)
		member_close(m);
	if (status || m->identity_assumed)
		return status;
	member_verdict(m, STATUS_DAMAGED, 0, "superblock", e);
	settings->warn(settings->arg, e);
	return STATUS_OK;
}

enum status unidentified_admit(struct unidentified_list *list, struct set *set,
			       const struct set_settings *settings, struct error *e)
{
	enum status status = STATUS_OK;

	if (!set->count && list->count && settings->search)
		status = identify_all(list, settings, e);
	/* First those that state their set; then those for which it is assumed. */
	for (int assumed = 0; assumed < 2 && !status; assumed++) {
		for (unsigned i = 0; i < list->count && !status; i++) {
			struct unidentified *u = &list->all[i];
			bool stated = u->member.superblock_lost && !u->member.identity_assumed;

			if (u->admitted || stated == assumed)
				continue;
			status = admit(u, set, settings, e);
			if (!status || status == STATUS_NO_MEMORY)
				continue;
			settings->warn(settings->arg, e);
			status = STATUS_OK;
		}
	}
	return status;
}

static const struct error *why_not_opened(const struct unidentified_list *list, const struct member *m)
{
	unsigned i = 0;

	while (list->all[i].member.name != m->name)
		i++;
	return &list->all[i].why;
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
		set_take_identity(set, m);
	return true;
}

static void report_assumed(const struct set *set, const struct member *m, struct error *e)
{
	char uuid[UUID_TEXT_LENGTH + 1];

	uuid_format(&set->id.uuid, uuid);
	if (set->assumed)
		error_set(e, STATUS_DAMAGED, "%s: damaged at byte 0: superblock, and no footer was "
			  "found; the records in it (%zu) belong to set %s; the size of the source "
			  "and the number of members are unknown", m->name, m->count, uuid);
	else
		error_set(e, STATUS_DAMAGED, "%s: damaged at byte 0: superblock, and no footer was "
			  "found; the records in it (%zu) belong to set %s, as the other members do; "
			  "its number is unknown", m->name, m->count, uuid);
}

/*
 * Records without a capture tag do not say to which of two captures with the same UUID they belong,
 * but the footer behind them does.
 */
static enum status footer_of_another(const struct set *set, const struct member *m, struct error *e)
{
	return error_set(e, STATUS_FOREIGN, "%s: belongs to a different capture than %s with the "
			 "same UUID (different: %s); give members of one capture", m->name,
			 set->members[0].name,
			 superblocks_differ(known_superblock(set), &m->footer.set));
}

enum status unidentified_judge(const struct unidentified_list *list, struct set *set,
			       struct member *m, struct error *e)
{
	if (!m->count && !m->has_footer) {
		*e = *why_not_opened(list, m);
		return e->status;
	}
	if (m->has_footer && !set->assumed && superblocks_differ(known_superblock(set), &m->footer.set))
		return footer_of_another(set, m, e);
	if (take_footer(set, m))
		error_set(e, STATUS_DAMAGED, "%s: damaged at byte 0: superblock; a footer was found "
			  "at byte %" PRIu64, m->name, m->footer.offset);
	else
		report_assumed(set, m, e);
	return STATUS_OK;
}
