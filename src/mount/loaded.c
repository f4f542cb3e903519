// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "mount/loaded.h"

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

bool loaded_may_recover(enum status status)
{
	return status == STATUS_SYSTEM || status == STATUS_CUT;
}

/* The reader of the buffers works on the record, but does not own it. */
static void lend(struct buffers *buffers, const struct loaded *l)
{
	buffers->reader.raw = l->bytes;
	buffers->reader.record = l->record;
	buffers->reader.member = l->member;
	buffers->reader.offset = l->offset;
}

static void take_back(struct buffers *buffers)
{
	buffers->reader.raw = NULL;
}

enum status loaded_load(struct loaded *l, const struct set *set, size_t location, struct buffers *buffers,
			struct error *e)
{
	struct record_reader *reader = &buffers->reader;
	enum status status;

	l->bytes = malloc(set->map[location]->entry.record_length);
	if (!l->bytes)
		return error_system(e, ENOMEM, "record buffer");
	reader->raw = l->bytes;
	status = record_reader_load(reader, set, set->map[location], e);
	l->record = reader->record;
	l->member = reader->member;
	l->offset = reader->offset;
	take_back(buffers);
	return status;
}

bool loaded_unpack(struct loaded *l, struct buffers *buffers, uint8_t *plain)
{
	enum status status;
	struct error e;

	/* The reader does not write zero blocks. */
	memset(plain, 0, l->record.stored_length);
	lend(buffers, l);
	status = record_reader_unpack(&buffers->reader, plain, &e);
	take_back(buffers);
	if (status)
		return false;
	free(l->bytes);
	l->bytes = plain;
	l->unpacked = true;
	return true;
}

/* Unpacks block i of the record, unless the buffers have it already. */
static enum status unpack(const struct loaded *l, struct buffers *buffers, uint32_t i, struct error *e)
{
	enum status status;

	if (buffers->block_member == l->member && buffers->block_record == l->offset && buffers->block_number == i)
		return STATUS_OK;
	status = record_reader_unpack_block(&buffers->reader, i, buffers->block, e);
	buffers->block_member = status ? NULL : l->member;
	buffers->block_record = l->offset;
	buffers->block_number = i;
	return status;
}

/*
 * Reads bytes from within to within + len of block i.  A whole block is unpacked directly to dst.
 */
static enum status read_block(const struct loaded *l, struct buffers *buffers, uint32_t i, size_t within, size_t len,
			      uint8_t *dst, struct error *e)
{
	enum status status;

	if (len == record_block_length(&l->record, i))
		return record_reader_unpack_block(&buffers->reader, i, dst, e);
	status = unpack(l, buffers, i, e);
	if (!status)
		memcpy(dst, buffers->block + within, len);
	return status;
}

enum status loaded_read(const struct loaded *l, struct buffers *buffers, uint64_t at, size_t len,
			uint8_t *dst, struct error *e)
{
	const struct record *record = &l->record;
	enum status status = STATUS_OK;

	if (l->unpacked) {
		memcpy(dst, l->bytes + at, len);
		return STATUS_OK;
	}
	lend(buffers, l);
	while (len && !status) {
		uint32_t i = (uint32_t)(at / record->block_size);
		size_t within = at % record->block_size;
		size_t some = min_u64(len, record_block_length(record, i) - within);

		status = read_block(l, buffers, i, within, some, dst, e);
		dst += some;
		at += some;
		len -= some;
	}
	take_back(buffers);
	return status;
}
