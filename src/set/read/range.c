// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "set/dump.h"
#include "set/plain.h"
#include "set/read/range.h"

enum status record_head_load(struct record_head *h, const struct set *set,
			     const struct location *location, struct error *e)
{
	const struct member *m = &set->members[location->member];
	const struct index_entry *entry = &location->entry;
	uint32_t length;
	enum status status;

	if (set_is_made(set)) {
		h->record = made_head(set, location);
		return STATUS_OK;
	}
	status = member_read(m, h->raw, ALIGNMENT, entry->member_offset, e);
	if (status)
		return status;
	status = member_decode_record(m, h->raw, set->chunk_size, &h->record);
	if (!status && !record_matches_entry(&h->record, entry))
		status = STATUS_DAMAGED;
	if (status)
		return member_verdict(m, status, entry->member_offset, "record", e);
	length = record_table_offset(&h->record);
	if (length > ALIGNMENT)
		status = member_read(m, h->raw + ALIGNMENT, length - ALIGNMENT, entry->member_offset + ALIGNMENT, e);
	if (status)
		return status;
	status = run_list_check(&h->record, h->raw);
	return status ? member_verdict(m, status, entry->member_offset, "run list of a record", e) :
			STATUS_OK;
}

enum status cell_init(struct set_cell *c, const struct set *set, struct error *e)
{
	uint64_t granules = set->cell_size / GRANULE;

	*c = (struct set_cell){ .set = set };
	c->granules = calloc(granules, sizeof(*c->granules));
	/* The longest list; then the block table begins. */
	c->head.raw = aligned_alloc(ALIGNMENT, round_up(RECORD_HEADER_LENGTH + RUN_LENGTH * granules, ALIGNMENT));
	return c->granules && c->head.raw ? STATUS_OK : error_system(e, ENOMEM, "granules of a cell");
}

void cell_free(struct set_cell *c)
{
	free(c->head.raw);
	free(c->granules);
	*c = (struct set_cell){ .granules = NULL };
}

uint64_t cell_number_end(const struct set *set)
{
	return divide_up(set->source_size, set->cell_size);
}

static uint64_t next_with_record(const struct set *set, uint64_t number)
{
	size_t i = set_find_cell(set, number);

	return i < set->locations ? set->map[i]->entry.source_offset / set->cell_size :
				    cell_number_end(set);
}

/* Where the second place, from offset on, may have something; UINT64_MAX: nowhere. */
static uint64_t next_in_second_place(const struct set *set, const struct second_place *p, uint64_t offset)
{
	uint64_t from = p->target + (max_u64(offset, p->offset) - p->offset);
	uint64_t first = next_with_record(set, from / set->cell_size) * set->cell_size;

	from = max_u64(from, first);
	return from < p->target + p->length ? p->offset + (from - p->target) : UINT64_MAX;
}

uint64_t cell_number_next(const struct set *set, uint64_t number)
{
	uint64_t next = next_with_record(set, number), offset = number * set->cell_size;

	for (uint32_t i = 0; i < set->second.count; i++)
		next = min_u64(next, next_in_second_place(set, &set->second.list[i], offset) /
				     set->cell_size);
	return next;
}

void cell_begin(struct set_cell *c, uint64_t number)
{
	const struct set *set = c->set;

	c->offset = number * set->cell_size;
	c->length = (uint32_t)min_u64(set->cell_size, set->source_size - c->offset);
	c->count = (uint32_t)divide_up(c->length, GRANULE);
	c->first = set_find_cell(set, number);
	c->end = set_find_cell(set, number + 1);
	memset(c->granules, 0, c->count * sizeof(*c->granules));
}

/* --- the rules of section 10 ------------------------------------------------- */

