// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "mount/loaded.h"

uint8_t loaded_copies(const struct set *set, size_t location)
{
	uint8_t copies = 1;

	while (copies < UINT8_MAX && (location = set_next_copy(set, location)) < set->locations)
		copies++;
	return copies;
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

static enum status load_copy(struct loaded *l, const struct set *set,
			     const struct location *location, struct buffers *buffers,
			     struct error *e)
{
	struct record_reader *reader = &buffers->reader;
	enum status status;

	free(l->bytes);
	l->bytes = malloc(location->entry.record_length);
	if (!l->bytes)
		return error_system(e, ENOMEM, "record buffer");
	reader->raw = l->bytes;
	status = record_reader_load(reader, set, location, e);
	l->record = reader->record;
	l->member = reader->member;
	l->offset = reader->offset;
	take_back(buffers);
	return status;
}

enum status loaded_load(struct loaded *l, const struct set *set, size_t location, uint8_t copy,
			struct buffers *buffers, bool *skipped, struct error *e)
{
	struct location **map = set->map + location;
	uint8_t copies = loaded_copies(set, location);
	enum status status = load_copy(l, set, map[copy], buffers, e);
	struct error other;

	l->copy = copy;
	*skipped = loaded_may_recover(status);
	while (status && status != STATUS_NO_MEMORY && l->copy + 1 < copies) {
		enum status next = load_copy(l, set, map[++l->copy], buffers, &other);
		bool counts = next == STATUS_NO_MEMORY || (loaded_may_recover(next) && !*skipped);

		if (counts)
			*e = other;
		if (counts || !next)
			status = next;
		*skipped |= loaded_may_recover(next);
	}
	/* The skipped copy may have the blocks that are unreadable in this one. */
	return !status && *skipped && l->record.unreadable ? e->status : status;
}

bool loaded_unpack(struct loaded *l, struct buffers *buffers, uint8_t *plain)
{
	enum status status;
	struct error e;

	/* The reader does not write zero blocks. */
	memset(plain, 0, record_unpacked_length(&l->record));
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

/*
 * Reads bytes from within to within + len of block i.  A whole block is unpacked directly to dst.
 */
static enum status read_block(struct buffers *buffers, uint32_t i, size_t within, size_t len,
			      bool zeros, uint8_t *dst, struct error *e)
{
	struct record_reader *reader = &buffers->reader;
	const struct record *record = &reader->record;
	bool whole = len == record_block_length(record, i);
	enum status status;

	if (!zeros && record_reader_kind(reader, i) == BLOCK_UNREADABLE)
		return error_set(e, STATUS_MISSING, "byte %" PRIu64 " could not be read during "
				 "the capture", record->source_offset +
				 (uint64_t)i * record->block_size);
	/* A shortcut: a hole of the source may be one block of 1 MiB, of which a page is read. */
	if (record_reader_kind(reader, i) == BLOCK_ZERO) {
		memset(dst, 0, len);
		return STATUS_OK;
	}
	status = record_reader_unpack_block(reader, i, whole ? dst : buffers->block, e);
	if (!status && !whole)
		memcpy(dst, buffers->block + within, len);
	return status;
}

enum status loaded_read(const struct loaded *l, struct buffers *buffers, uint64_t offset,
			size_t len, bool zeros, uint8_t *dst, struct error *e)
{
	const struct record *record = &l->record;
	uint64_t at = offset - record->source_offset;
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

		status = read_block(buffers, i, within, some, zeros, dst, e);
		dst += some;
		at += some;
		len -= some;
	}
	take_back(buffers);
	return status;
}
