// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "set/read/head.h"
#include "set/made.h"
#include "set/read/reader.h"

/* The longest list; then the block table begins. */
static uint32_t head_length_max(const struct set *set)
{
	return (uint32_t)round_up(RECORD_HEADER_LENGTH + RUN_LENGTH * (uint64_t)(set->cell_size / GRANULE),
				  ALIGNMENT);
}

enum status record_head_init(struct record_head *h, const struct set *set, struct error *e)
{
	*h = (struct record_head){ .raw = aligned_alloc(ALIGNMENT, head_length_max(set)) };
	return h->raw ? STATUS_OK : error_system(e, ENOMEM, "buffer for the head of a record");
}

void record_head_free(struct record_head *h)
{
	free(h->raw);
	h->raw = NULL;
}

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
