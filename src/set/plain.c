// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/text.h"
#include "codec/codec.h"
#include "core/elf.h"
#include "format/record.h"
#include "io/source.h"
#include "set/plain.h"

/* --- sets whose records are made when they are loaded -------------------------------------- */

enum {
	MADE_CHUNK_SIZE = 1 << 20,
	/* Of a longer source, chunks are larger: each takes 64 bytes of memory. */
	MADE_RECORDS_MAX = 1 << 22,
};

/* 256 TiB.  Only the size of a sparse file can be larger. */
static const uint64_t MADE_SIZE_MAX = (uint64_t)MADE_RECORDS_MAX * CHUNK_SIZE_MAX;

static uint32_t chunk_size_of(uint64_t size)
{
	uint32_t chunk_size = MADE_CHUNK_SIZE;

	while (chunk_size < CHUNK_SIZE_MAX && size / chunk_size > MADE_RECORDS_MAX)
		chunk_size *= 2;
	return chunk_size;
}

/* While it is made, a record has space for a run and a block of each granule, before its data. */
static uint32_t made_record_length(uint32_t length)
{
	uint64_t granules = divide_up(length, GRANULE);

	return (uint32_t)round_up(RECORD_HEADER_LENGTH + (RUN_LENGTH + RECORD_ENTRY_LENGTH) * granules + length,
				  ALIGNMENT);
}

static enum status add_locations(struct member *m, uint32_t chunk_size, struct error *e)
{
	enum status status = STATUS_OK;

	for (uint64_t at = 0; at < m->size && !status; at += chunk_size) {
		uint32_t length = (uint32_t)min_u64(chunk_size, m->size - at);
		const struct index_entry entry = {
			.member_offset = at,
			.source_offset = at,
			.source_length = length,
			.record_length = made_record_length(length),
			.layer = 1,
			.stored = (uint16_t)divide_up(length, GRANULE),
		};

		status = member_add_location(m, &entry, e);
	}
	return status;
}

enum status made_begin(struct set *set, const char *name, struct error *e)
{
	struct member *m;

	*set = (struct set){ .source_size = SOURCE_SIZE_UNKNOWN };
	m = set->members = calloc(1, sizeof(*m));
	if (!m)
		return error_system(e, ENOMEM, "%s", name);
	set->count = 1;
	*m = (struct member){ .fd = -1, .name = strdup(name) };
	return m->name ? STATUS_OK : error_system(e, ENOMEM, "%s", name);
}

enum status made_end(struct set *set, uint32_t block_size, struct error *e)
{
	const struct set_settings settings = { .salvage = false };
	char has[SIZE_TEXT_LENGTH], most[SIZE_TEXT_LENGTH];
	struct member *m = &set->members[0];
	enum status status;

	if (m->size > MADE_SIZE_MAX)
		return error_set(e, STATUS_USAGE, "%s: has %s, but a plain core or a dump can have at most %s", m->name,
				 size_format(m->size, has), size_format(MADE_SIZE_MAX, most));
	set->expected = 1;
	set->block_size = block_size;
	set->chunk_size = set->cell_size = chunk_size_of(m->size);
	set->classes = class_table_plain();
	set->source_size = m->size;
	m->superblock = (struct superblock){
		.members = 1,
		.block_size = set->block_size,
		.chunk_size = set->chunk_size,
		.cell_size = set->cell_size,
		.source_size = m->size,
		.classes = set->classes,
	};
	m->has_index = true;
	strcpy(m->superblock.codec, codec_raw.name);
	status = add_locations(m, set->chunk_size, e);
	return status ? status : set_build_map(set, &settings, e);
}

struct record made_head(const struct set *set, const struct location *location)
{
	const struct index_entry *entry = &location->entry;

	return (struct record){
		.source_offset = entry->source_offset,
		.source_length = entry->source_length,
		.stored_length = entry->source_length,
		.block_size = set->block_size,
		.codec = CODEC_RAW,
		.layer = 1,
		.classes = set->classes,
		.cell_size = set->cell_size,
	};
}

