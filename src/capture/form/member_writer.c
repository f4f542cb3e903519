// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/memory.h"
#include "capture/form/member_writer.h"

/* What the entry of a record does not say. */
struct entry_figures {
	struct record_figures of;
	uint16_t units;			/* of its run (ledger.h) */
	uint64_t checksum;		/* record_checksum() */
};

struct member_writer {
	struct form form;
	struct superblock superblock;
	uint8_t *segment;		/* the current index segment; owned, with all below */
	struct entry_figures *figures;	/* of the records in it */
	uint8_t *page;			/* a footer or superblock being built, or zeros */
	uint8_t *footer;		/* the last one that was synced */
	uint32_t entries;		/* in the segment */
	uint64_t written;		/* offset of the segment, once written with all entries; else 0 */
	uint64_t previous;		/* offset of the segment before, 0: none */
	struct digest root;		/* of the records in the segments before; if a digest is wanted */
	uint32_t given_up;		/* records, since the member last had space */
	bool layers;
};

/*
 * 1022 records, 1 GiB of the source, which are read at once when a set is opened.  With layers, 254:
 * a capture has fewer records then, but much more is to be known of each.
 */
static uint32_t segment_bytes(bool layers)
{
	return (layers ? 8 : 32) * 1024;
}

/* The order is segment, two pages, figures, so that everything written is aligned. */
size_t member_writer_memory(bool layers)
{
	return segment_bytes(layers) + 2 * ALIGNMENT +
	       round_up(index_segment_capacity(segment_bytes(layers)) * sizeof(struct entry_figures), ALIGNMENT);
}

static void free_writer(struct form *f)
{
	free(f->member->segment);
	free(f->member);
}

static enum status begin(struct form *f, struct error *e)
{
	struct member_writer *w = f->member;

	if (f->digests)
		digest_begin(&w->root);
	superblock_encode(&w->superblock, w->page);
	return sink_append(w->form.sink, w->page, SUPERBLOCK_LENGTH, e);
}

static uint8_t *entry_location(const struct member_writer *w, uint32_t i)
{
	return w->segment + INDEX_HEADER_LENGTH + (size_t)INDEX_ENTRY_LENGTH * i;
}

/* Of the records in the segment. */
static void add_to_root(const struct member_writer *w, struct digest *root)
{
	for (uint32_t i = 0; i < w->entries; i++)
		root_add(root, w->figures[i].checksum);
}

/* Once a record follows a written segment, the segment is final and the next one begins. */
static void begin_segment(struct member_writer *w)
{
	if (w->form.digests)
		add_to_root(w, &w->root);
	w->previous = w->written;
	w->written = 0;
	w->entries = 0;
}

static enum status write_segment(struct member_writer *w, struct error *e)
{
	uint64_t offset = w->form.sink->length;
	enum status status;
	uint32_t length;

	if (!w->entries || w->written)
		return STATUS_OK;
	length = index_segment_seal(w->segment, &w->superblock.id, w->previous, w->entries);
	status = sink_append(w->form.sink, w->segment, length, e);
	if (!status)
		w->written = offset;
	return status;
}

static void note_record(struct member_writer *w, const struct chunk *chunk, uint64_t offset)
{
	const struct record *record = &chunk->record;
	struct index_entry entry = index_entry_of(record, offset);

	if (w->written)
		begin_segment(w);
	w->figures[w->entries] = (struct entry_figures){
		.of = chunk->figures, .units = chunk->run.units, .checksum = record_checksum(chunk->bytes),
	};
	index_entry_encode(&entry, entry_location(w, w->entries++));
}

/* Bytes needed to close a member whose last segment has this number of entries. */
static uint64_t closing_length(uint32_t entries)
{
	return (entries ? index_segment_length(entries) : 0) + FOOTER_LENGTH;
}

static uint64_t closing(const struct form *f)
{
	const struct member_writer *w = f->member;
	bool full = w->entries == index_segment_capacity(segment_bytes(w->layers)) && !w->written;
	uint64_t before = full ? index_segment_length(w->entries) : 0;

	return before + closing_length(full || w->written ? 1 : w->entries + 1) +
	       (f->sink->length ? 0 : SUPERBLOCK_LENGTH);
}

