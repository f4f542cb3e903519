// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/size.h"
#include "codec/codec.h"
#include "io/source_open.h"
#include "io/transfer.h"
#include "set/plain.h"
#include "set/set_map.h"

enum {
	PLAIN_BLOCK_SIZE = 4096,
	PLAIN_CHUNK_SIZE = 1 << 20,
	/* Of a longer file, chunks are larger: each takes 64 bytes of memory. */
	PLAIN_RECORDS_MAX = 1 << 22,
};

/* 256 TiB.  Only the size of a sparse file can be larger. */
static const uint64_t PLAIN_SIZE_MAX = (uint64_t)PLAIN_RECORDS_MAX * CHUNK_SIZE_MAX;

bool plain_recognise(const char *name)
{
	char magic[SELFMAG];
	struct stat st;
	bool is_elf;
	int fd;

	/* A stream must not be opened, and a file of /proc without a size is one. */
	if (stat(name, &st) < 0 || !(S_ISBLK(st.st_mode) || (S_ISREG(st.st_mode) && st.st_size)))
		return false;
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return false;
	is_elf = transfer_pread(fd, magic, SELFMAG, 0) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG);
	close(fd);
	return is_elf;
}

static uint32_t chunk_size_of(uint64_t size)
{
	uint32_t chunk_size = PLAIN_CHUNK_SIZE;

	while (chunk_size < CHUNK_SIZE_MAX && size / chunk_size > PLAIN_RECORDS_MAX)
		chunk_size *= 2;
	return chunk_size;
}

static enum status add_locations(struct member *m, uint32_t chunk_size, struct error *e)
{
	enum status status = STATUS_OK;

	for (uint64_t at = 0; at < m->size && !status; at += chunk_size) {
		const struct index_entry entry = {
			.member_offset = at,
			.source_offset = at,
			.source_length = (uint32_t)min_u64(chunk_size, m->size - at),
			.record_length = (uint32_t)min_u64(chunk_size, m->size - at),
		};

		status = member_add_location(m, &entry, e);
	}
	return status;
}

static void describe(struct set *set, struct member *m)
{
	set->expected = 1;
	set->block_size = PLAIN_BLOCK_SIZE;
	set->chunk_size = chunk_size_of(m->size);
	set->source_size = m->size;
	m->superblock = (struct superblock){
		.members = 1,
		.block_size = set->block_size,
		.chunk_size = set->chunk_size,
		.source_size = m->size,
	};
	strcpy(m->superblock.codec, codec_raw.name);
}

enum status plain_open(struct set *set, const char *name, struct error *e)
{
	const struct set_settings settings = { .salvage = false };
	char size[SIZE_TEXT_LENGTH], most[SIZE_TEXT_LENGTH];
	struct member *m;
	enum status status;

	*set = (struct set){ .source_size = SOURCE_SIZE_UNKNOWN };
	m = set->members = calloc(1, sizeof(*m));
	if (!m)
		return error_system(e, ENOMEM, "%s", name);
	set->count = 1;
	*m = (struct member){ .fd = -1, .name = strdup(name) };
	if (!m->name)
		return error_system(e, ENOMEM, "%s", name);
	/* Not mapped: a page that cannot be read would raise SIGBUS. */
	status = source_open(&m->plain, name, MMAP_NEVER, e);
	if (status)
		return status;
	if (m->plain->size > PLAIN_SIZE_MAX)
		return error_set(e, STATUS_USAGE, "%s: has %s, but a plain core can have at most %s",
				 m->name, size_format(m->plain->size, size),
				 size_format(PLAIN_SIZE_MAX, most));
	m->identity = m->plain->identity;
	m->size = m->plain->size;
	describe(set, m);
	status = add_locations(m, set->chunk_size, e);
	return status ? status : set_build_map(set, &settings, e);
}

/* --- making a record --------------------------------------------------------- */

struct making {
	struct record_reader *r;
	struct source_reader source;
	uint32_t filled;		/* bytes of the source that have their blocks */
};

static uint64_t position(const struct making *m)
{
	return m->r->record.source_offset + m->filled;
}

/* Adds blocks of the same kind; those that are stored have been read to their place. */
static void add_blocks(struct making *m, enum block_kind kind, uint32_t length)
{
	struct record *record = &m->r->record;
	uint8_t *table = m->r->raw + RECORD_HEADER_LENGTH;

	for (uint32_t end = m->filled + length; m->filled < end;) {
		uint32_t i = m->filled / record->block_size;
		uint32_t some = record_block_length(record, i);
		uint32_t stored = kind == BLOCK_STORED ? some : 0;

		put_le32(table + (size_t)RECORD_ENTRY_LENGTH * i, record_entry(kind, stored));
		record->payload_length += stored;
		record->unreadable += kind == BLOCK_UNREADABLE;
		m->filled += some;
	}
}

