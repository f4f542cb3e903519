// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "capture/fill/fill.h"

/*
 * Runs of a record of a layer, unless a unit may have more.  A record that would have more ends earlier.  Even
 * if no two stored granules are next to each other, these are enough for a chunk of 1 MiB, but for what
 * follows the last one.
 */
enum { RUNS_WANTED = 512 };

uint32_t fill_cell_size(const struct layer_policy *policy, uint32_t chunk_size)
{
	if (layer_policy_is_plain(policy))
		return chunk_size;
	return (uint32_t)min_u64(LEDGER_CELL, CELL_SIZE_MAX / chunk_size) * chunk_size;
}

uint32_t fill_runs_max(const struct layer_policy *policy, uint32_t chunk_size)
{
	uint32_t runs = (uint32_t)max_u64(RUNS_WANTED, divide_up(chunk_size, GRANULE));

	return (uint32_t)min_u64(runs, fill_cell_size(policy, chunk_size) / GRANULE);
}

/* Of maps, 256 KiB take 8 % less than 64, and 4 KiB about three times as much. */
enum { COLUMNS_BLOCK = 64 << 10 };

uint32_t fill_block_size_max(const struct layer_policy *policy, uint32_t block_size, uint32_t chunk_size)
{
	uint32_t size = block_size;

	while (policy->map_row && size < COLUMNS_BLOCK && size * 2 <= chunk_size)
		size *= 2;
	return size;
}

static bool is_raw(const struct packer *packer)
{
	return packer->codec == &codec_raw;
}

/*
 * With raw, data is read to its location in the record, and moved only if a block before it was
 * left out.  So raw alone needs no buffer.
 */
static enum reading reading_of(const struct packers *packers)
{
	return packers->count == 1 && is_raw(&packers->of[0]) ? READ_TO_CALLER : READ_TO_BUFFER;
}

/*
 * Twice the memory, because other threads allocate pieces of other sizes in the same heap, and the
 * gaps between them might be too short.  With twice the sum of all pieces free, one gap is always
 * long enough.
 */
size_t filler_heap(const struct packers *packers)
{
	return 2 * packers_call_memory(packers);
}

/* A block of one granule needs no putting together, and a raw one is put together where it stays. */
static size_t block_memory(const struct packers *packers, uint32_t block_size)
{
	return block_size > GRANULE && reading_of(packers) == READ_TO_BUFFER ? block_size : 0;
}

/* Raw stays raw. */
static size_t columns_memory(const struct packers *packers, const struct layer_policy *policy, uint32_t block_size)
{
	return policy->map_row && reading_of(packers) == READ_TO_BUFFER ? block_size : 0;
}

size_t filler_memory(const struct source *source, const struct packers *packers, const struct layer_policy *policy,
		     uint32_t block_size, uint32_t chunk_size)
{
	uint32_t most = fill_block_size_max(policy, block_size, chunk_size);

	return packers_memory(packers) + filler_heap(packers) +
	       (source->may_fault ? packers_copy_memory(packers, most) : 0) + columns_memory(packers, policy, most) +
	       source_reader_memory(source, block_size, chunk_size, reading_of(packers)) +
	       fill_cell_size(policy, chunk_size) / GRANULE +
	       fill_runs_max(policy, chunk_size) * sizeof(struct run) +
	       block_memory(packers, most) + policy->worker_memory;
}

static uint8_t *touched(size_t length)
{
	uint8_t *bytes = malloc(length);

	if (bytes)
		memory_touch(bytes, length);
	return bytes;
}

static enum status make_plan(struct filler *f, struct error *e)
{
	size_t block = block_memory(&f->packers, f->columns_size);

	f->list.capacity = fill_runs_max(f->policy, f->chunk_size);
	f->list.runs = (struct run *)(void *)touched(f->list.capacity * sizeof(struct run));
	f->plan = touched(f->cell_size / GRANULE);
	f->block = block ? touched(block) : NULL;
	if (!f->plan || !f->list.runs || (block && !f->block))
		return error_system(e, ENOMEM, "worker");
	return STATUS_OK;
}

enum status filler_init(struct filler *f, const struct fill_settings *settings, unsigned worker,
			struct error *e)
{
	struct source *source = settings->source;
	enum status status;

