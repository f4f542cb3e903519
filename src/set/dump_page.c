// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Reads dumps as sets are read: records that are made of their pages, and single bytes.  Finds the pages that are not
 * there, without reading any.
 */
#include "config.h"

#include <elf.h>
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

/*
 * The codec of any of these flags, of a page or a header: one that this build has, if there is one; damage may have set
 * others.  False: there is none.
 */
static bool codec_in(uint32_t flags, enum codec_id *id)
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

	return codec_in(d->flags, &id) ? codec_id_name(id) : codec_raw.name;
}

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
	       (!p->flags || (codec_in(p->flags, &id) && kdump_flag(id) == p->flags)) && !get_le64(raw + 16);
}

/* --- pages ------------------------------------------------------------------------- */

/* Offset 0 is a descriptor that was never written. */
static bool is_possible(const struct dump *d, const struct kdump_descriptor *p)
{
	return p->offset && p->size && p->size <= d->block_size;
}

/*
 * Reads the bytes of a page to packed, and unpacks them to page; *codec is how they are packed, NULL if they are the page
 * itself, and page is not changed.  STATUS_MISSING: they are not there; STATUS_DAMAGED: they are no page.  Other failures
 * set *e: STATUS_UNSUPPORTED, with a codec that this build does not have, and STATUS_NO_MEMORY.
 */
static enum status read_page(struct record_reader *r, const struct dump *d, const struct dump_part *part,
			     const struct kdump_descriptor *p, uint8_t *packed, uint8_t *page, const struct codec **codec,
			     struct error *e)
{
	struct error ignored;
	enum codec_id id;
	void **unpacker;
	size_t got;

	*codec = NULL;
	if (!is_possible(d, p) || dump_file_read(&part->file, packed, p->size, p->offset, HOLES_MISSING, &got, &ignored))
		return STATUS_MISSING;
	/* Other bits say nothing of the codec; if they are damage, the codec or the size finds that. */
	if (!codec_in(p->flags, &id))
		return p->size == d->block_size ? STATUS_OK : STATUS_DAMAGED;
	*codec = codec_by_id(id);
	if (!*codec)
		return error_set(e, STATUS_UNSUPPORTED, "%s: is packed with %s, which this build does not support",
				 d->parts[0].file.name, codec_id_name(id));
	unpacker = &r->unpackers[id];
	if ((*codec)->unpacker_new && !*unpacker)
		*unpacker = (*codec)->unpacker_new();
	if ((*codec)->unpacker_new && !*unpacker)
		return error_system(e, ENOMEM, "state of codec %s", (*codec)->name);
	return (*codec)->unpack(*unpacker, packed, p->size, page, d->block_size) ? STATUS_OK : STATUS_DAMAGED;
}

/* --- making a record ---------------------------------------------------------- */

struct dump_making {
	struct making making;
	const struct dump *dump;
	uint8_t *page;			/* a page, unpacked */
};

static void add_stored(struct making *m, const uint8_t *bytes)
{
	uint32_t size = m->r->record.block_size;

	if (bytes_are_zero(bytes, size)) {
		making_add_block(m, BLOCK_ZERO, 0);
		return;
	}
	memmove(m->payload + m->used, bytes, size);
	making_add_block(m, BLOCK_STORED, size);
}

static enum status add_page(struct dump_making *m, const struct dump_part *part, const struct kdump_descriptor *p,
			    struct error *e)
{
	struct record_reader *r = m->making.r;
	uint8_t *bytes = m->making.payload + m->making.used;
	const struct codec *codec;
	enum status status = read_page(r, m->dump, part, p, bytes, m->page, &codec, e);

	if (status && status != STATUS_MISSING && status != STATUS_DAMAGED)
		return status;
	/* All blocks of a record have one codec. */
	if (!status && codec && r->record.codec == CODEC_RAW)
		r->record.codec = codec->id;
	if (status)
		making_add_run(&m->making, RUN_UNREADABLE, m->dump->block_size);
	else if (codec && r->record.codec == codec->id && p->size < m->dump->block_size)
		making_add_block(&m->making, BLOCK_PACKED, p->size);
	else
		add_stored(&m->making, codec ? m->page : bytes);
	return STATUS_OK;
}

