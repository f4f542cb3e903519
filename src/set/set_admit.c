// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/names.h"
#include "base/size.h"
#include "set/set_admit.h"

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

enum status set_check_member(const struct set *set, const struct member *m, struct error *e)
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

void set_take_identity(struct set *set, const struct member *m)
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

/* njoin spools such a stream (spool.h); nsplit-mount does not. */
static enum status check_layers(const struct member *m, struct error *e)
{
	if (superblock_has_layers(&m->superblock) && m->is_stream)
		return error_set(e, STATUS_USAGE, "%s: has layers, and cannot be read from a pipe, "
				 "because each layer has other parts of the same range; give the "
				 "member as a file or device", m->name);
	return STATUS_OK;
}

/* With salvage, all members without an index are searched later, at once. */
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
		return error_suffix(e, "; use --salvage to read what is intact");
	settings->warn(settings->arg, e);
	m->needs_search = true;
	return STATUS_OK;
}

enum status set_admit(struct set *set, const struct set_settings *settings, struct error *e)
{
	struct member *m = &set->members[set->count];
	enum status status = check_layers(m, e);

	if (!status)
		status = load_locations(m, settings, e);
	if (status)
		return status;
	if (!set->count)
		set_take_identity(set, m);
	set->has_stream |= m->is_stream;
	set->count++;
	return STATUS_OK;
}

