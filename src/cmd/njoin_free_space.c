// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "base/size.h"
#include "cmd/message.h"
#include "cmd/njoin_free_space.h"
#include "export/free_space.h"
#include "format/format.h"
#include "format/record.h"

/* Bytes to be written. */
struct need {
	uint64_t least;			/* that are certainly not zeros */
	uint64_t most;			/* all that the members hold */
};

/*
 * The payload of a record is at most as long as its blocks that are not zeros, since compressed
 * blocks are shorter than what they were compressed from.  Where these blocks are is unknown, so
 * only complete records count.
 */
static uint64_t least_of(const struct index_entry *entry)
{
	uint64_t blocks = divide_up(entry->source_length, BLOCK_SIZE_MIN);
	uint64_t head = round_up(RECORD_HEADER_LENGTH + RECORD_ENTRY_LENGTH * blocks, UNIT) + UNIT;
	uint64_t payload = entry->record_length - min_u64(entry->record_length, head);

	return min_u64(payload, entry->source_length);
}

/*
 * Ranges that were captured again count twice, so nothing is certain but the size of the range, if
 * the output has no holes.
 */
static struct need need_of_layers(const struct njoin *njoin)
{
	struct need need = { 0 };

	for (size_t i = 0; i < njoin->set.locations; i++)
		need.most += (uint64_t)GRANULE * njoin->set.map[i]->entry.stored;
	need.most = min_u64(need.most, njoin->to - min_u64(njoin->from, njoin->to));
	return need;
}

static struct need need_of(const struct njoin *njoin)
{
	struct need need = { 0 };

	if (set_has_layers(&njoin->set))
		return need_of_layers(njoin);
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

/*
 * The bytes that the output must certainly have space for.  A device must be as large as the range; a file
 * without holes takes all bytes.
 */
static uint64_t certain_need(const struct njoin *njoin, const struct output_file *o,
			     const struct need *need)
{
	if (o->kind != OUTPUT_FILE)
		return njoin->to > njoin->from ? njoin->to - njoin->from : 0;
	return o->sparse ? need->least : need->most;
}

/* The free space of all outputs.  False: unknown. */
static bool free_space_of_all(const struct njoin *njoin, uint64_t *bytes)
{
	struct space spaces[OUTPUTS_MAX];

	for (size_t i = 0; i < njoin->outputs_count; i++)
		if (!free_space_of(&njoin->outputs[i], &spaces[i]))
			return false;
	*bytes = space_sum(spaces, njoin->outputs_count);
	return true;
}

static bool is_needed(const struct njoin *njoin)
{
	return njoin->options.mode == NJOIN_WRITE && !njoin->set.has_stream && njoin->outputs_count;
}

enum status njoin_check_free_space(const struct njoin *njoin, struct error *e)
{
	struct need need;

	if (!is_needed(njoin) || njoin->options.format == NJOIN_KDUMP)
		return STATUS_OK;
	need = need_of(njoin);
	return free_space_check(njoin->outputs, certain_need(njoin, njoin->outputs, &need), NULL,
				NULL, e);
}

void njoin_report_little_space(const struct njoin *njoin)
{
	char needed[SIZE_TEXT_LENGTH], available[SIZE_TEXT_LENGTH];
	bool kdump = njoin->options.format == NJOIN_KDUMP;
	struct need need;
	uint64_t bytes, expected;

	/*
	 * For a device, njoin_check_free_space() is exact.  How well a plain file can be compressed is
	 * not known, nor what remains of a dump without some of its pages.
	 */
	if (!is_needed(njoin) || set_is_plain(&njoin->set) || njoin->options.left_out.classes ||
	    (!kdump && njoin->outputs->kind != OUTPUT_FILE) ||
	    !free_space_of_all(njoin, &bytes))
		return;
	need = need_of(njoin);
	expected = kdump ? need.least : need.most;
	if (expected > bytes)
		message("%s: may have too little space: up to %s needed, %s free; writing it "
			"anyway", njoin->outputs->name, size_format(expected, needed),
			size_format(bytes, available));
}
