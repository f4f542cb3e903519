// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads and packs the granules that are to be stored. */
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "capture/fill/fill.h"
#include "io/sigbus.h"

/*
 * Granules that are not wanted but read, because they are between others: a further call takes longer.
 * Of a mapped source they are only mapped.
 */
enum { GAP_READ = 4, GAP_MAPPED = 64 };

/* Granules that are wanted, and perhaps others between them. */
struct span {
	uint32_t at, count;		/* in the plan */
	uint64_t offset, length;	/* bytes of the source */
};

/* The arguments of one attempt, in one structure because sigbus_survive() passes one pointer. */
struct attempt {
	struct filler *f;
	struct chunk *chunk;
	bool whole;			/* out: all of it was read */
};

static bool is_wanted(const struct filler *f, uint32_t i)
{
	return plan_kind(f, i) == RUN_STORED;
}

/* A block is a granule. */
static bool is_small(struct filler *f)
{
	return filler_block_size(f) == GRANULE;
}

/*
 * How far a gap may go.  Pages of later layers are mostly next to each other, so there is nothing to
 * gain.  With raw, bytes are read to where they stay.
 */
static uint32_t longest_gap(struct filler *f)
{
	if (filler_is_raw(f))
		return 0;
	if (f->reader.source->may_fault)
		return GAP_MAPPED;
	return f->layer == 1 ? GAP_READ : 0;
}

/* The wanted granules from this one on that are read at once. */
static uint32_t span_end(struct filler *f, uint32_t from, uint32_t most)
{
	uint32_t longest = longest_gap(f), end = from;

	for (uint32_t i = from; i < f->granules && i - from < most && i - end <= longest; i++) {
		if (is_wanted(f, i))
			end = i + 1;
		else if (class_is_forbidden(plan_class(f, i)))
			break;
	}
	return end;
}

static bool next_span(struct filler *f, const struct chunk *chunk, struct span *x)
{
	const struct record *r = &chunk->record;
	uint32_t from = x->at + x->count;
	/* The granules that fit into the buffer, or the windows that are mapped. */
	uint32_t most = (f->reader.source->may_fault ? f->chunk_size : f->reader.buffer_size) / GRANULE;

	while (from < f->granules && !is_wanted(f, from))
		from++;
	if (from == f->granules)
		return false;
	x->at = from;
	x->count = span_end(f, from, most) - from;
	x->offset = r->source_offset + (uint64_t)from * GRANULE;
	x->length = min_u64((uint64_t)x->count * GRANULE,
			    r->source_offset + r->source_length - x->offset);
	return true;
}

/* --- blocks ---------------------------------------------------------------- */

/* Where a block that is larger than a granule is put together: raw, where it stays. */
static uint8_t *block_of(struct filler *f, struct chunk *chunk)
{
	return filler_is_raw(f) ? chunk->bytes + record_end(&chunk->record) : f->block;
}

static void add_to_block(struct filler *f, struct chunk *chunk, const uint8_t *data, size_t len)
{
	while (len) {
		uint32_t left = chunk->record.stored_length - chunk->filled;
		uint32_t full = (uint32_t)min_u64(filler_block_size(f), left);
		size_t some = min_u64(len, full - f->in_block);
		uint8_t *block = block_of(f, chunk);

		if (some == full) {
			filler_pack(f, chunk, data, full);
		} else {
			if (data != block + f->in_block)
				memmove(block + f->in_block, data, some);
			f->in_block += (uint32_t)some;
		}
		data += some;
		len -= some;
		if (f->in_block == full) {
			f->in_block = 0;
			filler_pack(f, chunk, block, full);
		}
	}
}

static void add(struct filler *f, struct chunk *chunk, const uint8_t *data, size_t len)
{
	if (is_small(f))
		filler_pack(f, chunk, data, len);
	else
		add_to_block(f, chunk, data, len);
}

/* Adds what is wanted of the granules from at on, of which there are len bytes. */
static void add_wanted(struct filler *f, struct chunk *chunk, uint32_t at, const uint8_t *data,
		       size_t len)
{
	while (len) {
		bool wanted = is_wanted(f, at);
		size_t some = 0;

		for (; some < len && is_wanted(f, at) == wanted; at++)
			some += min_u64(GRANULE, len - some);
		if (wanted)
			add(f, chunk, data, some);
		data += some;
		len -= some;
	}
}

/* --- reading --------------------------------------------------------------- */

/* Raw bytes are read to where they stay, behind those of a block that is not full yet. */
static void choose_destination(struct filler *f, struct chunk *chunk)
{
	f->reader.destination = filler_is_raw(f) ? chunk->bytes + record_end(&chunk->record) + f->in_block :
						   f->reader.buffer;
}

static bool read_span(struct filler *f, struct chunk *chunk, const struct span *x)
{
	uint64_t done = 0;

	while (done < x->length) {
		size_t want = x->length - done, got;
		struct error ignored;	/* the careful attempt finds it again, page by page */
		const uint8_t *data;

		choose_destination(f, chunk);
		filler_begins(f, FILL_READING, NULL, 0);
		if (source_get(&f->reader, x->offset + done, want, &data, &got, &ignored) ||
		    (done + got < x->length && got % GRANULE))
			return false;
		add_wanted(f, chunk, x->at + (uint32_t)(done / GRANULE), data, got);
		done += got;
	}
	return true;
}

static void begin_blocks(struct filler *f, struct chunk *chunk, uint32_t block_size)
{
	pack_begin(filler_packer(f), chunk, block_size);
	if (filler_makes_columns(f))
		pack_as_columns(chunk, f->policy->map_row);
}

static void read_fast(void *arg)
{
	struct attempt *a = arg;
	struct span x = { 0 };

	a->f->in_block = 0;
	begin_blocks(a->f, a->chunk, filler_block_size(a->f));
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
	if (f->granules <= f->chunk_size / GRANULE)
		return;
	chunk->rest = unit_run_rest(&chunk->run, 1);
	chunk->run = unit_run_head(&chunk->run, 1);
	f->granules = f->chunk_size / GRANULE;
	r->source_length = f->chunk_size;
	fill_list(f, chunk);
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
		pack_add(filler_packer(f), chunk, data, got);
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
	uint32_t block = filler_packer(f)->for_dump ? f->block_size : BLOCK_SIZE_MIN, count;
	bool bad = false;

	filler_begins(f, FILL_CAREFULLY, NULL, 0);
	f->in_block = 0;
	keep_first_unit(f, chunk);
	begin_blocks(f, chunk, block);
	for (uint32_t i = 0; i < f->granules; i += count) {
		count = (uint32_t)min_u64(block / GRANULE, f->granules - i);
		if (!is_wanted(f, i) || read_page(f, chunk, i, count))
			continue;
		for (uint32_t n = i; n < i + count; n++)
			plan_set(f, n, RUN_UNREADABLE, plan_class(f, n));
		bad = true;
	}
	if (bad)
		fill_list_again(f, chunk);
}

void fill_read(struct filler *f, struct chunk *chunk)
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
