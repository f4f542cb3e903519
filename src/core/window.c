// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "core/window.h"

enum { PAGE = 4096, WINDOW = 16 * PAGE };

enum status window_init(struct window *w, const struct virt *virt, uint64_t base, uint64_t size,
			struct error *e)
{
	*w = (struct window){ .virt = virt, .base = base, .size = size };
	if (!size || base > UINT64_MAX - size)
		return error_set(e, STATUS_DAMAGED, "an array of %" PRIu64 " bytes at kernel address "
				 "%#" PRIx64 " is invalid", size, base);
	/*
	 * Page tables can map the same few pages again and again, so that an array seems to have
	 * any size; all of it would be read.
	 */
	if (size > virt->core->bytes.size)
		return error_set(e, STATUS_DAMAGED, "an array of %" PRIu64 " bytes at kernel address "
				 "%#" PRIx64 " is larger than the core (%" PRIu64 " bytes)", size, base,
				 virt->core->bytes.size);
	w->bytes = memory_to_read(WINDOW);
	return w->bytes ? STATUS_OK : error_system(e, ENOMEM, "window onto memory");
}

void window_free(struct window *w)
{
	free(w->bytes);
	w->bytes = NULL;
}

static enum status read_pages(struct window *w, struct error *e)
{
	for (size_t at = 0; at < w->held; ) {
		size_t some = min_u64(w->held - at, PAGE - (w->begin + at) % PAGE);
		enum status status = virt_read(w->virt, w->begin + at, some, w->bytes + at, e);

		if (core_bytes_end(status))
			return status;
		if (status && !w->absent)
			w->why = *e;
		if (status)
			w->absent |= (uint32_t)1 << ((w->begin + at) % WINDOW / PAGE);
		at += some;
	}
	return STATUS_OK;
}

/* Moves the window to an address, which is within the array. */
static enum status move(struct window *w, uint64_t address, struct error *e)
{
	uint64_t begin = max_u64(round_down(address, WINDOW), w->base);
	enum status status = STATUS_OK;
	struct error ignored;		/* read_pages() finds it again */

	if (w->held && begin == w->begin)
		return STATUS_OK;
	w->begin = begin;
	w->held = min_u64(WINDOW - begin % WINDOW, w->base + w->size - begin);
	w->absent = 0;
	if (virt_read(w->virt, w->begin, w->held, w->bytes, &ignored))
		status = read_pages(w, e);
	if (status)
		w->held = 0;
	return status;
}

enum status window_read(struct window *w, uint64_t at, size_t len, uint8_t *dst, struct error *e)
{
	uint64_t address = w->base + at;

	while (len) {
		size_t some = min_u64(len, PAGE - address % PAGE);
		enum status status = move(w, address, e);

		if (status)
			return status;
		if (w->absent >> (address % WINDOW / PAGE) & 1) {
			*e = w->why;
			return e->status;
		}
		memcpy(dst, w->bytes + (address - w->begin), some);
		dst += some;
		address += some;
		len -= some;
	}
	return STATUS_OK;
}
