// SPDX-License-Identifier: GPL-2.0-or-later
/* The second step of a walk: reading a record and unpacking its blocks. */
#include "config.h"

#include "set/walk_steps.h"

static enum status unpack(struct slot *slot, struct error *e)
{
	const struct walk_settings *s = &slot->walk->settings;

	slot->unpacked = false;
	if (s->mode == WALK_CHECK)
		return record_reader_prove(&slot->reader, slot->blocks, e);
	if (s->mode == WALK_RECORDS && !s->needs_blocks(s->deliver_arg, &slot->reader))
		return STATUS_OK;
	slot->unpacked = true;
	return record_reader_unpack(&slot->reader, slot->blocks, e);
}

static enum status load(struct slot *slot, const struct location *location, struct error *e)
{
	enum status status;

	status = location ? record_reader_load(&slot->reader, slot->walk->set, location, e)
			  : record_reader_check(&slot->reader, e);
	return status ? status : unpack(slot, e);
}

/* In the map, duplicates follow the first location of their range. */
static bool load_duplicate(struct slot *slot)
{
	const struct set *set = slot->walk->set;
	struct error ignored;

	if (!slot->location)
		return false;
	for (size_t i = set_find(set, slot->location->entry.source_offset) + 1;
	     i < set->locations && set->map[i]->duplicate; i++)
		if (load(slot, set->map[i], &ignored) == STATUS_OK)
			return true;
	return false;
}

/* True: the record is to be delivered.  Duplicates, claimed by a check, are only read. */
static bool load_or_replace(struct slot *slot)
{
	struct walk *w = slot->walk;
	bool duplicate = slot->location && slot->location->duplicate;
	struct error e;
	enum status status = load(slot, slot->location, &e);
	bool past_damage = w->settings.past_damage && status != STATUS_NO_MEMORY;

	if (!status)
		return !duplicate;
	if (!slot->location && slot->queue->judged_later && status != STATUS_NO_MEMORY) {
		walk_judge_later(slot->queue, &e);
		return false;
	}
	if (past_damage)
		walk_report_damage(w, &e);
	if (status != STATUS_NO_MEMORY && !duplicate && load_duplicate(slot))
		return true;
	if (!past_damage)
		walk_end(w, status, &e);
	return false;
}

static bool is_unwanted(const struct slot *slot)
{
	const struct walk_settings *s = &slot->walk->settings;

	return slot->location && s->wants_record && !slot->location->entry.unreadable &&
	       !s->wants_record(s->deliver_arg, slot->location->entry.source_offset,
				slot->location->entry.source_length);
}

void walk_load(struct slot *slot)
{
	if (slot->layers) {
		walk_load_cell(slot);
		return;
	}
	slot->skipped = is_unwanted(slot);
	slot->loaded = !slot->skipped && load_or_replace(slot);
}