enum status making_begin(struct making *m, struct record_reader *r, const struct set *set,
			 const struct location *location, struct error *e)
{
	uint32_t granules = (uint32_t)divide_up(location->entry.source_length, GRANULE);

	*m = (struct making){
		.r = r,
		.list = { .runs = calloc(granules, sizeof(struct run)), .capacity = granules },
		.table = calloc(granules, sizeof(uint32_t)),
		.payload = r->raw + RECORD_HEADER_LENGTH + (RUN_LENGTH + RECORD_ENTRY_LENGTH) * (size_t)granules,
	};
	r->member = &set->members[0];
	r->offset = location->entry.member_offset;
	r->record = made_head(set, location);
	return m->list.runs && m->table ? STATUS_OK : error_system(e, ENOMEM, "record buffer");
}

void making_add_run(struct making *m, enum run_kind kind, uint64_t length)
{
	const struct run run = { .kind = kind, .granules = (uint32_t)divide_up(length, GRANULE) };

	if (length)
		run_list_add(&m->list, &run);
}

void making_add_block(struct making *m, enum block_kind kind, uint32_t length)
{
	making_add_run(m, RUN_STORED, m->r->record.block_size);
	m->table[m->blocks++] = record_entry(kind, length);
	m->used += length;
}

/* Writes the list, and the table behind it; the blocks are further on. */
void making_end(struct making *m, bool good)
{
	struct record_reader *r = m->r;

	if (good) {
		run_list_encode(&m->list, &r->record, r->raw);
		r->record.payload_offset = (uint32_t)(m->payload - r->raw);
		r->record.payload_length = m->used;
	}
	for (uint32_t i = 0; good && i < m->blocks; i++)
		put_le32(r->raw + record_table_offset(&r->record) + (size_t)RECORD_ENTRY_LENGTH * i, m->table[i]);
	free(m->list.runs);
	free(m->table);
}

/* --- plain cores -------------------------------------------------------------------------- */

enum { PLAIN_BLOCK_SIZE = GRANULE };

bool plain_recognise(const char *name)
{
	Elf64_Ehdr header;

	return dump_file_peek(name, &header, sizeof(header)) >= SELFMAG && elf_may_be_core(&header);
}

static enum status open_source(struct set *set, struct source *source, struct error *e)
{
	struct member *m = set->members;

	m->plain = source;
	m->identity = source->identity;
	m->size = source->size;
	return made_end(set, PLAIN_BLOCK_SIZE, e);
}

enum status plain_open(struct set *set, const char *name, struct error *e)
{
	enum status status = made_begin(set, name, e);
	struct source *source;

	/* Not mapped: a page that cannot be read would raise SIGBUS. */
	if (!status)
		status = source_open(&source, name, MMAP_NEVER, e);
	if (status)
		return status;
	source->fd = member_hold_device(source->fd, name, &set->members->in_use);
	return open_source(set, source, e);
}

/* --- making a record --------------------------------------------------------- */

/* Each block is read to its place in the record, if it turns out that it can be read. */
struct plain_making {
	struct making making;
	struct source_reader source;
	uint64_t at, end;		/* in the source */
};

/* Adds length bytes, which end at the end of a granule or of the record. */
static void add_granules(struct plain_making *m, enum run_kind kind, uint64_t length)
{
	m->at += length;
	if (kind != RUN_STORED)
		making_add_run(&m->making, kind, length);
	for (uint64_t some; kind == RUN_STORED && length; length -= some) {
		some = min_u64(length, PLAIN_BLOCK_SIZE);
		making_add_block(&m->making, BLOCK_STORED, (uint32_t)some);
	}
}

/* Reads a granule. */
static void read_carefully(struct plain_making *m)
{
	uint64_t want = min_u64(GRANULE, m->end - m->at);
	struct error ignored;
	const uint8_t *data;
	enum status status;
	size_t got;

	m->source.destination = m->making.payload + m->making.used;
	status = source_get_carefully(&m->source, m->at, want, &data, &got, &ignored);
	add_granules(m, !status && got == want ? RUN_STORED : RUN_UNREADABLE, want);
}

