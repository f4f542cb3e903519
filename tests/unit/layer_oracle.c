// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "codec/codec.h"
#include "format/record.h"
#include "helper.h"
#include "layer_oracle.h"

/* A record with intact header and run list, and its bytes. */
struct found {
	struct record record;
	const uint8_t *raw;
	bool whole;			/* its body is intact, too */
};

/* What the records say of one granule. */
struct granule {
	const struct found *stored;	/* by the record that counts; NULL: none stores it */
	bool zero, unreadable, covered;
	bool damaged;			/* a record stores it, whose body is damaged */
	uint16_t named;			/* classes, by all records of layer 1 */
};

struct search {
	struct oracle *o;
	struct granule *granules;
	struct found *records;		/* those that count */
	unsigned count, capacity;
	struct class_table classes;	/* of the member that is searched, by section 7 */
};

/* --- finding the pieces ---------------------------------------------------- */

/* The set of the first superblock, footer or record, in this order. */
static bool identify(struct oracle *o, const struct oracle_member *members, unsigned count,
		     enum piece_kind kind)
{
	for (unsigned i = 0; i < count; i++)
		for (size_t at = 0; at + ALIGNMENT <= members[i].length; at += ALIGNMENT) {
			const uint8_t *raw = members[i].bytes + at;
			struct footer footer;
			struct record r;

			if (kind == PIECE_SUPERBLOCK && !at &&
			    !superblock_decode(&o->set, raw))
				return true;
			if (kind == PIECE_FOOTER && !footer_decode(&footer, raw)) {
				o->set = footer.set;
				return true;
			}
			if (kind == PIECE_RECORD &&
			    !record_decode(&r, raw, CHUNK_SIZE_MAX)) {
				o->set = (struct superblock){
					.id = r.id, .chunk_size = r.cell_size,
					.cell_size = r.cell_size,
					.source_size = SOURCE_SIZE_UNKNOWN,
				};
				return true;
			}
		}
	return false;
}

static void *grow(void *array, unsigned count, size_t size)
{
	array = realloc(array, (2 * (size_t)count + 16) * size);
	ck_assert_ptr_nonnull(array);
	return array;
}

static void add_record(struct search *s, const struct record *r, const uint8_t *raw)
{
	if (s->count == s->capacity) {
		s->records = grow(s->records, s->count, sizeof(*s->records));
		s->capacity = 2 * s->count + 16;
	}
	s->records[s->count++] = (struct found){ *r, raw, !record_check_body(r, raw) };
}

static size_t take_record(struct search *s, const uint8_t *raw, size_t available)
{
	const struct superblock *set = &s->o->set;
	struct record r;

	if (record_decode(&r, raw, set->chunk_size) ||
	    !capture_id_equal(&r.id, &set->id) || record_length(&r) > available)
		return 0;
	if (r.cell_size != set->cell_size)
		return record_length(&r);
	class_table_merge(&s->classes, &r.classes);
	if (r.source_offset + r.source_length <= set->source_size && !run_list_check(&r, raw))
		add_record(s, &r, raw);
	return record_length(&r);
}

static size_t take_footer(struct search *s, const uint8_t *raw)
{
	struct footer found;

	if (footer_decode(&found, raw) ||
	    !capture_id_equal(&found.set.id, &s->o->set.id) ||
	    found.set.cell_size != s->o->set.cell_size)
		return 0;
	if (found.checkpoint)
		class_table_merge(&s->classes, &found.set.classes);
	else
		s->classes = found.set.classes;
	return FOOTER_LENGTH;
}

static size_t take_index(const struct search *s, const struct oracle_member *m, size_t at)
{
	struct index_header header;

	if (index_header_decode(&header, m->bytes + at) ||
	    !capture_id_equal(&header.id, &s->o->set.id) || header.length > m->length - at)
		return 0;
	return header.length;
}

