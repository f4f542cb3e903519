// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/bytes.h"
#include "base/memory.h"
#include "capture/form/dump_output.h"
#include "capture/form/dump_writer.h"
#include "format/descriptors.h"
#include "format/format.h"
#include "format/kdump.h"

/* Descriptors of a flattened dump that are written at once, at least; and pieces of them, at most. */
enum { FLAT_LEAST = 512, FLAT_PIECES = 8192 };

/* Bytes, at most: more than a page and a unit. */
enum { GATHERED = 512 * 1024 };

/*
 * Equal pages share their bytes if these are found again: those of few bytes, of which some cores have thousands.
 * (Of 40,142 pages of a 5.10 core 7,717 equal another one, 7,697 of them in 128 bytes; 256 of these find 7,628.)
 */
enum { SHARED_LENGTH = 128, SHARED_PAGES = 256 };

/* Odd, and without a pattern: the upper bits of a product depend on all bits. */
static const uint64_t HASH = 0x9e3779b97f4a7c15;

struct shared_page {
	struct kdump_descriptor page;		/* size 0: there is none */
	uint8_t bytes[SHARED_LENGTH];
};

struct dump_writer {
	struct dump_output out;
	uint64_t zero_page, next_data;		/* offsets in the file */
	/*
	 * Of a file, bytes that come before next_data: from the beginning of a unit, which was written up to here if there
	 * are less, and is written once more with what follows; owned.
	 */
	uint8_t *gathered;
	size_t filled;
	struct shared_page *shared;		/* by checksum; owned */
	uint64_t zeros_checksum;		/* of the zero page */
	struct descriptors pending;
	uint64_t described, absent;		/* pages with a descriptor, pending or written; without bytes */
	uint64_t put;				/* flattened: descriptors that were written */
	/* Flattened: the ranks of descriptors that were written. */
	struct range_list ranks;
};

static struct dump_writer *of(struct form *f)
{
	return (struct dump_writer *)f;
}

/* A file that is flattened has zeros where there is no piece. */
static enum status skip_descriptors(struct dump_writer *w, struct error *e)
{
	uint64_t length = w->zero_page - w->out.layout->head;
	enum status status = STATUS_OK;

	if (!w->out.is_flat)
		status = sink_append_zeros(w->out.form.sink, length, e);
	w->next_data = w->zero_page;
	return status;
}

/* --- bytes of pages -------------------------------------------------------- */

/* The next page begins in a unit of its own. */
static void begin_unit(struct dump_writer *w)
{
	w->next_data = round_up(w->next_data, ALIGNMENT);
	w->filled = 0;
}

/* Writes what is gathered, with zeros behind it, and keeps what is in the last unit. */
static enum status write_gathered(struct dump_writer *w, struct error *e)
{
	size_t whole = round_down(w->filled, ALIGNMENT), end = round_up(w->filled, ALIGNMENT);
	struct sink *sink = w->out.form.sink;

	if (!w->filled)
		return STATUS_OK;
	memset(w->gathered + w->filled, 0, end - w->filled);
	sink_rewind(sink, w->next_data - w->filled);
	if (sink_append(sink, w->gathered, end, e))
		return e->status;
	w->filled -= whole;
	memmove(w->gathered, w->gathered + whole, w->filled);
	return STATUS_OK;
}

/*
 * Copies bytes, and returns a checksum of them that takes few instructions: it finds parts of a page that were not written,
 * and is not 0.  dst may be bytes.
 */
static uint64_t copy(uint8_t *dst, const uint8_t *bytes, size_t len)
{
	typedef uint64_t words __attribute__((vector_size(16)));
	words word = { 0 }, sum = { 1, 2 }, sums = { 0 };
	size_t at = 0;

	for (; at + sizeof(word) <= len; at += sizeof(word)) {
		memcpy(&word, bytes + at, sizeof(word));
		memcpy(dst + at, &word, sizeof(word));
		sum += word;
		sums += sum;
	}
	word = (words){ 0 };
	memcpy(&word, bytes + at, len - at);
	memcpy(dst + at, &word, len - at);
	sum += word;
	sums += sum;
	return (sums[0] + 3 * sums[1]) | 1;
}