static enum status add_all(struct dump_making *m, const struct location *location, struct error *e)
{
	const struct dump *d = m->dump;
	uint64_t at = location->entry.source_offset, end = location_end(location);
	enum status status = STATUS_OK;
	struct dump_batch b;

	for (; at < end && at < d->head_size; at += d->block_size)
		add_stored(&m->making, d->head + at);
	for (; at < end && !status; at += b.count * d->block_size) {
		read_batch(&b, d, (at - d->head_size) / d->block_size, (end - d->head_size) / d->block_size);
		if (!b.descriptors)
			making_add_run(&m->making, RUN_UNREADABLE, b.count * d->block_size);
		for (uint64_t i = 0; b.descriptors && i < b.count && !status; i++)
			status = add_page(m, b.part, &b.descriptors[i], e);
	}
	return status;
}

enum status dump_load(struct record_reader *r, const struct set *set, const struct location *location,
		      struct error *e)
{
	const struct dump *d = set->members[0].dump;
	struct dump_making m = { .dump = d, .page = malloc(d->block_size) };
	enum status status = making_begin(&m.making, r, set, location, e);

	if (!status)
		status = m.page ? add_all(&m, location, e) : error_system(e, ENOMEM, "record buffer");
	making_end(&m.making, !status);
	free(m.page);
	return status;
}

/* --- reading bytes ----------------------------------------------------------- */

enum status dump_read_block(struct record_reader *r, const struct set *set, uint64_t number, uint8_t *block,
			    struct error *e)
{
	const struct dump *d = set->members[0].dump;
	uint64_t head = d->head_size / d->block_size, rank = number - head;
	enum status status = STATUS_MISSING;
	const struct codec *codec = NULL;
	struct dump_batch b;

	if (number < head) {
		memcpy(block, d->head + number * d->block_size, d->block_size);
		return STATUS_OK;
	}
	read_batch(&b, d, rank, rank + 1);
	if (b.descriptors)
		status = read_page(r, d, b.part, &b.descriptors[0], r->raw, block, &codec, e);
	if (!status && !codec)
		memcpy(block, r->raw, d->block_size);
	if (status == STATUS_MISSING)
		return error_set(e, STATUS_MISSING, "%s: page %" PRIu64 " of the dump is not there",
				 d->parts[0].file.name, rank);
	if (status == STATUS_DAMAGED)
		return error_set(e, STATUS_MISSING, "%s: damaged: page %" PRIu64 " of the dump",
				 d->parts[0].file.name, rank);
	return status;
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

bool dump_core_head(struct dump *d, const struct dump_runs *runs, const struct dump_notes *notes)
{
	uint64_t headers = runs->count + 1, at = elf_notes_offset(headers);
	Elf64_Phdr *p;

	d->head_size = round_up(at + notes->size, d->block_size);
	d->head = calloc(1, d->head_size);
	if (!d->head)
		return false;
	p = elf_put_header(d->head, d->machine, headers, notes->size);
	for (size_t i = 0; i < runs->count; i++) {
		const struct dump_run *run = &runs->runs[i];

		*p++ = elf_load(&(struct segment){
			.offset = d->head_size + run->rank * d->block_size,
			.paddr = run->pfn * d->block_size,
			.filesz = run->kept ? run->count * d->block_size : 0,
			.memsz = run->count * d->block_size,
		});
	}
	if (notes->size)
		memcpy(d->head + at, notes->bytes, notes->size);
	d->notes = (struct core){ .notes = d->head + at, .notes_size = notes->size };
	return true;
}

uint64_t dump_address(const struct dump *d, uint64_t offset, uint64_t *length)
{
	const Elf64_Phdr *loads = (const Elf64_Phdr *)(const void *)(d->head + sizeof(Elf64_Ehdr)) + 1;
	size_t low = 0, high = d->runs;

	/* Those without pages have no bytes, where the next one begins. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (le64toh(loads[middle].p_offset) + le64toh(loads[middle].p_filesz) <= offset)
			low = middle + 1;
		else
			high = middle;
	}
	offset -= le64toh(loads[low].p_offset);
	*length = le64toh(loads[low].p_filesz) - offset;
	return le64toh(loads[low].p_paddr) + offset;
}
