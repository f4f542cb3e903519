// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "capture/form/chunk_pages.h"

static bool has_pages(enum run_kind kind)
{
	return kind == RUN_STORED || kind == RUN_ZERO || kind == RUN_UNREADABLE;
}

struct chunk_pages chunk_pages_begin(const struct dump_layout *layout, const struct chunk *chunk)
{
	return (struct chunk_pages){
		.layout = layout, .chunk = chunk,
		.cursor = run_cursor_begin(&chunk->record, chunk->bytes),
	};
}

static uint32_t entry_of(const struct chunk_pages *c)
{
	return get_le32(c->chunk->bytes + record_table_offset(&c->chunk->record) +
			(size_t)RECORD_ENTRY_LENGTH * c->block);
}

/* Blocks may be of what is no page of the dump, such as the ELF header of the source. */
static void skip_to(struct chunk_pages *c, uint32_t block)
{
	for (; c->block < block; c->block++)
		c->payload += record_entry_length(entry_of(c));
}

bool chunk_pages_next(struct chunk_pages *c, struct dump_pages *pages)
{
	const struct dump_layout *l = c->layout;

	while (!has_pages(c->place.run.kind) ||
	       !l->next_pages(l->arg, c->next, c->place.offset + c->place.length, pages)) {
		if (!run_cursor_next(&c->cursor, &c->place))
			return false;
		c->next = c->place.offset;
	}
	c->next = pages->offset + pages->count * l->page_size;
	if (c->place.run.kind == RUN_STORED)
		skip_to(c, (uint32_t)((c->place.stored_at + (pages->offset - c->place.offset)) / l->page_size));
	return true;
}

struct page_block chunk_pages_block(struct chunk_pages *c)
{
	uint32_t entry = entry_of(c);
	struct page_block block = {
		.kind = (enum block_kind)record_entry_kind(entry),
		.at = c->payload,
		.length = record_entry_length(entry),
	};

	skip_to(c, c->block + 1);
	return block;
}