/* Sets what is known of a page of these bytes but its flags. */
static enum status put_page(struct dump_writer *w, const uint8_t *bytes, uint32_t len, struct kdump_descriptor *page,
			    uint64_t *checksum, struct error *e)
{
	*page = (struct kdump_descriptor){ .offset = w->next_data, .size = len };
	if (w->out.is_flat) {
		*checksum = 0;
		if (dump_output_append(&w->out, w->next_data, bytes, len, e))
			return e->status;
	} else {
		if (GATHERED - w->filled < len && write_gathered(w, e))
			return e->status;
		*checksum = copy(w->gathered + w->filled, bytes, len);
		w->filled += len;
	}
	w->next_data += len;
	return STATUS_OK;
}

/* The same of one that is packed: equal bytes may be in the file. */
static enum status share_page(struct dump_writer *w, const uint8_t *bytes, uint32_t len, struct kdump_descriptor *page,
			      uint64_t *checksum, struct error *e)
{
	uint8_t found[SHARED_LENGTH];
	struct shared_page *shared;

	if (len > SHARED_LENGTH)
		return put_page(w, bytes, len, page, checksum, e);
	*checksum = copy(found, bytes, len);
	shared = &w->shared[(*checksum * HASH >> 32) % SHARED_PAGES];
	*page = shared->page;
	if (page->size == len && !memcmp(bytes, shared->bytes, len))
		return STATUS_OK;
	if (put_page(w, bytes, len, page, checksum, e))
		return e->status;
	shared->page = *page;
	memcpy(shared->bytes, bytes, len);
	return STATUS_OK;
}

/* --- descriptors ----------------------------------------------------------- */

/* Is there one of a page with bytes among these?  Not if it is written in parts. */
static bool show_page(const uint8_t *bytes, size_t len)
{
	for (size_t at = 0; at + KDUMP_DESCRIPTOR_LENGTH <= len; at += KDUMP_DESCRIPTOR_LENGTH)
		if (kdump_descriptor_decode(bytes + at).size)
			return true;
	return false;
}

static enum status put_descriptors(void *arg, uint64_t offset, const uint8_t *bytes, size_t len, struct error *e)
{
	struct dump_writer *w = arg;
	enum status status;

	if (w->out.is_flat && !range_list_extend(&w->ranks, offset / KDUMP_DESCRIPTOR_LENGTH,
							len / KDUMP_DESCRIPTOR_LENGTH))
		return error_system(e, ENOMEM, "%s: list of pages", w->out.form.sink->name);
	status = dump_output_put(&w->out, w->out.layout->head + offset, bytes, len, e);
	w->put += status ? 0 : len / KDUMP_DESCRIPTOR_LENGTH;
	dump_output_shows(&w->out, !status && show_page(bytes, len));
	return status;
}

static enum status put_safe(struct dump_writer *w, bool skips, struct error *e)
{
	const struct descriptors_writer writer = { .put = put_descriptors, .arg = w, .skips = skips };

	return descriptors_put(&w->pending, &writer, e);
}

/* No descriptor of a file is written before its page is safe, which is then not written once more. */
static enum status put_pending(struct dump_writer *w, bool skips, struct error *e)
{
	if (!w->out.is_flat)
		begin_unit(w);
	if (!w->out.is_flat && sink_sync(w->out.form.sink, e))
		return e->status;
	return put_safe(w, skips, e);
}

/* Makes space for this number of descriptors; of none, all are written completely. */
static enum status flush(struct dump_writer *w, uint32_t wanted, struct error *e)
{
	enum status status = STATUS_OK;

