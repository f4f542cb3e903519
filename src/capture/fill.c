// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "base/clock.h"
#include "base/unit.h"
#include "capture/fill.h"
#include "io/sigbus.h"

static bool is_raw(const struct packer *packer)
{
	return packer->codec == &codec_raw;
}

/*
 * Under raw, what is read is read to where it will lie; it is copied only if a block before it
 * was left out.  So raw alone needs no buffer.
 */
static enum reading reading_of(const struct packers *packers)
{
	return packers->count == 1 && is_raw(&packers->of[0]) ? READ_TO_CALLER : READ_TO_BUFFER;
}

/*
 * Twice: other threads take pieces of other sizes from the same heap, and what is free between
 * them might be too short.  With twice the sum of all pieces free, one gap is always long enough.
 */
size_t filler_heap(const struct packers *packers)
{
	return 2 * packers_call_memory(packers);
}

size_t filler_memory(const struct source *source, const struct packers *packers,
		     uint32_t block_size, uint32_t chunk_size)
{
	return packers_memory(packers) + filler_heap(packers) +
	       (source->may_fault ? packers_copy_memory(packers, block_size) : 0) +
	       estimator_memory(packers, block_size) +
	       source_reader_memory(source, block_size, chunk_size, reading_of(packers));
}

/*
 * The table of a large record takes more than the page that a record takes at least.  Of a record
 * without any data, larger blocks make it shorter: 64 MiB of a hole then take one page.
 */
static uint32_t hole_block_size(uint32_t block_size, uint32_t chunk_size)
{
	return record_payload_offset_min(chunk_size / block_size) > UNIT ? BLOCK_SIZE_MAX
									 : block_size;
}

enum status filler_init(struct filler *f, struct source *source, const struct presets *presets,
			uint32_t block_size, uint32_t chunk_size, const struct capture_id *id,
			struct error *e)
{
	enum status status;

	*f = (struct filler){
		.block_size = block_size,
		.chunk_size = chunk_size,
		.hole_block_size = hole_block_size(block_size, chunk_size),
	};
	status = packers_init(&f->packers, presets, block_size, id, e);
	if (!status && source->may_fault)
		status = packers_copy_input(&f->packers, block_size, e);
	if (!status)
		status = estimator_init(&f->estimator, &f->packers, block_size, e);
	if (!status)
		status = source_reader_init(&f->reader, source, block_size, chunk_size,
					    reading_of(&f->packers), e);
	return status;
}

void filler_free(struct filler *f)
{
	packers_free(&f->packers);
	estimator_free(&f->estimator);
	source_reader_free(&f->reader);
}

/* What one attempt needs, since sigbus_survive() hands over one pointer. */
struct attempt {
	struct filler *filler;
	struct chunk *chunk;
	uint64_t offset;
	uint32_t length;
	/* The range of data that was found last, in whole blocks; before it there is a hole. */
	uint64_t data_from, data_to;
	bool whole;		/* out: everything was there */
};

static struct packer *packer_of(struct filler *f)
{
	return &f->packers.of[f->preset];
}

static bool has_choice(const struct filler *f)
{
	return f->packers.count > 1;
}

static void choose_location(struct filler *f, struct chunk *chunk)
{
	f->reader.destination = is_raw(packer_of(f)) ? chunk->bytes + record_end(&chunk->record)
					       : f->reader.buffer;
}

/* Bytes, from those that were filled on, that lie in a hole of the source. */
static uint32_t hole_ahead(struct attempt *a)
{
	uint64_t at = a->offset + a->chunk->filled, end = a->offset + a->length;
	uint32_t block_size = a->filler->block_size;

	if (at >= a->data_to) {
		source_next_data(a->filler->reader.source, at, end, &a->data_from, &a->data_to);
		if (a->data_from < end)
			a->data_from = round_down(a->data_from, block_size);
		a->data_to = min_u64(round_up(a->data_to, block_size), end);
	}
	return at < a->data_from ? (uint32_t)(a->data_from - at) : 0;
}

/* Before the next hole. */
static uint32_t data_ahead(const struct attempt *a)
{
	return (uint32_t)(a->data_to - a->offset) - a->chunk->filled;
}

static enum status read_piece(struct attempt *a, const uint8_t **data, size_t *got)
{
	struct filler *f = a->filler;
	uint32_t left = data_ahead(a);
	struct error ignored;		/* the careful attempt finds it again, page by page */
	double start, start_cpu;
	enum status status;

	choose_location(f, a->chunk);
	if (!has_choice(f))
		return source_get(&f->reader, a->offset + a->chunk->filled, left, data, got,
				  &ignored);
	start = clock_seconds();
	start_cpu = clock_thread_seconds();
	status = source_get(&f->reader, a->offset + a->chunk->filled, left, data, got, &ignored);
	f->figures.reading_cpu += clock_thread_seconds() - start_cpu;
	f->figures.reading += clock_seconds() - start;
	return status;
}