static enum extent_kind kind_of(const struct set *set, const struct run *run, bool whole)
{
	switch (run->kind) {
	case RUN_STORED:
		return whole ? EXTENT_STORED : EXTENT_DAMAGED;
	case RUN_ZERO:
		return EXTENT_ZERO;
	case RUN_UNREADABLE:
		return EXTENT_UNREADABLE;
	case RUN_NAMED:
		return class_state(&set->classes, run->class_number) == CLASS_LEFT_OUT ?
		       EXTENT_LEFT_OUT : EXTENT_MISSING;
	default:
		return EXTENT_UNKNOWN;
	}
}

static void add_run(struct set_cell *c, size_t i, const struct run_place *place, bool whole)
{
	struct granule *g = &c->granules[(place->offset - c->offset) / GRANULE];
	struct granule new = {
		.kind = kind_of(c->set, &place->run, whole) & 15,
		.class_number = place->run.class_number & 15,
		.record = (uint32_t)(i - c->first) & (CELL_RECORDS_MAX - 1),
		.at = place->stored_at,
	};

	for (uint32_t k = 0; k < place->run.granules; k++, g++, new.at += GRANULE)
		if (new.kind > g->kind)
			*g = new;
}

void cell_add(struct set_cell *c, size_t i, const struct record *record, const uint8_t *raw,
	      bool whole)
{
	struct run_cursor runs = run_cursor_begin(record, raw);
	struct run_place place;

	while (run_cursor_next(&runs, &place))
		add_run(c, i, &place, whole);
}

enum status cell_add_head(struct set_cell *c, size_t i, bool whole, struct error *e)
{
	enum status status = record_head_load(&c->head, c->set, c->set->map[i], e);

	if (!status)
		cell_add(c, i, &c->head.record, c->head.raw, whole);
	return status;
}

bool cell_add_entry(struct set_cell *c, size_t i, bool stored_only)
{
	const struct location *location = c->set->map[i];
	const struct index_entry *entry = &location->entry;
	struct run_place place = { .offset = entry->source_offset, .length = entry->source_length };
	/* Entries that a search has made are not checked as much. */
	bool described = c->set->members[location->member].has_index &&
			 index_entry_describes(entry, &c->set->classes, &place.run) &&
			 (!stored_only || place.run.kind == RUN_STORED);

	if (described)
		add_run(c, i, &place, true);
	return described;
}

void cell_set(struct set_cell *c, const struct extent *x)
{
	uint64_t first = (x->offset - c->offset) / GRANULE;
	uint64_t end = divide_up(x->offset + x->length - c->offset, GRANULE);

	for (uint64_t i = first; i < end; i++)
		c->granules[i] = (struct granule){
			.kind = x->kind & 15,
			.class_number = x->class_number & 15,
			.record = CELL_RECORDS_MAX,
		};
}

/* --- the result -------------------------------------------------------------- */

static bool continues(const struct granule *a, const struct granule *b)
{
	if (a->kind != b->kind || a->class_number != b->class_number)
		return false;
	/* Of the others, nobody wants to know which record it was. */
	return a->record == b->record || (a->kind != EXTENT_STORED && a->kind != EXTENT_DAMAGED);
}

bool cell_extent(const struct set_cell *c, uint64_t offset, uint64_t to, struct extent *x)
{
	uint64_t first = (offset - c->offset) / GRANULE, end = first + 1;
	uint64_t last = min_u64(to, c->offset + c->length);
	uint64_t most = divide_up(last - c->offset, GRANULE);
	const struct granule *g = &c->granules[first];

	if (offset >= c->offset + c->length)
		return false;
	while (end < most && continues(g, &c->granules[end]))
		end++;
	*x = (struct extent){
		.offset = offset,
		.length = min_u64(c->offset + end * GRANULE, last) - offset,
		.kind = (enum extent_kind)g->kind,
		.class_number = g->class_number,
		.location = c->first + g->record,
		.at = g->at + (uint32_t)(offset % GRANULE),
	};
	return true;
}

/* --- the resolver ----------------------------------------------------------------- */