static void search_member(struct search *s, const struct oracle_member *m)
{
	struct superblock sb;
	size_t length;

	s->classes = (struct class_table){ 0 };
	if (m->length >= ALIGNMENT && !superblock_decode(&sb, m->bytes) &&
	    capture_id_equal(&sb.id, &s->o->set.id)) {
		/* Such a member is not of this set. */
		if (!second_places_equal(&sb.second, &s->o->set.second))
			return;
		s->classes = sb.classes;
	}
	for (size_t at = ALIGNMENT; at + ALIGNMENT <= m->length; at += length ? length : ALIGNMENT) {
		const uint8_t *raw = m->bytes + at;
		enum piece_kind kind = piece_kind(raw);

		length = kind == PIECE_RECORD ? take_record(s, raw, m->length - at) :
			 kind == PIECE_INDEX ? take_index(s, m, at) :
			 kind == PIECE_FOOTER ? take_footer(s, raw) : 0;
	}
	class_table_merge(&s->o->classes, &s->classes);
}

/* --- what they say --------------------------------------------------------- */

/* Rule 1: of records that store a granule. */
static bool counts_before(const struct record *a, const struct record *b)
{
	if (a->layer != b->layer)
		return a->layer < b->layer;
	return a->unreadable < b->unreadable;
}

static void take_run(struct search *s, const struct found *f, const struct run_place *p)
{
	for (uint32_t i = 0; i < p->run.granules; i++) {
		struct granule *g = &s->granules[p->offset / GRANULE + i];

		g->covered |= f->record.layer == 1;
		if (p->run.kind == RUN_STORED && !f->whole) {
			g->damaged = true;
		} else if (p->run.kind == RUN_STORED &&
			   (!g->stored || counts_before(&f->record, &g->stored->record))) {
			g->stored = f;
		} else if (p->run.kind == RUN_ZERO) {
			g->zero = true;
		} else if (p->run.kind == RUN_UNREADABLE) {
			g->unreadable = true;
		} else if (p->run.kind == RUN_NAMED) {
			g->named |= (uint16_t)(1u << p->run.class_number);
		}
	}
}

/* doc/format.md, section 5, "Columns", word by word. */
static void join(uint8_t *block, uint32_t length, uint32_t row)
{
	uint8_t *split = helper_pages(length);
	uint32_t words = length / 4, columns = row / 4, at = 0;

	memcpy(split, block, length);
	for (uint32_t c = 0; c < columns; c++) {
		uint32_t above = 0;

		for (uint32_t w = c; w < words; w += columns) {
			above += get_le32(split + 4 * (size_t)at++);
			put_le32(block + 4 * (size_t)w, above);
		}
	}
	free(split);
}

/* All stored bytes of a record; to be freed. */
static uint8_t *unpack(const struct found *f)
{
	const struct record *r = &f->record;
	const struct codec *codec = codec_by_id(r->codec);
	const uint8_t *raw = f->raw, *packed = raw + r->payload_offset;
	uint8_t *bytes = helper_pages(r->stored_length + 1), *dst = bytes;
	void *state = codec->unpacker_new ? codec->unpacker_new() : NULL;

	for (uint32_t i = 0; i < record_blocks(r); i++) {
		uint32_t entry = get_le32(raw + record_table_offset(r) + RECORD_ENTRY_LENGTH * i);
		uint32_t length = record_block_length(r, i), from = record_entry_length(entry);
		unsigned kind = record_entry_kind(entry);

		if (kind == BLOCK_STORED)
			memcpy(dst, packed, length);
		else if (kind == BLOCK_PACKED || kind == BLOCK_COLUMNS)
			ck_assert(codec->unpack(state, packed, from, dst, length));
		else if (kind == BLOCK_SAME)
			for (uint32_t k = 0; k < length; k++)
				dst[k] = packed[k % BLOCK_SAME_LENGTH];
		if (kind == BLOCK_COLUMNS)
			join(dst, length, record_entry_row(entry));
		packed += from;
		dst += length;
	}
	if (state)
		codec->unpacker_free(state);
	return bytes;
}

