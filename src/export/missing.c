// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>

#include "export/missing.h"
#include "set/reader.h"

static enum status add(struct range_list *list, uint64_t offset, uint64_t length, struct error *e)
{
	return range_list_extend(list, offset, length)
	       ? STATUS_OK : error_system(e, ENOMEM, "list of missing ranges");
}

static enum status add_holes(struct range_list *list, const struct set *set, struct error *e)
{
	uint64_t offset = 0, length;
	enum status status = STATUS_OK;

	for (; !status && set_hole(set, &offset, &length); offset += length)
		status = add(list, offset, length, e);
	return status;
}

/*
 * Loads the record that readers of the set would use: entry i of the map, or its first intact
 * duplicate.
 */
static enum status load(struct record_reader *r, const struct set *set, size_t i, struct error *e)
{
	enum status status = record_reader_load(r, set, set->map[i], e);

	while (status && (i = set_next_copy(set, i)) < set->locations)
		status = record_reader_load(r, set, set->map[i], e);
	return status;
}

static enum status add_record(struct range_list *list, struct record_reader *r,
			      const struct set *set, const struct contents_watch *watch, size_t i,
			      struct error *e)
{
	const struct index_entry *entry = &set->map[i]->entry;
	enum status status = load(r, set, i, e);

	if (status == STATUS_NO_MEMORY)
		return status;
	if (status) {
		watch->damaged(watch->arg, i, e);
		return add(list, entry->source_offset, entry->source_length, e);
	}
	for (uint32_t n = 0; n < record_blocks(&r->record) && !status; n++)
		if (record_reader_kind(r, n) == BLOCK_UNREADABLE)
			status = add(list, r->record.source_offset +
					   (uint64_t)n * r->record.block_size,
				     record_block_length(&r->record, n), e);
	return status;
}

static enum status add_unreadable(struct range_list *list, const struct set *set,
				  const struct contents_watch *watch, struct error *e)
{
	struct record_reader r;
	enum status status = record_reader_init(&r, set, e);

	if (status)
		return status;
	for (size_t i = 0; i < set->locations && !status; i++)
		if (!set->map[i]->duplicate && set->map[i]->entry.unreadable)
			status = add_record(list, &r, set, watch, i, e);
	record_reader_free(&r);
	return status;
}

enum status missing_find(const struct set *set, const struct contents_watch *watch,
			 struct range **missing, size_t *count, struct error *e)
{
	struct range_list list = { 0 };
	enum status status = add_holes(&list, set, e);

	if (!status)
		status = add_unreadable(&list, set, watch, e);
	range_list_sort(&list);
	range_list_merge(&list);
	*missing = list.ranges;
	*count = list.count;
	return status;
}

void missing_reported_init(struct missing_reported *m)
{
	*m = (struct missing_reported){ .status = STATUS_OK };
	pthread_mutex_init(&m->lock, NULL);
}

void missing_reported_free(struct missing_reported *m)
{
	pthread_mutex_destroy(&m->lock);
	range_list_free(&m->list);
}

void missing_report(struct missing_reported *m, uint64_t offset, uint64_t length)
{
	pthread_mutex_lock(&m->lock);
	if (!m->status)
		m->status = add(&m->list, offset, length, &m->error);
	pthread_mutex_unlock(&m->lock);
}

enum status missing_reported_end(struct missing_reported *m, const struct walk *walk,
				 struct error *e)
{
	uint64_t offset = 0, length;
	enum status status = m->status;

	if (status)
		*e = m->error;
	for (; !status && walk_hole(walk, &offset, &length); offset += length)
		status = add(&m->list, offset, length, e);
	range_list_sort(&m->list);
	range_list_merge(&m->list);
	return status;
}