	*f = (struct filler){
		.policy = settings->policy,
		.worker = worker,
		.block_size = settings->block_size,
		.columns_size = fill_block_size_max(settings->policy, settings->block_size, settings->chunk_size),
		.chunk_size = settings->chunk_size,
		.cell_size = fill_cell_size(settings->policy, settings->chunk_size),
		.follow_holes = source->sparse,
		.layer = 1,
		.classes = settings->policy->plan,
	};
	status = packers_init(&f->packers, settings->presets, f->columns_size, &settings->id, e);
	if (!status && source->may_fault)
		status = packers_copy_input(&f->packers, f->columns_size, e);
	if (!status && columns_memory(&f->packers, f->policy, f->columns_size))
		status = packers_make_columns(&f->packers, f->columns_size, e);
	if (!status)
		status = source_reader_init(&f->reader, source, f->block_size, f->chunk_size,
					    reading_of(&f->packers), e);
	return status ? status : make_plan(f, e);
}

void filler_free(struct filler *f)
{
	packers_free(&f->packers);
	source_reader_free(&f->reader);
	free(f->plan);
	free(f->list.runs);
	free(f->block);
	f->plan = f->block = NULL;
	f->list.runs = NULL;
}

static void end_record(struct filler *f, struct chunk *chunk)
{
	filler_begins(f, FILL_PACKING, NULL, 0);
	if (filler_packer(f)->for_dump)
		pack_pad(chunk);
	else
		pack_end(chunk);
	filler_begins(f, FILL_OTHER, NULL, 0);
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
static void sum_run(const struct filler *f, unsigned layer, const struct run_place *place,
		    struct layer_amounts *a)
{
	unsigned class = place->run.class_number;
	uint32_t *sum = &a->left_to_layers;

	if (layer > 1 ? place->run.kind == RUN_ELSEWHERE : place->run.kind != RUN_NAMED)
		return;
	if (layer == 1 && !class_layer(&f->policy->plan, class))
		sum = &a->planned_out[class];
	for (uint64_t at = place->offset; at < place->offset + place->length; at += GRANULE)
		*sum += (uint32_t)mix(at + 1);
}

static void count_amounts(const struct filler *f, struct chunk *chunk)
{
	struct layer_amounts *a = &chunk->amounts;
	struct run_cursor c = run_cursor_begin(&chunk->record, chunk->bytes);
	struct run_place place;

	*a = (struct layer_amounts){ .stored = 0 };
	while (run_cursor_next(&c, &place)) {
		sum_run(f, chunk->record.layer, &place, a);
		if (place.run.kind == RUN_STORED || place.run.kind == RUN_ZERO)
			a->stored += place.length;
		if (place.run.kind == RUN_STORED || place.run.kind == RUN_ZERO || place.run.kind == RUN_NAMED)
			a->of_class[place.run.class_number] += place.length;
		else if (place.run.kind == RUN_UNREADABLE)
			a->unreadable += place.length;
	}
}

/* --- filling --------------------------------------------------------------- */

void fill_begin(struct filler *f, struct chunk *chunk)
{
	chunk->preset = f->preset;
	fill_plan(f, chunk);
}

void fill_units(struct filler *f, struct chunk *chunk)
{
	chunk->rest.units = 0;
	fill_list(f, chunk);
	fill_read(f, chunk);
	count_amounts(f, chunk);
	end_record(f, chunk);
}

enum status fill_from_stream(struct filler *f, struct chunk *chunk, struct error *e)
{
	enum status status;
	uint64_t offset;
	size_t got;

	/* If the end of the stream makes the chunk shorter, so is the table, and blocks move up. */
	f->reader.destination = filler_is_raw(f) ?
		chunk->bytes + record_payload_offset_min(f->chunk_size / f->block_size) :
		f->reader.buffer;
	chunk->preset = f->preset;
	filler_begins(f, FILL_READING, NULL, 0);
	status = source_take(&f->reader, f->chunk_size, &offset, &got, e);
	if (status)
		return status;
	chunk->index = offset / f->chunk_size;
	f->granules = (uint32_t)divide_up(got, GRANULE);
	memset(f->plan, 0, f->granules);
	fill_begin_record(f, chunk, offset, (uint32_t)got);
	fill_list(f, chunk);
	pack_begin(filler_packer(f), chunk, f->block_size);
	filler_pack(f, chunk, f->reader.destination, got);
	count_amounts(f, chunk);
	end_record(f, chunk);
	return STATUS_OK;
}
