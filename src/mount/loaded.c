// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "mount/loaded.h"

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