	while (!status && (wanted ? w->pending.capacity - w->pending.count < wanted : descriptors_left(&w->pending)))
		status = put_pending(w, false, e);
	return status;
}

/* --- chunks ---------------------------------------------------------------- */

static enum status put_block(struct dump_writer *w, const uint8_t *payload, const struct page_block *block,
			     struct kdump_descriptor *page, uint64_t *checksum, struct error *e)
{
	enum status status;

	if (block->kind == BLOCK_ZERO)
		return STATUS_OK;
	if (block->kind == BLOCK_STORED)
		return put_page(w, payload + block->at, block->length, page, checksum, e);
	status = share_page(w, payload + block->at, block->length, page, checksum, e);
	page->flags = w->out.layout->flag;
	return status;
}

static enum status put_chunk(struct dump_writer *w, const struct chunk *chunk, struct error *e)
{
	const uint8_t *payload = chunk->bytes + chunk->record.payload_offset;
	struct chunk_pages c = chunk_pages_begin(w->out.layout, chunk);
	enum status status = STATUS_OK;
	struct dump_pages pages;

	while (!status && chunk_pages_next(&c, &pages)) {
		enum run_kind kind = c.place.run.kind;

		descriptors_begin_run(&w->pending, pages.rank);
		for (uint64_t i = 0; i < pages.count && !status; i++, w->described++) {
			/* Of zeros. */
			struct kdump_descriptor page = { .offset = w->zero_page, .size = w->out.layout->page_size };
			uint64_t checksum = w->zeros_checksum;

			if (kind == RUN_STORED) {
				struct page_block block = chunk_pages_block(&c);

				status = put_block(w, payload, &block, &page, &checksum, e);
			} else if (kind == RUN_UNREADABLE) {
				page = kdump_absence;
				checksum = 0;
			}
			descriptors_add(&w->pending, &page, checksum);
		}
		w->absent += kind == RUN_UNREADABLE ? pages.count : 0;
	}
	return status ? status : write_gathered(w, e);
}

/* After a chunk that failed: its pages are absent.  What came before it stays. */
static void take_back(struct dump_writer *w, uint32_t first, uint64_t next_data)
{
	descriptors_cancel(&w->pending, first, &kdump_absence);
	w->absent++;
	memset(w->shared, 0, SHARED_PAGES * sizeof(*w->shared));
	w->next_data = next_data;
	if (w->out.is_flat)
		return;
	begin_unit(w);
	sink_rewind(w->out.form.sink, w->next_data);
}

static enum status append(struct form *f, const struct chunk *chunk, struct error *e)
{
	const struct record *r = &chunk->record;
	struct dump_writer *w = of(f);
	enum status status = flush(w, record_granules(r), e);
	uint32_t first = w->pending.count;
	uint64_t next_data = w->next_data;

	if (status)
		return status;
	status = put_chunk(w, chunk, e);
	dump_output_shows(&w->out, false);
	if (status)
		take_back(w, first, next_data);
	/* What is left of a flattened dump that is cut is worth nothing without its descriptors.  Layer 2 comes first. */
	if (!status && w->out.is_flat &&
	    (r->layer == 2 || w->pending.count >= max_u64(FLAT_LEAST, w->out.layout->pages / FLAT_PIECES)))
		status = flush(w, 0, e);
	return status;
}

/* --- begin ----------------------------------------------------------------- */

/* There are two for each segment at most, so they are written one by one, and not packed. */
static enum status write_ragged_page(struct dump_writer *w, uint64_t rank, const uint8_t *page, struct error *e)
{
	struct kdump_descriptor d = kdump_absence;
	enum status status = flush(w, 1, e);
	uint64_t checksum = 0;

	if (!status && page)
		status = put_page(w, page, w->out.layout->page_size, &d, &checksum, e);
	if (!status)
		status = write_gathered(w, e);
	dump_output_shows(&w->out, false);
	if (status)
		return status;
	descriptors_begin_run(&w->pending, rank);
	descriptors_add(&w->pending, &d, checksum);
	w->described++;
	w->absent += !page;
	w->out.form.unreadable += page ? 0 : w->out.layout->page_size;
	return STATUS_OK;
}

