// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/alignment.h"
#include "io/source_memory.h"

/* Unused, but a reader always has a buffer. */
static size_t memory_buffer_size(uint32_t block_size, uint32_t chunk_size)
{
	(void)block_size, (void)chunk_size;
	return ALIGNMENT;
}

static size_t memory_map_size(uint32_t chunk_size)
{
	(void)chunk_size;
	return 0;
}

static enum status memory_get(struct source_reader *r, uint64_t offset, size_t want,
			      const uint8_t **data, size_t *got, struct error *e)
{
	const struct source_memory *memory = r->source->state;
	uint64_t length;

	(void)e;
	if (offset >= r->source->size)
		return STATUS_END;
	*data = memory->find(memory->arg, offset, &length);
	*got = min_u64(want, min_u64(length, r->source->size - offset));
	return STATUS_OK;
}

static void memory_close(struct source *s)
{
	struct source_memory *memory = s->state;

	memory->release(memory->arg);
	free(memory);
}

static const struct source_ops source_memory_ops = {
	.buffer_size = memory_buffer_size,
	.map_size = memory_map_size,
	.get = memory_get,
	.close = memory_close,
};

enum status source_from_memory(struct source **source, const char *name, uint64_t size,
			       const struct source_memory *memory, struct error *e)
{
	struct source *s = calloc(1, sizeof(*s));
	struct source_memory *state = malloc(sizeof(*state));
	char *copy = strdup(name);

	if (!s || !state || !copy) {
		free(s);
		free(state);
		free(copy);
		memory->release(memory->arg);
		return error_system(e, ENOMEM, "%s", name);
	}
	*state = *memory;
	*s = (struct source){
		.ops = &source_memory_ops,
		.name = copy,
		.fd = -1,
		.direct_fd = -1,
		.interrupt_fd = -1,
		.size = size,
		.state = state,
	};
	*source = s;
	return STATUS_OK;
}
