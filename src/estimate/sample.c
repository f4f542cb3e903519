// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/memory.h"
#include "estimate/sample.h"
#include "format/columns.h"

/* Of so many blocks, one is packed with all presets and in all packings. */
enum { OTHERS_EVERY = 8 };

/* --- memory ----------------------------------------------------------------- */

static bool in_columns(const struct sample *s, enum content content)
{
	return content == CONTENT_MAP && s->settings.map_row && column_row_valid(s->settings.map_row);
}

/* The block size of a packing; of raw bytes, it makes no difference. */
static uint32_t block_of(const struct sample *s, enum content content, enum packing packing)
{
	if (packing == PACKED_BY_BLOCK && in_columns(s, content))
		return SAMPLE_MAP_BLOCK;
	return s->settings.block_size[packing];
}

static uint32_t capacity_of(const struct sample *s, enum content content)
{
	uint64_t most = s->settings.page_size;

	for (enum packing p = 0; p < PACKINGS; p++)
		most = max_u64(most, block_of(s, content, p));
	return (uint32_t)most;
}

static enum status make_packers(struct sample *s, uint32_t block_size, size_t *bound, struct error *e)
{
	const struct capture_id id = { 0 };

	*bound = 0;
	for (; s->count < s->settings.count; s->count++) {
		const struct preset *preset = &s->settings.presets[s->count];
		enum status status = packer_init(&s->packers[s->count], preset->codec, preset->level, block_size,
						 &id, e);

		if (status)
			return status;
		*bound = max_u64(*bound, preset->codec->bound(block_size));
	}
	return STATUS_OK;
}

enum status sample_begin(struct sample *s, const struct sample_settings *settings, struct error *e)
{
	uint32_t most = SAMPLE_MAP_BLOCK;
	bool good = true;
	size_t bound;

	*s = (struct sample){ .settings = *settings, .clock_cost = clock_thread_cost() };
	for (enum content c = 0; c < CONTENTS; c++) {
		s->capacity[c] = capacity_of(s, c);
		s->waiting[c] = memory_to_read(s->capacity[c]);
		good = good && s->waiting[c];
		most = (uint32_t)max_u64(most, s->capacity[c]);
	}
	if (make_packers(s, most, &bound, e))
		return e->status;
	s->dst = malloc(bound);
	s->columns = memory_to_read(most);
	if (!good || !s->dst || !s->columns)
		return error_system(e, ENOMEM, "sample of pages");
	return STATUS_OK;
}

void sample_end(struct sample *s)
{
	for (unsigned i = 0; i < s->count; i++)
		packer_free(&s->packers[i]);
	for (enum content c = 0; c < CONTENTS; c++)
		free(s->waiting[c]);
	free(s->dst);
	free(s->columns);
	*s = (struct sample){ 0 };
}

/* --- packing ---------------------------------------------------------------- */

/* As a capture stores a block: nothing for zeros, a value that is repeated, or what the codec makes of it. */
static size_t stored_length(struct sample *s, struct packer *p, const uint8_t *data, size_t length, bool columns)
{
	size_t packed;

	if (pack_same_filled(data, length))
		return get_le64(data) ? 8 : 0;
	if (p->codec == &codec_raw)
		return length;
	if (columns) {
		columns_split(data, length, s->settings.map_row, s->columns);
		data = s->columns;
	}
	packed = packer_try(p, data, length, s->dst);
	return packed && packed < length ? packed : length;
}

static void pack_with(struct sample *s, enum content content, enum packing packing, unsigned preset,
		      struct packed *to)
{
	uint32_t block = block_of(s, content, packing), left;
	double began = clock_thread_seconds(), took;

	for (uint32_t at = 0; at < s->length[content]; at += left) {
		left = (uint32_t)min_u64(block, s->length[content] - at);
		to->stored += stored_length(s, &s->packers[preset], s->waiting[content] + at, left,
					    packing == PACKED_BY_BLOCK && in_columns(s, content));
	}
	to->bytes += s->length[content];
	took = clock_thread_seconds() - began - s->clock_cost;
	to->seconds += took > 0 ? took : 0;
}

/* Where there is little time, most of it is for the dump that is asked for. */
static void pack(struct sample *s, enum content content)
{
	if (s->blocks[content]++ % OTHERS_EVERY == 0)
		for (enum packing p = 0; p < PACKINGS; p++)
			for (unsigned i = 0; i < s->count; i++)
				pack_with(s, content, p, i, &s->part[content][p][i]);
	pack_with(s, content, s->settings.first, 0, &s->whole[content]);
	s->bytes += s->length[content];
	s->length[content] = 0;
}

/* Scales the whole by the ratio of this packing to the first one, over the sample that both have packed. */
struct packed sample_packed(const struct sample *s, enum content content, enum packing packing, unsigned preset)
{
	const struct packed *whole = &s->whole[content], *part = &s->part[content][packing][preset];
	const struct packed *same = &s->part[content][s->settings.first][0];
	double more = same->stored ? (double)part->stored / (double)same->stored : 1;
	double slower = same->seconds > 0 ? part->seconds / same->seconds : 1;

	if (!whole->bytes)
		return *whole;
	return (struct packed){
		.bytes = whole->bytes,
		.stored = min_u64((uint64_t)((double)whole->stored * more), whole->bytes),
		.seconds = whole->seconds * slower,
	};
}

uint8_t *sample_place(struct sample *s, enum content content)
{
	return s->waiting[content] + s->length[content];
}

void sample_add(struct sample *s, enum content content)
{
	s->length[content] += s->settings.page_size;
	if (s->length[content] + s->settings.page_size > s->capacity[content])
		pack(s, content);
}

uint8_t *sample_scratch(struct sample *s)
{
	return s->columns;
}

void sample_finish(struct sample *s)
{
	for (enum content c = 0; c < CONTENTS; c++)
		if (s->length[c])
			pack(s, c);
}
