// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "capture/fill/fill.h"

const struct layer_policy *layer_policy_plain(void)
{
	/* All classes are saved in layer 1, as in class_table_plain(). */
	static const struct layer_policy plain = {
		.layers = 1,
		.plan = { { 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1 } },
	};

	return &plain;
}

const struct layer_policy *layer_policy_of(const struct capture_settings *settings, const struct source *source)
{
	/* An empty source has nothing to leave out. */
	return source->size && !source->is_stream && settings->policy ? settings->policy : layer_policy_plain();
}

/* --- the record: its header, run list and blocks --------------------------- */

/*
 * Granules that are not wanted but read, because they are between others: a further call takes longer.
 * Of a mapped source they are only mapped.  Pages of later layers are mostly next to each other, so there is nothing
 * to gain.  With raw, bytes are read to where they stay, unless they are mapped.
 */
enum { GAP_READ = 4, GAP_MAPPED = 64 };

/* Sets what the record of the chunk is, and how the source is read for it. */
static void choose_packer(struct filler *f, struct chunk *chunk)
{
	bool mapped = f->reader.source->may_fault;

	chunk->figures = (struct record_figures){ .preset = (uint16_t)f->preset };
	f->packer = &f->packers.of[f->preset];
	f->raw = f->packer->codec == &codec_raw;
	f->columns = f->policy->map_row && f->layer == class_layer(&f->policy->plan, CLASS_MAP) && !f->raw;
	f->packed_size = f->columns ? f->columns_size : f->block_size;
	f->gap = mapped ? GAP_MAPPED : !f->raw && f->layer == 1 ? GAP_READ : 0;
	/* The granules that fit into the buffer, or the windows that are mapped. */
	f->span = (uint32_t)((mapped ? f->chunk_size : f->reader.buffer_size) / GRANULE);
}

/* Begins the record of the chunk. */
static void begin_record(const struct filler *f, struct chunk *chunk, uint64_t offset,
			 uint32_t length)
{
	chunk->record = (struct record){
		.id = f->packer->id,
		.source_offset = offset,
		.source_length = length,
		.layer = f->layer,
		.classes = f->classes,
		.cell_size = f->cell_size,
	};
}

/* Tells the observer. */
static void begin_step(const struct filler *f, enum fill_activity activity, const uint8_t *data,
		       size_t len)
{
	if (f->observer.starts)
		f->observer.starts(f->observer.arg, activity, data, len);
}

/* Packs what was read. */
static void pack(struct filler *f, struct chunk *chunk, const uint8_t *data, size_t len)
{
	begin_step(f, FILL_PACKING, data, len);
	pack_add(f->packer, chunk, data, len);
	begin_step(f, FILL_OTHER, NULL, 0);
}

/* --- the run list ---------------------------------------------------------- */

/*
 * Replaces the run list when the blocks behind it are packed, and moves them.  The new list may be longer or shorter:
 * what would be overwritten is moved first.
 */