static enum status append(struct form *f, const struct chunk *chunk, struct error *e)
{
	struct member_writer *w = f->member;
	uint32_t length = record_length(&chunk->record);
	enum status status;
	uint64_t offset;

	if (w->entries == index_segment_capacity(segment_bytes(w->layers)) &&
	    (status = write_segment(w, e)))
		return status;
	/* If the space left is known, no record has to be given up later. */
	if (length + closing(f) > sink_space_left(w->form.sink))
		return error_system(e, ENOSPC, "%s", w->form.sink->name);
	offset = w->form.sink->length;
	status = sink_append(w->form.sink, chunk->bytes, length, e);
	if (!status)
		note_record(w, chunk, offset);
	return status;
}

static enum status settle(struct member_writer *w, struct error *e)
{
	enum status status = write_segment(w, e);

	if (status || !sink_rewinds(w->form.sink))
		return status;
	memset(w->page, 0, FOOTER_LENGTH);
	return sink_reserve(w->form.sink, w->page, FOOTER_LENGTH, e);
}

static enum status settle_or_cut(struct form *f, struct error *e)
{
	struct member_writer *w = f->member;
	enum status status = settle(w, e);
	struct error ignored;

	/*
	 * On a copy-on-write file system, overwriting needs new blocks, so the old data must be cut
	 * off first.  But not the last records there are, which salvage can read.
	 */
	if (status && w->given_up && (w->entries || w->previous) && sink_is_full(w->form.sink, e) &&
	    !sink_truncate(w->form.sink, &ignored))
		status = settle(w, e);
	if (!status)
		w->given_up = 0;
	return status;
}

struct given_up member_given_up(const struct member_writer *w, unsigned i)
{
	const struct entry_figures *figures = &w->figures[w->entries + i];
	struct given_up record = { .figures = figures->of, .units = figures->units };

	/* It was encoded by this file, so it is within all limits. */
	index_entry_decode(&record.entry, entry_location(w, w->entries + i), CHUNK_SIZE_MAX, w->superblock.cell_size);
	return record;
}

unsigned member_give_up(struct member_writer *w)
{
	uint32_t least = w->given_up ? w->given_up : 1, entries = w->entries;
	uint64_t end = w->form.sink->length, offset = end;

	/* Give up no more than half: salvage can still read what is left. */
	if (w->given_up && w->given_up + least > (entries + w->given_up) / 2)
		return 0;
	while (w->entries && (entries - w->entries < least ||
			      end - offset < closing_length(w->entries))) {
		w->entries--;
		offset = member_given_up(w, 0).entry.member_offset;
	}
	entries -= w->entries;
	if (entries) {
		w->given_up += entries;
		w->written = 0;
		sink_rewind(w->form.sink, offset);
	}
	return entries;
}

enum status member_read_back(struct member_writer *w, unsigned i, struct chunk *chunk, struct error *e)
{
	struct given_up record = member_given_up(w, i);
	enum status status = sink_read(w->form.sink, chunk->bytes, record.entry.record_length,
				       record.entry.member_offset, e);

	if (status)
		return status;
	if (record_decode(&chunk->record, chunk->bytes, w->superblock.chunk_size) ||
	    chunk->record.source_offset != record.entry.source_offset ||
	    record_length(&chunk->record) != record.entry.record_length ||
	    record_check_body(&chunk->record, chunk->bytes))
		return error_set(e, STATUS_DAMAGED, "%s: a record reads back differently", w->form.sink->name);
	chunk->figures = record.figures;
	return STATUS_OK;
}

bool member_rolls_back(const struct member_writer *w)
{
	return w->form.closed && sink_rewinds(w->form.sink);
}

enum status member_roll_back(struct member_writer *w, struct error *e)
{
	enum status status;

	sink_rewind(w->form.sink, w->form.closed);
	status = sink_write_last(w->form.sink, w->footer, FOOTER_LENGTH, e);
	return status ? status : sink_sync(w->form.sink, e);
}

static bool holds_record(struct form *f)
{
	struct member_writer *w = f->member;
	struct record record;
	struct error ignored;

	return sink_rewinds(w->form.sink) &&
	       !sink_read(w->form.sink, w->page, ALIGNMENT, SUPERBLOCK_LENGTH, &ignored) &&
	       !record_decode(&record, w->page, w->superblock.chunk_size) &&
	       capture_id_equal(&record.id, &w->superblock.id);
}