static void pack_piece(struct filler *f, struct chunk *chunk, const uint8_t *data, size_t len)
{
	struct fill_figures *figures = &f->figures;
	double worked, start, start_cpu;

	if (!has_choice(f)) {
		pack_add(packer_of(f), chunk, data, len);
		return;
	}
	worked = f->worked + figures->reading + figures->packing_cpu;
	while (figures->estimates_count < PRESETS_MAX &&
	       estimate_if_due(&f->estimator, worked, data, len,
			    &figures->estimates[figures->estimates_count]))
		figures->estimates_count++;
	start = clock_seconds();
	start_cpu = clock_thread_seconds();
	pack_add(packer_of(f), chunk, data, len);
	figures->packing_cpu += clock_thread_seconds() - start_cpu;
	figures->packing += clock_seconds() - start;
}

static void begin_record(struct filler *f, struct chunk *chunk)
{
	chunk->preset = f->preset;
	f->figures = (struct fill_figures){ .preset = f->preset };
}

/* Of a chunk that was filled page by page, nothing is to be learnt. */
static void end_record(struct filler *f, struct chunk *chunk, bool fast)
{
	struct fill_figures *figures = &f->figures;
	double start;

	if (!has_choice(f)) {
		pack_end(chunk);
		return;
	}
	start = clock_thread_seconds();
	pack_end(chunk);
	figures->packing_cpu += clock_thread_seconds() - start;
	figures->bytes = fast ? chunk->record.source_length : 0;
	figures->packable = (double)chunk->record.block_size *
			    (chunk->blocks[BLOCK_PACKED] + chunk->blocks[BLOCK_STORED]);
	figures->packed = chunk->record.payload_length;
	f->worked += figures->reading + figures->packing_cpu;
}

/* False: cut short under our hands, in the middle of a block, which is packed whole or not at all. */
static bool add_data(struct attempt *a)
{
	uint32_t left = data_ahead(a);
	const uint8_t *data;
	size_t got;

	if (read_piece(a, &data, &got) || (got < left && got % a->filler->block_size))
		return false;
	pack_piece(a->filler, a->chunk, data, got);
	return true;
}

static void fill_fast(void *arg)
{
	struct attempt *a = arg;
	struct filler *f = a->filler;

	pack_begin(packer_of(f), a->chunk, a->offset, a->length, f->block_size);
	a->data_to = 0;
	if (hole_ahead(a) == a->length)
		pack_begin(packer_of(f), a->chunk, a->offset, a->length, f->hole_block_size);
	while (a->chunk->filled < a->length) {
		uint32_t hole = hole_ahead(a);

		if (hole)
			pack_add_zeros(a->chunk, hole);
		else if (!add_data(a))
			return;
	}
	a->whole = true;
}

/*
 * Page by page, with blocks of a page, so that a bad page costs no more
 * than itself; it may also turn out that nothing is wrong.
 */
static void fill_carefully(struct attempt *a)
{
	struct filler *f = a->filler;

	pack_begin(packer_of(f), a->chunk, a->offset, a->length, BLOCK_SIZE_MIN);
	while (a->chunk->filled < a->length) {
		uint32_t want = (uint32_t)min_u64(BLOCK_SIZE_MIN, a->length - a->chunk->filled);
		uint64_t offset = a->offset + a->chunk->filled;
		const uint8_t *data;
		enum status status;
		size_t got;

		choose_location(f, a->chunk);
		status = source_get_carefully(&f->reader, offset, want, &data, &got, &f->why);
		if (!status && got == want) {
			pack_add(packer_of(f), a->chunk, data, got);
			continue;
		}
		if (!status || status == STATUS_END)
			error_set(&f->why, STATUS_CUT, "%s: ends early",
				  f->reader.source->name);
		pack_add_unreadable(a->chunk, want);
	}
}

void fill_from_position(struct filler *f, struct chunk *chunk)
{
	const struct source *source = f->reader.source;
	struct attempt a = { .filler = f, .chunk = chunk };
	bool survived = true;

	a.offset = chunk->index * f->chunk_size;
	a.length = (uint32_t)min_u64(f->chunk_size, source->size - a.offset);
	begin_record(f, chunk);
	if (source->may_fault)
		survived = sigbus_survive(fill_fast, &a);
	else
		fill_fast(&a);
	if (!survived)
		packers_reset(&f->packers);
	if (!survived || !a.whole)
		fill_carefully(&a);
	end_record(f, chunk, survived && a.whole);
}

enum status fill_from_stream(struct filler *f, struct chunk *chunk, struct error *e)
{
	enum status status;
	uint64_t offset;
	double start;
	size_t got;

	/* Of a chunk that the stream's end cuts short the table is shorter: its blocks move up. */
	f->reader.destination = is_raw(packer_of(f)) ?
		chunk->bytes + record_payload_offset_min(f->chunk_size / f->block_size) :
		f->reader.buffer;
	begin_record(f, chunk);
	start = clock_thread_seconds();
	status = source_take(&f->reader, f->chunk_size, &offset, &got, e);
	if (status)
		return status;
	chunk->index = offset / f->chunk_size;
	f->figures.reading_cpu = clock_thread_seconds() - start;
	f->figures.turn = f->figures.reading = f->reader.turn;
	pack_begin(packer_of(f), chunk, offset, (uint32_t)got, f->block_size);
	pack_piece(f, chunk, f->reader.destination, got);
	end_record(f, chunk, true);
	return STATUS_OK;
}
