// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "capture/form/descriptors.h"

/* Of 256 MiB of memory: to have these safe takes much longer than to sync a disk. */
enum { GATHERED = 64 * 1024 };

static uint32_t capacity_for(uint32_t most)
{
	return (uint32_t)max_u64(GATHERED, 2 * (uint64_t)most);
}

size_t descriptors_memory(uint32_t most)
{
	return capacity_for(most) * (KDUMP_DESCRIPTOR_LENGTH + sizeof(struct descriptor_run));
}

enum status descriptors_init(struct descriptors *d, uint32_t most, struct error *e)
{
	*d = (struct descriptors){ .capacity = capacity_for(most) };
	d->raw = malloc((size_t)d->capacity * KDUMP_DESCRIPTOR_LENGTH);
	d->runs = calloc(d->capacity, sizeof(*d->runs));
	if (!d->raw || !d->runs)
		return error_system(e, ENOMEM, "descriptors of pages");
	memory_touch(d->raw, (size_t)d->capacity * KDUMP_DESCRIPTOR_LENGTH);
	return STATUS_OK;
}

void descriptors_free(struct descriptors *d)
{
	free(d->raw);
	free(d->runs);
	*d = (struct descriptors){ 0 };
}

void descriptors_begin_run(struct descriptors *d, uint64_t rank)
{
	const struct descriptor_run *last = d->runs_count ? &d->runs[d->runs_count - 1] : NULL;

	if (last && last->rank + last->count == rank)
		return;
	assert(d->runs_count < d->capacity);
	d->runs[d->runs_count++] = (struct descriptor_run){ .rank = rank, .first = d->count };
}

void descriptors_add(struct descriptors *d, const struct kdump_descriptor *page)
{
	assert(d->count < d->capacity);
	kdump_descriptor_encode(page, d->raw + (size_t)d->count++ * KDUMP_DESCRIPTOR_LENGTH);
	d->runs[d->runs_count - 1].count++;
}

static int by_rank(const void *a, const void *b)
{
	const struct descriptor_run *x = a, *y = b;

	return x->rank < y->rank ? -1 : x->rank > y->rank;
}

enum status descriptors_put(struct descriptors *d,
			    enum status (*put)(void *arg, uint64_t rank, const uint8_t *raw, uint32_t count,
					       struct error *e),
			    void *arg, struct error *e)
{
	qsort(d->runs, d->runs_count, sizeof(*d->runs), by_rank);
	for (uint32_t i = 0; i < d->runs_count; i++) {
		const struct descriptor_run *run = &d->runs[i];

		if (put(arg, run->rank, d->raw + (size_t)run->first * KDUMP_DESCRIPTOR_LENGTH, run->count, e))
			return e->status;
	}
	d->count = d->runs_count = 0;
	return STATUS_OK;
}
