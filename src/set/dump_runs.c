// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/search.h"
#include "set/dump.h"
#include "set/dump_runs.h"

/* Bytes of a bitmap that are read at a time. */
enum { PIECE = 64 * 1024 };
/* One more header is for the notes. */
enum { RUNS_MAX = DUMP_HEADERS_MAX - 1 };

static bool bit(const uint8_t *bitmap, uint64_t i)
{
	return bitmap[i / 8] >> i % 8 & 1;
}

/* In the dump, only memory, or nothing.  A page of the dump is memory, whatever the other bitmap says. */
enum frame { NOTHING, MEMORY, KEPT };

static enum frame frame_at(const uint8_t *memory, const uint8_t *kept, uint64_t pfn)
{
	return bit(kept, pfn) ? KEPT : bit(memory, pfn) ? MEMORY : NOTHING;
}

/* The end of the frames from pfn on that are the same. */
static uint64_t run_end(const uint8_t *memory, const uint8_t *kept, uint64_t pfn, uint64_t frames,
			enum frame frame)
{
	const uint8_t of_memory = frame == NOTHING ? 0 : 0xff, of_kept = frame == KEPT ? 0xff : 0;

	while (pfn < frames && frame_at(memory, kept, pfn) == frame) {
		bool whole = pfn % 8 == 0 && frames - pfn >= 8 && kept[pfn / 8] == of_kept &&
			     (frame == KEPT || memory[pfn / 8] == of_memory);

		pfn += whole ? 8 : 1;
	}
	return pfn;
}

/* A run that continues the last one is joined to it. */
static bool add_run(struct dump_runs *r, const struct dump_run *run)
{
	struct dump_run *last = r->count ? &r->runs[r->count - 1] : NULL;

	r->pages += run->kept ? run->count : 0;
	if (last && last->kept == run->kept && last->pfn + last->count == run->pfn) {
		last->count += run->count;
		return true;
	}
	if (r->count == RUNS_MAX || !array_grow(&r->runs, r->count, sizeof(*r->runs)))
		return false;
	r->runs[r->count++] = *run;
	return true;
}

bool dump_runs_add(struct dump_runs *r, const uint8_t *memory, const uint8_t *kept, uint64_t first,
		   uint64_t frames)
{
	for (uint64_t at = 0, end; at < frames; at = end) {
		enum frame frame = frame_at(memory, kept, at);
		struct dump_run run = { .pfn = first + at, .rank = r->pages, .kept = frame == KEPT };

		end = run_end(memory, kept, at, frames, frame);
		run.count = end - at;
		if (frame != NOTHING && !add_run(r, &run))
			return false;
	}
	return true;
}

struct sought {
	const struct dump_runs *runs;
	uint64_t pfn;
};

static bool run_ends_before(const void *arg, size_t i)
{
	const struct sought *s = arg;

	return s->runs->runs[i].pfn + s->runs->runs[i].count <= s->pfn;
}

uint64_t dump_runs_rank(const struct dump_runs *r, uint64_t pfn)
{
	const struct sought sought = { r, pfn };
	size_t i = search_first(r->count, run_ends_before, &sought);
	const struct dump_run *run;

	if (i == r->count)
		return r->pages;
	run = &r->runs[i];
	return run->rank + (run->kept && pfn > run->pfn ? pfn - run->pfn : 0);
}

/* --- reading the bitmaps ------------------------------------------------------------- */

/* The next piece with a bit that may be set, as bytes from the beginning of each bitmap. */
static uint64_t next_piece(const struct dump_file *f, const struct kdump_header *h, uint64_t at)
{
	uint64_t bitmap2 = h->bitmap1 + h->bitmap_size;
	uint64_t memory = dump_file_next_data(f, h->bitmap1 + at) - h->bitmap1;
	uint64_t kept = dump_file_next_data(f, bitmap2 + at) - bitmap2;

	return max_u64(at, round_down(min_u64(memory, kept), PIECE));
}

/*
 * Reads the same piece of both bitmaps.  Bits of memory that are not there are zeros.  *got is less
 * than len if bits of pages are not there: then those that follow them do not count, since the
 * descriptors are counted by them.
 */
static enum status read_piece(const struct dump_file *f, const struct kdump_header *h, uint64_t at,
			      uint8_t *memory, uint8_t *kept, size_t len, size_t *got, struct error *e)
{
	enum status status = dump_file_read(f, memory, len, h->bitmap1 + at, HOLES_ZERO, got, e);

	if (status && status != STATUS_MISSING)
		return status;
	memset(memory + *got, 0, len - *got);
	status = dump_file_read(f, kept, len, h->bitmap1 + h->bitmap_size + at, HOLES_ZERO, got, e);
	return status == STATUS_MISSING ? STATUS_OK : status;
}