enum status resolver_init(struct resolver *r, const struct set *set, struct error *e)
{
	*r = (struct resolver){ .set = set, .avoid = SIZE_MAX, .number = UINT64_MAX };
	return cell_init(&r->cell, set, e);
}

void resolver_free(struct resolver *r)
{
	cell_free(&r->cell);
}

/* The next answer does not depend on the last one, but on what all threads remember (set_recall_cell()). */
void resolver_forget_unsure(struct resolver *r)
{
	if (r->unsure)
		r->number = UINT64_MAX;
}

static enum status add_record(struct resolver *r, size_t i, struct error *e)
{
	bool whole = i != r->avoid && !set_is_lost(r->set, i);
	enum status status = STATUS_OK;

	if (!whole || !cell_add_entry(&r->cell, i, !r->by_entries))
		status = cell_add_head(&r->cell, i, whole, e);
	if (!status || status == STATUS_NO_MEMORY)
		return status;
	if (r->damaged)
		r->damaged(r->arg, i, r->first, e);
	if (!r->damage.status)
		r->damage = *e;
	r->unsure |= status == STATUS_SYSTEM || status == STATUS_CUT;
	return STATUS_OK;
}

static enum status collect(struct resolver *r, uint64_t kind, struct error *e)
{
	enum status status = STATUS_OK;

	r->damage.status = STATUS_OK;
	for (size_t i = r->cell.first; i < r->cell.end && !status; i++)
		status = add_record(r, i, e);
	/* With by_entries, a cell is asked for once, except as that of a first place.  Damage is reported each time. */
	if (!status && !r->unsure && r->avoid == SIZE_MAX && !(r->by_entries && !r->first) &&
	    !(r->damaged && r->damage.status))
		set_keep_cell(r->set, r->cell.offset, kind, r->cell.granules, r->cell.count * sizeof(*r->cell.granules),
			      &r->damage);
	return status;
}

/* Finds out what is in a cell, unless it is known. */
static enum status settle(struct resolver *r, uint64_t number, bool first, struct error *e)
{
	uint64_t lost = set_count_lost(r->set), kind = 2 * lost + r->by_entries;
	enum status status = STATUS_OK;

	if (r->number == number && r->first == first && r->lost == lost && r->avoid == SIZE_MAX)
		return STATUS_OK;
	r->number = UINT64_MAX;
	r->first = first;
	r->lost = lost;
	r->unsure = false;
	cell_begin(&r->cell, number);
	if (r->avoid != SIZE_MAX || !set_recall_cell(r->set, r->cell.offset, kind, r->cell.granules,
						     r->cell.count * sizeof(*r->cell.granules), &r->damage))
		status = collect(r, kind, e);
	if (!status && r->avoid == SIZE_MAX)
		r->number = number;
	return status;
}

enum status resolve(struct resolver *r, uint64_t offset, uint64_t length, struct extent *x,
		    struct error *e)
{
	uint64_t stored = offset;
	bool second = second_places_follow(&r->set->second, &stored, &length);
	enum status status = settle(r, stored / r->set->cell_size, second, e);

	if (status)
		return status;
	cell_extent(&r->cell, stored, stored + length, x);
	x->offset = offset;
	x->second = second;
	x->unsure = r->unsure;
	return STATUS_OK;
}

const struct error *resolver_damage(const struct resolver *r)
{
	return r->damage.status ? &r->damage : NULL;
}

/* --- range readers ------------------------------------------------------------------ */

enum status range_reader_init(struct range_reader *r, const struct set *set, struct error *e)
{
	enum status status;

	*r = (struct range_reader){ .set = set, .unpacked = UINT64_MAX };
	r->block = malloc(BLOCK_SIZE_MAX);
	if (!r->block)
		return error_system(e, ENOMEM, "block buffer");
	status = resolver_init(&r->resolver, set, e);
	if (!status)
		status = record_reader_init(&r->record, set, e);
	if (status)
		range_reader_free(r);
	return status;
}