/* The granules of which this record is the one that counts. */
static void copy_stored(struct search *s, const struct found *f)
{
	struct run_cursor c = run_cursor_begin(&f->record, f->raw);
	uint8_t *bytes = unpack(f);
	struct run_place p;

	while (run_cursor_next(&c, &p))
		for (uint32_t i = 0; p.run.kind == RUN_STORED && i < p.run.granules; i++) {
			uint64_t within = (uint64_t)GRANULE * i;

			if (s->granules[(p.offset + within) / GRANULE].stored == f)
				memcpy(s->o->source + p.offset + within, bytes + p.stored_at + within,
				       min_u64(GRANULE, p.length - within));
		}
	free(bytes);
}

/* Rule 5: all that were named must be left out. */
static bool is_left_out(const struct oracle *o, uint16_t named)
{
	for (unsigned i = 1; i < CLASSES; i++) {
		enum class_state state = class_state(&o->classes, i);

		if (named >> i & 1 && state != CLASS_LEFT_OUT)
			return false;
	}
	return named;
}

static char judge(struct search *s, size_t i)
{
	const struct granule *g = &s->granules[i];

	if (g->stored || g->zero)
		return ORACLE_STORED;
	if (g->damaged)
		return ORACLE_MISSING;
	if (g->unreadable)
		return ORACLE_UNREADABLE;
	return g->covered && is_left_out(s->o, g->named) ? ORACLE_LEFT_OUT : ORACLE_MISSING;
}

/* What is there is what is at the first place, whatever the records say of it. */
static void follow_second_places(struct oracle *o)
{
	const struct second_places *second = &o->set.second;

	for (uint32_t k = 0; k < second->count; k++) {
		const struct second_place *p = &second->list[k];

		memcpy(o->source + p->offset, o->source + p->target, p->length);
		memcpy(o->map + p->offset / GRANULE, o->map + p->target / GRANULE, p->length / GRANULE);
	}
}

/* Without superblock and footer, the last record ends the source. */
static void settle_size(struct search *s)
{
	uint64_t end = 0;

	for (unsigned i = 0; i < s->count; i++)
		end = max_u64(end, s->records[i].record.source_offset +
				   s->records[i].record.source_length);
	if (s->o->set.source_size == SOURCE_SIZE_UNKNOWN)
		s->o->set.source_size = end;
	s->o->granules = divide_up(s->o->set.source_size, GRANULE);
}

static void judge_all(struct search *s)
{
	struct oracle *o = s->o;
	struct run_place p;

	o->map = (char *)helper_pages(o->granules + 1);
	o->source = helper_pages(o->set.source_size + 1);
	s->granules = calloc(o->granules + 1, sizeof(*s->granules));
	ck_assert_ptr_nonnull(s->granules);
	for (unsigned i = 0; i < s->count; i++) {
		struct run_cursor c = run_cursor_begin(&s->records[i].record, s->records[i].raw);

		while (run_cursor_next(&c, &p))
			take_run(s, &s->records[i], &p);
	}
	for (unsigned i = 0; i < s->count; i++)
		if (s->records[i].whole)
			copy_stored(s, &s->records[i]);
	for (size_t i = 0; i < o->granules; i++)
		o->map[i] = judge(s, i);
	follow_second_places(o);
	free(s->granules);
}

void oracle_read(struct oracle *o, const struct oracle_member *members, unsigned count)
{
	struct search s = { .o = o };

	*o = (struct oracle){ 0 };
	if (!identify(o, members, count, PIECE_SUPERBLOCK) &&
	    !identify(o, members, count, PIECE_FOOTER) && !identify(o, members, count, PIECE_RECORD))
		return;
	for (unsigned i = 0; i < count; i++)
		search_member(&s, &members[i]);
	settle_size(&s);
	judge_all(&s);
	free(s.records);
}

void oracle_free(struct oracle *o)
{
	free(o->map);
	free(o->source);
}