static enum status confirm(struct form *f, struct error *e)
{
	return sink_sync(f->sink, e);
}

/* A footer at the end of the member as it is now; its index is written. */
static struct footer make_footer(const struct member_writer *w, const struct sink_stats *held,
				 int64_t finished)
{
	struct footer footer = {
		.set = w->superblock,
		.offset = w->form.sink->length,
		.index = w->written ? w->written : w->previous,
		.records = held->records,
		.source_bytes = held->source_bytes,
		.whole = w->form.layers.whole,
		.figures = held->figures,
		.finished = finished,
	};

	footer.set.classes = w->form.layers.classes;
	memcpy(footer.blocks, held->blocks, sizeof(footer.blocks));
	memcpy(footer.reason, w->form.layers.reason, sizeof(footer.reason));
	return footer;
}

static enum status seal(struct form *f, const struct sink_stats *held, const struct form_end *end,
			struct error *e)
{
	struct member_writer *w = f->member;
	struct footer footer = make_footer(w, held, end->finished);
	enum status status;

	footer.set.source_size = end->source_size;
	footer.stopped = end->stopped;
	footer.has_root = f->digests;
	if (f->digests) {
		struct digest root = w->root;

		add_to_root(w, &root);
		digest_get(&root, footer.root);
	}
	footer_encode(&footer, w->page);
	status = sink_append(w->form.sink, w->page, FOOTER_LENGTH, e);
	if (!status)
		status = sink_write_last(w->form.sink, w->page, FOOTER_LENGTH, e);
	if (!status)
		status = sink_sync(w->form.sink, e);
	if (status)
		return status;
	f->digested = footer.has_root;
	memcpy(f->digest, footer.root, ROOT_LENGTH);
	memcpy(w->footer, w->page, FOOTER_LENGTH);
	w->form.closed = w->form.sink->length;
	if (w->written)
		begin_segment(w);
	return STATUS_OK;
}

/*
 * The segment is continued behind the checkpoint, and written again with all of its entries.  So if the
 * disk is full soon, the records before the checkpoint can be given up, and the checkpoint with them.
 */
enum status member_checkpoint(struct member_writer *w, const struct sink_stats *held, int64_t now, struct error *e)
{
	struct footer footer;
	enum status status;

	/* There is no space for index and checkpoint, and then for index and footer, as far as that is known. */
	if (2 * (index_segment_length(w->entries) + FOOTER_LENGTH) > sink_space_left(w->form.sink))
		return sink_sync(w->form.sink, e);
	status = settle_or_cut(&w->form, e);
	if (status)
		return status;
	footer = make_footer(w, held, now);
	footer.checkpoint = true;
	footer.dangerous = w->form.layers.dangerous;
	footer_encode(&footer, w->page);
	status = sink_append(w->form.sink, w->page, FOOTER_LENGTH, e);
	if (!status)
		w->written = 0;
	return status ? status : sink_sync(w->form.sink, e);
}

static const struct form_ops ops = {
	.begin = begin,
	.append = append,
	.settle = settle_or_cut,
	.confirm = confirm,
	.seal = seal,
	.closing = closing,
	.leave = holds_record,
	.free = free_writer,
};

enum status member_writer_new(struct form **form, struct sink *sink, const struct superblock *superblock,
			      struct error *e)
{
	struct member_writer *w = calloc(1, sizeof(*w));
	bool layers = superblock_has_layers(superblock);

	if (!w)
		return error_system(e, ENOMEM, "index buffer");
	w->form = (struct form){ .ops = &ops, .sink = sink, .member = w, .layers.classes = superblock->classes };
	w->superblock = *superblock;
	w->segment = aligned_alloc(ALIGNMENT, member_writer_memory(layers));
	if (!w->segment) {
		free(w);
		return error_system(e, ENOMEM, "index buffer");
	}
	memory_touch(w->segment, member_writer_memory(layers));
	w->page = w->segment + segment_bytes(layers);
	w->footer = w->page + ALIGNMENT;
	w->figures = (struct entry_figures *)(void *)(w->footer + ALIGNMENT);
	w->layers = layers;
	*form = &w->form;
	return STATUS_OK;
}
