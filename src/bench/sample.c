// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "bench/sample.h"
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

enum status sample_take(struct source **sample, struct source *source, uint32_t chunk_size,
			uint64_t limit, struct error *e)
{
	uint64_t taken = sample_chunks(source->size, chunk_size, limit);
	struct source_memory memory = { .find = sample_find, .release = free };
	struct source_reader reader;
	enum status status;
	uint64_t size = 0;

	status = source_reader_init(&reader, source, BLOCK_SIZE_MIN, chunk_size, READ_TO_BUFFER,
				    e);
	if (status)
		return status;
	memory.arg = calloc(taken, chunk_size);
	if (!memory.arg)
		status = error_system(e, ENOMEM, "%s: sample", source->name);
	for (uint64_t i = 0; !status && i < taken; i++) {
		uint64_t offset = sample_start(source->size, chunk_size, taken, i);
		uint64_t length = min_u64(chunk_size, source->size - offset);

		read_chunk(&reader, offset, length, (uint8_t *)memory.arg + size);
		size += length;
	}
	source_reader_free(&reader);
	// cppcheck-suppress memleak		; it is the sample's
	return status ? status : source_from_memory(sample, source->name, size, &memory, e);
}
