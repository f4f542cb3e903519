// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "capture/gather.h"

/*
 * Runs of a record, unless a unit may have more.  A record that would have more ends earlier.  Even if no
 * two stored granules are next to each other, these are enough for a chunk of 1 MiB, but for what
 * follows the last one.
 */
enum { RUNS_WANTED = 512 };

uint32_t gather_runs_max(uint32_t chunk_size)
{
	uint32_t runs = (uint32_t)max_u64(RUNS_WANTED, divide_up(chunk_size, GRANULE));

	return (uint32_t)min_u64(runs, gather_cell_size(chunk_size) / GRANULE);
}

/* --- the run list ---------------------------------------------------------- */

/* The granules from this one on, before end, that are planned alike; of aliases, one. */
static struct run run_at(const struct gatherer *g, uint64_t begin, uint32_t i, uint32_t end)
{
	struct run run = { .kind = plan_kind(g, i), .class_number = plan_class(g, i), .granules = 1 };
	uint64_t length;

	if (run.kind == RUN_ALIAS)
		g->guide->twin(g->guide->arg, begin + (uint64_t)i * GRANULE, &run.target, &length);
	else
		while (i + run.granules < end && g->plan[i + run.granules] == g->plan[i])
			run.granules++;
	if (run.kind == RUN_ELSEWHERE)
		run.class_number = 0;
	return run;
}

void gather_list_clear(struct gatherer *g)
{
	g->list.count = g->list.aliases = 0;
	g->list.targets = (struct run_targets){ 0 };
}

bool gather_list_add(struct gatherer *g, uint64_t begin, uint32_t at, uint32_t end)
{
	while (at < end) {
		struct run run = run_at(g, begin, at, end);

		if (run_list_add(&g->list, &run))
			at += run.granules;
		else if (run.kind == RUN_ALIAS)
			plan_set(g, at, RUN_STORED, run.class_number);
		else
			return false;
	}
	return true;
}

static void make_list(struct gatherer *g, uint64_t begin)
{
	gather_list_clear(g);
	gather_list_add(g, begin, 0, g->granules);
}

void gather_list(struct filler *f, struct chunk *chunk)
{
	make_list(f->gatherer, chunk->record.source_offset);
	run_list_encode(&f->gatherer->list, &chunk->record, chunk->bytes);
}

/* The new list may be longer or shorter, so nothing is overwritten before it was moved. */
void gather_list_again(struct filler *f, struct chunk *chunk)
{
	const struct run_list *list = &f->gatherer->list;
	struct record *r = &chunk->record;
	uint32_t old_table = record_table_offset(r), old_payload = r->payload_offset;
	uint32_t length = RECORD_ENTRY_LENGTH * (uint32_t)divide_up(chunk->filled, r->block_size);
	uint32_t table, payload;

	make_list(f->gatherer, r->source_offset);
	table = RECORD_HEADER_LENGTH + RUN_LENGTH * list->count + RUN_TARGET_LENGTH * list->aliases;
	payload = table + length;
	if (payload > old_payload) {
		memmove(chunk->bytes + payload, chunk->bytes + old_payload, r->payload_length);
		memmove(chunk->bytes + table, chunk->bytes + old_table, length);
	} else {
		memmove(chunk->bytes + table, chunk->bytes + old_table, length);
		memmove(chunk->bytes + payload, chunk->bytes + old_payload, r->payload_length);
	}
	r->payload_offset = payload;
	if (!chunk->filled)
		r->codec = 0;
	run_list_encode(list, r, chunk->bytes);
}

/* --- amounts --------------------------------------------------------------- */

/* The finalizer of splitmix64. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
	x = (x ^ x >> 27) * 0x94d049bb133111eb;
	return x ^ x >> 31;
}

/*
 * Adds a run to one of the sums.  Which layer has found a granule makes no difference: it is not missing
 * if another one stores it than was planned.
 */
static void sum_run(const struct gatherer *g, unsigned layer, const struct run_place *place,
		    struct layer_amounts *a)
{
	unsigned class = place->run.class_number;
	uint32_t *sum = &a->left_to_layers;

	if (layer > 1 ? place->run.kind == RUN_ELSEWHERE : place->run.kind != RUN_NAMED)
		return;
	if (layer == 1 && !class_layer(&g->guide->plan, class))
		sum = &a->planned_out[class];
	for (uint64_t at = place->offset; at < place->offset + place->length; at += GRANULE)
		*sum += (uint32_t)mix(at + 1);
}

