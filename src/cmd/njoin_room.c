// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "base/size.h"
#include "cmd/message.h"
#include "cmd/njoin_room.h"
#include "export/room.h"
#include "format/format.h"
#include "format/record.h"

/* Bytes that are to be written. */
struct need {
	uint64_t least;			/* of those that cannot be zeros */
	uint64_t most;			/* of all that the members hold */
};

/*
 * Whatever is behind the block table has to be written: a packed block is shorter than what it is
 * packed of.  Nothing is known of where in the record it is, so only whole records count.
 */
static uint64_t least_of(const struct index_entry *entry)
{
	uint64_t blocks = divide_up(entry->source_length, BLOCK_SIZE_MIN);
	uint64_t head = round_up(RECORD_HEADER_LENGTH + RECORD_ENTRY_LENGTH * blocks, UNIT) + UNIT;
	uint64_t behind = entry->record_length - min_u64(entry->record_length, head);

	return min_u64(behind, entry->source_length);
}

static struct need need_of(const struct run *run)
{
	struct need need = { 0 };

	for (size_t i = 0; i < run->set.places; i++) {
		const struct index_entry *entry = &run->set.map[i]->entry;
		uint64_t from = max_u64(entry->source_offset, run->from);
		uint64_t to = min_u64(entry->source_offset + entry->source_length, run->to);

		if (run->set.map[i]->spare || from >= to)
			continue;
		need.most += to - from;
		if (to - from == entry->source_length)
			need.least += least_of(entry);
	}
	return need;
}

/* The end of a device is reached whatever is written; without holes so are all bytes of a file. */
static uint64_t certain_of(const struct run *run, const struct output *o, const struct need *need)
{
	if (!o->target)
		return run->to > run->from ? run->to - run->from : 0;
	return o->sparse ? need->least : need->most;
}

static bool seen_before(const struct run *run, const struct output *o, dev_t device)
{
	for (const struct output *before = run->outputs; before < o; before++) {
		struct room room;

		if (room_of(before, &room) && room.device == device)
			return true;
	}
	return false;
}

/* Bytes that all outputs together can take; several may be on one file system. */
static bool room_of_all(const struct run *run, uint64_t *bytes)
{
	*bytes = 0;
	for (size_t i = 0; i < run->outputs_count; i++) {
		const struct output *o = &run->outputs[i];
		struct room room;

		if (!room_of(o, &room))
			return false;
		if (!seen_before(run, o, room.device))
			*bytes += min_u64(room.bytes, UINT64_MAX - *bytes);
	}
	return true;
}

static void warn_of_little(const struct run *run, uint64_t needed)
{
	char text[SIZE_TEXT_LENGTH], there[SIZE_TEXT_LENGTH];
	uint64_t bytes;

	if (!room_of_all(run, &bytes) || needed <= bytes)
		return;
	message("%s: may have too little room: up to %s are needed, and %s are free; it is written all "
		"the same", run->outputs->name, size_format(needed, text), size_format(bytes, there));
}

enum status njoin_check_room(const struct run *run, struct error *e)
{
	struct need need;
	enum status status;

	if (run->options.mode != NJOIN_WRITE || run->set.has_stream || !run->outputs_count)
		return STATUS_OK;
	need = need_of(run);
	if (run->options.format == NJOIN_KDUMP) {
		warn_of_little(run, need.least);
		return STATUS_OK;
	}
	status = room_check(run->outputs, certain_of(run, run->outputs, &need), e);
	if (!status && run->outputs->target)
		warn_of_little(run, need.most);
	return status;
}
