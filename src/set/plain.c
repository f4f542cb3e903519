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
#include "codec/codec.h"
#include "core/elf.h"
#include "format/runs.h"
#include "io/source.h"
#include "io/transfer.h"
#include "set/made.h"
#include "set/plain.h"

enum { PLAIN_BLOCK_SIZE = 4096 };

bool plain_recognise(const char *name)
{
	Elf64_Ehdr header = { .e_type = 0 };
	struct stat st;
	bool is_elf;
	int fd;

	/* Standard input, even if a file has this name. */
	if (strcmp(name, "-") == 0)
		return false;
	/* A stream must not be opened, and a file of /proc without a size is one. */
	if (stat(name, &st) < 0 || !(S_ISBLK(st.st_mode) || (S_ISREG(st.st_mode) && st.st_size)))
		return false;
	fd = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return false;
	is_elf = transfer_pread(fd, &header, sizeof(header), 0) >= SELFMAG && elf_may_be_core(&header);
	close(fd);
	return is_elf;
}

enum status plain_open_source(struct set *set, struct source *source, struct error *e)
{
	enum status status = made_begin(set, source->name, e);
	struct member *m = set->members;

	if (status) {
		source_close(source);
		return status;
	}
	m->plain = source;
	status = made_check_size(source->name, source->size, e);
	if (status)
		return status;
	m->identity = source->identity;
	m->size = source->size;
	return made_end(set, PLAIN_BLOCK_SIZE, e);
}

enum status plain_open(struct set *set, const char *name, struct error *e)
{
	struct source *source;
	/* Not mapped: a page that cannot be read would raise SIGBUS. */
	enum status status = source_open(&source, name, MMAP_NEVER, e);

	*set = (struct set){ .source_size = SOURCE_SIZE_UNKNOWN };
	return status ? status : plain_open_source(set, source, e);
}

/* --- making a record --------------------------------------------------------- */

/*
 * A record being made.  The data is read to where it would be if all granules were stored, behind a run list
 * of one run for each of them; the table follows the list that it turns out to be.
 */
struct making {
	struct record_reader *r;
	struct source_reader source;
	struct run_list list;
	uint8_t *data;			/* the stored bytes */
	uint32_t stored;		/* so far */
	uint64_t at, end;		/* in the source */
};

/* Adds length bytes, which end at the end of a granule or of the record. */
static void add_granules(struct making *m, enum run_kind kind, uint64_t length)
{
	const struct run run = { .kind = kind, .granules = (uint32_t)divide_up(length, GRANULE) };

	if (!length)
		return;
	run_list_add(&m->list, &run);
	m->stored += kind == RUN_STORED ? (uint32_t)length : 0;
	m->at += length;
}

/* Reads a granule. */
static void read_carefully(struct making *m)
{
	uint64_t want = min_u64(GRANULE, m->end - m->at);
	struct error ignored;
	const uint8_t *data;
	enum status status;
	size_t got;

	m->source.destination = m->data + m->stored;
	status = source_get_carefully(&m->source, m->at, want, &data, &got, &ignored);
	add_granules(m, !status && got == want ? RUN_STORED : RUN_UNREADABLE, want);
}

static void add_data(struct making *m, uint64_t to)
{
	while (m->at < to) {
		struct error ignored;
		const uint8_t *data;
		enum status status;
		size_t got;

		m->source.destination = m->data + m->stored;
		status = source_get(&m->source, m->at, to - m->at, &data, &got, &ignored);
		if (!status && (got % GRANULE == 0 || m->at + got == m->end))
			add_granules(m, RUN_STORED, got);
		else
			read_carefully(m);
	}
}

/* Holes are zeros, as far as they have whole granules. */
static void add_all(struct making *m)
{
	uint64_t from, to;

	while (m->at < m->end) {
		source_next_data(m->source.source, m->at, m->end, &from, &to);
		if (from < m->end)
			from = max_u64(round_down(from, GRANULE), m->at);
		add_granules(m, RUN_ZERO, from - m->at);
		add_data(m, min_u64(round_up(to, GRANULE), m->end));
	}
}

/* Puts the table in front of the data. */
static void end_record(struct making *m)
{
	struct record *record = &m->r->record;
	uint32_t blocks;

	run_list_encode(&m->list, record, m->r->raw);
	blocks = record_blocks(record);
	record->payload_offset = (uint32_t)(m->data - m->r->raw);
	record->payload_length = record->stored_length;
	for (uint32_t i = 0; i < blocks; i++)
		put_le32(m->r->raw + record_table_offset(record) + (size_t)RECORD_ENTRY_LENGTH * i,
			 record_entry(BLOCK_STORED, record_block_length(record, i)));
}

enum status plain_load(struct record_reader *r, const struct set *set, const struct location *location,
		       struct error *e)
{
	const struct index_entry *entry = &location->entry;
	uint32_t granules = (uint32_t)divide_up(entry->source_length, GRANULE);
	struct making m = {
		.r = r,
		.list = { .runs = calloc(granules, sizeof(struct run)), .capacity = granules },
		.data = r->raw + RECORD_HEADER_LENGTH + (RUN_LENGTH + RECORD_ENTRY_LENGTH) * (size_t)granules,
		.at = entry->source_offset,
		.end = location_end(location),
	};
	struct error ignored;

	if (!m.list.runs)
		return error_system(e, ENOMEM, "record buffer");
	r->member = &set->members[0];
	r->offset = entry->member_offset;
	r->record = made_head(set, location);
	/* Allocates nothing, so it cannot fail. */
	source_reader_init(&m.source, set->members[0].plain, PLAIN_BLOCK_SIZE, set->chunk_size,
			   READ_TO_CALLER, &ignored);
	add_all(&m);
	end_record(&m);
	source_reader_free(&m.source);
	free(m.list.runs);
	return STATUS_OK;
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
