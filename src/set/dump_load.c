// SPDX-License-Identifier: GPL-2.0-or-later
/* Reads dumps as sets are read: records that are made of their pages, and single bytes. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "format/runs.h"
#include "set/dump_page.h"
#include "set/made.h"

/* --- making a record ---------------------------------------------------------- */

/*
 * A record being made: first its blocks, behind a run list of one run for each granule and a table of
 * one entry for each block; then the list that it turns out to be, and the table before the blocks.
 */
struct making {
	const struct dump *dump;
	struct record_reader *r;
	struct run_list list;
	uint32_t *table;		/* entries of the blocks so far */
	uint32_t blocks;
	uint8_t *payload;		/* of the record */
	uint32_t used;			/* bytes of it */
	uint8_t *page;			/* a page, unpacked */
};

static bool is_zeros(const uint8_t *bytes, size_t len)
{
	return !bytes[0] && !memcmp(bytes, bytes + 1, len - 1);
}

static void add_run(struct making *m, enum run_kind kind, uint64_t pages)
{
	const struct run run = {
		.kind = kind,
		.granules = (uint32_t)(pages * m->dump->block_size / GRANULE),
	};

	run_list_add(&m->list, &run);
}

/* Adds a block that is at the end of the payload. */
static void add_block(struct making *m, enum block_kind kind, uint32_t length)
{
	add_run(m, RUN_STORED, 1);
	m->table[m->blocks++] = record_entry(kind, length);
	m->used += length;
}

static void add_stored(struct making *m, const uint8_t *bytes)
{
	uint32_t size = m->dump->block_size;

	if (is_zeros(bytes, size)) {
		add_block(m, BLOCK_ZERO, 0);
		return;
	}
	memmove(m->payload + m->used, bytes, size);
	add_block(m, BLOCK_STORED, size);
}

/* Adds a page that is packed with a codec, and at the end of the payload. */
static enum status add_packed(struct making *m, const struct codec *codec, uint32_t size, struct error *e)
{
	struct record *record = &m->r->record;
	enum status status = dump_page_unpack(m->r, codec, m->payload + m->used, size, m->page, m->dump->block_size);

	if (status == STATUS_NO_MEMORY)
		return error_system(e, ENOMEM, "state of codec %s", codec->name);
	if (status) {
		add_run(m, RUN_UNREADABLE, 1);
		return STATUS_OK;
	}
	/* All blocks of a record have one codec. */
	if (record->codec == CODEC_RAW)
		record->codec = codec->id;
	if (record->codec == codec->id && size < m->dump->block_size)
		add_block(m, BLOCK_PACKED, size);
	else
		add_stored(m, m->page);
	return STATUS_OK;
}

static enum status add_page(struct making *m, const struct dump_part *part, const struct kdump_descriptor *p,
			    struct error *e)
{
	uint8_t *bytes = m->payload + m->used;
	const struct codec *codec;
	enum status status;

	if (!dump_page_read(m->dump, part, p, bytes)) {
		add_run(m, RUN_UNREADABLE, 1);
		return STATUS_OK;
	}
	status = dump_page_codec(m->dump, p, &codec, e);
	if (status == STATUS_DAMAGED)
		add_run(m, RUN_UNREADABLE, 1);
	else if (!status && codec)
		status = add_packed(m, codec, p->size, e);
	else if (!status)
		add_stored(m, bytes);
	return status == STATUS_DAMAGED ? STATUS_OK : status;
}

static enum status add_batch(struct making *m, const struct dump_batch *b, struct error *e)
{
	enum status status = STATUS_OK;

	if (!b->descriptors)
		add_run(m, RUN_UNREADABLE, b->count);
	for (uint64_t i = 0; b->descriptors && i < b->count && !status; i++)
		status = add_page(m, b->part, &b->descriptors[i], e);
	return status;
}

static enum status add_all(struct making *m, const struct location *location, struct error *e)
{
	const struct dump *d = m->dump;
	uint64_t at = location->entry.source_offset, end = location_end(location);
	enum status status = STATUS_OK;
	struct dump_batch b;

