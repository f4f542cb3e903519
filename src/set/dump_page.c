// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads dumps as sets are read: records that are made of their pages, and single bytes.  Finds the pages that are not
 * there, without reading any.
 */
#include "config.h"

#include <elf.h>
#include <endian.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "format/kdump.h"
#include "format/record.h"
#include "set/dump.h"
#include "set/dump_header.h"
#include "set/plain.h"

/* --- descriptors ------------------------------------------------------------------ */

/* The descriptors of consecutive pages that are in one file, or in none of those that were given. */
struct dump_batch {
	const struct dump_part *part;
	uint64_t count;			/* pages, at least one */
	/* At most DUMP_BATCH, or NULL if there is none of all these pages, which may be any number. */
	const struct kdump_descriptor *descriptors;
	struct kdump_descriptor space[DUMP_BATCH];
};

/* The part with a page of this rank, and where the pages of the part, or those without one, end. */
static const struct dump_part *find_part(const struct dump *d, uint64_t rank, uint64_t *end)
{
	const struct dump_part *p = d->parts, *last = p + d->count;

	while (p < last && p->end_rank <= rank)
		p++;
	if (p == last)
		return NULL;
	if (p->first_rank > rank) {
		*end = min_u64(*end, p->first_rank);
		return NULL;
	}
	*end = min_u64(*end, p->end_rank);
	return p;
}

static uint64_t descriptor_offset(const struct dump_part *p, uint64_t rank)
{
	return p->descriptors + (rank - p->first_rank) * KDUMP_DESCRIPTOR_LENGTH;
}

/*
 * A size that no page has is damaged.  A stream of zlib has its own end, and a checksum, so it is read without the size, as
 * the copy is that makedumpfile -R or --reassemble makes.
 */
static struct kdump_descriptor decode(const struct dump *d, const struct dump_file *f, const uint8_t *raw)
{
	struct kdump_descriptor p = kdump_descriptor_decode(raw);

	if (p.flags & KDUMP_ZLIB && p.size > d->block_size && p.offset < f->size)
		p.size = (uint32_t)min_u64(d->block_size, f->size - p.offset);
	return p;
}

/*
 * Those of the pages from rank on, and before end, which is greater.  A descriptor that cannot be read
 * is zeros.
 */
static void read_batch(struct dump_batch *b, const struct dump *d, uint64_t rank, uint64_t end)
{
	uint8_t raw[DUMP_BATCH * KDUMP_DESCRIPTOR_LENGTH];
	enum { LENGTH = KDUMP_DESCRIPTOR_LENGTH };
	struct error ignored;
	size_t got, some;

	*b = (struct dump_batch){ .part = find_part(d, rank, &end), .count = end - rank };
	if (!b->part || descriptor_offset(b->part, rank) >= b->part->file.size)
		return;
	b->descriptors = b->space;
	b->count = min_u64(b->count, DUMP_BATCH);
	if (!dump_file_read(&b->part->file, raw, b->count * LENGTH, descriptor_offset(b->part, rank), HOLES_ZERO, &got,
			    &ignored))
		got = b->count * LENGTH;
	/* One cannot be read; those that follow may be there. */
	for (uint64_t i = got / LENGTH; i < b->count; i++)
		if (dump_file_read(&b->part->file, raw + i * LENGTH, LENGTH, descriptor_offset(b->part, rank + i),
				   HOLES_ZERO, &some, &ignored))
			memset(raw + i * LENGTH, 0, LENGTH);
	for (uint64_t i = 0; i < b->count; i++)
		b->space[i] = decode(d, &b->part->file, raw + i * KDUMP_DESCRIPTOR_LENGTH);
}