static enum status write_ragged(struct dump_writer *w, struct error *e)
{
	const struct dump_layout *l = w->out.layout;
	enum status status = STATUS_OK;
	const uint8_t *page;
	uint64_t rank;

	for (size_t i = 0; !status && l->next_ragged(l->arg, &i, &rank, &page); i++)
		status = write_ragged_page(w, rank, page, e);
	return status;
}

static enum status begin(struct form *f, struct error *e)
{
	struct dump_writer *w = of(f);
	enum status status = dump_output_begin(&w->out, KDUMP_HEADER_STATUS, e);

	if (!status)
		status = skip_descriptors(w, e);
	if (status)
		return status;
	memset(w->out.buffer, 0, w->out.layout->page_size);
	w->zeros_checksum = copy(w->out.buffer, w->out.buffer, w->out.layout->page_size);
	status = dump_output_append_head(&w->out, w->next_data, w->out.layout->page_size, e);
	w->next_data += w->out.layout->page_size;
	return status ? status : write_ragged(w, e);
}

/* --- end ------------------------------------------------------------------- */

static enum status settle(struct form *f, struct error *e)
{
	return flush(of(f), 0, e);
}

static enum status confirm(struct form *f, struct error *e)
{
	enum status status = settle(f, e);

	if (!status)
		status = sink_sync(f->sink, e);
	/* Once the pages of the kernel have their descriptors, crash opens the dump. */
	f->opens |= !status && !of(f)->out.is_flat && f->layers.whole;
	return status;
}

/*
 * Of len bytes of descriptors, those without a page that are no absences become absences: most are zero.  Of two sectors
 * either may be lost; an offset alone is for crash that of a page, so it is left out.  Returns whether there are any.
 */
static bool fill_gaps(struct dump_writer *w, uint64_t rank, uint8_t *raw, size_t len)
{
	bool any = false;

	for (const uint8_t *end = raw + len; raw < end; raw += KDUMP_DESCRIPTOR_LENGTH, rank++) {
		struct kdump_descriptor d = kdump_descriptor_decode(raw);

		if (d.size || d.flags == kdump_absence.flags)
			continue;
		d = kdump_absence;
		d.offset = descriptor_is_divided(rank) ? 0 : d.offset;
		kdump_descriptor_encode(&d, raw);
		w->absent++;
		any = true;
	}
	return any;
}

/* *shown: whether a page is found, on the disk, since what was written before a failed sync may not be there. */
static enum status describe_absent_in_file(struct dump_writer *w, bool *shown, struct error *e)
{
	const size_t most = DUMP_BUFFER / KDUMP_DESCRIPTOR_LENGTH * KDUMP_DESCRIPTOR_LENGTH;
	uint64_t length = w->out.layout->pages * KDUMP_DESCRIPTOR_LENGTH;
	enum status status = STATUS_OK;
	struct error ignored;
	size_t len;

	*shown = false;
	for (uint64_t at = 0; at < length && !(status && *shown); at += len) {
		len = min_u64(most, length - at);
		/* One that was renamed cannot be read.  Descriptors of zeros will do. */
		if (sink_read(w->out.form.sink, w->out.buffer, len, w->out.layout->head + at, &ignored)) {
			*shown = w->out.form.readable;
			w->absent++;
			return status;
		}
		*shown |= show_page(w->out.buffer, len);
		if (!status && fill_gaps(w, at / KDUMP_DESCRIPTOR_LENGTH, w->out.buffer, len))
			status = dump_output_put(&w->out, w->out.layout->head + at, w->out.buffer, len, e);
	}
	return status;
}