void range_reader_free(struct range_reader *r)
{
	resolver_free(&r->resolver);
	record_reader_free(&r->record);
	free(r->block);
	r->block = NULL;
}

/* Copies bytes of the record that is loaded, or of a dump, from a byte of it on.  A block is unpacked unless it is the last one. */
static enum status copy_blocks(struct range_reader *r, uint64_t at, uint64_t length, uint8_t *dst, struct error *e)
{
	bool dump = set_is_dump(r->set);
	uint32_t size = dump ? r->set->block_size : r->record.record.block_size;
	enum status status = STATUS_OK;
	size_t some;

	for (; length && !status; at += some, dst += some, length -= some) {
		uint64_t number = at / size, within = at % size;

		some = min_u64(length, size - within);
		if (r->unpacked != number)
			status = dump ? dump_read_block(&r->record, r->set, number, r->block, e) :
				 record_reader_unpack_block(&r->record, (uint32_t)number, r->block, e);
		r->unpacked = status ? UINT64_MAX : number;
		if (!status)
			memcpy(dst, r->block + within, some);
	}
	return status;
}

/* Copies the bytes at x->at of the stored bytes of a record, which is loaded unless it is the last one. */
static enum status read_stored(struct range_reader *r, const struct extent *x, uint8_t *dst,
			       struct error *e)
{
	const struct location *location = r->set->map[x->location];
	enum status status = STATUS_OK;

	if (r->loaded != location) {
		r->unpacked = UINT64_MAX;
		status = record_reader_load(&r->record, r->set, location, e);
		r->loaded = status ? NULL : location;
	}
	return status ? status : copy_blocks(r, x->at, x->length, dst, e);
}

/*
 * Later, an error of the system may be gone.  Only one record is avoided at a time, so a second one is lost;
 * otherwise each would be tried again and again.
 */
static void do_without(struct range_reader *r, size_t location, enum status status)
{
	bool temporary = status == STATUS_SYSTEM || status == STATUS_CUT;

	if (temporary && r->resolver.avoid == SIZE_MAX)
		r->resolver.avoid = location;
	else
		set_lose(r->set, location);
}

enum status range_read_extent(struct range_reader *r, uint64_t offset, size_t len, uint8_t *dst,
			      struct extent *x, struct error *e)
{
	struct error first = { .status = STATUS_OK };
	enum status status;

	while (!(status = resolve(&r->resolver, offset, len, x, e)) && x->kind == EXTENT_STORED) {
		status = read_stored(r, x, dst, e);
		if (!status || status == STATUS_NO_MEMORY)
			break;
		if (!first.status)
			first = *e;
		do_without(r, x->location, status);
	}
	r->resolver.avoid = SIZE_MAX;
	if (status)
		return status;
	*e = first;
	/* The record was found to be damaged before, perhaps by another reader: the same is found again. */
	if (!first.status && x->kind == EXTENT_DAMAGED)
		status = read_stored(r, x, dst, e);
	return status == STATUS_NO_MEMORY ? status : STATUS_OK;
}

/* Sets the error of an extent that is missing: the damage to its cell, if there is any. */
static enum status missing_error(const struct range_reader *r, const struct extent *x, struct error *e)
{
	const struct error *damage = resolver_damage(&r->resolver);

	if (e->status)
		return e->status;
	if (damage && x->kind != EXTENT_MISSING) {
		*e = *damage;
		return e->status;
	}
	return extent_error(x, e);
}

