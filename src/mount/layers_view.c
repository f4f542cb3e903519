// SPDX-License-Identifier: GPL-2.0-or-later
/* The source of a set with layers, as a file. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "mount/view.h"
#include "set/collected.h"

/* One read. */
struct layers_read {
	const struct source_view *v;
	struct buffers *buffers;
	struct known_cell *cells;	/* of what is read, and of what aliases refer to */
};

/* --- cells -------------------------------------------------------------------------- */

static enum status add_record(const struct source_view *v, struct known_cell *k, size_t i, struct error *e)
{
	enum status status;

	if (cache_is_lost(v->cache, i)) {
		cell_add_damaged(&k->cell, i);
		return STATUS_OK;
	}
	status = cell_add_head(&k->cell, i, e);
	if (!status || status == STATUS_NO_MEMORY)
		return status;
	cache_report(v->cache, i, e);
	k->unsure |= loaded_may_recover(status);
	return STATUS_OK;
}

static enum status collect(const struct source_view *v, struct known_cell *k, struct error *e)
{
	const struct error no_damage = { .status = STATUS_OK };
	enum status status = STATUS_OK;

	for (size_t i = k->cell.first; i < k->cell.end && !status; i++)
		status = add_record(v, k, i, e);
	if (!status && !k->unsure)
		collected_keep(cache_collected(v->cache), k->lost, &k->cell, &no_damage);
	return status;
}

/* Finds out what is in a cell, unless it is known. */
static enum status settle_cell(const struct source_view *v, struct known_cell *k, uint64_t number,
			       struct error *e)
{
	enum status status = STATUS_OK;
	struct error damage;

	k->number = UINT64_MAX;
	k->unsure = false;
	k->lost = cache_count_lost(v->cache);
	cell_begin(&k->cell, number);
	if (!collected_recall(cache_collected(v->cache), k->lost, &k->cell, &damage))
		status = collect(v, k, e);
	if (!status)
		k->number = number;
	return status;
}

static enum status find_part(const struct source_view *v, struct known_cell *k, uint64_t offset,
			     size_t len, struct cell_part *part, struct error *e)
{
	uint64_t number = offset / v->set->cell_size;
	enum status status = STATUS_OK;

	if (k->number != number || k->lost != cache_count_lost(v->cache))
		status = settle_cell(v, k, number, e);
	if (!status)
		cell_part(&k->cell, offset, offset + len, part);
	return status;
}

/* --- what is in a part ----------------------------------------------------------------- */

/* Reads through the cache, up to the end of a run, from the record at index i. */
static enum status read_stored(struct layers_read *r, struct known_cell *k, size_t i, uint64_t offset,
			       size_t *len, uint8_t *dst, struct error *e)
{
	uint64_t begin = r->v->set->map[i]->entry.source_offset;
	struct cached *cached;
	struct run_place place;
	enum status status = cell_find_run(&k->cell, i, offset, &place, e);

	if (!status)
		status = cache_take(r->v->cache, r->buffers, i, CACHED_PACKED, &cached, e);
	if (status)
		return status;
	*len = min_u64(*len, place.offset + place.length - offset);
	/* In memory, the stored bytes follow each other. */
	status = cached_read(cached, r->buffers, begin + place.stored_at + (offset - place.offset), *len,
			     false, dst, e);
	cache_release(r->v->cache, cached, false);
	if (!status || status == STATUS_NO_MEMORY)
		return status;
	cache_lose(r->v->cache, i);
	cache_report(r->v->cache, i, e);
	return status;
}

/* unsure: a record that may have the byte could not be read. */
static enum status is_not_there(const struct cell_part *part, bool unsure, uint64_t offset,
				struct error *e)
{
	if (part->content == CONTENT_LEFT_OUT)
		return error_set(e, STATUS_MISSING, "byte %" PRIu64 " was left out by the capture",
				 offset);
	if (unsure)
		return error_set(e, STATUS_SYSTEM, "byte %" PRIu64 " may be in a record that cannot be "
				 "read now", offset);
	if (part->content == CONTENT_UNREADABLE)
		return error_set(e, STATUS_MISSING, "byte %" PRIu64 " could not be read during "
				 "the capture", offset);
	return error_set(e, STATUS_MISSING, "byte %" PRIu64 " is not in any member", offset);
}

