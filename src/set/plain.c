// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/text.h"
#include "codec/codec.h"
#include "core/elf.h"
#include "format/record.h"
#include "io/source.h"
#include "io/transfer.h"
#include "set/dump_file.h"
#include "set/plain.h"

/* --- sets whose records are made when they are loaded -------------------------------------- */

enum {
	MADE_CHUNK_SIZE = 1 << 20,
	/* Of a longer source, chunks are larger: each takes 64 bytes of memory. */
	MADE_RECORDS_MAX = 1 << 22,
};

/* 256 TiB.  Only the size of a sparse file can be larger. */
static const uint64_t MADE_SIZE_MAX = (uint64_t)MADE_RECORDS_MAX * CHUNK_SIZE_MAX;

enum status made_check_size(const char *name, uint64_t size, struct error *e)
{
	char has[SIZE_TEXT_LENGTH], most[SIZE_TEXT_LENGTH];

	if (size <= MADE_SIZE_MAX)
		return STATUS_OK;
	return error_set(e, STATUS_USAGE, "%s: has %s, but a plain core or a dump can have at most %s", name,
			 size_format(size, has), size_format(MADE_SIZE_MAX, most));
}

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
	struct member *m = &set->members[0];
	enum status status;

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

/* --- plain cores -------------------------------------------------------------------------- */

enum { PLAIN_BLOCK_SIZE = 4096 };

bool plain_recognise(const char *name)
{
	Elf64_Ehdr header;

	return dump_file_peek(name, &header, sizeof(header)) >= SELFMAG && elf_may_be_core(&header);
}

static enum status open_source(struct set *set, struct source *source, struct error *e)
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
	return status ? status : open_source(set, source, e);
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

/* --- flattened cores ---------------------------------------------------------------------- */

static size_t buffer_size(uint32_t block_size, uint32_t chunk_size)
{
	(void)block_size;
	return chunk_size;
}

/*
 * A core with holes is read as another file: from the first page of memory on, everything is further on by shift bytes, so
 * that pages do not cross granules, and a hole costs only those pages that it touches.
 */
struct flat_core {
	struct dump_file file;
	uint8_t *head;			/* what is before, with offsets that lead there; NULL: nothing is moved.  Owned. */
	uint64_t head_size, shift;
};

static enum status read_moved(const struct flat_core *c, uint8_t *dst, size_t length, uint64_t offset, size_t *got,
			      struct error *e)
{
	size_t first = offset < c->head_size ? (size_t)min_u64(length, c->head_size - offset) : 0;
	enum status status;

	if (first)
		memcpy(dst, c->head + offset, first);
	status = dump_file_read(&c->file, dst + first, length - first, offset + first - c->shift, HOLES_MISSING, got, e);
	*got += first;
	return status;
}

/* Of what is not there, source_get_carefully() finds nothing: there is no descriptor. */
static enum status get(struct source_reader *r, uint64_t offset, size_t want, const uint8_t **data, size_t *got,
		       struct error *e)
{
	const struct flat_core *c = r->source->state;
	uint64_t size = c->file.size + c->shift;
	size_t length = (size_t)min_u64(want, r->buffer_size);
	enum status status;

	if (offset >= size)
		return STATUS_END;
	length = (size_t)min_u64(length, size - offset);
	status = read_moved(c, r->destination, length, offset, got, e);
	*data = r->destination;
	/* Whole granules before a gap; the one with the gap is then read alone. */
	if (status && *got >= GRANULE) {
		*got = round_down(*got, GRANULE);
		return STATUS_OK;
	}
	return status;
}

static void close_file(struct source *s)
{
	struct flat_core *c = s->state;

	dump_file_close(&c->file);
	free(c->head);
	free(c);
}

static const struct source_ops ops = {
	.buffer_size = buffer_size,
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
	range_list_sort(data);
	range_list_merge(data);
	return true;
}

/*
 * Pages are missing at the end if the last pieces are, although the mark of the end is there.  A damaged header could
 * claim any number of them: no more bytes are added than the pieces have.
 */
static enum status add_lost_end(struct dump_file *f, uint64_t end, struct error *e)
{
	if (end <= f->size || dump_file_is_cut(f))
		return STATUS_OK;
	error_set(e, STATUS_CUT, "%s: cut short: the flattened dump has no pieces from byte %" PRIu64 " of the core on, but "
		  "its segments end at byte %" PRIu64, f->name, f->size, end);
	f->size = min_u64(end, f->size + min_u64(f->bytes, OFFSET_MAX - f->size));
	return names_append(&f->findings, e->text, SIZE_MAX, e);
}

/*
 * A piece far behind the segments has a wrong offset, as the header of a piece may be damaged: the core is not that long,
 * and nobody waits for terabytes of a hole.
 */
static enum status leave_out_far(struct dump_file *f, uint64_t end, struct error *e)
{
	if (!end || f->size <= end || f->size - end <= f->bytes)
		return STATUS_OK;
	error_set(e, STATUS_DAMAGED, "%s: damaged: a piece of the flattened dump ends at byte %" PRIu64 " of the core, but "
		  "its segments end at byte %" PRIu64, f->name, f->size, end);
	f->size = end;
	return names_append(&f->findings, e->text, SIZE_MAX, e);
}

/*
 * makedumpfile writes the ELF header alone, and all that is behind the program headers in its order.  If some of it is not,
 * pieces of one length may have the offsets of each other, which nothing else shows.  A file that is shuffled as a whole has
 * no order.
 */
static enum status check_order(struct dump_file *f, struct error *e)
{
	uint64_t unordered = 0, first = 0;

