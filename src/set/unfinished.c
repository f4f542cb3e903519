// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>

#include "base/array.h"
#include "set/unfinished.h"

void unfinished_note(struct error *note, const struct member *m, const char *what)
{
	error_set(note, STATUS_CUT, "%s: %s; the capture finished without it", m->name, what);
}

/*
 * In what way the member is unfinished; NULL: in none.  A file with other contents may have been given
 * by mistake, but a device keeps what was on it before the capture.  A stream without a superblock shows
 * that the command which should have sent it has failed.
 */
static const char *what_is_unfinished(const struct member *m, const struct error *e)
{
	if (e->status == STATUS_CUT && !m->is_stream)
		return m->size ? "incomplete" : "empty";
	if (e->status == STATUS_SYSTEM && e->errnum == EIO)
		return "cannot be read";
	if (S_ISBLK(m->identity.type) &&
	    (e->status == STATUS_NOT_OURS || e->status == STATUS_FOREIGN))
		return "holds no member of this set";
	return NULL;
}

enum status unfinished_add(struct unfinished_list *list, const struct member *m, struct error *e)
{
	const char *what = what_is_unfinished(m, e);

	if (!what)
		return e->status;
	if (!array_grow(&list->why, list->count, sizeof(*list->why)) ||
	    !array_grow(&list->note, list->count, sizeof(*list->note)))
		return error_system(e, ENOMEM, "%s", m->name);
	list->why[list->count] = *e;
	unfinished_note(&list->note[list->count++], m, what);
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

enum status unfinished_judge(const struct unfinished_list *list, const struct set *set,
			     const struct set_settings *settings, struct error *e)
{
	if (list->count && !is_finished(set)) {
		*e = list->why[0];
		return e->status;
	}
	for (size_t i = 0; i < list->count; i++)
		settings->unfinished(settings->arg, &list->note[i]);
	return STATUS_OK;
}

void unfinished_free(struct unfinished_list *list)
{
	free(list->why);
	free(list->note);
}
