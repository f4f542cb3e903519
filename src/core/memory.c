// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "core/memory.h"

/*
 * How many segments with the same address are tried.  Real cores have two or three: the kernel
 * image is also in the direct map.
 */
enum { TRIES_MAX = 64 };

/* Bytes that the same segments contain, so that one read returns them. */
struct memory_range {
	uint64_t paddr;
	uint64_t length;
	bool known;			/* in a segment, at least as zeros */
};

static enum status read_segment(const struct core *core, const struct segment *s,
				const struct memory_range *range, uint8_t *dst, struct error *e)
{
	uint64_t offset = s->offset + (range->paddr - s->paddr);

	if (offset > core->bytes.size || range->length > core->bytes.size - offset)
		return error_set(e, STATUS_MISSING, "the core ends before physical address %#"
				 PRIx64, range->paddr);
	return core->bytes.read(core->bytes.arg, offset, range->length, dst, e);
}

/*
 * Reads the first range->length of len bytes at paddr.  STATUS_END: they are in no segment.  If
 * they cannot be read from any segment, the error is that of the last one.
 */
static enum status read_range(const struct core *core, uint64_t paddr, uint64_t len, uint8_t *dst,
			      struct memory_range *range, struct error *e)
{
	size_t i = segment_index_up_to(&core->physical, paddr);
	enum status status = STATUS_END;

	/* Up to where the next segment begins. */
	*range = (struct memory_range){
		.paddr = paddr,
		.length = i < core->physical.count ? min_u64(len, core->physical.ranges[i].first - paddr) : len,
	};
	for (int tries = 0; tries < TRIES_MAX &&
			    segment_index_last(&core->physical, i, paddr, &i); tries++) {
		const struct segment *s = core->physical.ranges[i].segment;
		uint64_t within = paddr - s->paddr;

		range->known = true;
		range->length = min_u64(range->length,
					(within < s->filesz ? s->filesz : s->memsz) - within);
		if (within >= s->filesz)
			continue;
		status = read_segment(core, s, range, dst, e);
		if (!status)
			return STATUS_OK;
	}
	if (status == STATUS_END && range->known) {
		memset(dst, 0, range->length);
		return STATUS_OK;
	}
	return status;
}

enum status memory_read(const struct core *core, uint64_t paddr, size_t len, uint8_t *dst,
			struct error *e)
{
	while (len) {
		struct memory_range range;
		enum status status = read_range(core, paddr, len, dst, &range, e);

		if (status == STATUS_END)
			return error_set(e, STATUS_MISSING, "physical address %#" PRIx64 " is not in "
					 "the core", paddr);
		if (status)
			return status;
		dst += range.length;
		paddr += range.length;
		len -= range.length;
	}
	return STATUS_OK;
}

enum status memory_read_page(const struct core *core, uint64_t paddr, uint32_t size, uint8_t *dst,
			     struct error *e)
{
	uint32_t done = 0;

	while (done < size) {
		struct memory_range range;
		enum status status = read_range(core, paddr + done, size - done, dst + done, &range, e);

		if (status == STATUS_END)
			memset(dst + done, 0, range.length);
		else if (status)
			return status;
		done += (uint32_t)range.length;
	}
	return STATUS_OK;
}

/* --- a cache of small reads ---------------------------------------------- */

/* Where the piece is, or else where it is to be read to. */
static struct small_piece *find_place(struct small_reads *s, uint64_t number)
{
	const uint64_t sets = SMALL_READS_PIECES / SMALL_READS_WAYS;
	/* Struct pages that are looked up together are apart by powers of 2. */
	struct small_piece *set = s->pieces + (number * 0x9e3779b97f4a7c15 >> 32) % sets * SMALL_READS_WAYS, *oldest = set;

	for (struct small_piece *p = set; p < set + SMALL_READS_WAYS; p++) {
		if (p->number == number)
			return p;
		if (p->used < oldest->used)
			oldest = p;
	}
	return oldest;
}

static uint8_t *bytes_of(const struct small_reads *s, const struct small_piece *p)
{
	return s->bytes + (size_t)(p - s->pieces) * s->piece;
}

static bool load(struct small_reads *s, struct small_piece *p, uint64_t number)
{
	uint64_t offset = number * s->piece;
	struct error ignored;

	p->number = UINT64_MAX;
	if (s->below.size < s->piece || offset > s->below.size - s->piece ||
	    s->below.read(s->below.arg, offset, s->piece, bytes_of(s, p), &ignored))
		return false;
	p->number = number;
	return true;
}

static enum status read_small(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	struct small_reads *s = arg;
	uint64_t number = offset / s->piece;
	size_t within = offset % s->piece;
	struct small_piece *p;

	if (len > s->piece - within)
		return s->below.read(s->below.arg, offset, len, dst, e);
	p = find_place(s, number);
	if (p->number != number && !load(s, p, number))
		return s->below.read(s->below.arg, offset, len, dst, e);
	p->used = ++s->reads;
	memcpy(dst, bytes_of(s, p) + within, len);
	return STATUS_OK;
}

enum status small_reads_open(struct small_reads *s, const struct core_bytes *below, size_t piece,
			     struct core_bytes *bytes, struct error *e)
{
	*s = (struct small_reads){ .below = *below, .piece = piece };
	*bytes = (struct core_bytes){ .size = below->size, .read = read_small, .arg = s };
	for (size_t i = 0; i < SMALL_READS_PIECES; i++)
		s->pieces[i].number = UINT64_MAX;
	s->bytes = memory_to_read(SMALL_READS_PIECES * piece);
	return s->bytes ? STATUS_OK : error_system(e, ENOMEM, "cache of small reads");
}

void small_reads_close(struct small_reads *s)
{
	free(s->bytes);
	*s = (struct small_reads){ 0 };
}