static enum status read_alias(struct layers_read *r, size_t i, uint64_t offset, size_t *len,
			      uint8_t *dst, struct error *e)
{
	struct known_cell *k = &r->cells[1];
	struct cell_part part = { .content = CONTENT_MISSING };
	bool unsure = r->cells[0].unsure;
	uint64_t target;
	enum status status = cell_find_target(&r->cells[0].cell, i, offset, len, &target, e);

	if (!status && target < r->v->set->source_size) {
		status = find_part(r->v, k, target, *len, &part, e);
		if (!status)
			*len = min_u64(*len, part.offset + part.length - target);
		unsure |= k->unsure;
	}
	if (status)
		return status;
	return part.content == CONTENT_STORED ? read_stored(r, k, part.record, target, len, dst, e)
					      : is_not_there(&part, unsure, offset, e);
}

/* Reads bytes of one part, and updates *len. */
static enum status read_part(struct layers_read *r, uint64_t offset, size_t *len, uint8_t *dst,
			     struct error *e)
{
	struct cell_part part;
	enum status status = find_part(r->v, &r->cells[0], offset, *len, &part, e);

	if (status)
		return status;
	*len = min_u64(*len, part.offset + part.length - offset);
	switch (part.content) {
	case CONTENT_STORED:
		return read_stored(r, &r->cells[0], part.record, offset, len, dst, e);
	case CONTENT_ALIAS:
		return read_alias(r, part.record, offset, len, dst, e);
	default:
		return is_not_there(&part, r->cells[0].unsure, offset, e);
	}
}

/* --------------------------------------------------------------------------------------- */

/* A system error may be temporary, and the kernel would cache the zeros. */
static bool is_final(enum status status)
{
	return status && status != STATUS_NO_MEMORY && status != STATUS_SYSTEM;
}

/* A record that turns out to be damaged changes what the cells say; then they are asked again. */
static enum status read_or_retry(struct layers_read *r, uint64_t offset, size_t *len, uint8_t *dst,
				 struct error *e)
{
	size_t all = *len;
	enum status status;
	uint64_t lost;

	do {
		lost = cache_count_lost(r->v->cache);
		*len = all;
		status = read_part(r, offset, len, dst, e);
	} while (is_final(status) && lost != cache_count_lost(r->v->cache));
	return status;
}

/* With zeros in place of what is missing, left out or damaged, granule by granule. */
static enum status read_some(struct layers_read *r, uint64_t offset, size_t *len, uint8_t *dst,
			     struct error *e)
{
	size_t all = *len;
	enum status status = read_or_retry(r, offset, len, dst, e);

	if (!is_final(status) || !r->v->zero_holes)
		return status;
	*len = min_u64(all, GRANULE - offset % GRANULE);
	if (*len < all)
		status = read_or_retry(r, offset, len, dst, e);
	if (!is_final(status))
		return status;
	memset(dst, 0, *len);
	return STATUS_OK;
}

enum status layers_view_read(const struct view *view, struct buffers *buffers,
			     struct sequence *sequence, uint64_t offset, size_t len, uint8_t *dst,
			     struct error *e)
{
	const struct source_view *v = (const struct source_view *)view;
	struct layers_read r = { .v = v, .buffers = buffers, .cells = buffers_cells(buffers, v->set) };
	enum status status = r.cells ? STATUS_OK : error_system(e, ENOMEM, "record buffer");

	(void)sequence;
	for (unsigned i = 0; i < BUFFERS_CELLS && r.cells; i++)
		if (r.cells[i].unsure)
			r.cells[i].number = UINT64_MAX;
	while (len && !status) {
		size_t some = len;

		status = read_some(&r, offset, &some, dst, e);
		dst += some;
		offset += some;
		len -= some;
	}
	return status;
}
