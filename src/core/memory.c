// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "core/memory.h"

/*
 * The segments of one address that are looked at.  Real cores have it in two or three: the image of the
 * kernel lies in the direct map as well.
 */
enum { TRIES_MAX = 64 };

/* Bytes at one address, as many as one answer is good for. */
struct memory_range {
	uint64_t paddr;
	uint64_t length;
	bool known;			/* a segment has them, if only as zeros */
};

/* So far the same segments have it: up to where the next one begins. */
static struct memory_range range_at(const struct core *core, size_t up_to, uint64_t paddr, uint64_t len)
{
	struct memory_range s = { .paddr = paddr, .length = len };

	if (up_to < core->physical.count)
		s.length = min_u64(len, core->physical.ranges[up_to].first - paddr);
	return s;
}

static enum status read_segment(const struct core *core, const struct segment *s,
				const struct memory_range *st, uint8_t *dst, struct error *e)
{
	uint64_t offset = s->offset + (st->paddr - s->paddr);

	if (offset > core->bytes.size || st->length > core->bytes.size - offset)
		return error_set(e, STATUS_MISSING, "physical address %#" PRIx64 ": the core ends "
				 "before it", st->paddr);
	return core->bytes.read(core->bytes.arg, offset, st->length, dst, e);
}

/*
 * Reads the first bytes of len at paddr; their number is in st.  STATUS_END: no segment has them.
 * Of several that do not read, the error is the last one's.
 */
static enum status read_stretch(const struct core *core, uint64_t paddr, uint64_t len,
				uint8_t *dst, struct memory_range *st, struct error *e)
{
	size_t i = segment_index_up_to(&core->physical, paddr);
	enum status status = STATUS_END;

	*st = range_at(core, i, paddr, len);
	for (int tries = 0; tries < TRIES_MAX &&
			    segment_index_last(&core->physical, i, paddr, &i); tries++) {
		const struct segment *s = core->physical.ranges[i].segment;
		uint64_t within = paddr - s->paddr;

		st->known = true;
		st->length = min_u64(st->length, (within < s->filesz ? s->filesz : s->memsz) - within);
		if (within >= s->filesz)
			continue;
		status = read_segment(core, s, st, dst, e);
		if (!status)
			return STATUS_OK;
	}
	if (status == STATUS_END && st->known) {
		memset(dst, 0, st->length);
		return STATUS_OK;
	}
	return status;
}

enum status memory_read(const struct core *core, uint64_t paddr, size_t len, uint8_t *dst,
			struct error *e)
{
	while (len) {
		struct memory_range st;
		enum status status = read_stretch(core, paddr, len, dst, &st, e);

		if (status == STATUS_END)
			return error_set(e, STATUS_MISSING, "physical address %#" PRIx64 " is not in "
					 "the core", paddr);
		if (status)
			return status;
		dst += st.length;
		paddr += st.length;
		len -= st.length;
	}
	return STATUS_OK;
}

enum status memory_read_page(const struct core *core, uint64_t paddr, uint32_t size, uint8_t *dst,
			     struct error *e)
{
	uint32_t done = 0;

	while (done < size) {
		struct memory_range st;
		enum status status = read_stretch(core, paddr + done, size - done, dst + done, &st, e);

		if (status == STATUS_END)
			memset(dst + done, 0, st.length);
		else if (status)
			return status;
		done += (uint32_t)st.length;
	}
	return STATUS_OK;
}
