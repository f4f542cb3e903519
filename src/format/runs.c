// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "format/runs.h"

/* A run is one integer: kind, class, number of granules. */
enum { KIND_SHIFT = 28, CLASS_SHIFT = 24, CLASS_MASK = 15, GRANULES_MASK = (1 << CLASS_SHIFT) - 1 };

/* --- making a list --------------------------------------------------------- */

bool run_list_add(struct run_list *list, const struct run *run)
{
	struct run *last = list->count ? &list->runs[list->count - 1] : NULL;

	if (last && last->kind == run->kind && last->class_number == run->class_number) {
		last->granules += run->granules;
		return true;
	}
	if (list->count == list->capacity)
		return false;
	list->runs[list->count++] = *run;
	return true;
}

/* Adds up what the header says of all runs. */
static void count_run(struct record *record, const struct run_place *place)
{
	switch (place->run.kind) {
	case RUN_STORED:
		record->stored_length += place->length;
		break;
	case RUN_NAMED:
		record->named |= (uint16_t)(1u << place->run.class_number);
		break;
	case RUN_ZERO:
		record->named |= NAMED_ZERO;
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
	record->stored_length = 0;
	record->named = 0;
}

static uint64_t list_checksum(const struct record *record, const uint8_t *raw)
{
	return record->runs ? format_checksum(raw + RECORD_HEADER_LENGTH, RUN_LENGTH * (size_t)record->runs) : 0;
}

static bool is_plain(const struct run *run, uint32_t count)
{
	return count == 1 && run->kind == RUN_STORED && run->class_number == CLASS_KERNEL;
}

void run_list_encode(const struct run_list *list, struct record *record, uint8_t *raw)
{
	uint8_t *at = raw + RECORD_HEADER_LENGTH;
	struct run_cursor c;
	struct run_place place;

	record->runs = is_plain(list->runs, list->count) ? 0 : list->count;
	for (uint32_t i = 0; i < record->runs; i++, at += RUN_LENGTH) {
		const struct run *run = &list->runs[i];

		put_le32(at, (uint32_t)run->kind << KIND_SHIFT | run->class_number << CLASS_SHIFT |
			     run->granules);
	}
	clear_counts(record);
	c = run_cursor_begin(record, raw);
	while (run_cursor_next(&c, &place))
		count_run(record, &place);
	record->list_checksum = list_checksum(record, raw);
}

/* --- reading a list -------------------------------------------------------- */

struct run_cursor run_cursor_begin(const struct record *record, const uint8_t *raw)
{
	return (struct run_cursor){
		.run = record->runs ? raw + RECORD_HEADER_LENGTH : NULL,
		.left = record->runs ? record->runs : 1,
		.offset = record->source_offset,
		.end = record->source_offset + record->source_length,
	};
}

/* Without a list, all of the range is one stored run. */
static struct run next_run(const struct run_cursor *c)
{
	uint32_t raw = c->run ? get_le32(c->run) : (uint32_t)divide_up(c->end - c->offset, GRANULE);

	return (struct run){
		.kind = (enum run_kind)(raw >> KIND_SHIFT),
		.class_number = raw >> CLASS_SHIFT & CLASS_MASK,
		.granules = raw & GRANULES_MASK,
	};
}

bool run_cursor_next(struct run_cursor *c, struct run_place *place)
{
	if (!c->left)
		return false;
	place->run = next_run(c);
	place->offset = c->offset;
	/* Only the last granule of the source may be shorter. */
	place->length = (uint32_t)min_u64((uint64_t)GRANULE * place->run.granules, c->end - c->offset);
	place->stored_at = c->stored;
	if (place->run.kind == RUN_STORED)
		c->stored += place->length;
	if (c->run)
		c->run += RUN_LENGTH;
	c->offset += place->length;
	c->left--;
	return true;
}

static bool run_valid(const struct run *run, unsigned layer)
{
	switch (run->kind) {
	case RUN_STORED:
	case RUN_UNREADABLE:
		return true;
	case RUN_NAMED:
		return layer == 1 && run->class_number != CLASS_KERNEL;
	case RUN_ZERO:
		return layer == 1 && run->class_number == CLASS_KERNEL;
	case RUN_ELSEWHERE:
		return layer > 1 && run->class_number == 0;
	default:
		return false;
	}
}

static bool runs_valid(const struct record *record, const uint8_t *raw, struct record *counted)
{
	struct run_cursor c = run_cursor_begin(record, raw);
	uint32_t granules = record_granules(record);
	struct run_place place;

	while (run_cursor_next(&c, &place)) {
		if (!place.run.granules || place.run.granules > granules ||
		    !run_valid(&place.run, record->layer))
			return false;
		/* That list is to be left out. */
		if (record->runs == 1 && is_plain(&place.run, 1))
			return false;
		granules -= place.run.granules;
		count_run(counted, &place);
	}
	return granules == 0;
}

enum status run_list_check(const struct record *record, const uint8_t *raw)
{
	struct record counted = { 0 };

	if (list_checksum(record, raw) != record->list_checksum ||
	    !runs_valid(record, raw, &counted) ||
	    counted.unreadable != record->unreadable ||
	    counted.stored_length != record->stored_length ||
	    counted.named != record->named)
		return STATUS_DAMAGED;
	return STATUS_OK;
}
