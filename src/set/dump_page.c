// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "base/search.h"
#include "set/dump_codec.h"
#include "set/dump_page.h"

/* --- descriptors ------------------------------------------------------------------ */

struct sought {
	const struct dump *dump;
	uint64_t rank;
};

static bool ends_before(const void *arg, size_t i)
{
	const struct sought *s = arg;

	return s->dump->parts[i].end_rank <= s->rank;
}

/* The part with a page of this rank, and where the pages of the part, or those without one, end. */
static const struct dump_part *find_part(const struct dump *d, uint64_t rank, uint64_t *end)
{
	const struct sought sought = { d, rank };
	size_t i = search_first(d->count, ends_before, &sought);
	const struct dump_part *p = &d->parts[i];

	if (i == d->count)
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

/* Some of them, from the i-th one on, cannot be read; those that follow may be there. */
static void read_one_by_one(const struct dump_batch *b, uint64_t rank, uint64_t i, uint8_t *raw)
{
	for (; i < b->count; i++) {
		uint8_t *descriptor = raw + i * KDUMP_DESCRIPTOR_LENGTH;
		struct error ignored;
		size_t got;

		if (dump_file_read(&b->part->file, descriptor, KDUMP_DESCRIPTOR_LENGTH,
				   descriptor_offset(b->part, rank + i), HOLES_ZERO, &got, &ignored))
			memset(descriptor, 0, KDUMP_DESCRIPTOR_LENGTH);
	}
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

void dump_batch_read(struct dump_batch *b, const struct dump *d, uint64_t rank, uint64_t end)
{
	uint8_t raw[DUMP_BATCH * KDUMP_DESCRIPTOR_LENGTH];
	struct error ignored;
	size_t got;

	*b = (struct dump_batch){ .part = find_part(d, rank, &end), .count = end - rank };
	if (!b->part || descriptor_offset(b->part, rank) >= b->part->file.size)
		return;
	b->descriptors = b->space;
	b->count = min_u64(b->count, DUMP_BATCH);
	if (dump_file_read(&b->part->file, raw, b->count * KDUMP_DESCRIPTOR_LENGTH,
			   descriptor_offset(b->part, rank), HOLES_ZERO, &got, &ignored))
		read_one_by_one(b, rank, got / KDUMP_DESCRIPTOR_LENGTH, raw);
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

bool dump_page_is_there(const struct dump *d, const struct dump_part *part, const struct kdump_descriptor *p)
{
	return is_possible(d, p) && dump_file_has(&part->file, p->offset, p->size, HOLES_MISSING);
}

bool dump_page_read(const struct dump *d, const struct dump_part *part, const struct kdump_descriptor *p,
		    uint8_t *bytes)
{
	struct error ignored;
	size_t got;

	return is_possible(d, p) &&
	       !dump_file_read(&part->file, bytes, p->size, p->offset, HOLES_MISSING, &got, &ignored);
}

enum status dump_page_codec(const struct dump *d, const struct kdump_descriptor *p, const struct codec **codec,
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

enum status dump_page_unpack(struct record_reader *r, const struct codec *codec, const uint8_t *packed, uint32_t size,
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