static enum status describe_absent_in_stream(struct dump_writer *w, struct error *e)
{
	const uint64_t most = DUMP_BUFFER / KDUMP_DESCRIPTOR_LENGTH;
	enum status status = STATUS_OK;
	uint64_t rank = 0, length;

	for (uint64_t i = 0; i < most; i++)
		kdump_descriptor_encode(&kdump_absence, w->out.buffer + i * KDUMP_DESCRIPTOR_LENGTH);
	range_list_merge(&w->ranks);
	for (; !status && range_list_gap(&w->ranks, &rank, w->out.layout->pages, &length); rank += length) {
		length = min_u64(length, most);
		status = dump_output_put(&w->out, w->out.layout->head + rank * KDUMP_DESCRIPTOR_LENGTH, w->out.buffer,
			     length * KDUMP_DESCRIPTOR_LENGTH, e);
		w->absent += length;
	}
	return status;
}

static enum status describe_absent(struct dump_writer *w, struct error *e)
{
	bool ignored;

	if (w->described == w->out.layout->pages && !w->out.layout->cut)
		return STATUS_OK;
	return w->out.is_flat ? describe_absent_in_stream(w, e) : describe_absent_in_file(w, &ignored, e);
}

static enum status write_status(struct dump_writer *w, bool incomplete, struct error *e)
{
	uint8_t raw[4];

	put_le32(raw, w->out.layout->flag | (incomplete ? KDUMP_INCOMPLETE : 0));
	return dump_output_put(&w->out, KDUMP_HEADER_STATUS, raw, sizeof(raw), e);
}

static enum status seal(struct form *f, const struct sink_stats *held, const struct form_end *end,
			struct error *e)
{
	struct dump_writer *w = of(f);
	enum status status = describe_absent(w, e);
	bool incomplete;

	(void)held;
	/* A file system that writes new blocks for what it replaces is full.  Descriptors of zeros will do. */
	if (status && sink_is_full(f->sink, e)) {
		w->absent++;
		status = STATUS_OK;
	}
	incomplete = w->absent || end->stopped || w->out.layout->cut;
	/* All descriptors are on the disk before the dump says that it is complete. */
	if (!status && !of(f)->out.is_flat)
		status = sink_sync(f->sink, e);
	if (!status && (!incomplete || w->out.is_flat || f->closed)) {
		status = write_status(w, incomplete, e);
		/* There is nothing to give up for this. */
		if (status)
			e->errnum = 0;
	}
	return status ? status : dump_output_end(&w->out, e);
}

/* Bytes of the file that were read into the buffer. */
struct window {
	struct dump_writer *w;
	uint64_t from, to;
};

static bool read_units(struct dump_writer *w, uint8_t *buffer, uint64_t from, uint64_t end)
{
	struct error ignored;

	return !sink_read(w->out.form.sink, buffer, round_up(end, ALIGNMENT) - from, from, &ignored);
}

/* Pages come in the order of the file, but for those that share their bytes with one before. */
static bool is_there(void *arg, const struct kdump_descriptor *page, uint64_t checksum)
{
	struct window *win = arg;
	struct dump_writer *w = win->w;
	uint64_t from = round_down(page->offset, ALIGNMENT), end = page->offset + page->size, first = win->from;
	uint8_t *buffer = w->out.buffer;

	if (from < win->from) {
		buffer = w->gathered;
		first = from;
		if (!read_units(w, buffer, from, end))
			return false;
	} else if (end > win->to) {
		*win = (struct window){ w, from, min_u64(from + DUMP_BUFFER_MEMORY, w->out.form.sink->length) };
		first = from;
		/* Of a bad sector, only its page is missing. */
		if (!read_units(w, buffer, from, win->to)) {
			win->to = from;
			if (!read_units(w, buffer, from, end))
				return false;
			win->to = round_up(end, ALIGNMENT);
		}
	}
	buffer += page->offset - first;
	return copy(buffer, buffer, page->size) == checksum;
}

