// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "base/unit.h"
#include "capture/gather.h"
#include "io/sigbus.h"

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

size_t filler_memory(const struct source *source, const struct packers *packers,
		     uint32_t block_size, uint32_t chunk_size)
{
	return packers_memory(packers) + filler_heap(packers) +
	       (source->may_fault ? packers_copy_memory(packers, block_size) : 0) +
	       source_reader_memory(source, block_size, chunk_size, reading_of(packers));
}

/*
 * A record takes at least one page, and the block table of a large one takes more.  If there is no
 * data in a record, larger blocks make its table shorter: a hole of 64 MiB then takes one page.
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
		status = source_reader_init(&f->reader, source, block_size, chunk_size,
					    reading_of(&f->packers), e);
	return status;
}

void filler_free(struct filler *f)
{
	gatherer_free(f);
	packers_free(&f->packers);
	source_reader_free(&f->reader);
}

/* The arguments of one attempt, in one structure because sigbus_survive() passes one pointer. */
struct attempt {
	struct filler *filler;
	struct chunk *chunk;
	uint64_t offset;
	uint32_t length;
	/* The latest range of data found, in whole blocks; a hole precedes it. */
	uint64_t data_from, data_to;
	bool whole;		/* out: all of it was read */
};

struct packer *filler_packer(struct filler *f)
{
	return &f->packers.of[f->preset];
}

bool filler_is_raw(struct filler *f)
{
	return is_raw(filler_packer(f));
}

void filler_begins(const struct filler *f, enum fill_activity activity, const uint8_t *data,
		   size_t len)
{
	if (f->observer.starts)
		f->observer.starts(f->observer.arg, activity, data, len);
}

void filler_choose_destination(struct filler *f, struct chunk *chunk)
{
	f->reader.destination = is_raw(filler_packer(f)) ? chunk->bytes + record_end(&chunk->record)
						     : f->reader.buffer;
}

/* Bytes of a hole of the source that come next; 0: data comes next. */
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

/* Bytes of data before the next hole. */
static uint32_t data_ahead(const struct attempt *a)
{
	return (uint32_t)(a->data_to - a->offset) - a->chunk->filled;
}

void filler_pack(struct filler *f, struct chunk *chunk, const uint8_t *data, size_t len)
{
	filler_begins(f, FILL_PACKING, data, len);
	pack_add(filler_packer(f), chunk, data, len);
	filler_begins(f, FILL_OTHER, NULL, 0);
}

void filler_end_record(const struct filler *f, struct chunk *chunk)
{
	filler_begins(f, FILL_PACKING, NULL, 0);
	pack_end(chunk);
	filler_begins(f, FILL_OTHER, NULL, 0);
}

/*
 * False: it could not be read, or the source was cut short meanwhile in the middle of a block,
 * which is packed whole or not at all.
 */
static bool add_data(struct attempt *a)
{
	struct filler *f = a->filler;
	uint32_t left = data_ahead(a);
	struct error ignored;		/* the careful attempt finds it again, page by page */
	const uint8_t *data;
	enum status status;
	size_t got;

	filler_choose_destination(f, a->chunk);
	filler_begins(f, FILL_READING, NULL, 0);
	status = source_get(&f->reader, a->offset + a->chunk->filled, left, &data, &got, &ignored);
	if (status || (got < left && got % f->block_size))
		return false;
	filler_pack(f, a->chunk, data, got);
	return true;
}

static void fill_fast(void *arg)
{
	struct attempt *a = arg;
	struct filler *f = a->filler;

	pack_begin(filler_packer(f), a->chunk, a->offset, a->length, f->block_size);
	a->data_to = 0;
	if (hole_ahead(a) == a->length)
		pack_begin(filler_packer(f), a->chunk, a->offset, a->length, f->hole_block_size);
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
 * Reads page by page, with blocks of one page, so that nothing but the bad pages is lost.  It may
 * also turn out that every page can be read.
 */
static void fill_carefully(struct attempt *a)
{
	struct filler *f = a->filler;

	filler_begins(f, FILL_CAREFULLY, NULL, 0);
	pack_begin(filler_packer(f), a->chunk, a->offset, a->length, BLOCK_SIZE_MIN);
	while (a->chunk->filled < a->length) {
		uint32_t want = (uint32_t)min_u64(BLOCK_SIZE_MIN, a->length - a->chunk->filled);
		uint64_t offset = a->offset + a->chunk->filled;
		const uint8_t *data;
		enum status status;
		size_t got;

		filler_choose_destination(f, a->chunk);
		status = source_get_carefully(&f->reader, offset, want, &data, &got, &f->why);
		if (!status && got == want) {
			pack_add(filler_packer(f), a->chunk, data, got);
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
	chunk->preset = f->preset;
	if (source->may_fault)
		survived = sigbus_survive(fill_fast, &a);
	else
		fill_fast(&a);
	if (!survived)
		packers_reset(&f->packers);
	if (!survived || !a.whole)
		fill_carefully(&a);
	filler_end_record(f, chunk);
}

enum status fill_from_stream(struct filler *f, struct chunk *chunk, struct error *e)
{
	enum status status;
	uint64_t offset;
	size_t got;

	/* If the end of the stream makes the chunk shorter, so is the table, and blocks move up. */
	f->reader.destination = is_raw(filler_packer(f)) ?
		chunk->bytes + record_payload_offset_min(f->chunk_size / f->block_size) :
		f->reader.buffer;
	chunk->preset = f->preset;
	filler_begins(f, FILL_READING, NULL, 0);
	status = source_take(&f->reader, f->chunk_size, &offset, &got, e);
	if (status)
		return status;
	chunk->index = offset / f->chunk_size;
	pack_begin(filler_packer(f), chunk, offset, (uint32_t)got, f->block_size);
	filler_pack(f, chunk, f->reader.destination, got);
	filler_end_record(f, chunk);
	return STATUS_OK;
}
