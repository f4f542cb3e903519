// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "format/runs.h"

/* A run is one integer: kind, class, number of granules. */
enum { KIND_SHIFT = 28, CLASS_SHIFT = 24, CLASS_MASK = 15, GRANULES_MASK = (1 << CLASS_SHIFT) - 1 };

/*
 * The targets of a record ascend and are close to each other (section 15), so that to read what its
 * aliases refer to does not take longer than to read a few cells.
 */
static bool take_target(struct run_targets *t, const struct run *run)
{
	uint64_t length = (uint64_t)GRANULE * run->granules;
	bool first = !t->end;

	if (!first && (run->target < t->end || run->target + length - t->begin > RECORD_TARGETS_MAX))
		return false;
	if (first)
		t->begin = run->target;
	t->end = run->target + length;
	return true;
}

/* --- making a list --------------------------------------------------------- */

static bool continues(const struct run *last, const struct run *run)
{
	if (last->kind != run->kind || last->class_number != run->class_number)
		return false;
	return run->kind != RUN_ALIAS ||
	       run->target == last->target + (uint64_t)GRANULE * last->granules;
}

bool run_list_add(struct run_list *list, const struct run *run)
{
	bool alias = run->kind == RUN_ALIAS;
	struct run_targets targets = list->targets;

	if (alias && !take_target(&targets, run))
		return false;
	if (list->count && continues(&list->runs[list->count - 1], run)) {
		list->runs[list->count - 1].granules += run->granules;
		list->targets = targets;
		return true;
	}
	if (list->count == list->capacity || (alias && list->aliases == RECORD_ALIASES_MAX))
		return false;
	list->runs[list->count++] = *run;
	list->aliases += alias;
	list->targets = targets;
	return true;
}

/* Adds up what the header says of all runs. */
static void count_run(struct record *record, const struct run_place *place)
{
	struct gathered *g = &record->gathered;

	switch (place->run.kind) {
	case RUN_STORED:
		g->stored_length += place->length;
		break;
	case RUN_NAMED:
		g->named |= (uint16_t)(1u << place->run.class_number);
		break;
	case RUN_ALIAS:
		g->aliases++;
		break;
	case RUN_UNREADABLE:
		record->unreadable += place->run.granules;
		break;
	default:
		break;
	}
}

static void clear_counts(struct record *record)
{
	record->unreadable = 0;
	record->gathered.stored_length = 0;
	record->gathered.aliases = 0;
	record->gathered.named = 0;
}

static uint64_t list_checksum(const struct record *record, const uint8_t *raw)
{
	return format_checksum(raw + RECORD_HEADER_LENGTH,
			       record_table_offset(record) - RECORD_HEADER_LENGTH);
}

void run_list_encode(const struct run_list *list, struct record *record, uint8_t *raw)
{
	uint8_t *at = raw + RECORD_HEADER_LENGTH, *target = at + (size_t)RUN_LENGTH * list->count;
	struct run_cursor c;
	struct run_place place;

	for (uint32_t i = 0; i < list->count; i++, at += RUN_LENGTH) {
		const struct run *run = &list->runs[i];

		put_le32(at, (uint32_t)run->kind << KIND_SHIFT | run->class_number << CLASS_SHIFT |
			     run->granules);
		if (run->kind != RUN_ALIAS)
			continue;
		put_le64(target, run->target);
		target += RUN_TARGET_LENGTH;
	}
	record->gathered.runs = list->count;
	clear_counts(record);
	c = run_cursor_begin(record, raw);
	while (run_cursor_next(&c, &place))
		count_run(record, &place);
	record->gathered.list_checksum = list_checksum(record, raw);
}

/* --- reading a list -------------------------------------------------------- */

struct run_cursor run_cursor_begin(const struct record *record, const uint8_t *raw)
{
	const uint8_t *runs = raw + RECORD_HEADER_LENGTH;

	return (struct run_cursor){
		.run = runs,
		.target = runs + (size_t)RUN_LENGTH * record->gathered.runs,
		.left = record->gathered.runs,
		.offset = record->source_offset,
		.end = record->source_offset + record->source_length,
	};
}

bool run_cursor_next(struct run_cursor *c, struct run_place *place)
{
	uint32_t raw;

	if (!c->left)
		return false;
	raw = get_le32(c->run);
	place->run = (struct run){
		.kind = (enum run_kind)(raw >> KIND_SHIFT),
		.class_number = raw >> CLASS_SHIFT & CLASS_MASK,
		.granules = raw & GRANULES_MASK,
	};
	place->offset = c->offset;
	/* Only the last granule of the source may be shorter. */
	place->length = (uint32_t)min_u64((uint64_t)GRANULE * place->run.granules, c->end - c->offset);
	place->stored_at = c->stored;
	if (place->run.kind == RUN_ALIAS) {
		place->run.target = get_le64(c->target);
		c->target += RUN_TARGET_LENGTH;
	}
	if (place->run.kind == RUN_STORED)
		c->stored += place->length;
	c->run += RUN_LENGTH;
	c->offset += place->length;
	c->left--;
	return true;
}

static bool target_valid(const struct run_place *place)
{
	uint64_t target = place->run.target;

	return target % GRANULE == 0 && target <= OFFSET_MAX - place->length &&
	       (target + place->length <= place->offset || target >= place->offset + place->length);
}

static bool run_valid(const struct run_place *place, unsigned layer)
{
	switch (place->run.kind) {
	case RUN_STORED:
	case RUN_UNREADABLE:
		return true;
	case RUN_NAMED:
		return layer == 1 && place->run.class_number != CLASS_KERNEL;
	case RUN_ALIAS:
		return layer == 1 && target_valid(place);
	case RUN_ELSEWHERE:
		return layer > 1 && place->run.class_number == 0;
	default:
		return false;
	}
}

/* Takes the runs one by one, and never reads a target that the header does not announce. */
static bool runs_valid(const struct record *record, const uint8_t *raw, struct record *counted)
{
	struct run_cursor c = run_cursor_begin(record, raw);
	uint32_t granules = record_granules(record);
	struct run_targets targets = { 0 };
	struct run_place place;

	while (c.left) {
		bool alias = get_le32(c.run) >> KIND_SHIFT == RUN_ALIAS;

		if (alias && counted->gathered.aliases == record->gathered.aliases)
			return false;
		run_cursor_next(&c, &place);
		if (!place.run.granules || place.run.granules > granules ||
		    !run_valid(&place, record->gathered.layer) ||
		    (alias && !take_target(&targets, &place.run)))
			return false;
		granules -= place.run.granules;
		count_run(counted, &place);
	}
	return granules == 0;
}

enum status run_list_check(const struct record *record, const uint8_t *raw)
{
	struct record counted = { 0 };

	if (list_checksum(record, raw) != record->gathered.list_checksum ||
	    !runs_valid(record, raw, &counted) ||
	    counted.unreadable != record->unreadable ||
	    counted.gathered.stored_length != record->gathered.stored_length ||
	    counted.gathered.aliases != record->gathered.aliases ||
	    counted.gathered.named != record->gathered.named)
		return STATUS_DAMAGED;
	return STATUS_OK;
}
