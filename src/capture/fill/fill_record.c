// SPDX-License-Identifier: GPL-2.0-or-later
/* The record that is being filled: its header, run list and blocks. */
#include "config.h"

#include <string.h>

#include "base/bytes.h"
#include "capture/fill/fill.h"

void fill_begin_record(const struct filler *f, struct chunk *chunk, uint64_t offset, uint32_t length)
{
	chunk->record = (struct record){
		.id = f->packers.of[f->preset].id,
		.source_offset = offset,
		.source_length = length,
		.layer = f->layer,
		.classes = f->classes,
		.cell_size = f->cell_size,
	};
}

struct packer *filler_packer(struct filler *f)
{
	return &f->packers.of[f->preset];
}

bool filler_makes_columns(struct filler *f)
{
	return f->policy->map_row && f->layer == class_layer(&f->policy->plan, CLASS_MAP) && !filler_is_raw(f);
}

uint32_t filler_block_size(struct filler *f)
{
	return filler_makes_columns(f) ? f->columns_size : f->block_size;
}

bool filler_is_raw(struct filler *f)
{
	return filler_packer(f)->codec == &codec_raw;
}

void filler_begins(const struct filler *f, enum fill_activity activity, const uint8_t *data,
		   size_t len)
{
	if (f->observer.starts)
		f->observer.starts(f->observer.arg, activity, data, len);
}

void filler_pack(struct filler *f, struct chunk *chunk, const uint8_t *data, size_t len)
{
	filler_begins(f, FILL_PACKING, data, len);
	pack_add(filler_packer(f), chunk, data, len);
	filler_begins(f, FILL_OTHER, NULL, 0);
}

/* --- the run list ---------------------------------------------------------- */

/* The granules from this one on, before end, that are planned alike. */
static struct run run_at(const struct filler *f, uint32_t i, uint32_t end)
{
	struct run run = { .kind = plan_kind(f, i), .class_number = plan_class(f, i), .granules = 1 };

	while (i + run.granules < end && f->plan[i + run.granules] == f->plan[i])
		run.granules++;
	if (run.kind == RUN_ELSEWHERE)
		run.class_number = 0;
	return run;
}

bool fill_list_add(struct filler *f, uint32_t at, uint32_t end)
{
	while (at < end) {
		struct run run = run_at(f, at, end);

		if (!run_list_add(&f->list, &run))
			return false;
		at += run.granules;
	}
	return true;
}

static void make_list(struct filler *f)
{
	f->list.count = 0;
	fill_list_add(f, 0, f->granules);
}

void fill_list(struct filler *f, struct chunk *chunk)
{
	make_list(f);
	run_list_encode(&f->list, &chunk->record, chunk->bytes);
}

/* The new list may be longer or shorter, so nothing is overwritten before it was moved. */
void fill_list_again(struct filler *f, struct chunk *chunk)
{
	const struct run_list *list = &f->list;
	struct record *r = &chunk->record;
	uint32_t old_table = record_table_offset(r), old_payload = r->payload_offset;
	uint32_t length = RECORD_ENTRY_LENGTH * (uint32_t)divide_up(chunk->filled, r->block_size);
	uint32_t table, payload;

	make_list(f);
	table = RECORD_HEADER_LENGTH + RUN_LENGTH * list->count;
	payload = table + length;
	if (payload > old_payload) {
		memmove(chunk->bytes + payload, chunk->bytes + old_payload, r->payload_length);
		memmove(chunk->bytes + table, chunk->bytes + old_table, length);
	} else {
		memmove(chunk->bytes + table, chunk->bytes + old_table, length);
		memmove(chunk->bytes + payload, chunk->bytes + old_payload, r->payload_length);
	}
	r->payload_offset = payload;
	if (!chunk->filled)
		r->codec = 0;
	run_list_encode(list, r, chunk->bytes);
}