static bool is_whole(const struct making *m, uint32_t length)
{
	return length % m->r->record.block_size == 0 ||
	       m->filled + length == m->r->record.source_length;
}

/* Reads up to length bytes, which end at the end of a block, block by block. */
static void read_carefully(struct making *m, uint32_t length)
{
	uint32_t end = m->filled + (uint32_t)min_u64(length, m->source.buffer_size);

	while (m->filled < end) {
		uint32_t i = m->filled / m->r->record.block_size;
		uint32_t want = record_block_length(&m->r->record, i);
		struct error ignored;
		const uint8_t *data;
		size_t got;
		enum status status;

		m->source.destination = m->r->raw + record_end(&m->r->record);
		status = source_get_carefully(&m->source, position(m), want, &data, &got, &ignored);
		add_blocks(m, !status && got == want ? BLOCK_STORED : BLOCK_UNREADABLE, want);
	}
}

/* length bytes, which end at the end of a block. */
static void add_data(struct making *m, uint32_t length)
{
	uint32_t end = m->filled + length;

	while (m->filled < end) {
		struct error ignored;
		const uint8_t *data;
		size_t got;
		enum status status;

		m->source.destination = m->r->raw + record_end(&m->r->record);
		status = source_get(&m->source, position(m), end - m->filled, &data, &got, &ignored);
		if (!status && is_whole(m, (uint32_t)got))
			add_blocks(m, BLOCK_STORED, (uint32_t)got);
		else
			read_carefully(m, end - m->filled);
	}
}

static void begin_record(struct record_reader *r, const struct index_entry *entry,
			 uint32_t block_size)
{
	r->record = (struct record){
		.source_offset = entry->source_offset,
		.source_length = entry->source_length,
		.block_size = block_size,
		.codec = CODEC_RAW,
	};
	r->record.payload_offset = record_payload_offset_min(record_blocks(&r->record));
}

void plain_load(struct record_reader *r, const struct set *set, const struct location *location)
{
	const struct index_entry *entry = &location->entry;
	struct source *source = set->members[0].plain;
	uint64_t end = location_end(location), from, to;
	struct making m = { .r = r };
	struct error ignored;

	r->member = &set->members[0];
	r->offset = entry->member_offset;
	/* Allocates nothing, so it cannot fail. */
	source_reader_init(&m.source, source, PLAIN_BLOCK_SIZE, set->chunk_size, READ_TO_CALLER,
			   &ignored);
	source_next_data(source, entry->source_offset, end, &from, &to);
	/* A record without data has larger blocks, so that there are few of them. */
	begin_record(r, entry, from == end ? BLOCK_SIZE_MAX : PLAIN_BLOCK_SIZE);
	while (m.filled < entry->source_length) {
		if (from < end)
			from = max_u64(round_down(from, PLAIN_BLOCK_SIZE), position(&m));
		add_blocks(&m, BLOCK_ZERO, (uint32_t)(from - position(&m)));
		to = min_u64(round_up(to, PLAIN_BLOCK_SIZE), end);
		add_data(&m, (uint32_t)(to - from));
		if (position(&m) < end)
			source_next_data(source, position(&m), end, &from, &to);
	}
	source_reader_free(&m.source);
}

/* --- reading bytes ----------------------------------------------------------- */

enum status plain_read(const struct set *set, uint64_t offset, size_t len, uint8_t *dst,
		       struct error *e)
{
	const struct member *m = &set->members[0];
	struct source_reader reader;
	enum status status = source_reader_init(&reader, m->plain, PLAIN_BLOCK_SIZE,
						set->chunk_size, READ_TO_CALLER, e);

	while (len && !status) {
		const uint8_t *data;
		size_t got;

		reader.destination = dst;
		status = source_get(&reader, offset, len, &data, &got, e);
		if (status)
			break;
		dst += got;
		offset += got;
		len -= got;
	}
	source_reader_free(&reader);
	if (status == STATUS_END)
		return error_set(e, STATUS_MISSING, "%s: cut short: it ends before byte %" PRIu64,
				 m->name, offset + len);
	if (!status)
		return STATUS_OK;
	error_system(e, e->errnum, "%s: at byte %" PRIu64, m->name, offset);
	return e->status = STATUS_MISSING;
}
