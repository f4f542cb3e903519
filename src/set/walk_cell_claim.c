// SPDX-License-Identifier: GPL-2.0-or-later
/* The first step of a walk over a set with layers: claiming a cell; and the buffers for it. */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/unit.h"
#include "set/walk_steps.h"

enum status cell_slot_init(struct slot *slot, struct error *e)
{
	const struct walk *w = slot->walk;
	struct cell_slot *layers = calloc(1, sizeof(*layers));

	slot->layers = layers;
	if (!layers)
		return error_system(e, ENOMEM, "%u record buffers", w->slots_count);
	if (w->settings.ordered) {
		layers->bytes = aligned_alloc(UNIT, w->set->cell_size);
		if (!layers->bytes)
			return error_system(e, ENOMEM, "%u record buffers", w->slots_count);
	}
	return cell_init(&layers->cell, w->set, e);
}

void cell_slot_free(struct slot *slot)
{
	struct cell_slot *layers = slot->layers;

	if (!layers)
		return;
	layer_reader_free(layers->targets);
	cell_free(&layers->cell);
	free(layers->bytes);
	free(layers);
	slot->layers = NULL;
}

/*
 * The next cell that has a record, or the end: nothing need be read to know that the others are missing,
 * and a damaged size of the source may mean any number of them.
 */
static uint64_t next_cell(struct walk *w)
{
	const struct set *set = w->set;
	size_t i = set_find_cell(set, w->next);
	uint64_t number = i < set->locations ? set->map[i]->entry.source_offset / set->cell_size :
					       cell_number_end(set);
	uint64_t from = max_u64(w->next * set->cell_size, w->settings.from);
	uint64_t to = min_u64(min_u64(number * set->cell_size, set->source_size), w->settings.to);

	if (from < to) {
		w->totals.unknown += to - from;
		w->done += to - from;
	}
	return number;
}

bool walk_claim_cell(struct walk *w, struct slot *slot)
{
	uint64_t end = cell_number_end(w->set), number = end;
	bool claimed = false;

	pthread_mutex_lock(&w->lock);
	while (w->next < end && !claimed) {
		number = next_cell(w);
		w->next = number + 1;
		claimed = number < end && walk_wants(w, number * w->set->cell_size, w->set->cell_size);
	}
	if (claimed)
		slot->position = w->claimed++;
	pthread_mutex_unlock(&w->lock);
	if (claimed)
		cell_begin(&slot->layers->cell, number);
	return claimed;
}