	for (; at < end && at < d->head_size; at += d->block_size)
		add_stored(m, d->head + at);
	for (; at < end && !status; at += b.count * d->block_size) {
		dump_batch_read(&b, d, (at - d->head_size) / d->block_size, (end - d->head_size) / d->block_size);
		status = add_batch(m, &b, e);
	}
	return status;
}

/* Writes the list, and the table behind it; the blocks are further on. */
static void end_record(struct making *m)
{
	struct record_reader *r = m->r;

	run_list_encode(&m->list, &r->record, r->raw);
	r->record.payload_offset = (uint32_t)(m->payload - r->raw);
	r->record.payload_length = m->used;
	for (uint32_t i = 0; i < m->blocks; i++)
		put_le32(r->raw + record_table_offset(&r->record) + (size_t)RECORD_ENTRY_LENGTH * i, m->table[i]);
}

enum status dump_load(struct record_reader *r, const struct set *set, const struct location *location,
		      struct error *e)
{
	const struct dump *d = set->members[0].dump;
	uint32_t granules = (uint32_t)divide_up(location->entry.source_length, GRANULE);
	struct making m = {
		.dump = d,
		.r = r,
		.list = { .runs = calloc(granules, sizeof(struct run)), .capacity = granules },
		.table = calloc(granules, sizeof(uint32_t)),
		.payload = r->raw + RECORD_HEADER_LENGTH + (RUN_LENGTH + RECORD_ENTRY_LENGTH) * (size_t)granules,
		.page = malloc(d->block_size),
	};
	enum status status;

	if (!m.list.runs || !m.table || !m.page) {
		status = error_system(e, ENOMEM, "record buffer");
	} else {
		r->member = &set->members[0];
		r->offset = location->entry.member_offset;
		r->record = made_head(set, location);
		status = add_all(&m, location, e);
	}
	if (!status)
		end_record(&m);
	free(m.list.runs);
	free(m.table);
	free(m.page);
	return status;
}

/* --- reading bytes ----------------------------------------------------------- */

static enum status read_page(struct record_reader *r, const struct dump *d, uint64_t rank, uint8_t *page,
			     struct error *e)
{
	uint8_t *packed = r->raw;
	const struct codec *codec;
	struct dump_batch b;
	enum status status;

	dump_batch_read(&b, d, rank, rank + 1);
	if (!b.descriptors || !dump_page_read(d, b.part, &b.descriptors[0], packed))
		return error_set(e, STATUS_MISSING, "%s: page %" PRIu64 " of the dump is not there",
				 d->parts[0].file.name, rank);
	status = dump_page_codec(d, &b.descriptors[0], &codec, e);
	if (status == STATUS_UNSUPPORTED)
		return status;
	if (!status && codec)
		status = dump_page_unpack(r, codec, packed, b.descriptors[0].size, page, d->block_size);
	else if (!status)
		memcpy(page, packed, d->block_size);
	if (status == STATUS_NO_MEMORY)
		return error_system(e, ENOMEM, "state of codec %s", codec->name);
	if (status)
		return error_set(e, STATUS_MISSING, "%s: damaged: page %" PRIu64 " of the dump",
				 d->parts[0].file.name, rank);
	return STATUS_OK;
}

enum status dump_read(struct dump_page *p, struct record_reader *r, const struct set *set, uint64_t offset,
		      size_t len, uint8_t *dst, struct error *e)
{
	const struct dump *d = set->members[0].dump;

	while (len) {
		uint64_t number = offset / d->block_size, within = offset % d->block_size;
		size_t some = min_u64(len, d->block_size - within);
		enum status status = STATUS_OK;

		if (offset < d->head_size) {
			memcpy(dst, d->head + offset, some);
		} else {
			if (p->number != number)
				status = read_page(r, d, number - d->head_size / d->block_size, p->bytes, e);
			p->number = status ? UINT64_MAX : number;
			if (status)
				return status;
			memcpy(dst, p->bytes + within, some);
		}
		offset += some;
		dst += some;
		len -= some;
	}
	return STATUS_OK;
}