	if (!f->count || f->pieces[0].length != sizeof(Elf64_Ehdr))
		return STATUS_OK;
	for (size_t i = 1; i < f->count; i++)
		if (f->pieces[i - 1].offset > sizeof(Elf64_Ehdr) && f->pieces[i].at < f->pieces[i - 1].at)
			first = unordered++ ? first : f->pieces[i - 1].offset;
	if (!unordered || unordered > f->count / 4 + 1)
		return STATUS_OK;
	error_set(e, STATUS_DAMAGED, "%s: damaged: pieces of the flattened dump are not in the order of the others, from byte %"
		  PRIu64 " of the core on; they may have the offsets of each other", f->name, first);
	return names_append(&f->findings, e->text, SIZE_MAX, e);
}

static enum status find_holes(struct dump_file *f, struct error *e)
{
	struct range_list data = { 0 };
	enum status status = check_order(f, e);
	bool good = find_data(f, &data) && (dump_file_is_cut(f) || dump_file_fill_holes(f, &data));
	uint64_t end = range_list_end(&data);
	char magic[SELFMAG];

	if (!status)
		status = good ? leave_out_far(f, end, e) : error_system(e, ENOMEM, "%s: list of its pieces", f->name);
	if (!status)
		status = add_lost_end(f, end, e);
	range_list_free(&data);
	if (status || (read_exactly(f, magic, SELFMAG, 0) && !memcmp(magic, ELFMAG, SELFMAG)))
		return status;
	error_set(e, STATUS_DAMAGED, "%s: damaged: the signature of the ELF core", f->name);
	return names_append(&f->findings, e->text, SIZE_MAX, e);
}

static Elf64_Phdr get_program_header(const uint8_t *head, uint64_t at)
{
	Elf64_Phdr p;

	memcpy(&p, head + at, sizeof(p));
	return p;
}

/* Where memory begins in the file, behind all program headers, and the address of its first byte.  False: nowhere. */
static bool find_memory(const uint8_t *head, uint64_t at, uint64_t count, uint64_t *first, uint64_t *address)
{
	*first = UINT64_MAX;
	*address = 0;
	for (uint64_t i = 0; i < count; i++) {
		Elf64_Phdr p = get_program_header(head, at + i * sizeof(p));

		if (le32toh(p.p_type) != PT_LOAD || !p.p_filesz || le64toh(p.p_offset) >= *first)
			continue;
		*first = le64toh(p.p_offset);
		*address = le64toh(p.p_paddr);
	}
	return *first != UINT64_MAX && *first >= at + count * sizeof(Elf64_Phdr);
}

/* False: out of memory. */
static bool move_memory(struct flat_core *c, struct error *e)
{
	struct dump_file *f = &c->file;
	uint64_t count, at, first, address, head_size;
	Elf64_Ehdr h;
	uint8_t *head;

	if (dump_file_has(f, 0, f->size, HOLES_MISSING) || !read_exactly(f, &h, sizeof(h), 0) ||
	    !count_headers(f, &h, &count))
		return true;
	at = le64toh(h.e_phoff);
	if (at > f->size || count > (f->size - at) / sizeof(Elf64_Phdr))
		return true;
	head_size = at + count * sizeof(Elf64_Phdr);
	head = malloc(head_size);
	if (!head)
		return false;
	if (read_exactly(f, head, head_size, 0) && find_memory(head, at, count, &first, &address) && first <= f->size) {
		c->shift = (address - first) % GRANULE;
		c->head = calloc(1, first + c->shift);
		if (c->head && read_exactly(f, c->head, first, 0))
			c->head_size = first + c->shift;
		for (uint64_t i = 0; i < count && c->head_size; i++) {
			Elf64_Phdr p = get_program_header(head, at + i * sizeof(p));

			if (le64toh(p.p_offset) >= first)
				put_le64(c->head + at + i * sizeof(p) + offsetof(Elf64_Phdr, p_offset),
					 le64toh(p.p_offset) + c->shift);
		}
		c->shift = c->head_size ? c->shift : 0;
	}
	free(head);
	if (!c->head_size || dump_file_has(f, 0, c->head_size - c->shift, HOLES_MISSING))
		return true;
	error_set(e, STATUS_CUT, "%s: damaged: the flattened dump lacks a part of its headers or notes", f->name);
	return !names_append(&f->findings, e->text, SIZE_MAX, e);
}

static struct source *make_source(const struct dump_file *f, struct error *e)
{
	struct source *s = calloc(1, sizeof(*s));
	struct flat_core *state = calloc(1, sizeof(*state));
	char *name = strdup(f->name);

	if (state)
		state->file = *f;
	if (!s || !state || !name || !move_memory(state, e)) {
		free(s);
		free(state);
		free(name);
		return NULL;
	}
	*s = (struct source){
		.ops = &ops, .name = name, .fd = -1, .direct_fd = -1, .interrupt_fd = -1,
		.identity = f->identity, .size = f->size + state->shift, .state = state,
	};
	return s;
}

enum status flat_core_open(struct set *set, struct dump_file *f, struct error *e)
{
	enum status status = find_holes(f, e);
	struct source *source = status ? NULL : make_source(f, e);

	if (source)
		return open_source(set, source, e);
	*set = (struct set){ .source_size = SOURCE_SIZE_UNKNOWN };
	if (!status)
		status = error_system(e, ENOMEM, "%s", f->name);
	dump_file_close(f);
	return status;
}

const struct dump_file *set_flat_core(const struct set *set)
{
	const struct source *plain = set->count ? set->members[0].plain : NULL;

	return plain && plain->ops == &ops ? &((const struct flat_core *)plain->state)->file : NULL;
}
