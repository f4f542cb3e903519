// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
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

/* Up to where the next segment begins. */
static struct memory_range range_at(const struct core *core, size_t up_to, uint64_t paddr,
				    uint64_t len)
{
	struct memory_range range = { .paddr = paddr, .length = len };

	if (up_to < core->physical.count)
		range.length = min_u64(len, core->physical.ranges[up_to].first - paddr);
	return range;
}

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

	*range = range_at(core, i, paddr, len);
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
