// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "io/transfer.h"
#include "set/piece_search.h"

enum { PART = 256 * 1024 };

enum status piece_search_init(struct piece_search *s, struct error *e)
{
	*s = (struct piece_search){ .bytes = malloc(PART) };
	return s->bytes ? STATUS_OK : error_system(e, ENOMEM, "buffer to search a member");
}

void piece_search_free(struct piece_search *s)
{
	free(s->bytes);
	s->bytes = NULL;
}

uint64_t piece_search_data(const struct member *m, uint64_t offset)
{
	off_t data = lseek(m->fd, (off_t)offset, SEEK_DATA);

	if (data < 0 && errno == ENXIO)
		return max_u64(offset, round_down(m->size, ALIGNMENT));
	/* Devices and some file systems do not report holes. */
	return data < 0 ? offset : max_u64(offset, round_down((uint64_t)data, ALIGNMENT));
}

static bool holds(const struct piece_search *s, uint64_t offset)
{
	return offset >= s->offset && offset - s->offset + ALIGNMENT <= s->length;
}

size_t piece_search_read(struct piece_search *s, const struct member *m, uint64_t offset,
			 bool sequential, uint8_t unit[ALIGNMENT])
{
	size_t got;

	if (!holds(s, offset)) {
		s->offset = offset;
		s->length = transfer_pread(m->fd, s->bytes, sequential ? PART : ALIGNMENT, offset);
	}
	/* If the unit is incomplete, errno is still that of the read. */
	got = min_u64(s->length, ALIGNMENT);
	if (!holds(s, offset))
		return got;
	memcpy(unit, s->bytes + (offset - s->offset), ALIGNMENT);
	return ALIGNMENT;
}
