// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "bench/sample.h"
#include "format/classes.h"
#include "format/format.h"
#include "io/source_memory.h"

uint64_t sample_chunks(uint64_t size, uint32_t chunk_size, uint64_t limit)
{
	return min_u64(divide_up(size, chunk_size), max_u64(limit / chunk_size, 1));
}

/* number * all / chunks, computed without overflow. */
uint64_t sample_start(uint64_t size, uint32_t chunk_size, uint64_t chunks, uint64_t number)
{
	uint64_t all = divide_up(size, chunk_size);

	return (all / chunks * number + all % chunks * number / chunks) * chunk_size;
}

static const uint8_t *sample_find(void *arg, uint64_t offset, uint64_t *length)
{
	*length = UINT64_MAX;
	return (uint8_t *)arg + offset;
}

static void read_chunk(struct source_reader *r, uint64_t offset, uint64_t length, uint8_t *dst)
{
	struct error unreadable;
	const uint8_t *data;
	size_t got;

	for (uint64_t at = 0; at < length; at += got) {
		if (source_get_carefully(r, offset + at, length - at, &data, &got, &unreadable))
			got = min_u64(BLOCK_SIZE_MIN, length - at);
		else
			memcpy(dst + at, data, got);
	}
}

/* Where a sample comes from. */
struct origin {
	struct source *source;
	const struct layer_policy *policy;	/* NULL: nothing is left out */
	uint8_t *classes;			/* of the granules of a chunk; owned */
	struct source_reader reader;
};

static enum status origin_init(struct origin *o, uint32_t chunk_size, struct error *e)
{
	const struct layer_policy *policy = o->policy;
	enum status status = source_reader_init(&o->reader, o->source, BLOCK_SIZE_MIN, chunk_size, READ_TO_BUFFER, e);

	if (status || !policy)
		return status;
	o->classes = malloc(divide_up(chunk_size, GRANULE));
	if (!o->classes)
		return error_system(e, ENOMEM, "%s: sample", o->source->name);
	return policy->start ? policy->start(policy->arg, 1, chunk_size, e) : STATUS_OK;
}

static void origin_free(struct origin *o)
{
	source_reader_free(&o->reader);
	free(o->classes);
}

/* Moves the granules that are stored together.  Returns their bytes. */
static uint64_t drop_left_out(const struct origin *o, uint64_t offset, uint64_t length, uint8_t *data)
{
	uint32_t granules = (uint32_t)divide_up(length, GRANULE);
	uint64_t kept = 0;

	o->policy->classify(o->policy->arg, 0, offset, granules, o->classes);
	for (uint32_t i = 0; i < granules; i++) {
		uint64_t at = (uint64_t)i * GRANULE, some = min_u64(GRANULE, length - at);

		if (!class_layer(&o->policy->plan, o->classes[i]))
			continue;
		memmove(data + kept, data + at, some);
		kept += some;
	}
	return kept;
}

/* Returns the bytes of the sample. */
static uint64_t copy_chunks(struct origin *o, uint32_t chunk_size, uint64_t count, uint8_t *to)
{
	uint64_t size = 0;

	for (uint64_t i = 0; i < count; i++) {
		uint64_t offset = sample_start(o->source->size, chunk_size, count, i);
		uint64_t length = min_u64(chunk_size, o->source->size - offset);

		read_chunk(&o->reader, offset, length, to + size);
		size += o->policy ? drop_left_out(o, offset, length, to + size) : length;
	}
	return size;
}

enum status sample_take(struct source **sample, struct source *source, const struct layer_policy *policy,
			uint32_t chunk_size, uint64_t limit, struct error *e)
{
	uint64_t taken = sample_chunks(source->size, chunk_size, limit), size = 0;
	struct source_memory memory = { .find = sample_find, .release = free };
	struct origin origin = {
		.source = source, .policy = policy && !layer_policy_is_plain(policy) ? policy : NULL,
	};
	enum status status = origin_init(&origin, chunk_size, e);

	if (!status) {
		memory.arg = calloc(taken, chunk_size);
		if (!memory.arg)
			status = error_system(e, ENOMEM, "%s: sample", source->name);
	}
	if (!status)
		size = copy_chunks(&origin, chunk_size, taken, memory.arg);
	/* All of it is left out: speeds need something. */
	if (!status && !size) {
		origin.policy = NULL;
		size = copy_chunks(&origin, chunk_size, taken, memory.arg);
	}
	origin_free(&origin);
	// cppcheck-suppress memleak		; it is the sample's
	return status ? status : source_from_memory(sample, source->name, size, &memory, e);
}
