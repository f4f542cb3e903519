// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Window: a cached part of an array in the memory of the crashed kernel, for reading it in small
 * pieces and mostly forward.
 *
 * A range reader of a set holds only one record, so alternating between arrays would unpack a
 * record for each piece.  Therefore 64 KiB are read at once.  If that fails, only the pages that
 * cannot be read are missing.
 */
#ifndef NSPLIT_CORE_WINDOW_H
#define NSPLIT_CORE_WINDOW_H

#include "core/virt/virt.h"

struct window {
	const struct virt *virt;	/* borrowed */
	uint64_t base, size;		/* of the array: kernel address, and bytes */
	uint64_t begin;			/* of the cached part: kernel address, */
	size_t held;			/* and bytes; 0 at first */
	uint32_t absent;		/* a bit for each page of it that could not be read, */
	struct error why;		/* and the reason for the first of these */
	uint8_t *bytes;			/* owned */
};

/*
 * STATUS_DAMAGED: the array is empty, wraps around, or is larger than the core.  window_free() must
 * be called even after a failure.
 */
enum status window_init(struct window *w, const struct virt *virt, uint64_t base, uint64_t size,
			struct error *e);
void window_free(struct window *w);

/* Reads len bytes at an offset, which are within the array.  Returns as virt_read(). */
enum status window_read(struct window *w, uint64_t at, size_t len, uint8_t *dst, struct error *e);

#endif
