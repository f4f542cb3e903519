// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A window onto an array in the dead kernel's memory, which is read in small pieces and mostly
 * forward.
 *
 * Where the bytes come from a set, going from one array to another and back for each piece would
 * unpack a record each time; so 64 KiB are read at once.  What of them cannot be read costs no
 * more than its page.
 */
#ifndef NSPLIT_CORE_WINDOW_H
#define NSPLIT_CORE_WINDOW_H

#include "core/virt.h"

struct window {
	const struct virt *virt;	/* borrowed */
	uint64_t base, size;		/* kernel address, and bytes of the array */
	uint64_t begin;			/* kernel address of what bytes holds, */
	size_t held;			/* and how many: 0 in the beginning */
	uint32_t absent;		/* a bit for each page of it that could not be read, */
	struct error why;		/* and the reason of the first */
	uint8_t *bytes;			/* owned */
};

/*
 * STATUS_DAMAGED: no such array can be: it has no byte, or more than the core.  window_free() is due
 * in any case.
 */
enum status window_init(struct window *w, const struct virt *virt, uint64_t base, uint64_t size,
			struct error *e);
void window_free(struct window *w);

/* Reads len bytes of the array at an offset, which lie within it.  As virt_read() returns. */
enum status window_read(struct window *w, uint64_t at, size_t len, uint8_t *dst, struct error *e);

#endif
