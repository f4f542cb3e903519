// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "set/plain.h"
#include "set/read/range.h"

enum status range_reader_init(struct range_reader *r, const struct set *set, struct error *e)
{
	enum status status;

	*r = (struct range_reader){ .set = set, .unpacked = UINT64_MAX };
	r->block = malloc(BLOCK_SIZE_MAX);
	if (!r->block)
		return error_system(e, ENOMEM, "block buffer");
	status = resolver_init(&r->resolver, set, e);
	if (!status)
		status = record_reader_init(&r->record, set, e);
	if (status)
		range_reader_free(r);
	return status;
}

void range_reader_free(struct range_reader *r)
{
	resolver_free(&r->resolver);
	record_reader_free(&r->record);
	free(r->block);
	r->block = NULL;
}

void range_reader_forget(struct range_reader *r)
{
	r->loaded = NULL;
	r->unpacked = UINT64_MAX;
	resolver_forget(&r->resolver);
}

/* Copies bytes of the record that is loaded, or of a dump, from a byte of it on.  A block is unpacked unless it is the last one. */
static enum status copy_blocks(struct range_reader *r, uint64_t at, uint64_t length, uint8_t *dst, struct error *e)
{
	bool dump = set_is_dump(r->set);
	uint32_t size = dump ? r->set->block_size : r->record.record.block_size;
	enum status status = STATUS_OK;
	size_t some;

	for (; length && !status; at += some, dst += some, length -= some) {
		uint64_t number = at / size, within = at % size;

		some = min_u64(length, size - within);
		if (r->unpacked != number)
			status = dump ? dump_read_block(&r->record, r->set, number, r->block, e) :
				 record_reader_unpack_block(&r->record, (uint32_t)number, r->block, e);
		r->unpacked = status ? UINT64_MAX : number;
		if (!status)
			memcpy(dst, r->block + within, some);
	}
	return status;
}

/* Copies the bytes at x->at of the stored bytes of a record, which is loaded unless it is the last one. */
static enum status read_stored(struct range_reader *r, const struct extent *x, uint8_t *dst,
			       struct error *e)
{
	const struct location *location = r->set->map[x->location];
	enum status status = STATUS_OK;

	if (r->loaded != location) {
		r->unpacked = UINT64_MAX;
		status = record_reader_load(&r->record, r->set, location, e);
		r->loaded = status ? NULL : location;
	}
	return status ? status : copy_blocks(r, x->at, x->length, dst, e);
}

/*
 * Later, an error of the system may be gone.  Only one record is avoided at a time, so a second one is lost;
 * otherwise each would be tried again and again.
 */
static void do_without(struct range_reader *r, size_t location, enum status status)
{
	bool temporary = status == STATUS_SYSTEM || status == STATUS_CUT;

	if (temporary && r->resolver.avoid == SIZE_MAX)
		r->resolver.avoid = location;
	else
		set_lose(r->set, location);
}

enum status range_read_extent(struct range_reader *r, uint64_t offset, size_t len, uint8_t *dst,
			      struct extent *x, struct error *e)
{
	struct error first = { .status = STATUS_OK };
	enum status status;

	while (!(status = resolve(&r->resolver, offset, len, x, e)) && x->kind == EXTENT_STORED) {
		status = read_stored(r, x, dst, e);
		if (!status || status == STATUS_NO_MEMORY)
			break;
		if (!first.status)
			first = *e;
		do_without(r, x->location, status);
	}
	r->resolver.avoid = SIZE_MAX;
	if (status)
		return status;
	*e = first;
	/* The record was found to be damaged before, perhaps by another reader: the same is found again. */
	if (!first.status && x->kind == EXTENT_DAMAGED)
		status = read_stored(r, x, dst, e);
	return status == STATUS_NO_MEMORY ? status : STATUS_OK;
}

/* Damage is the error to tell, if there is any. */
static enum status is_missing(const struct range_reader *r, const struct extent *x, struct error *e)
{
	const struct error *damage = resolver_damage(&r->resolver);

	if (e->status)
		return e->status;
	if (damage && x->kind != EXTENT_MISSING) {
		*e = *damage;
		return e->status;
	}
	return extent_error(x, e);
}

enum status range_read(struct range_reader *r, uint64_t offset, size_t len, uint8_t *dst,
		       struct error *e)
{
	if (set_is_plain(r->set))
		return plain_read(r->set, offset, len, dst, e);
	if (set_is_dump(r->set))
		return copy_blocks(r, offset, len, dst, e);
	resolver_forget_unsure(&r->resolver);
	while (len) {
		struct extent x;
		enum status status = range_read_extent(r, offset, len, dst, &x, e);

		if (status)
			return status;
		if (extent_is_missing(&x))
			return is_missing(r, &x, e);
		if (x.kind == EXTENT_UNREADABLE)
			return extent_error(&x, e);
		if (x.kind != EXTENT_STORED)
			memset(dst, 0, x.length);
		dst += x.length;
		offset += x.length;
		len -= x.length;
	}
	return STATUS_OK;
}
