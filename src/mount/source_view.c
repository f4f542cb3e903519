// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "mount/view.h"

/* Bytes of a hole that begins at offset. */
static enum status read_hole(const struct source_view *v, uint64_t offset, size_t len,
			     uint8_t *dst, struct error *e)
{
	if (!v->zero_holes)
		return error_set(e, STATUS_MISSING, "byte %" PRIu64 " is in no member", offset);
	memset(dst, 0, len);
	return STATUS_OK;
}

/* An error of the system may pass: it is no damage, and nothing is known to be missing. */
static bool is_damage(enum status status)
{
	return status && status != STATUS_MISSING && status != STATUS_NO_MEMORY &&
	       status != STATUS_SYSTEM;
}

/* Bytes of the record at a place, or of a spare of it if they cannot be had of that. */
static enum status read_copies(const struct source_view *v, struct buffers *buffers, size_t location,
			       uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	const struct index_entry *entry = &v->set->map[location]->entry;
	bool to_its_end = offset + len == entry->source_offset + entry->source_length;
	bool again = true;
	enum status status = STATUS_OK;

	while (again) {
		struct kept *kept;

		status = cache_take(v->cache, buffers, location, KEPT_PACKED, &kept, e);
		if (status)
			return status;
		status = kept_read(kept, buffers, offset, len, v->zero_holes, dst, e);
		again = is_damage(status) && cache_refuse(v->cache, kept);
		cache_give_back(v->cache, kept, to_its_end);
	}
	/* One that could not be taken was told of. */
	if (is_damage(status))
		cache_report(v->cache, location, e);
	return status;
}

/*
 * Block by block, since good ones are not to be lost to a bad one.  Memory that is short now, or a disk
 * that fails now, is no reason to show zeros, which the kernel would keep.
 */
static enum status read_or_clear(const struct source_view *v, struct buffers *buffers, size_t location,
				 uint64_t offset, size_t len, uint8_t *dst, struct error *e)
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

static enum status read_record(const struct source_view *v, struct buffers *buffers, size_t location,
			       uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	enum status status = read_copies(v, buffers, location, offset, len, dst, e);

	if (is_damage(status) && v->zero_holes)
		return read_or_clear(v, buffers, location, offset, len, dst, e);
	return status;
}

static enum status source_read(const struct view *view, struct buffers *buffers, struct stream *stream,
			       uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	const struct source_view *v = (const struct source_view *)view;
	const struct set *set = v->set;
	enum status status = STATUS_OK;

	if (v->ahead)
		ahead_follow(v->ahead, stream, offset, len);
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
		.read = source_read,
	};
}