static void write_list_again(struct filler *f, struct chunk *chunk)
{
	const struct run_list *list = &f->list;
	struct record *r = &chunk->record;
	uint32_t old_table = record_table_offset(r), old_payload = r->payload_offset;
	uint32_t length = RECORD_ENTRY_LENGTH * (uint32_t)divide_up(chunk->filled, r->block_size);
	uint32_t table, payload;

	table = RECORD_HEADER_LENGTH + RUN_LENGTH * list->count;
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

/* --- which granules are read at once --------------------------------------- */

/* Granules that are wanted, and perhaps others between them. */
struct span {
	uint32_t at, count;		/* in the plan */
	uint32_t run, begin;		/* of the plan: where this one is, or what is added of it, and the run's first granule */
	uint64_t offset, length;	/* bytes of the source */
	bool gaps;			/* not all of them are wanted */
};

/* The arguments of one attempt, in one structure because sigbus_survive() passes one pointer. */
struct attempt {
	struct filler *f;
	struct chunk *chunk;
	bool whole;			/* out: all of it was read */
};

static bool is_wanted(const struct run *run)
{
	return run->kind == RUN_STORED;
}

/* The next wanted granules that are read at once. */
static bool next_span(struct filler *f, const struct chunk *chunk, struct span *x)
{
	const struct record *r = &chunk->record;
	const struct run *run = f->list.runs + x->run, *last = f->list.runs + f->list.count;
	uint32_t from = x->at + x->count, at = x->begin, end;

	for (; run < last && (!is_wanted(run) || at + run->granules <= from); run++)
		at += run->granules;
	if (run == last)
		return false;
	x->run = (uint32_t)(run - f->list.runs);
	x->begin = at;
	x->at = end = (uint32_t)max_u64(from, at);
	x->gaps = false;
	for (; run < last && at < x->at + f->span; at += run++->granules) {
		if (is_wanted(run)) {
			x->gaps |= at > end;
			end = (uint32_t)min_u64(at + run->granules, x->at + f->span);
		} else if (at + run->granules - end > f->gap || class_is_marked(run->class_number)) {
			break;
		}
	}
	x->count = end - x->at;
	x->offset = r->source_offset + (uint64_t)x->at * GRANULE;
	x->length = min_u64((uint64_t)x->count * GRANULE,
			    r->source_offset + r->source_length - x->offset);
	return true;
}

/* --- blocks ---------------------------------------------------------------- */

/* For blocks that are larger than a granule. */
static void add_to_block(struct filler *f, struct chunk *chunk, const uint8_t *data, size_t len)
{
	while (len) {
		uint32_t left = chunk->record.stored_length - chunk->filled;
		uint32_t full = (uint32_t)min_u64(f->packed_size, left);
		size_t some = min_u64(len, full - f->in_block);
		/* Where the block is put together: raw, where it stays. */
		uint8_t *block = f->raw ? chunk->bytes + record_end(&chunk->record) : f->block;

		if (some == full) {
			pack(f, chunk, data, full);
		} else {
			if (data != block + f->in_block)
				memmove(block + f->in_block, data, some);
			f->in_block += (uint32_t)some;
		}
		data += some;
		len -= some;
		if (f->in_block == full) {
			f->in_block = 0;
			pack(f, chunk, block, full);
		}
	}
}

/* Adds what is wanted of the granules from at on, in the run that the span is in, of which there are len bytes. */
static void add_wanted(struct filler *f, struct chunk *chunk, struct span *x, uint32_t at, const uint8_t *data,
		       size_t len)
{
	const struct run *run = f->list.runs + x->run;
	uint32_t end = at + (uint32_t)divide_up(len, GRANULE), first;

	while (at < end) {
		bool wanted = is_wanted(run);
		size_t some;

		for (first = at; at < end && is_wanted(run) == wanted; x->begin += run++->granules) {
			at = (uint32_t)min_u64(x->begin + run->granules, end);
			if (at < x->begin + run->granules)
				break;
		}
		some = min_u64((uint64_t)(at - first) * GRANULE, len);
		if (wanted && f->packed_size == GRANULE)
			pack(f, chunk, data, some);
		else if (wanted)
			add_to_block(f, chunk, data, some);
		data += some;
		len -= some;
	}
	x->run = (uint32_t)(run - f->list.runs);
}

/* --- reading --------------------------------------------------------------- */

/* Raw bytes are read to where they stay, behind those of a block that is not full yet. */
static void choose_destination(struct filler *f, struct chunk *chunk)
{
	f->reader.destination = f->raw ? chunk->bytes + record_end(&chunk->record) + f->in_block :
						   f->reader.buffer;
}

static bool read_span(struct filler *f, struct chunk *chunk, struct span *x)
{
	uint64_t done = 0;

	while (done < x->length) {
		size_t want = x->length - done, got;
		struct error ignored;	/* the careful attempt finds it again, page by page */
		const uint8_t *data;

		choose_destination(f, chunk);
		/* There may be no room for the others, so they are only mapped. */
		if (f->raw && x->gaps)
			f->reader.destination = NULL;
		begin_step(f, FILL_READING, NULL, 0);
		if (source_get(&f->reader, x->offset + done, want, &data, &got, &ignored) ||
		    (done + got < x->length && got % GRANULE))
			return false;
		add_wanted(f, chunk, x, x->at + (uint32_t)(done / GRANULE), data, got);
		done += got;
	}
	return true;
}

static void begin_blocks(struct filler *f, struct chunk *chunk, uint32_t block_size)
{
	pack_begin(f->packer, chunk, block_size);
	if (f->columns)
		pack_as_columns(chunk, f->policy->map_row);
}

static void read_fast(void *arg)
{
	struct attempt *a = arg;
	struct span x = { 0 };

	a->f->in_block = 0;
	begin_blocks(a->f, a->chunk, a->f->packed_size);
	while (next_span(a->f, a->chunk, &x))
		if (!read_span(a->f, a->chunk, &x))
			return;
	a->whole = true;
}

/* --- reading carefully ----------------------------------------------------- */

/* Of one unit only, whose run list always fits, whatever turns out to be unreadable. */
static void keep_first_unit(struct filler *f, struct chunk *chunk)
{
	struct record *r = &chunk->record;

	/* Empty units behind the first one need a run, too. */
	if (r->source_length <= f->chunk_size)
		return;
	chunk->rest = unit_run_rest(&chunk->run, 1);
	chunk->run = unit_run_head(&chunk->run, 1);
	r->source_length = f->chunk_size;
	run_list_cut(&f->list, f->chunk_size / GRANULE);
	run_list_encode(&f->list, r, chunk->bytes);
}

/* Count granules from i on. */
static bool read_page(struct filler *f, struct chunk *chunk, uint32_t i, uint32_t count)
{
	const struct record *r = &chunk->record;
	uint64_t offset = r->source_offset + (uint64_t)i * GRANULE;
	uint32_t want = (uint32_t)min_u64((uint64_t)count * GRANULE, r->source_offset + r->source_length - offset);
	const uint8_t *data;
	enum status status;
	size_t got;

	choose_destination(f, chunk);
	status = source_get_carefully(&f->reader, offset, want, &data, &got, &f->why);
	if (!status && got == want) {
		pack_add(f->packer, chunk, data, got);
		return true;
	}
	if (!status || status == STATUS_END)
		error_set(&f->why, STATUS_CUT, "%s: ends early", f->reader.source->name);
	return false;
}

/*
 * With blocks of one granule, as in other records; for a dump, of a page, which is there completely or not.  The
 * blocks are at the place for a list without unreadable granules, and are moved when it is known.
 */
static void read_carefully(struct filler *f, struct chunk *chunk)
{
	const uint32_t block = f->packer->for_dump ? f->block_size : BLOCK_SIZE_MIN;
	struct run_list *list = &f->list;
	const struct run *old;
	uint32_t left, at = 0;
	bool bad = false;

	begin_step(f, FILL_CAREFULLY, NULL, 0);
	f->in_block = 0;
	keep_first_unit(f, chunk);
	begin_blocks(f, chunk, block);
	/* The runs still to be read are at the end of the list, which has space for a run for each granule of the unit. */
	left = list->count;
	old = list->runs + list->capacity - left;
	memmove(list->runs + list->capacity - left, list->runs, left * sizeof(*old));
	list->count = 0;
	for (; left; left--) {
		struct run run = *old++, page = run;

		for (uint32_t n = 0; n < run.granules; n += page.granules, at += page.granules) {
			page.granules = run.granules - n;
			if (is_wanted(&run)) {
				page.granules = (uint32_t)min_u64(block / GRANULE, page.granules);
				page.kind = read_page(f, chunk, at, page.granules) ? RUN_STORED : RUN_UNREADABLE;
			}
			bad |= page.kind == RUN_UNREADABLE;
			run_list_add(list, &page);
		}
	}
	if (bad)
		write_list_again(f, chunk);
}

/* Reads and packs what is to be stored. */
static void read_units(struct filler *f, struct chunk *chunk)
{
	struct attempt a = { .f = f, .chunk = chunk };
	bool survived = true;

	if (f->reader.source->may_fault)
		survived = sigbus_survive(read_fast, &a);
	else
		read_fast(&a);
	if (!survived)
		packers_reset(&f->packers);
	if (!survived || !a.whole)
		read_carefully(f, chunk);
}

/* --- planning which granules of the claimed units a record stores ---------- */

/* The holes of the source in a unit. */
struct holes {
	const struct source *source;
	uint64_t offset, end;		/* of the unit */
	uint64_t done;			/* up to which it was looked for them */
	uint32_t from, to;		/* the granules that are completely in the latest one; in the unit */
};

/* Is this granule in a hole?  Reduces *count to the granules of which the same is true.  Called for ascending granules. */
static bool is_hole(struct holes *h, uint32_t at, uint32_t *count)
{
	while (at >= h->to && h->done < h->end) {
		uint64_t data;

		h->from = (uint32_t)divide_up(h->done - h->offset, GRANULE);
		source_next_data(h->source, h->done, h->end, &data, &h->done);
		h->to = (uint32_t)(data == h->end ? divide_up(data - h->offset, GRANULE) : (data - h->offset) / GRANULE);
		if (data == h->end)
			h->done = data;
	}
	if (at < h->to)
		*count = (uint32_t)min_u64(*count, (at < h->from ? h->from : h->to) - at);
	return at >= h->from && at < h->to;
}

/* What granules of a class are in this layer. */
static struct run run_of(const struct filler *f, unsigned class)
{
	if (class_layer(&f->classes, class) == f->layer)
		return (struct run){ .kind = RUN_STORED, .class_number = class };
	if (f->layer > 1)
		return (struct run){ .kind = RUN_ELSEWHERE, .class_number = class_is_marked(class) ? class : 0 };
	return (struct run){ .kind = RUN_NAMED, .class_number = class };
}

/*
 * Adds what a unit is in this layer to the list, its stored granules to *stored, and the classes named, which layer 1
 * leaves to others, to *named.  False: the list has no space for all of it.
 *
 * Only granules of classes that the plan saves become zeros.  A class that may be left out is named even in a hole
 * of the source, because it is not decided yet what becomes of it.
 */
static bool plan_unit(struct filler *f, uint32_t granules, uint64_t offset, uint32_t *stored, uint16_t *named)
{
	const struct source *source = f->reader.source;
	struct holes holes = {
		.source = source, .offset = offset, .done = offset,
		.end = min_u64(offset + (uint64_t)granules * GRANULE, source->size),
	};

	f->found.count = 0;
	if (layer_policy_is_plain(f->policy))
		runs_add(&f->found, CLASS_KERNEL, granules);
	else
		f->policy->classify(f->policy->arg, f->worker, offset, granules, &f->found);
	for (uint32_t i = 0, at = 0, end = 0; i < f->found.count; i++) {
		unsigned class = f->found.list[i].value;
		struct run whole = run_of(f, class), run;
		bool zeros = f->follow_holes && class_layer(&f->policy->plan, class) && whole.kind != RUN_ELSEWHERE;

		for (end += f->found.list[i].count; at < end; at += run.granules) {
			run = whole;
			run.granules = end - at;
			if (zeros && is_hole(&holes, at, &run.granules)) {
				run.kind = f->layer == 1 ? RUN_ZERO : RUN_ELSEWHERE;
				run.class_number = 0;
			}
			if (!run_list_add(&f->list, &run))
				return false;
			*stored += is_wanted(&run) ? run.granules : 0;
			*named |= run.kind == RUN_NAMED ? (uint16_t)(1u << class) : 0;
		}
	}
	return true;
}

/* Makes the plan of the record; sets range and units of the chunk. */
static void plan_record(struct filler *f, struct chunk *chunk)
{
	const struct unit_run claimed = chunk->run;
	const uint64_t size = f->reader.source->size, begin = claimed.first % divide_up(size, f->chunk_size) * f->chunk_size;
	const uint32_t most = f->chunk_size / GRANULE;
	uint32_t stored = 0, granules = 0;
	unsigned n = 0;

	f->list.count = 0;
	memset(chunk->named, 0, sizeof(chunk->named));
	/* A full record ends without a look at the next unit, which hardly ever stores nothing. */
	for (; n < unit_run_length(&claimed) && stored < most; n++) {
		uint64_t offset = begin + (uint64_t)n * f->chunk_size;
		struct run unit = {
			.kind = RUN_ELSEWHERE,
			.granules = (uint32_t)divide_up(min_u64(f->chunk_size, size - offset), GRANULE),
		};

		bool fits = claimed.units >> n & 1 ? plan_unit(f, unit.granules, offset, &stored, &chunk->named[n]) :
						     run_list_add(&f->list, &unit);

		/* It does not if the record would have too many runs, or store too much. */
		if (!fits || stored > most)
			break;
		granules += unit.granules;
	}
	run_list_cut(&f->list, granules);
	chunk->run = unit_run_head(&claimed, n);
	chunk->rest = unit_run_rest(&claimed, n);
	chunk->index = claimed.first;
	begin_record(f, chunk, begin, (uint32_t)min_u64((uint64_t)granules * GRANULE, size - begin));
}

/* --- the state of a worker, and its memory --------------------------------- */

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

/*
 * With raw, data is read to its location in the record, and moved only if a block before it was
 * left out.  So raw alone needs no buffer.
 */
static enum reading reading_of(const struct capture_settings *settings)
{
	return presets_single(&settings->presets) == &codec_raw ? READ_TO_CALLER : READ_TO_BUFFER;
}

/*
 * Twice the memory, because other threads allocate pieces of other sizes in the same heap, and the
 * gaps between them might be too short.  With twice the sum of all pieces free, one gap is always
 * long enough.
 */
size_t filler_heap(const struct packers *packers)
{
	return 2 * packers->call_memory;
}

/* A block of one granule needs no putting together, and a raw one is put together where it stays. */
static size_t block_memory(const struct capture_settings *settings, uint32_t block_size)
{
	return block_size > GRANULE && reading_of(settings) == READ_TO_BUFFER ? block_size : 0;
}

/* Raw stays raw. */
static bool needs_columns(const struct capture_settings *settings, const struct layer_policy *policy)
{
	return policy->map_row && reading_of(settings) == READ_TO_BUFFER;
}

size_t filler_memory(const struct capture_settings *settings, const struct source *source,
		     const struct packers *packers)
{
	const struct layer_policy *policy = layer_policy_of(settings, source);
	uint32_t chunk_size = settings->chunk_size;
	uint32_t most = fill_block_size_max(policy, settings->block_size, chunk_size);

	return packers->memory + filler_heap(packers) + (source->may_fault ? packers->copies : 0) +
	       (needs_columns(settings, policy) ? most : 0) +
	       source_reader_memory(source, settings->block_size, chunk_size, reading_of(settings)) +
	       chunk_size / GRANULE * sizeof(struct value_run) +
	       fill_runs_max(policy, chunk_size) * sizeof(struct run) +
	       block_memory(settings, most) + policy->worker_memory;
}

enum status filler_init(struct filler *f, const struct capture_settings *settings, struct source *source,
			unsigned worker, struct error *e)
{
	const struct layer_policy *policy = layer_policy_of(settings, source);
	enum status status;
	size_t block;

	*f = (struct filler){
		.policy = policy,
		.worker = worker,
		.block_size = settings->block_size,
		.columns_size = fill_block_size_max(policy, settings->block_size, settings->chunk_size),
		.chunk_size = settings->chunk_size,
		.cell_size = fill_cell_size(policy, settings->chunk_size),
		/* Striped members must not depend on holes, which in a dump may be in parts of a page. */
		.follow_holes = source->sparse && !settings->stripe &&
				!(settings->dump && settings->block_size > GRANULE),
		.layer = 1,
		.classes = policy->plan,
	};
	status = packers_init(&f->packers, &settings->presets, f->columns_size, &settings->id, source->may_fault,
			      needs_columns(settings, policy), e);
	if (!status)
		status = source_reader_init(&f->reader, source, f->block_size, f->chunk_size,
					    reading_of(settings), e);
	if (status)
		return status;
	for (unsigned i = 0; i < f->packers.count; i++) {
		/* Nor on which chunks a worker filled before. */
		f->packers.of[i].incompressible.tries_all = settings->stripe;
		f->packers.of[i].for_dump = settings->dump;
	}
	block = block_memory(settings, f->columns_size);
	f->list.capacity = fill_runs_max(f->policy, f->chunk_size);
	f->list.runs = memory_to_read(f->list.capacity * sizeof(struct run));
	f->found.list = memory_to_read(f->chunk_size / GRANULE * sizeof(*f->found.list));
	f->block = block ? memory_to_read(block) : NULL;
	if (!f->found.list || !f->list.runs || (block && !f->block))
		return error_system(e, ENOMEM, "worker");
	return STATUS_OK;
}

void filler_free(struct filler *f)
{
	packers_free(&f->packers);
	source_reader_free(&f->reader);
	free(f->found.list);
	free(f->list.runs);
	free(f->block);
	f->block = NULL;
	f->found.list = NULL;
	f->list.runs = NULL;
}

static void end_record(struct filler *f, struct chunk *chunk)
{
	begin_step(f, FILL_PACKING, NULL, 0);
	if (!f->packer->for_dump)
		pack_end(chunk);
	begin_step(f, FILL_OTHER, NULL, 0);
}

/* --- amounts --------------------------------------------------------------- */

static void count_amounts(struct chunk *chunk)
{
	struct record_figures *a = &chunk->figures;
	struct run_cursor c = run_cursor_begin(&chunk->record, chunk->bytes);
	struct run_place place;

	while (run_cursor_next(&c, &place)) {
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
	choose_packer(f, chunk);
	plan_record(f, chunk);
}

void fill_units(struct filler *f, struct chunk *chunk)
{
	chunk->rest.units = 0;
	run_list_encode(&f->list, &chunk->record, chunk->bytes);
	read_units(f, chunk);
	count_amounts(chunk);
	end_record(f, chunk);
}

enum status fill_from_stream(struct filler *f, struct chunk *chunk, struct error *e)
{
	enum status status;
	uint64_t offset;
	size_t got;

	choose_packer(f, chunk);
	/* If the end of the stream makes the chunk shorter, so is the table, and blocks move up. */
	f->reader.destination = f->raw ? chunk->bytes + record_payload_offset_min(f->chunk_size / f->block_size)
				       : f->reader.buffer;
	begin_step(f, FILL_READING, NULL, 0);
	status = source_take(&f->reader, f->chunk_size, &offset, &got, e);
	if (status)
		return status;
	chunk->index = offset / f->chunk_size;
	f->list.count = 0;
	run_list_add(&f->list, &(struct run){ .kind = RUN_STORED, .granules = (uint32_t)divide_up(got, GRANULE) });
	begin_record(f, chunk, offset, (uint32_t)got);
	run_list_encode(&f->list, &chunk->record, chunk->bytes);
	pack_begin(f->packer, chunk, f->block_size);
	pack(f, chunk, f->reader.destination, got);
	count_amounts(chunk);
	end_record(f, chunk);
	return STATUS_OK;
}
