// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "format/record.h"
#include "fuzz.h"
#include "fuzz_layers.h"

enum { RECORD_GRANULES = 4, FIRST = 2, LAYERS = 2 };

struct put {
	struct packer *packer;
	const struct superblock *sb;
	const uint8_t *source;
	uint8_t choice;
	uint8_t *dst;
	size_t length;
};

static enum layer_class class_of(uint8_t choice, uint64_t granule)
{
	uint64_t number = (granule + 1) * (choice + UINT64_C(0x9e3779b97f4a7c15)) >> 32;

	if (granule < FIRST || number % 8 < 3)
		return CLASS_KERNEL;
	return number % 8 < 6 ? CLASS_FREE : CLASS_MAP;
}

static bool is_second(const struct superblock *sb, uint64_t granule)
{
	uint64_t offset = granule * GRANULE, length = GRANULE;

	return second_places_follow(&sb->second, &offset, &length);
}

/* As far as the table has space. */
static void add_second_places(struct superblock *sb, const uint8_t *source, uint8_t choice)
{
	struct second_places *places = &sb->second;

	for (uint64_t i = FIRST, first; i < sb->source_size / GRANULE; i++) {
		const uint8_t *bytes = source + i * GRANULE;

		if (class_of(choice, i) != CLASS_KERNEL || places->count == SECOND_PLACES_MAX)
			continue;
		for (first = 0; first < i; first++)
			if (class_of(choice, first) == CLASS_KERNEL && !is_second(sb, first) &&
			    !memcmp(source + first * GRANULE, bytes, GRANULE))
				break;
		if (first < i)
			places->list[places->count++] =
				(struct second_place){ i * GRANULE, GRANULE, first * GRANULE };
	}
}

void fuzz_set_layers(struct superblock *sb, uint32_t cell_size, const uint8_t *source, uint8_t choice)
{
	sb->cell_size = cell_size;
	sb->classes = class_table_plain();
	sb->classes.of[CLASS_MAP] = class_entry(CLASS_SAVED, 2);
	sb->classes.of[CLASS_FREE] = class_entry(CLASS_LEFT_OUT, 0);
	sb->classes.of[CLASS_SECOND] = class_entry(CLASS_TWICE, 0);
	add_second_places(sb, source, choice);
}

size_t fuzz_layers_bound(const struct superblock *sb)
{
	size_t records = LAYERS * (1 + (size_t)sb->source_size / (RECORD_GRANULES * GRANULE));

	return records * record_length_max(sb->chunk_size, sb->cell_size);
}

static bool is_zero(const struct put *p, uint64_t granule)
{
	uint64_t at = granule * GRANULE;

	return bytes_are_zero(p->source + at, min_u64(GRANULE, p->sb->source_size - at));
}

static struct run run_of(const struct put *p, unsigned layer, uint64_t granule)
{
	enum layer_class class_number = is_second(p->sb, granule) ? CLASS_SECOND :
								    class_of(p->choice, granule);
	struct run run = { RUN_STORED, class_number, 1 };

	if (layer == 2) {
		if (class_number != CLASS_MAP)
			run = (struct run){ RUN_ELSEWHERE, 0, 1 };
	} else if (class_number != CLASS_KERNEL) {
		run.kind = RUN_NAMED;
	} else if (granule >= FIRST && is_zero(p, granule)) {
		run.kind = RUN_ZERO;
	}
	return run;
}

/* Returns whether the record says anything. */
static bool make_runs(struct put *p, unsigned layer, uint64_t first, uint64_t end, struct run_list *list)
{
	bool any = layer == 1;

	for (uint64_t i = first; i < end; i++) {
		struct run run = run_of(p, layer, i);

		fuzz_require(run_list_add(list, &run), "there is space for a run");
		any |= run.kind == RUN_STORED;
	}
	return any;
}

static void put_stored(struct put *p, struct chunk *chunk)
{
	struct run_cursor c = run_cursor_begin(&chunk->record, chunk->bytes);
	struct run_place place;

	while (run_cursor_next(&c, &place)) {
		if (place.run.kind == RUN_STORED)
			pack_add(p->packer, chunk, p->source + place.offset, place.length);
	}
}

static void put_record(struct put *p, unsigned layer, uint64_t first)
{
	const struct superblock *sb = p->sb;
	uint64_t end = min_u64(first + RECORD_GRANULES, divide_up(sb->source_size, GRANULE));
	struct run runs[RECORD_GRANULES];
	struct run_list list = { .runs = runs, .capacity = RECORD_GRANULES };
	struct chunk chunk = { .bytes = p->dst + p->length };

	if (!make_runs(p, layer, first, end, &list))
		return;
	chunk.record = (struct record){
		.id = sb->id,
		.source_offset = first * GRANULE,
		.source_length = (uint32_t)(min_u64(end * GRANULE, sb->source_size) - first * GRANULE),
		.layer = layer,
		.classes = sb->classes,
		.cell_size = sb->cell_size,
	};
	run_list_encode(&list, &chunk.record, chunk.bytes);
	pack_begin(p->packer, &chunk, sb->block_size);
	put_stored(p, &chunk);
	pack_end(&chunk);
	p->length += record_length(&chunk.record);
}

size_t fuzz_put_layers(struct packer *packer, const struct superblock *sb, const uint8_t *source,
		       uint8_t choice, uint8_t *dst)
{
	struct put p = { .packer = packer, .sb = sb, .source = source, .choice = choice,
			 .dst = dst };

	for (unsigned layer = 1; layer <= LAYERS; layer++)
		for (uint64_t at = 0; at * GRANULE < sb->source_size; at += RECORD_GRANULES)
			put_record(&p, layer, at);
	return p.length;
}