static void count_amounts(const struct gatherer *g, struct chunk *chunk)
{
	struct layer_amounts *a = &chunk->layer.amounts;
	struct run_cursor c = run_cursor_begin(&chunk->record, chunk->bytes);
	struct run_place place;

	*a = (struct layer_amounts){ .stored = record_unpacked_length(&chunk->record) };
	while (run_cursor_next(&c, &place)) {
		sum_run(g, chunk->record.gathered.layer, &place, a);
		if (place.run.kind == RUN_STORED || place.run.kind == RUN_NAMED)
			a->of_class[place.run.class_number] += place.length;
		else if (place.run.kind == RUN_ALIAS)
			a->aliased += place.length;
		else if (place.run.kind == RUN_UNREADABLE)
			a->unreadable += place.length;
	}
}

void gather_begin(struct filler *f, struct chunk *chunk)
{
	chunk->preset = f->preset;
	gather_plan(f, chunk);
}

void gather_units(struct filler *f, struct chunk *chunk)
{
	chunk->layer.rest.units = 0;
	gather_list(f, chunk);
	gather_read(f, chunk);
	count_amounts(f->gatherer, chunk);
	filler_end_record(f, chunk);
}

/* --- memory ---------------------------------------------------------------- */

uint32_t gather_cell_size(uint32_t chunk_size)
{
	return (uint32_t)min_u64(LEDGER_CELL, CELL_SIZE_MAX / chunk_size) * chunk_size;
}

/* A block of one granule needs no putting together. */
static size_t block_memory(uint32_t block_size)
{
	return block_size > GRANULE ? block_size : 0;
}

size_t gather_memory(const struct guide *guide, const struct source *source, uint32_t block_size,
		     uint32_t chunk_size)
{
	return sizeof(struct gatherer) + gather_cell_size(chunk_size) / GRANULE +
	       gather_runs_max(chunk_size) * sizeof(struct run) + 2 * (size_t)GATHER_COMPARED +
	       2 * source_reader_memory(source, BLOCK_SIZE_MIN, GATHER_WINDOW, READ_TO_CALLER) +
	       block_memory(block_size) + guide->worker_memory;
}

static uint8_t *touched(size_t length)
{
	uint8_t *bytes = malloc(length);

	if (bytes)
		memory_touch(bytes, length);
	return bytes;
}

/* The reader has a buffer of GATHER_COMPARED bytes. */
static enum status open_reader(struct source_reader *r, struct source *source, struct error *e)
{
	enum status status = source_reader_init(r, source, BLOCK_SIZE_MIN, GATHER_WINDOW,
						READ_TO_CALLER, e);

	r->buffer_size = GATHER_COMPARED;
	return status;
}

enum status gatherer_init(struct filler *f, const struct guide *guide, unsigned worker,
			  struct error *e)
{
	struct gatherer *g = f->gatherer = calloc(1, sizeof(*g));
	size_t block = block_memory(f->block_size);
	enum status status;

	if (!g)
		return error_system(e, ENOMEM, "worker");
	g->guide = guide;
	g->worker = worker;
	g->unit_size = f->chunk_size;
	g->cell_size = gather_cell_size(f->chunk_size);
	g->list.capacity = gather_runs_max(f->chunk_size);
	g->plan = touched(g->cell_size / GRANULE);
	g->list.runs = (struct run *)(void *)touched(g->list.capacity * sizeof(struct run));
	g->compared = touched(2 * (size_t)GATHER_COMPARED);
	g->block = block ? touched(block) : NULL;
	if (!g->plan || !g->list.runs || !g->compared || (block && !g->block))
		return error_system(e, ENOMEM, "worker");
	status = open_reader(&g->reader, f->reader.source, e);
	return status ? status : open_reader(&g->target_reader, f->reader.source, e);
}

void gatherer_free(struct filler *f)
{
	struct gatherer *g = f->gatherer;

	if (!g)
		return;
	source_reader_free(&g->reader);
	source_reader_free(&g->target_reader);
	free(g->plan);
	free(g->list.runs);
	free(g->compared);
	free(g->block);
	free(g);
	f->gatherer = NULL;
}
