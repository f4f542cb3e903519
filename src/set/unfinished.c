// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/array.h"
#include "io/transfer.h"
#include "set/set_admit.h"
#include "set/unfinished.h"

/* The member may hold data that the others do not have: holes show that. */
void unfinished_suffix(struct error *e)
{
	error_suffix(e, "; another member says that the capture finished");
}

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

	if (m->fd < 0 || m->is_stream)
		return false;
	got = transfer_pread(m->fd, unit, ALIGNMENT, 0);
	return got && unit[0] == 0 && memcmp(unit, unit + 1, got - 1) == 0;
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

enum status unfinished_add(struct unfinished_list *list, struct member *m, struct error *e)
{
	const char *what;

	if (!is_unfinished(m, e, &what))
		return e->status;
	if (!array_grow(&list->items, list->count, sizeof(*list->items)))
		return error_system(e, ENOMEM, "%s", m->name);
	list->items[list->count++] = (struct unfinished){ .member = *m, .why = *e, .what = what };
	*m = (struct member){ .fd = -1 };
	return STATUS_OK;
}

bool unfinished_any_closed(const struct set *set)
{
	for (unsigned i = 0; i < set->count; i++)
		if (set->members[i].has_footer && !set->members[i].footer.stopped)
			return true;
	return false;
}

/*
 * As far as it is known: the footer of a stream comes last, and with layers holes show only when the
 * records are read.
 */
static bool is_finished(const struct set *set)
{
	uint64_t offset = 0, length;

	if (set->has_stream)
		return true;
	return unfinished_any_closed(set) &&
	       (set_has_layers(set) || !set_hole(set, &offset, &length));
}

/* A member of another capture, given by mistake, is refused in whatever order they are given. */
static enum status check_capture(const struct unfinished *u, const struct set *set, struct error *e)
{
	if (!u->member.superblock.block_size || S_ISBLK(u->member.identity.type))
		return STATUS_OK;
	return set_check_member(set, &u->member, e);
}

static void report(const struct unfinished *u, const struct set_settings *settings)
{
	const struct member *m = &u->member;
	struct error note;

	if (u->what)
		error_set(&note, STATUS_CUT, "%s: %s", m->name, u->what);
	else
		error_set(&note, STATUS_CUT, "%s: incomplete, without a footer at byte %" PRIu64, m->name,
			  member_footer_location(m));
	unfinished_suffix(&note);
	settings->unfinished(settings->arg, &note);
}

enum status unfinished_judge(const struct unfinished_list *list, const struct set *set,
			     const struct set_settings *settings, struct error *e)
{
	enum status status = STATUS_OK;

	if (list->count && !is_finished(set)) {
		*e = list->items[0].why;
		return e->status;
	}
	for (size_t i = 0; i < list->count && !status; i++)
		status = check_capture(&list->items[i], set, e);
	for (size_t i = 0; i < list->count && !status; i++)
		report(&list->items[i], settings);
	return status;
}

void unfinished_free(struct unfinished_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		member_close(&list->items[i].member);
	free(list->items);
}