static void add_data(struct plain_making *m, uint64_t to)
{
	while (m->at < to) {
		struct error ignored;
		const uint8_t *data;
		enum status status;
		size_t got;

		m->source.destination = m->making.payload + m->making.used;
		status = source_get(&m->source, m->at, to - m->at, &data, &got, &ignored);
		if (!status && (got % GRANULE == 0 || m->at + got == m->end))
			add_granules(m, RUN_STORED, got);
		else
			read_carefully(m);
	}
}

/* Holes are zeros, as far as they have whole granules. */
static void add_range(struct plain_making *m, uint64_t end)
{
	uint64_t from, to;

	while (m->at < end) {
		source_next_data(m->source.source, m->at, end, &from, &to);
		if (from < end)
			from = max_u64(round_down(from, GRANULE), m->at);
		add_granules(m, RUN_ZERO, from - m->at);
		add_data(m, min_u64(round_up(to, GRANULE), end));
	}
}

/* A granule is read if any byte of it is. */
static void add_all(struct plain_making *m, const struct plain_wishes *wishes)
{
	while (m->at < m->end) {
		uint64_t length = m->end - m->at, to;
		enum run_kind kind = wishes->ask ? wishes->ask(wishes->arg, m->at, m->end, &length) : RUN_STORED;

		to = m->at + length;
		if (kind == RUN_STORED || to - m->at < GRANULE)
			add_range(m, min_u64(round_up(to, GRANULE), m->end));
		else
			add_granules(m, kind, (to < m->end ? round_down(to, GRANULE) : to) - m->at);
	}
}

enum status plain_load(struct record_reader *r, const struct set *set, const struct location *location,
		       struct error *e)
{
	struct plain_making m = { .at = location->entry.source_offset, .end = location_end(location) };
	enum status status = making_begin(&m.making, r, set, location, e);
	struct error ignored;

	if (!status) {
		/* Allocates nothing, so it cannot fail. */
		source_reader_init(&m.source, set->members[0].plain, PLAIN_BLOCK_SIZE, set->chunk_size, READ_TO_CALLER,
				   &ignored);
		add_all(&m, &set->wishes);
		source_reader_free(&m.source);
	}
	making_end(&m.making, !status);
	return status;
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

/* --- flattened cores ---------------------------------------------------------------------- */

/* Of what is not there, source_get_carefully() finds nothing: there is no descriptor. */
static enum status get(struct source_reader *r, uint64_t offset, size_t want, const uint8_t **data, size_t *got,
		       struct error *e)
{
	const struct dump_file *f = r->source->state;
	enum status status;

