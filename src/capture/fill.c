// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "capture/fill.h"
#include "io/fault.h"

/*
 * Under raw, what is read is read to where it will lie; it is copied only if a block before it
 * was left out.
 */
static enum reading reading_of(const struct packer *packer)
{
	return packer->codec == &codec_raw ? READ_TO_PLACE : READ_TO_BUFFER;
}

/*
 * Twice: other threads take pieces of other sizes from the same heap, and what is free between
 * them might be too short.  With twice the sum of all pieces free, one gap is always long enough.
 */
size_t filler_heap(const struct packer *packer)
{
	return 2 * packer->call_memory;
}

size_t filler_memory(const struct source *source, const struct packer *packer,
		     uint32_t block_size, uint32_t chunk_size)
{
	size_t state = packer->state ? packer->codec->packer_memory(packer->state) : 0;
	size_t shield = packer->call_memory && source->may_fault ? block_size : 0;

	return state + filler_heap(packer) + shield +
	       source_reader_memory(source, block_size, chunk_size, reading_of(packer));
}

enum status filler_init(struct filler *f, struct source *source, const struct codec *codec,
			int level, uint32_t block_size, uint32_t chunk_size,
			const struct uuid *uuid, struct error *e)
{
	enum status status;

	*f = (struct filler){ .block_size = block_size, .chunk_size = chunk_size };
	status = packer_init(&f->packer, codec, level, block_size, uuid, e);
	if (!status && source->may_fault)
		status = packer_shield(&f->packer, block_size, e);
	if (!status)
		status = source_reader_init(&f->reader, source, block_size, chunk_size,
					    reading_of(&f->packer), e);
	return status;
}

void filler_free(struct filler *f)
{
	packer_free(&f->packer);
	source_reader_free(&f->reader);
}

/* What one attempt needs, since fault_survive() hands over one pointer. */
struct attempt {
	struct filler *filler;
	struct chunk *chunk;
	uint64_t offset;
	uint32_t length;
	bool whole;		/* out: everything was there */
};

static void read_in_place(struct filler *f, struct chunk *chunk)
{
	if (reading_of(&f->packer) == READ_TO_PLACE)
		f->reader.place = chunk->bytes + record_end(&chunk->record);
}

static void fill_fast(void *arg)
{
	struct attempt *a = arg;
	struct filler *f = a->filler;
	struct error ignored;		/* the careful attempt finds it again, page by page */

	pack_begin(&f->packer, a->chunk, a->offset, a->length, f->block_size);
	while (a->chunk->filled < a->length) {
		uint32_t left = a->length - a->chunk->filled;
		const uint8_t *data;
		size_t got;

		read_in_place(f, a->chunk);
		if (source_get(&f->reader, a->offset + a->chunk->filled, left, &data, &got,
			       &ignored))
			return;
		/* Cut short under our hands: a block is packed whole or not at all. */
		if (got < left && got % f->block_size)
			return;
		pack_add(&f->packer, a->chunk, data, got);
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

	pack_begin(&f->packer, a->chunk, a->offset, a->length, BLOCK_SIZE_MIN);
	while (a->chunk->filled < a->length) {
		uint32_t want = (uint32_t)min_u64(BLOCK_SIZE_MIN, a->length - a->chunk->filled);
		uint64_t offset = a->offset + a->chunk->filled;
		const uint8_t *data;
		enum status status;
		size_t got;

		read_in_place(f, a->chunk);
		status = source_get_carefully(&f->reader, offset, want, &data, &got, &f->why);
		if (!status && got == want) {
			pack_add(&f->packer, a->chunk, data, got);
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
	if (source->may_fault)
		survived = fault_survive(fill_fast, &a);
	else
		fill_fast(&a);
	if (!survived)
		packer_reset(&f->packer);
	if (!survived || !a.whole)
		fill_carefully(&a);
	pack_end(chunk);
}

enum status fill_from_stream(struct filler *f, struct chunk *chunk, struct error *e)
{
	enum status status;
	uint64_t offset;
	size_t got;

	/* Of a chunk that the stream's end cuts short the table is shorter: its blocks move up. */
	if (reading_of(&f->packer) == READ_TO_PLACE)
		f->reader.place = chunk->bytes +
				  record_payload_offset_min(f->chunk_size / f->block_size);
	status = source_take(&f->reader, f->chunk_size, &offset, &got, e);
	if (status)
		return status;
	chunk->index = offset / f->chunk_size;
	pack_begin(&f->packer, chunk, offset, (uint32_t)got, f->block_size);
	pack_add(&f->packer, chunk, f->reader.place, got);
	pack_end(chunk);
	return STATUS_OK;
}
