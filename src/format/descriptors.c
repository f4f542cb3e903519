// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "format/descriptors.h"

/* Of 256 MiB of memory: to have these safe takes much longer than to sync a disk. */
enum { GATHERED = 64 * 1024 };

/* Twice as many as there are in two sectors among so many of consecutive ranks. */
enum { DIVIDED = GATHERED / 32 };

/* Of 64 descriptors, which are three sectors of 512 bytes, this one has 8 bytes in the first. */
enum { PERIOD = 64, DIVIDED_RANK = 21, IN_FIRST = 8 };

_Static_assert(DIVIDED_RANK * KDUMP_DESCRIPTOR_LENGTH + IN_FIRST == 512, "a sector ends within it");

enum { STEPS = 3 };

/* In a descriptor: 8 bytes that are zero in a dump. */
enum { CHECKSUM = 16 };

static uint32_t capacity_for(uint32_t most)
{
	return (uint32_t)max_u64(GATHERED, 2 * (uint64_t)most);
}

size_t descriptors_memory(uint32_t most)
{
	return capacity_for(most) * (KDUMP_DESCRIPTOR_LENGTH + sizeof(struct descriptor_run)) +
	       DIVIDED * sizeof(struct divided_descriptor);
}

enum status descriptors_init(struct descriptors *d, uint32_t most, bool divides, struct error *e)
{
	*d = (struct descriptors){ .capacity = capacity_for(most), .divides = divides };
	d->raw = malloc((size_t)d->capacity * KDUMP_DESCRIPTOR_LENGTH);
	d->runs = calloc(d->capacity, sizeof(*d->runs));
	d->divided = calloc(DIVIDED, sizeof(*d->divided));
	if (!d->raw || !d->runs || !d->divided)
		return error_system(e, ENOMEM, "descriptors of pages");
	memory_touch(d->raw, (size_t)d->capacity * KDUMP_DESCRIPTOR_LENGTH);
	memory_touch(d->runs, (size_t)d->capacity * sizeof(*d->runs));
	return STATUS_OK;
}

void descriptors_free(struct descriptors *d)
{
	free(d->raw);
	free(d->runs);
	free(d->divided);
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

static uint8_t *raw_of(const struct descriptors *d, uint32_t i)
{
	return d->raw + (size_t)i * KDUMP_DESCRIPTOR_LENGTH;
}

void descriptors_add(struct descriptors *d, const struct kdump_descriptor *page, uint64_t checksum)
{
	assert(d->count < d->capacity);
	kdump_descriptor_encode(page, raw_of(d, d->count));
	put_le64(raw_of(d, d->count++) + CHECKSUM, checksum);
	d->runs[d->runs_count - 1].count++;
}

void descriptors_cancel(struct descriptors *d, uint32_t first, const struct kdump_descriptor *by)
{
	for (; first < d->count; first++)
		kdump_descriptor_encode(by, raw_of(d, first));
}

bool descriptors_left(const struct descriptors *d)
{
	return d->runs_count || d->divided_count;
}

static enum status take_step(const struct descriptors_writer *w, struct divided_descriptor *d, struct error *e)
{
	static const struct kdump_descriptor refused = { .size = 0, .flags = KDUMP_ZLIB };
	uint8_t raw[KDUMP_DESCRIPTOR_LENGTH];
	const uint8_t *bytes = d->steps ? d->raw : raw;
	size_t from = d->steps == 1 ? 0 : IN_FIRST, to = d->steps == 1 ? IN_FIRST : KDUMP_DESCRIPTOR_LENGTH;
	enum status status;

	kdump_descriptor_encode(&refused, raw);
	status = w->put(w->arg, d->rank * KDUMP_DESCRIPTOR_LENGTH + from, bytes + from, to - from, e);
	if (!status)
		d->steps++;
	else if (w->skips)
		d->steps = STEPS;
	return w->skips ? STATUS_OK : status;
}

/* The next step of those that were left by the call before. */
static enum status continue_divided(struct descriptors *d, const struct descriptors_writer *w, struct error *e)
{
	enum status status = STATUS_OK;
	uint32_t left = 0;

	for (uint32_t i = 0; i < d->divided_count; i++) {
		struct divided_descriptor one = d->divided[i];

		if (!status)
			status = take_step(w, &one, e);
		if (one.steps < STEPS)
			d->divided[left++] = one;
	}
	d->divided_count = left;
	return status;
}

bool descriptor_is_divided(uint64_t rank)
{
	return rank % PERIOD == DIVIDED_RANK;
}

/* Descriptors of a run before the next one in two sectors. */
static uint32_t undivided(const struct descriptors *d, const struct descriptor_run *run)
{
	uint32_t first = (uint32_t)((PERIOD + DIVIDED_RANK - run->rank % PERIOD) % PERIOD);

	return d->divides ? (uint32_t)min_u64(first, run->count) : run->count;
}

/* Writes a run, but for what is left of it if too many are in two sectors. */
static enum status put_run(struct descriptors *d, const struct descriptors_writer *w, struct descriptor_run *run,
			   struct error *e)
{
	while (run->count) {
		const uint8_t *raw = raw_of(d, run->first);
		uint32_t count = undivided(d, run);
		struct divided_descriptor *next = &d->divided[d->divided_count];

		if (count) {
			if (w->put(w->arg, run->rank * KDUMP_DESCRIPTOR_LENGTH, raw,
				   (size_t)count * KDUMP_DESCRIPTOR_LENGTH, e) && !w->skips)
				return e->status;
		} else if (d->divided_count == DIVIDED) {
			return STATUS_OK;
		} else {
			*next = (struct divided_descriptor){ .rank = run->rank };
			memcpy(next->raw, raw, sizeof(next->raw));
			if (take_step(w, next, e))
				return e->status;
			d->divided_count += next->steps < STEPS;
			count = 1;
		}
		run->rank += count;
		run->first += count;
		run->count -= count;
	}
	return STATUS_OK;
}

enum status descriptors_put(struct descriptors *d, const struct descriptors_writer *w, struct error *e)
{
	enum status status = continue_divided(d, w, e);
	uint32_t left = 0;

	for (uint32_t i = 0; i < d->count; i++)
		put_le64(raw_of(d, i) + CHECKSUM, 0);
	values_sort(d->runs, sizeof(*d->runs), d->runs_count);
	for (uint32_t i = 0; i < d->runs_count; i++) {
		struct descriptor_run run = d->runs[i];

		if (!status)
			status = put_run(d, w, &run, e);
		if (run.count)
			d->runs[left++] = run;
	}
	d->runs_count = left;
	if (!left)
		d->count = 0;
	return status;
}

void descriptors_unsafe(struct descriptors *d, descriptors_is_there *is_there, void *arg,
			const struct kdump_descriptor *absent)
{
	for (uint32_t i = 0; i < d->divided_count; i++)
		d->divided[i].steps--;
	for (uint32_t i = 0; i < d->count; i++) {
		struct kdump_descriptor page = kdump_descriptor_decode(raw_of(d, i));
		uint64_t checksum = get_le64(raw_of(d, i) + CHECKSUM);

		if (checksum && !is_there(arg, &page, checksum))
			kdump_descriptor_encode(absent, raw_of(d, i));
	}
}