	if (offset >= f->size)
		return STATUS_END;
	*data = r->destination;
	status = dump_file_read(f, r->destination, min_u64(min_u64(want, r->buffer_size), f->size - offset), offset,
				HOLES_MISSING, got, e);
	/* Whole granules before a gap; the one with the gap is then read alone. */
	if (status && *got >= GRANULE) {
		*got = round_down(*got, GRANULE);
		return STATUS_OK;
	}
	return status;
}

static void close_file(struct source *s)
{
	dump_file_close(s->state);
	free(s->state);
}

static const struct source_ops ops = {
	.get = get,
	.close = close_file,
};

bool flat_core_recognise(const struct dump_file *f)
{
	Elf64_Ehdr header = { .e_type = 0 };
	struct error ignored;
	size_t got;

	if (!f->flattened)
		return false;
	dump_file_read(f, &header, sizeof(header), 0, HOLES_ZERO, &got, &ignored);
	return elf_may_be_core(&header);
}

/* --- what the pieces must have ---------------------------------------------------- */

static bool read_exactly(const struct dump_file *f, void *bytes, size_t len, uint64_t offset)
{
	struct error ignored;
	size_t got;

	return !dump_file_read(f, bytes, len, offset, HOLES_ZERO, &got, &ignored);
}

/* With PN_XNUM program headers or more, the first section header has their number.  False: a header is damaged. */
static bool count_headers(const struct dump_file *f, const Elf64_Ehdr *h, uint64_t *count)
{
	Elf64_Shdr first;

	*count = le16toh(h->e_phnum);
	if (*count == PN_XNUM) {
		if (!read_exactly(f, &first, sizeof(first), le64toh(h->e_shoff)))
			return false;
		*count = le32toh(first.sh_info);
	}
	return *count <= CORE_HEADERS_MAX;
}

/* The memory and the notes: all of a core but its headers, and what is between.  False: out of memory. */
static bool find_data(const struct dump_file *f, struct range_list *data)
{
	uint64_t count, at;
	Elf64_Ehdr h;
	Elf64_Phdr p;

	if (!read_exactly(f, &h, sizeof(h), 0) || !count_headers(f, &h, &count))
		return range_list_add(data, 0, f->size);
	at = le64toh(h.e_phoff);
	for (; count && at <= OFFSET_MAX && read_exactly(f, &p, sizeof(p), at); count--, at += sizeof(p)) {
		uint64_t offset = le64toh(p.p_offset), length = le64toh(p.p_filesz);

		if (length && offset <= OFFSET_MAX && length <= OFFSET_MAX - offset &&
		    !range_list_add(data, offset, length))
			return false;
	}
	range_list_merge(data);
	return true;
}

static enum status add_finding(struct dump_file *f, struct error *e)
{
	return names_append(&f->findings, e->text, SIZE_MAX, e);
}

/*
 * Pages are missing at the end if the last pieces are, although the mark of the end is there.  A damaged header could
 * claim any number of them: no more bytes are added than the pieces have.  A piece far behind the segments has a wrong
 * offset: the core is not that long, and nobody waits for terabytes of a hole.
 */
static enum status settle_end(struct dump_file *f, uint64_t end, struct error *e)
{
	uint64_t size = f->size;

	if (end > size && !dump_file_is_cut(f)) {
		f->size = min_u64(end, size + min_u64(f->bytes, OFFSET_MAX - size));
		error_set(e, STATUS_CUT, "%s: cut short: the flattened dump has no pieces from byte %" PRIu64 " of the core on, "
			  "but its segments end at byte %" PRIu64, f->name, size, end);
		return add_finding(f, e);
	}
	if (!end || size <= end || size - end <= f->bytes)
		return STATUS_OK;
	f->size = end;
	error_set(e, STATUS_DAMAGED, "%s: damaged: a piece of the flattened dump ends at byte %" PRIu64 " of the core, but "
		  "its segments end at byte %" PRIu64, f->name, size, end);
	return add_finding(f, e);
}

static enum status find_holes(struct dump_file *f, struct error *e)
{
	struct range_list data = { 0 };
	bool good = find_data(f, &data) && (dump_file_is_cut(f) || dump_file_fill_holes(f, &data));
	enum status status = good ? settle_end(f, range_list_end(&data), e) :
				    error_system(e, ENOMEM, "%s: list of its pieces", f->name);
	char magic[SELFMAG];

	range_list_free(&data);
	if (status || (read_exactly(f, magic, SELFMAG, 0) && !memcmp(magic, ELFMAG, SELFMAG)))
		return status;
	error_set(e, STATUS_DAMAGED, "%s: damaged: the signature of the ELF core", f->name);
	return add_finding(f, e);
}

enum status flat_core_open(struct set *set, struct dump_file *f, struct error *e)
{
	enum status status = find_holes(f, e);
	struct source *source = source_new(f->name);
	struct dump_file *state = malloc(sizeof(*state));

	if (!status && !(source && state))
		status = error_system(e, ENOMEM, "%s", f->name);
	if (status) {
		source_close(source);
		free(state);
		dump_file_close(f);
		return status;
	}
	*state = *f;
	source->ops = &ops;
	source->identity = f->identity;
	source->size = f->size;
	source->state = state;
	return open_source(set, source, e);
}

const struct dump_file *set_flat_core(const struct set *set)
{
	const struct source *plain = set->count ? set->members[0].plain : NULL;

	return plain && plain->ops == &ops ? plain->state : NULL;
}