enum status range_read(struct range_reader *r, uint64_t offset, size_t len, uint8_t *dst,
		       struct error *e)
{
	if (set_is_plain(r->set))
		return plain_read(r->set, offset, len, dst, e);
	if (set_is_dump(r->set))
		return copy_blocks(r, offset, len, dst, e);
	resolver_forget_unsure(&r->resolver);
	while (len) {
		struct extent x;
		enum status status = range_read_extent(r, offset, len, dst, &x, e);

		if (status)
			return status;
		if (extent_is_missing(&x))
			return missing_error(r, &x, e);
		if (x.kind == EXTENT_UNREADABLE || (x.kind == EXTENT_LEFT_OUT && r->needs_all))
			return extent_error(&x, e);
		if (x.kind != EXTENT_STORED)
			memset(dst, 0, x.length);
		dst += x.length;
		offset += x.length;
		len -= x.length;
	}
	return STATUS_OK;
}

/* --- extents and totals ------------------------------------------------------------- */

enum status extent_error(const struct extent *x, struct error *e)
{
	if (x->kind == EXTENT_UNREADABLE)
		return error_set(e, STATUS_MISSING, "byte %" PRIu64 " could not be read during the capture",
				 x->offset);
	if (x->kind == EXTENT_LEFT_OUT)
		return error_set(e, STATUS_MISSING, "byte %" PRIu64 " was left out of the capture", x->offset);
	return error_set(e, STATUS_MISSING, "byte %" PRIu64 " is not in any member", x->offset);
}

void layer_totals_count(struct layer_totals *totals, const struct extent *x, uint64_t length)
{
	struct class_totals *t = x->second ? &totals->second : &totals->memory;

	switch (x->kind) {
	case EXTENT_STORED:
	case EXTENT_ZERO:
		t->kept[x->class_number] += length;
		break;
	case EXTENT_UNREADABLE:
		t->unreadable += length;
		break;
	case EXTENT_LEFT_OUT:
		t->left_out[x->class_number] += length;
		break;
	case EXTENT_UNKNOWN:
		t->unknown += length;
		break;
	default:
		t->missing[x->class_number] += length;
	}
}

static void add(struct class_totals *sum, const struct class_totals *t)
{
	for (unsigned i = 0; i < CLASSES; i++) {
		sum->kept[i] += t->kept[i];
		sum->left_out[i] += t->left_out[i];
		sum->missing[i] += t->missing[i];
	}
	sum->unreadable += t->unreadable;
	sum->unknown += t->unknown;
}

void layer_totals_add(struct layer_totals *sum, const struct layer_totals *t)
{
	add(&sum->memory, &t->memory);
	add(&sum->second, &t->second);
}

static bool is_complete(const struct layer_totals *t, const struct class_table *classes,
			unsigned layer)
{
	for (unsigned i = 0; i < CLASSES; i++)
		if (class_layer(classes, i) == layer && (t->memory.missing[i] || t->second.missing[i]))
			return false;
	return true;
}

unsigned layer_totals_complete(const struct layer_totals *t, const struct class_table *classes)
{
	unsigned last = 0, complete = 0;

	/* Each granule is in a record of layer 1. */
	if (t->memory.unknown || t->second.unknown)
		return 0;
	for (unsigned i = 0; i < CLASSES; i++)
		if (class_layer(classes, i) > last)
			last = class_layer(classes, i);
	while (complete < last && is_complete(t, classes, complete + 1))
		complete++;
	return complete;
}

uint64_t layer_totals_sum(const uint64_t of_class[CLASSES])
{
	uint64_t sum = 0;

	for (unsigned i = 0; i < CLASSES; i++)
		sum += of_class[i];
	return sum;
}

bool layer_totals_leave_out_more(const struct layer_totals *t)
{
	for (unsigned i = 0; i < CLASSES; i++)
		if (t->memory.left_out[i] && !class_is_marked(i))
			return true;
	return false;
}

uint64_t layer_totals_second(const struct layer_totals *t)
{
	const struct class_totals *s = &t->second;

	return layer_totals_sum(s->kept) + layer_totals_sum(s->left_out) + layer_totals_sum(s->missing) +
	       s->unreadable + s->unknown;
}