/* The last bytes are flags of the page, which no writer fills in. */
bool dump_descriptor_read(const struct dump *d, const struct dump_part *part, uint64_t i, struct kdump_descriptor *p)
{
	uint64_t at = part->descriptors + i * KDUMP_DESCRIPTOR_LENGTH;
	uint8_t raw[KDUMP_DESCRIPTOR_LENGTH];
	struct error ignored;
	enum codec_id id;
	size_t got;

	if (dump_file_read(&part->file, raw, sizeof(raw), at, HOLES_ZERO, &got, &ignored))
		return false;
	*p = kdump_descriptor_decode(raw);
	return p->offset && p->offset <= INT64_MAX && p->size <= d->block_size &&
	       (!p->flags || (kdump_codec_in(p->flags, &id) && kdump_flag(id) == p->flags)) && !get_le64(raw + 16);
}

/* --- pages ------------------------------------------------------------------------- */

/* Offset 0 is a descriptor that was never written. */
static bool is_possible(const struct dump *d, const struct kdump_descriptor *p)
{
	return p->offset && p->size && p->size <= d->block_size;
}

/* Reads them, of which there are at most as many as a page has.  False: they are not there. */
static bool read_packed(const struct dump *d, const struct dump_part *part, const struct kdump_descriptor *p,
			uint8_t *bytes)
{
	struct error ignored;
	size_t got;

	return is_possible(d, p) &&
	       !dump_file_read(&part->file, bytes, p->size, p->offset, HOLES_MISSING, &got, &ignored);
}

/*
 * How these bytes are packed: NULL if they are the page itself.  STATUS_DAMAGED: in no way that the
 * form has; STATUS_UNSUPPORTED: with a codec that this build does not have.
 */
static enum status find_codec(const struct dump *d, const struct kdump_descriptor *p, const struct codec **codec,
			      struct error *e)
{
	enum codec_id id;

	*codec = NULL;
	/* Other bits say nothing of the codec; if they are damage, the codec or the size finds that. */
	if (kdump_codec_in(p->flags, &id)) {
		*codec = codec_by_id(id);
		if (*codec)
			return STATUS_OK;
		return error_set(e, STATUS_UNSUPPORTED, "%s: is packed with %s, which this build does not support",
				 d->parts[0].file.name, codec_id_name(id));
	}
	if (p->size == d->block_size)
		return STATUS_OK;
	return error_set(e, STATUS_DAMAGED, "%s: a page of %" PRIu32 " bytes is packed in a way that is not known: flags "
			 "0x%" PRIx32, d->parts[0].file.name, p->size, p->flags);
}

/* Unpacks them.  STATUS_DAMAGED; STATUS_NO_MEMORY: for the state of the codec. */
static enum status unpack(struct record_reader *r, const struct codec *codec, const uint8_t *packed, uint32_t size,
			  uint8_t *page, uint32_t page_size)
{
	void **unpacker = &r->unpackers[codec->id];

	if (codec->unpacker_new && !*unpacker) {
		*unpacker = codec->unpacker_new();
		if (!*unpacker)
			return STATUS_NO_MEMORY;
	}
	return codec->unpack(*unpacker, packed, size, page, page_size) ? STATUS_OK : STATUS_DAMAGED;
}

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
	enum status status = unpack(m->r, codec, m->payload + m->used, size, m->page, m->dump->block_size);

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

	if (!read_packed(m->dump, part, p, bytes)) {
		add_run(m, RUN_UNREADABLE, 1);
		return STATUS_OK;
	}
	status = find_codec(m->dump, p, &codec, e);
	if (status == STATUS_DAMAGED)
		add_run(m, RUN_UNREADABLE, 1);
	else if (!status && codec)
		status = add_packed(m, codec, p->size, e);
	else if (!status)
		add_stored(m, bytes);
	return status == STATUS_DAMAGED ? STATUS_OK : status;
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
		read_batch(&b, d, (at - d->head_size) / d->block_size, (end - d->head_size) / d->block_size);
		if (!b.descriptors)
			add_run(m, RUN_UNREADABLE, b.count);
		for (uint64_t i = 0; b.descriptors && i < b.count && !status; i++)
			status = add_page(m, b.part, &b.descriptors[i], e);
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

	read_batch(&b, d, rank, rank + 1);
	if (!b.descriptors || !read_packed(d, b.part, &b.descriptors[0], packed))
		return error_set(e, STATUS_MISSING, "%s: page %" PRIu64 " of the dump is not there",
				 d->parts[0].file.name, rank);
	status = find_codec(d, &b.descriptors[0], &codec, e);
	if (status == STATUS_UNSUPPORTED)
		return status;
	if (!status && codec)
		status = unpack(r, codec, packed, b.descriptors[0].size, page, d->block_size);
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

