// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "core/virt/small_reads.h"

static bool load(struct small_reads *s, uint64_t number, uint8_t *piece)
{
	uint64_t offset = number * SMALL_READS_PIECE;
	struct error ignored;
	size_t place = number % SMALL_READS_PIECES;

	s->numbers[place] = UINT64_MAX;
	if (s->below.size < SMALL_READS_PIECE || offset > s->below.size - SMALL_READS_PIECE ||
	    s->below.read(s->below.arg, offset, SMALL_READS_PIECE, piece, &ignored))
		return false;
	s->numbers[place] = number;
	return true;
}

static enum status read_small(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	struct small_reads *s = arg;
	uint64_t number = offset / SMALL_READS_PIECE;
	size_t place = number % SMALL_READS_PIECES, within = offset % SMALL_READS_PIECE;
	uint8_t *piece = s->bytes + place * SMALL_READS_PIECE;

	if (len > SMALL_READS_LONGEST || within + len > SMALL_READS_PIECE ||
	    (s->numbers[place] != number && !load(s, number, piece)))
		return s->below.read(s->below.arg, offset, len, dst, e);
	memcpy(dst, piece + within, len);
	return STATUS_OK;
}

enum status small_reads_open(struct small_reads *s, const struct core_bytes *below,
			     struct core_bytes *bytes, struct error *e)
{
	*s = (struct small_reads){ .below = *below };
	*bytes = (struct core_bytes){ .size = below->size, .read = read_small, .arg = s };
	memset(s->numbers, 0xff, sizeof(s->numbers));
	s->bytes = malloc((size_t)SMALL_READS_PIECES * SMALL_READS_PIECE);
	return s->bytes ? STATUS_OK : error_system(e, ENOMEM, "cache of small reads");
}

void small_reads_close(struct small_reads *s)
{
	free(s->bytes);
	*s = (struct small_reads){ 0 };
}
