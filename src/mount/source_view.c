// SPDX-License-Identifier: GPL-2.0-or-later
/* The source, as a file. */
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "mount/view.h"

static enum status read_hole(const struct source_view *v, uint64_t offset, size_t len,
			     uint8_t *dst, struct error *e)
{
	if (!v->zero_holes)
		return error_set(e, STATUS_MISSING, "byte %" PRIu64 " is not in any member",
				 offset);
	memset(dst, 0, len);
	return STATUS_OK;
}

/* A system error may be temporary: it is not damage, and nothing is known to be missing. */
static bool is_damage(enum status status)
{
	return status && status != STATUS_MISSING && status != STATUS_NO_MEMORY &&
	       status != STATUS_SYSTEM;
}

/* Reads from a record, or from a duplicate if a block of it is damaged. */
static enum status read_copies(const struct source_view *v, struct buffers *buffers,
			       size_t location, uint64_t offset, size_t len, uint8_t *dst,
			       struct error *e)
{
	const struct index_entry *entry = &v->set->map[location]->entry;
	bool finished = offset + len == entry->source_offset + entry->source_length;
	bool again = true;
	enum status status = STATUS_OK;

	while (again) {
		struct cached *cached;

		status = cache_take(v->cache, buffers, location, CACHED_PACKED, &cached, e);
		if (status)
			return status;
		status = cached_read(cached, buffers, offset, len, v->zero_holes, dst, e);
		again = is_damage(status) && cache_reject(v->cache, cached);
		cache_release(v->cache, cached, finished);
	}
	/* The cache has reported records that could not be loaded. */
	if (is_damage(status))
		cache_report(v->cache, location, e);
	return status;
}

/*
 * Reads each block on its own, with zeros in place of damaged ones.  Temporary errors are returned:
 * the kernel would cache the zeros.
 */
static enum status read_or_clear(const struct source_view *v, struct buffers *buffers,
				 size_t location, uint64_t offset, size_t len, uint8_t *dst,
				 struct error *e)
{
	uint64_t begin = v->set->map[location]->entry.source_offset;
	uint32_t block = v->set->block_size;
	enum status status = STATUS_OK;

	while (len && !status) {
		size_t some = min_u64(len, block - (offset - begin) % block);

		status = read_copies(v, buffers, location, offset, some, dst, e);
		if (is_damage(status)) {
			memset(dst, 0, some);
			status = STATUS_OK;
		}
		dst += some;
		offset += some;
		len -= some;
	}
	return status;
}

static enum status read_record(const struct source_view *v, struct buffers *buffers,
			       size_t location, uint64_t offset, size_t len, uint8_t *dst,
			       struct error *e)
{
	enum status status = read_copies(v, buffers, location, offset, len, dst, e);

	if (is_damage(status) && v->zero_holes)
		return read_or_clear(v, buffers, location, offset, len, dst, e);
	return status;
}

static enum status source_read(const struct view *view, struct buffers *buffers,
			       struct sequence *sequence, uint64_t offset, size_t len,
			       uint8_t *dst, struct error *e)
{
	const struct source_view *v = (const struct source_view *)view;
	const struct set *set = v->set;
	enum status status = STATUS_OK;

	if (v->readahead)
		readahead_note(v->readahead, sequence, offset, len);
	while (len && !status) {
		size_t location = set_find(set, offset), some = len;
		const struct index_entry *entry;

		entry = location < set->locations ? &set->map[location]->entry : NULL;
		if (entry && entry->source_offset <= offset) {
			some = min_u64(len, entry->source_offset + entry->source_length - offset);
			status = read_record(v, buffers, location, offset, some, dst, e);
		} else {
			some = entry ? min_u64(len, entry->source_offset - offset) : len;
			status = read_hole(v, offset, some, dst, e);
		}
		dst += some;
		offset += some;
		len -= some;
	}
	return status;
}

void source_view_init(struct source_view *v)
{
	v->view = (struct view){
		.name = "vmcore",
		.size = v->set->source_size,
		.read = set_has_layers(v->set) ? layers_view_read : source_read,
	};
}