/* --- what is not there -------------------------------------------------------- */

/* Adds the pages from rank on.  False: out of memory. */
static bool add_pages(const struct dump *d, struct range_list *list, uint64_t rank, uint64_t count)
{
	return range_list_extend(list, d->head_size + rank * d->block_size, count * d->block_size);
}

static bool add_absent(const struct dump *d, struct range_list *list, uint64_t rank, const struct dump_batch *b)
{
	bool good = true;

	if (!b->descriptors)
		return add_pages(d, list, rank, b->count);
	/* Does the descriptor lead to bytes that are there, as far as can be said without reading them? */
	for (uint64_t i = 0; i < b->count && good; i++) {
		const struct kdump_descriptor *p = &b->descriptors[i];

		if (!is_possible(d, p) || !dump_file_has(&b->part->file, p->offset, p->size, HOLES_MISSING))
			good = add_pages(d, list, rank + i, 1);
	}
	return good;
}

enum status dump_absent_find(const struct dump *d, struct range_list *list, struct error *e)
{
	struct dump_batch b;

	*list = (struct range_list){ 0 };
	for (uint64_t rank = 0; rank < d->pages; rank += b.count) {
		read_batch(&b, d, rank, d->pages);
		if (!add_absent(d, list, rank, &b))
			return error_system(e, ENOMEM, "list of missing ranges");
	}
	return STATUS_OK;
}

/* --- the headers of the core ----------------------------------------------------- */

bool dump_notes_add(struct dump_notes *n, const char *name, const void *text, size_t size)
{
	size_t name_size = strlen(name) + 1, before = sizeof(Elf64_Nhdr) + round_up(name_size, 4), at = 0;
	struct core core = dump_notes_core(n);
	uint8_t *bytes, *note_bytes;
	struct note note;
	uint64_t all;

	while (core_next_note(&core, &at, &note))
		continue;
	all = round_up(at, 4) + before + round_up(size, 4);
	bytes = calloc(1, all);
	if (!bytes)
		return false;
	if (at)
		memcpy(bytes, n->bytes, at);
	note_bytes = bytes + round_up(at, 4);
	put_le32(note_bytes, (uint32_t)name_size);
	put_le32(note_bytes + 4, (uint32_t)size);
	memcpy(note_bytes + sizeof(Elf64_Nhdr), name, name_size);
	memcpy(note_bytes + before, text, size);
	free(n->bytes);
	n->bytes = bytes;
	n->size = all;
	return true;
}

static void put_ehdr(uint8_t *dst, uint16_t machine, uint64_t headers)
{
	/* A number of headers from PN_XNUM on is in a section header, which follows them. */
	bool many = headers >= PN_XNUM;
	Elf64_Ehdr ehdr = {
		.e_ident = { ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT },
		.e_type = htole16(ET_CORE),
		.e_machine = htole16(machine),
		.e_version = htole32(EV_CURRENT),
		.e_phoff = htole64(sizeof(Elf64_Ehdr)),
		.e_ehsize = htole16(sizeof(Elf64_Ehdr)),
		.e_phentsize = htole16(sizeof(Elf64_Phdr)),
		.e_phnum = htole16(many ? PN_XNUM : (uint16_t)headers),
	};
	const Elf64_Shdr first = { .sh_info = htole32((uint32_t)headers) };

	if (many) {
		uint64_t at = sizeof(ehdr) + headers * sizeof(Elf64_Phdr);

		ehdr.e_shoff = htole64(at);
		ehdr.e_shentsize = htole16(sizeof(first));
		ehdr.e_shnum = htole16(1);
		memcpy(dst + at, &first, sizeof(first));
	}
	memcpy(dst, &ehdr, sizeof(ehdr));
}

