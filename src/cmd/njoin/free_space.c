// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "base/size.h"
#include "cmd/common/message.h"
#include "cmd/njoin/free_space.h"
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
	uint64_t head = round_up(RECORD_HEADER_LENGTH + (RUN_LENGTH + RECORD_ENTRY_LENGTH) * blocks, ALIGNMENT) + ALIGNMENT;
	uint64_t payload = entry->record_length - min_u64(entry->record_length, head);

	return min_u64(payload, entry->source_length);
}

/*
 * Ranges that were captured again count twice, so nothing is certain but the size of the range, if
 * the output has no holes.
 */
static struct need need_of_layers(const struct njoin_input *in)
{
	struct need need = { 0 };

	for (size_t i = 0; i < in->set.locations; i++)
		need.most += (uint64_t)GRANULE * in->set.map[i]->entry.stored;
	need.most = min_u64(need.most, in->to - min_u64(in->from, in->to));
	return need;
}

static struct need need_of(const struct njoin_input *in)
{
	struct need need = { 0 };

	if (set_has_layers(&in->set))
		return need_of_layers(in);
	for (size_t i = 0; i < in->set.locations; i++) {
		const struct index_entry *entry = &in->set.map[i]->entry;
		uint64_t from = max_u64(entry->source_offset, in->from);
		uint64_t to = min_u64(entry->source_offset + entry->source_length, in->to);

		if (in->set.map[i]->follows || from >= to)
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
static uint64_t certain_need(const struct njoin_input *in, const struct output_file *o,
			     const struct need *need)
{
	if (o->kind != OUTPUT_FILE)
		return in->to > in->from ? in->to - in->from : 0;
	return o->sparse ? need->least : need->most;
}

/* The free space of all outputs.  False: unknown. */
static bool free_space_of_all(const struct njoin_outputs *outputs, uint64_t *bytes)
{
	struct space spaces[OUTPUTS_MAX];

	for (size_t i = 0; i < outputs->count; i++)
		if (!free_space_of(&outputs->files[i], &spaces[i]))
			return false;
	*bytes = space_sum(spaces, outputs->count);
	return true;
}

static bool is_needed(const struct njoin_outputs *outputs, const struct njoin_options *o,
		      const struct njoin_input *in)
{
	return o->mode == NJOIN_WRITE && !in->set.has_stream && outputs->count;
}

enum status njoin_check_free_space(const struct njoin_outputs *outputs, const struct njoin_options *o,
				   const struct njoin_input *in, struct error *e)
{
	struct need need;

	if (!is_needed(outputs, o, in) || o->format == NJOIN_KDUMP)
		return STATUS_OK;
	need = need_of(in);
	return free_space_check(outputs->files, certain_need(in, outputs->files, &need), NULL, NULL, e);
}

void njoin_report_little_space(const struct njoin_outputs *outputs, const struct njoin_options *o,
			       const struct njoin_input *in)
{
	char needed[SIZE_TEXT_LENGTH], available[SIZE_TEXT_LENGTH];
	bool kdump = o->format == NJOIN_KDUMP;
	struct need need;
	uint64_t bytes, expected;

	/*
	 * For a device, njoin_check_free_space() is exact.  How well a plain file can be compressed is
	 * not known, nor what remains of a dump without some of its pages.
	 */
	if (!is_needed(outputs, o, in) || set_is_made(&in->set) || o->left_out.classes ||
	    (!kdump && outputs->files->kind != OUTPUT_FILE) ||
	    !free_space_of_all(outputs, &bytes))
		return;
	need = need_of(in);
	expected = kdump ? need.least : need.most;
	if (expected > bytes)
		message("%s: may have too little space: up to %s needed, %s free; writing it "
			"anyway", outputs->files->name, size_format(expected, needed),
			size_format(bytes, available));
}
