// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "set/read/collected.h"
#include "set/read/resolve.h"

enum status resolver_init(struct resolver *r, const struct set *set, struct error *e)
{
	enum status status;

	*r = (struct resolver){ .set = set, .avoid = SIZE_MAX };
	resolver_forget(r);
	status = cell_init(&r->direct.cell, set, e);
	if (!status && set->second.count)
		status = cell_init(&r->first.cell, set, e);
	return status;
}

void resolver_free(struct resolver *r)
{
	cell_free(&r->direct.cell);
	cell_free(&r->first.cell);
}

void resolver_forget(struct resolver *r)
{
	r->direct.number = r->first.number = UINT64_MAX;
}

void resolver_forget_unsure(struct resolver *r)
{
	if (r->direct.unsure)
		r->direct.number = UINT64_MAX;
	if (r->first.unsure)
		r->first.number = UINT64_MAX;
}

static enum status add_record(const struct resolver *r, struct known_cell *k, size_t i, struct error *e)
{
	bool whole = i != r->avoid && !set_is_lost(r->set, i);
	enum status status = STATUS_OK;

	if (!whole || !cell_add_entry(&k->cell, i, !r->by_entries))
		status = cell_add_head(&k->cell, i, whole, e);
	if (!status || status == STATUS_NO_MEMORY)
		return status;
	if (r->damaged)
		r->damaged(r->arg, i, k == &r->first, e);
	if (!k->damage.status)
		k->damage = *e;
	k->unsure |= status == STATUS_SYSTEM || status == STATUS_CUT;
	return STATUS_OK;
}

static enum status collect(const struct resolver *r, struct known_cell *k, uint64_t kind,
			   struct error *e)
{
	enum status status = STATUS_OK;

	k->damage.status = STATUS_OK;
	for (size_t i = k->cell.first; i < k->cell.end && !status; i++)
		status = add_record(r, k, i, e);
	/* Who goes by entries asks for each cell once.  Damage is reported each time. */
	if (!status && !k->unsure && r->avoid == SIZE_MAX && !(r->by_entries && k == &r->direct) &&
	    !(r->damaged && k->damage.status))
		collected_keep(r->set->collected, kind, &k->cell, &k->damage);
	return status;
}

/* Finds out what is in a cell, unless it is known. */
static enum status settle(const struct resolver *r, struct known_cell *k, uint64_t number,
			  struct error *e)
{
	uint64_t lost = set_count_lost(r->set), kind = 2 * lost + r->by_entries;
	enum status status = STATUS_OK;

	if (k->number == number && k->lost == lost && r->avoid == SIZE_MAX)
		return STATUS_OK;
	k->number = UINT64_MAX;
	k->lost = lost;
	k->unsure = false;
	cell_begin(&k->cell, number);
	if (r->avoid != SIZE_MAX || !collected_recall(r->set->collected, kind, &k->cell, &k->damage))
		status = collect(r, k, kind, e);
	if (!status && r->avoid == SIZE_MAX)
		k->number = number;
	return status;
}

enum status resolve(struct resolver *r, uint64_t offset, uint64_t length, struct extent *x,
		    struct error *e)
{
	uint64_t stored = offset;
	bool second = second_places_follow(&r->set->second, &stored, &length);
	struct known_cell *k = second ? &r->first : &r->direct;
	enum status status = settle(r, k, stored / r->set->cell_size, e);

	if (status)
		return status;
	cell_extent(&k->cell, stored, stored + length, x);
	x->offset = offset;
	x->second = second;
	x->unsure = k->unsure;
	return STATUS_OK;
}

const struct error *resolver_damage(const struct resolver *r, const struct extent *x)
{
	const struct known_cell *k = x->second ? &r->first : &r->direct;

	return k->damage.status ? &k->damage : NULL;
}