static void put_load(uint8_t *dst, const struct dump *d, const struct dump_run *run)
{
	const Elf64_Phdr load = {
		.p_type = htole32(PT_LOAD),
		.p_flags = htole32(PF_R | PF_W | PF_X),
		.p_offset = htole64(d->head_size + run->rank * d->block_size),
		.p_paddr = htole64(run->pfn * d->block_size),
		.p_filesz = htole64(run->kept ? run->count * d->block_size : 0),
		.p_memsz = htole64(run->count * d->block_size),
	};

	memcpy(dst, &load, sizeof(load));
}

bool dump_core_head(struct dump *d, const struct dump_runs *runs, const struct dump_notes *notes)
{
	uint64_t headers = runs->count + 1;
	uint64_t at = sizeof(Elf64_Ehdr) + headers * sizeof(Elf64_Phdr) + sizeof(Elf64_Shdr);
	const Elf64_Phdr note = {
		.p_type = htole32(PT_NOTE),
		.p_offset = htole64(at),
		.p_filesz = htole64(notes->size),
		.p_memsz = htole64(notes->size),
	};

	d->head_size = round_up(at + notes->size, d->block_size);
	d->head = calloc(1, d->head_size);
	if (!d->head)
		return false;
	put_ehdr(d->head, d->machine, headers);
	memcpy(d->head + sizeof(Elf64_Ehdr), &note, sizeof(note));
	for (size_t i = 0; i < runs->count; i++)
		put_load(d->head + sizeof(Elf64_Ehdr) + (1 + i) * sizeof(Elf64_Phdr), d, &runs->runs[i]);
	if (notes->size)
		memcpy(d->head + at, notes->bytes, notes->size);
	d->notes = (struct core){ .notes = d->head + at, .notes_size = notes->size };
	return true;
}

struct sought_header {
	const uint8_t *headers;
	uint64_t offset;
};

static Elf64_Phdr get_header(const uint8_t *headers, size_t i)
{
	Elf64_Phdr header;

	memcpy(&header, headers + i * sizeof(header), sizeof(header));
	return header;
}

static bool header_ends_before(const void *arg, size_t i)
{
	const struct sought_header *s = arg;
	Elf64_Phdr header = get_header(s->headers, i);

	return le64toh(header.p_offset) + le64toh(header.p_filesz) <= s->offset;
}

uint64_t dump_address(const struct dump *d, uint64_t offset, uint64_t *length)
{
	const struct sought_header sought = { d->head + sizeof(Elf64_Ehdr) + sizeof(Elf64_Phdr), offset };
	Elf64_Phdr header = get_header(sought.headers, search_first(d->runs, header_ends_before, &sought));
	uint64_t within = offset - le64toh(header.p_offset);

	*length = le64toh(header.p_filesz) - within;
	return le64toh(header.p_paddr) + within;
}

/* --- codecs ---------------------------------------------------------------------- */

static const struct {
	uint32_t flag;
	enum codec_id id;
} codecs[] = {
	{ KDUMP_ZLIB, CODEC_ZLIB },
	{ KDUMP_LZO, CODEC_LZO },
	{ KDUMP_SNAPPY, CODEC_SNAPPY },
	{ KDUMP_ZSTD, CODEC_ZSTD },
};

enum { CODECS = sizeof(codecs) / sizeof(*codecs) };

uint32_t kdump_flag(enum codec_id id)
{
	for (size_t i = 0; i < CODECS; i++)
		if (codecs[i].id == id)
			return codecs[i].flag;
	return 0;
}

bool kdump_has_codec(enum codec_id id)
{
	return id == CODEC_RAW || kdump_flag(id);
}

bool kdump_codec_in(uint32_t flags, enum codec_id *id)
{
	bool found = false;

	for (size_t i = 0; i < CODECS && !(found && codec_by_id(*id)); i++)
		if (codecs[i].flag & flags) {
			*id = codecs[i].id;
			found = true;
		}
	return found;
}

const char *dump_codec_name(const struct dump *d)
{
	enum codec_id id;

	return kdump_codec_in(d->flags, &id) ? codec_id_name(id) : codec_raw.name;
}
