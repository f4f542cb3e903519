// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "core/virt/small_reads.h"

/* Where the piece is, or else where it is to be read to. */
static struct small_piece *find_place(struct small_reads *s, uint64_t number)
{
	const uint64_t sets = SMALL_READS_PIECES / SMALL_READS_WAYS;
	struct small_piece *set = s->pieces + number % sets * SMALL_READS_WAYS, *oldest = set;

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
	return s->bytes + (size_t)(p - s->pieces) * SMALL_READS_PIECE;
}

static bool load(struct small_reads *s, struct small_piece *p, uint64_t number)
{
	uint64_t offset = number * SMALL_READS_PIECE;
	struct error ignored;

	p->number = UINT64_MAX;
	if (s->below.size < SMALL_READS_PIECE || offset > s->below.size - SMALL_READS_PIECE ||
	    s->below.read(s->below.arg, offset, SMALL_READS_PIECE, bytes_of(s, p), &ignored))
		return false;
	p->number = number;
	return true;
}

static enum status read_small(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	struct small_reads *s = arg;
	uint64_t number = offset / SMALL_READS_PIECE;
	size_t within = offset % SMALL_READS_PIECE;
	struct small_piece *p;

	if (len > SMALL_READS_PIECE - within)
		return s->below.read(s->below.arg, offset, len, dst, e);
	p = find_place(s, number);
	if (p->number != number && !load(s, p, number))
		return s->below.read(s->below.arg, offset, len, dst, e);
	p->used = ++s->reads;
	memcpy(dst, bytes_of(s, p) + within, len);
	return STATUS_OK;
}

enum status small_reads_open(struct small_reads *s, const struct core_bytes *below,
			     struct core_bytes *bytes, struct error *e)
{
	*s = (struct small_reads){ .below = *below };
	*bytes = (struct core_bytes){ .size = below->size, .read = read_small, .arg = s };
	for (size_t i = 0; i < SMALL_READS_PIECES; i++)
		s->pieces[i].number = UINT64_MAX;
	s->bytes = memory_to_read((size_t)SMALL_READS_PIECES * SMALL_READS_PIECE);
	return s->bytes ? STATUS_OK : error_system(e, ENOMEM, "cache of small reads");
}

void small_reads_close(struct small_reads *s)
{
	free(s->bytes);
	*s = (struct small_reads){ 0 };
}