static enum status no_space(const struct dump_runs *runs, const struct dump_file *f, struct error *e)
{
	if (runs->count < RUNS_MAX)
		return error_system(e, ENOMEM, "%s: bitmaps", f->name);
	return error_set(e, STATUS_UNSUPPORTED, "%s: has more than %d sequences of pages that are in the dump, or are "
			 "not; no more can be read", f->name, RUNS_MAX);
}

/* Bits of frames below first belong to another span. */
static void clear_below(uint8_t *bitmap, uint64_t at, uint64_t first)
{
	if (at * 8 < first)
		bitmap[0] &= (uint8_t)(0xff << (first - at * 8));
}

static enum status add_pieces(const struct dump_span *span, const struct kdump_header *h, uint8_t *buffer,
			      struct dump_runs *runs, struct error *e)
{
	const struct dump_file *f = span->from;
	uint64_t end = divide_up(span->end, 8), at = span->first / 8;
	size_t len, got;

	for (at = next_piece(f, h, at); at < end; at = next_piece(f, h, at + len)) {
		enum status status;

		len = min_u64(PIECE, end - at);
		status = read_piece(f, h, at, buffer, buffer + PIECE, len, &got, e);
		if (status)
			return status;
		clear_below(buffer, at, span->first);
		clear_below(buffer + PIECE, at, span->first);
		if (!dump_runs_add(runs, buffer, buffer + PIECE, at * 8, min_u64(got * 8, span->end - at * 8)))
			return no_space(runs, f, e);
		if (got < len)
			return STATUS_OK;
	}
	return STATUS_OK;
}

enum status dump_runs_read(struct dump_runs *runs, const struct dump_span *span, const struct kdump_header *h,
			   struct error *e)
{
	uint8_t *buffer = malloc(2 * PIECE);
	enum status status;

	if (!buffer)
		return error_system(e, ENOMEM, "%s: bitmaps", span->from->name);
	status = add_pieces(span, h, buffer, runs, e);
	free(buffer);
	return status;
}

/* --- comparing them --------------------------------------------------------------------- */

/* Words without bits change nothing, so holes need not be read. */
static void add_bits(struct dump_bits *bits, const uint8_t *bytes, size_t len, uint64_t number, const struct dump_span *span)
{
	for (size_t i = 0; i < len; i += 8, number += 64) {
		uint64_t word = get_le64(bytes + i);

		if (number < span->first)
			word &= span->first - number < 64 ? UINT64_MAX << (span->first - number) : 0;
		if (span->end - number < 64)
			word &= ((uint64_t)1 << (span->end - number)) - 1;
		if (!word)
			continue;
		bits->count += (uint64_t)__builtin_popcountll(word);
		bits->hash = (bits->hash ^ word ^ number << 32 ^ number >> 32) * 0x9e3779b97f4a7c15;
		bits->hash ^= bits->hash >> 29;
	}
}

enum status dump_bits_read(struct dump_bits *bits, const struct dump_span *span, const struct kdump_header *h,
			   struct error *e)
{
	uint64_t bitmap2 = h->bitmap1 + h->bitmap_size, at = span->first / 64 * 8, end = divide_up(span->end, 8);
	uint8_t *buffer = malloc(PIECE);
	enum status status = buffer ? STATUS_OK : error_system(e, ENOMEM, "%s: bitmaps", span->from->name);

	*bits = (struct dump_bits){ 0 };
	if (!status && !dump_file_has(span->from, bitmap2 + at, end - at, HOLES_ZERO))
		status = error_set(e, STATUS_MISSING, "%s: cut short: bitmaps", span->from->name);
	while (!status) {
		size_t len, got;

		at = max_u64(at, round_down(dump_file_next_data(span->from, bitmap2 + at) - bitmap2, 8));
		if (at >= end)
			break;
		len = min_u64(PIECE, end - at);
		memset(buffer + round_down(len, 8), 0, round_up(len, 8) - round_down(len, 8));
		status = dump_file_read(span->from, buffer, len, bitmap2 + at, HOLES_ZERO, &got, e);
		if (!status)
			add_bits(bits, buffer, len, at * 8, span);
		at += len;
	}
	free(buffer);
	return status;
}
