// SPDX-License-Identifier: GPL-2.0-or-later
/* Descriptors of pages (format/kdump.h) that are gathered to be written together. */
#ifndef NSPLIT_CAPTURE_FORM_DESCRIPTORS_H
#define NSPLIT_CAPTURE_FORM_DESCRIPTORS_H

#include "base/error.h"
#include "format/kdump.h"

/* Descriptors of consecutive ranks. */
struct descriptor_run {
	uint64_t rank;			/* of the first one */
	uint32_t first, count;
};

struct descriptors {
	uint8_t *raw;			/* all of them, in the order in which they came; owned */
	struct descriptor_run *runs;	/* owned */
	uint32_t count, capacity;
	uint32_t runs_count;
};

/* Bytes of memory, if at most most descriptors come at once. */
size_t descriptors_memory(uint32_t most);
/* descriptors_free() must be called in any case. */
enum status descriptors_init(struct descriptors *d, uint32_t most, struct error *e);
void descriptors_free(struct descriptors *d);

/* The next descriptors are of pages with these ranks and those that follow. */
void descriptors_begin_run(struct descriptors *d, uint64_t rank);
/* d->count is below d->capacity. */
void descriptors_add(struct descriptors *d, const struct kdump_descriptor *page);

/* Calls put() for all of them by rank, and forgets them.  After a failure, all are there. */
enum status descriptors_put(struct descriptors *d,
			    enum status (*put)(void *arg, uint64_t rank, const uint8_t *raw, uint32_t count,
					       struct error *e),
			    void *arg, struct error *e);

#endif
