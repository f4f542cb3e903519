// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>

#include "mount/buffers.h"

/* The largest page size that vmcoreinfo_page_size() accepts. */
enum { PAGE_SIZE_MAX = 65536 };

void buffer_pool_init(struct buffer_pool *pool)
{
	*pool = (struct buffer_pool){ 0 };
	pthread_mutex_init(&pool->lock, NULL);
}

static void buffers_free(struct buffers *buffers)
{
	resolver_free(&buffers->resolver);
	record_reader_free(&buffers->reader);
	free(buffers->block);
	free(buffers->page);
	free(buffers->answer);
	free(buffers);
}

void buffer_pool_free(struct buffer_pool *pool)
{
	while (pool->idle) {
		struct buffers *buffers = pool->idle;

		pool->idle = buffers->next;
		buffers_free(buffers);
	}
	pthread_mutex_destroy(&pool->lock);
}

/* Pages of these buffers take no memory until they are written. */
static struct buffers *buffers_new(void)
{
	struct buffers *buffers = calloc(1, sizeof(*buffers));

	if (!buffers)
		return NULL;
	buffers->block = malloc(BLOCK_SIZE_MAX);
	buffers->page = malloc(PAGE_SIZE_MAX);
	if (buffers->block && buffers->page)
		return buffers;
	buffers_free(buffers);
	return NULL;
}

struct buffers *buffer_pool_take(struct buffer_pool *pool)
{
	struct buffers *buffers;

	pthread_mutex_lock(&pool->lock);
	buffers = pool->idle;
	if (buffers)
		pool->idle = buffers->next;
	pthread_mutex_unlock(&pool->lock);
	return buffers ? buffers : buffers_new();
}

void buffer_pool_return(struct buffer_pool *pool, struct buffers *buffers)
{
	pthread_mutex_lock(&pool->lock);
	buffers->next = pool->idle;
	pool->idle = buffers;
	pthread_mutex_unlock(&pool->lock);
}

struct resolver *buffers_resolver(struct buffers *buffers, const struct set *set)
{
	struct resolver *r = &buffers->resolver;
	struct error ignored;

	if (r->set)
		return r;
	if (!resolver_init(r, set, &ignored))
		return r;
	resolver_free(r);
	*r = (struct resolver){ 0 };
	return NULL;
}

uint8_t *buffers_answer(struct buffers *buffers, size_t len)
{
	uint8_t *grown;

	if (len <= buffers->answer_size)
		return buffers->answer;
	grown = realloc(buffers->answer, len);
	if (!grown)
		return NULL;
	buffers->answer = grown;
	buffers->answer_size = len;
	return grown;
}
