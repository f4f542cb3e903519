// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "base/size.h"
#include "cmd/message.h"
#include "cmd/njoin_free_space.h"
#include "export/free_space.h"
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

static struct need need_of(const struct njoin *njoin)
{
	struct need need = { 0 };

	for (size_t i = 0; i < njoin->set.locations; i++) {
		const struct index_entry *entry = &njoin->set.map[i]->entry;
		uint64_t from = max_u64(entry->source_offset, njoin->from);
		uint64_t to = min_u64(entry->source_offset + entry->source_length, njoin->to);

		if (njoin->set.map[i]->duplicate || from >= to)
			continue;
		need.most += to - from;
		if (to - from == entry->source_length)
			need.least += least_of(entry);
	}
	return need;
}

/* The end of a device is reached whatever is written; without holes so are all bytes of a file. */
static uint64_t certain_of(const struct njoin *njoin, const struct output_file *o, const struct need *need)
{
	if (!o->target)
		return njoin->to > njoin->from ? njoin->to - njoin->from : 0;
	return o->sparse ? need->least : need->most;
}

static bool seen_before(const struct njoin *njoin, const struct output_file *o, dev_t device)
{
	for (const struct output_file *before = njoin->outputs; before < o; before++) {
		struct free_space room;

		if (free_space_of(before, &room) && room.device == device)
			return true;
	}
	return false;
}

/* Bytes that all outputs together can take; several may be on one file system. */
static bool room_of_all(const struct njoin *njoin, uint64_t *bytes)
{
	*bytes = 0;
	for (size_t i = 0; i < njoin->outputs_count; i++) {
		const struct output_file *o = &njoin->outputs[i];
		struct free_space room;

		if (!free_space_of(o, &room))
			return false;
		if (!seen_before(njoin, o, room.device))
			*bytes += min_u64(room.bytes, UINT64_MAX - *bytes);
	}
	return true;
}

static void warn_of_little(const struct njoin *njoin, uint64_t needed)
{
	char text[SIZE_TEXT_LENGTH], there[SIZE_TEXT_LENGTH];
	uint64_t bytes;

	if (!room_of_all(njoin, &bytes) || needed <= bytes)
		return;
	message("%s: may have too little room: up to %s are needed, and %s are free; it is written all "
		"the same", njoin->outputs->name, size_format(needed, text), size_format(bytes, there));
}

enum status njoin_check_free_space(const struct njoin *njoin, struct error *e)
{
	struct need need;
	enum status status;

	if (njoin->options.mode != NJOIN_WRITE || njoin->set.has_stream || !njoin->outputs_count)
		return STATUS_OK;
	need = need_of(njoin);
	if (njoin->options.format == NJOIN_KDUMP) {
		warn_of_little(njoin, need.least);
		return STATUS_OK;
	}
	status = room_check(njoin->outputs, certain_of(njoin, njoin->outputs, &need), e);
	if (!status && njoin->outputs->target)
		warn_of_little(njoin, need.most);
	return status;
}