/*
 * Of a file, the descriptors that are gathered are tried once more, one piece at a time, and the others become absences.
 * What a stream lacks, njoin makes up for.
 */
static bool leave(struct form *f)
{
	struct dump_writer *w = of(f);
	struct window win = { .w = w };
	enum status status;
	bool shown;
	struct error e;

	if (!dump_output_is_there(&w->out))
		return false;
	if (w->out.is_flat || !w->described)
		return f->readable;
	/* The kernel reports only once that it has lost data, and not which: it is read back, once no more is to be written. */
	if (f->sink->broken) {
		sink_sync(f->sink, &e);
		descriptors_unsafe(&w->pending, is_there, &win, &kdump_absence);
		put_safe(w, true, &e);
	}
	do {
		status = put_pending(w, true, &e);
	} while (!status && descriptors_left(&w->pending));
	describe_absent_in_file(w, &shown, &e);
	sink_sync(f->sink, &e);
	return shown;
}

/* --- making ---------------------------------------------------------------- */

static void free_writer(struct form *f)
{
	struct dump_writer *w = of(f);

	free(w->gathered);
	free(w->shared);
	descriptors_free(&w->pending);
	dump_output_free(&w->out);
	range_list_free(&w->ranks);
	free(w);
}

static uint64_t stored(const struct form *f)
{
	return f->sink->length - ((const struct dump_writer *)f)->out.holes;
}

/* Of a file, the space of the descriptors is part of what is stored. */
static uint64_t closing(const struct form *f)
{
	const struct dump_writer *w = (const struct dump_writer *)f;
	uint64_t descriptors = (w->out.layout->pages - w->put) * KDUMP_DESCRIPTOR_LENGTH;
	uint64_t most = w->pending.runs_count + w->ranks.count + descriptors / DUMP_BUFFER + 1;

	if (w->out.is_flat)
		return dump_output_closing(&w->out, most) + descriptors;
	return w->next_data ? 0 : w->zero_page + w->out.layout->page_size;
}

static const struct form_ops ops = {
	.begin = begin,
	.append = append,
	.settle = settle,
	.confirm = confirm,
	.seal = seal,
	.stored = stored,
	.closing = closing,
	.leave = leave,
	.free = free_writer,
};

size_t dump_writer_memory(const struct sink *sink, const struct dump_layout *layout, uint64_t source_size,
			  uint32_t cell_size)
{
	if (layout->elf)
		return core_writer_memory(sink, source_size);
	return sizeof(struct dump_writer) + descriptors_memory(cell_size / GRANULE) +
	       dump_output_memory(sink, source_size) + SHARED_PAGES * sizeof(struct shared_page) +
	       (sink_writes_anywhere(sink) ? GATHERED : 0);
}

enum status dump_writer_new(struct form **form, struct sink *sink, const struct dump_layout *layout,
			    uint64_t source_size, uint32_t cell_size, struct error *e)
{
	struct dump_writer *w;
	enum status status;

	if (layout->elf)
		return core_writer_new(form, sink, layout, source_size, e);
	w = calloc(1, sizeof(*w));
	if (!w)
		return error_system(e, ENOMEM, "%s", sink->name);
	status = dump_output_init(&w->out, &ops, sink, layout, source_size, e);
	w->zero_page = round_up(layout->head + layout->pages * KDUMP_DESCRIPTOR_LENGTH, ALIGNMENT);
	w->shared = calloc(SHARED_PAGES, sizeof(*w->shared));
	w->gathered = w->out.is_flat ? NULL : memory_to_read(GATHERED);
	if (!status && (!w->shared || !(w->out.is_flat || w->gathered)))
		status = error_system(e, ENOMEM, "%s: pages", sink->name);
	if (!status)
		status = descriptors_init(&w->pending, cell_size / GRANULE, !w->out.is_flat, e);
	if (status)
		free_writer(&w->out.form);
	else
		*form = &w->out.form;
	return status;
}
