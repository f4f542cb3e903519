// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "core/memory.h"

/* What some bytes are found to be. */
struct found {
	const struct segment *segment;	/* NULL: in none */
	bool in_file;
	uint64_t length;		/* for so many bytes this holds */
};

/* Cuts a length off where something else begins. */
static void end_before(struct found *f, uint64_t paddr, uint64_t begin)
{
	if (begin > paddr)
		f->length = min_u64(f->length, begin - paddr);
}

/* A segment whose file has the bytes comes before one that only says they are zeros. */
static struct found find(const struct core *core, uint64_t paddr, uint64_t len)
{
	struct found f = { .length = len };

	for (size_t i = 0; i < core->segments_count && !f.in_file; i++) {
		const struct segment *s = &core->segments[i];

		end_before(&f, paddr, s->paddr);
		if (paddr < s->paddr || paddr - s->paddr >= s->memsz)
			continue;
		f.in_file = paddr - s->paddr < s->filesz;
		if (f.in_file || !f.segment) {
			f.segment = s;
			end_before(&f, paddr, s->paddr + (f.in_file ? s->filesz : s->memsz));
		}
	}
	return f;
}

static enum status read_found(const struct core *core, const struct found *f, uint64_t paddr,
			      uint8_t *dst, struct error *e)
{
	uint64_t offset;

	if (!f->in_file) {
		memset(dst, 0, f->length);
		return STATUS_OK;
	}
	offset = f->segment->offset + (paddr - f->segment->paddr);
	if (offset > core->bytes.size || f->length > core->bytes.size - offset)
		return error_set(e, STATUS_MISSING, "physical address %#" PRIx64 ": the core ends "
				 "before it", paddr);
	return core->bytes.read(core->bytes.arg, offset, f->length, dst, e);
}

enum status memory_read(const struct core *core, uint64_t paddr, size_t len, uint8_t *dst,
			struct error *e)
{
	while (len) {
		struct found f = find(core, paddr, len);
		enum status status;

		if (!f.segment)
			return error_set(e, STATUS_MISSING, "physical address %#" PRIx64 " is not in "
					 "the core", paddr);
		status = read_found(core, &f, paddr, dst, e);
		if (status)
			return status;
		dst += f.length;
		paddr += f.length;
		len -= f.length;
	}
	return STATUS_OK;
}

enum status memory_read_page(const struct core *core, uint64_t paddr, uint32_t size, uint8_t *dst,
			     struct error *e)
{
	uint32_t done = 0;

	while (done < size) {
		struct found f = find(core, paddr + done, size - done);
		enum status status = read_found(core, &f, paddr + done, dst + done, e);

		if (status)
			return status;
		done += (uint32_t)f.length;
	}
	return STATUS_OK;
}
