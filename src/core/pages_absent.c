// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>

#include "base/bytes.h"
#include "core/pages_absent.h"
#include "core/pages_stored.h"

/* Adds the ranges that were left out from one byte of the source to another. */
static enum status add(struct range_list *list, const struct absent *absent, uint64_t from,
		       uint64_t to, struct error *e)
{
	uint64_t at = from, length;

	for (; at < to && absent->next_left_out(absent->arg, &at, &length) && at < to; at += length)
		if (!range_list_extend(list, at, min_u64(length, to - at)))
			return error_system(e, ENOMEM, "list of pages");
	return STATUS_OK;
}

/* The frames of a stored range that others have, too. */
static enum status add_shared(struct range_list *list, const struct stored_range *r,
			      const struct range_list *frames, uint32_t page_size,
			      const struct absent *absent, struct error *e)
{
	size_t i = ranges_find(frames->ranges, frames->count, r->paddr / page_size);
	uint64_t end = r->paddr + r->length;
	enum status status = STATUS_OK;

	for (; i < frames->count && frames->ranges[i].offset * page_size < end && !status; i++) {
		const struct range *f = &frames->ranges[i];
		uint64_t from = max_u64(f->offset * page_size, r->paddr) - r->paddr;
		uint64_t to = min_u64((f->offset + f->length) * page_size, end) - r->paddr;

		status = add(list, absent, r->offset + from, r->offset + to, e);
	}
	return status;
}

enum status absent_in_shared(struct range_list *list, const struct pages *pages,
			     const struct absent *absent, struct error *e)
{
	struct range_list frames = { 0 };
	enum status status = STATUS_OK;

	if (!absent->next_left_out)
		return STATUS_OK;
	status = stored_find_shared(&frames, pages->stored, pages->stored_count, pages->page_size, e);
	for (size_t i = 0; i < pages->stored_count && !status; i++)
		status = add_shared(list, &pages->stored[i], &frames, pages->page_size, absent, e);
	range_list_free(&frames);
	return status;
}

/* --- pages ------------------------------------------------------------------------- */

/* Is this the place from which the pages of a range are read? */
static bool is_place(const struct page_range *range, const struct stored_range *r, uint32_t page_size)
{
	/* Both differences wrap around in the same way. */
	return range->ragged ||
	       range->offset - range->pfn * page_size == r->offset - r->paddr;
}

/* Pages of a stored range; those that are read from another place do not count. */
static void leave_out_pages(struct pages *p, const struct stored_range *r, uint64_t pfn, uint64_t end)
{
	size_t i = page_ranges_from(p->ranges, p->ranges_count, pfn);

	for (; i < p->ranges_count && p->ranges[i].pfn < end; i++) {
		const struct page_range *range = &p->ranges[i];
		uint64_t first = max_u64(pfn, range->pfn);
		uint64_t after = min_u64(end, range->pfn + range->count);

		if (is_place(range, r, p->page_size))
			page_choice_leave_out(&p->captured, range->rank + (first - range->pfn),
					      after - first);
	}
}

static void leave_out_bytes(struct pages *p, uint64_t offset, uint64_t end)
{
	size_t i = stored_find_offset(p->stored, p->stored_count, offset);

	for (; i < p->stored_count && p->stored[i].offset < end; i++) {
		const struct stored_range *r = &p->stored[i];
		uint64_t from = max_u64(offset, r->offset) - r->offset;
		uint64_t to = min_u64(end - r->offset, r->length);

		leave_out_pages(p, r, (r->paddr + from) / p->page_size,
				divide_up(r->paddr + to, p->page_size));
	}
}

enum status absent_leave_out(struct pages *p, const struct absent *absent, struct error *e)
{
	uint64_t offset = 0, length;
	enum status status;

	if (!absent->next_left_out || !absent->next_left_out(absent->arg, &offset, &length))
		return STATUS_OK;
	status = page_choice_begin(&p->captured, p->in_core, e);
	if (status)
		return status;
	do
		leave_out_bytes(p, offset, offset + length);
	while ((offset += length, absent->next_left_out(absent->arg, &offset, &length)));
	page_choice_end(&p->captured);
	return pages_keep_all(p, e);
}
