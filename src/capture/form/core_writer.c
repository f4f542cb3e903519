// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Core writer: the form of an ELF core.  Each page has a place that is known from the beginning (dump_writer.h), and is
 * not compressed.  One output has all of it: a file or block device, or anything else flattened (dump_output.h).
 *
 * The form has no mark for pages that could not be read or did not come.  They are zeros.
 */
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/bytes.h"
#include "capture/form/dump_output.h"

static const uint8_t zeros[DUMP_BUFFER] __attribute__((aligned(ALIGNMENT)));

struct core_writer {
	struct dump_output out;
	bool tracks;			/* what is not written is not zeros: flattened, and a device */
	bool shown;			/* a page that is not zeros was written */
	uint64_t written;		/* bytes of pages */
	/* If it tracks them, the places that were written; the others must be, too. */
	struct range_list places;
};

static struct core_writer *of(struct form *f)
{
	return (struct core_writer *)f;
}

/* Pages from a place on. */
static enum status put(struct core_writer *w, uint64_t place, const uint8_t *bytes, uint64_t count, struct error *e)
{
	uint64_t offset = w->out.layout->head + place * w->out.layout->page_size;
	size_t len = count * w->out.layout->page_size;
	enum status status;

	if (w->tracks && !range_list_extend(&w->places, place, count))
		return error_system(e, ENOMEM, "%s: list of pages", w->out.form.sink->name);
	status = dump_output_put(&w->out, offset, bytes, len, e);
	w->shown = w->shown || (!status && !bytes_are_zero(bytes, len));
	/* In a device, readers find what it held before in other places. */
	if (w->out.form.sink->kind != SINK_BLOCK_DEVICE)
		dump_output_shows(&w->out, w->shown);
	if (!status)
		w->written += len;
	return status;
}

/* --- chunks ---------------------------------------------------------------- */

/*
 * The next pages that have bytes, up to most, which follow each other in the payload; *at is where they are.  *empty: 1
 * if one of zeros comes behind them.
 */
static uint64_t stored_pages(struct chunk_pages *c, uint64_t most, uint32_t *at, uint64_t *empty)
{
	uint64_t count = 0;

	for (*empty = 0; count + *empty < most && !*empty;) {
		struct page_block block = chunk_pages_block(c);

		if (!count)
			*at = block.at;
		if (block.length)
			count++;
		else
			++*empty;
	}
	return count;
}

/* A file has zeros where nothing is written. */
static enum status put_stored(struct core_writer *w, struct chunk_pages *c, const struct dump_pages *pages,
			      struct error *e)
{
	const uint8_t *payload = c->chunk->bytes + c->chunk->record.payload_offset;
	enum status status = STATUS_OK;
	uint64_t done = 0, empty;
	uint32_t at = 0;

	while (done < pages->count && !status) {
		uint64_t count = stored_pages(c, pages->count - done, &at, &empty);

		if (count)
			status = put(w, pages->rank + done, payload + at, count, e);
		/* So that a flattened core has few pieces. */
		if (!status && empty && w->tracks)
			status = put(w, pages->rank + done + count, zeros, empty, e);
		done += count + empty;
	}
	return status;
}

static enum status append(struct form *f, const struct chunk *chunk, struct error *e)
{
	struct core_writer *w = of(f);
	struct chunk_pages c = chunk_pages_begin(w->out.layout, chunk);
	enum status status = STATUS_OK;
	struct dump_pages pages;

	while (!status && chunk_pages_next(&c, &pages))
		if (c.place.run.kind == RUN_STORED)
			status = put_stored(w, &c, &pages, e);
	return status;
}

/* --- begin ----------------------------------------------------------------- */

static enum status write_ragged(struct core_writer *w, struct error *e)
{
	const struct dump_layout *l = w->out.layout;
	enum status status = STATUS_OK;
	const uint8_t *page;
	uint64_t place;

	for (size_t i = 0; !status && l->next_ragged(l->arg, &i, &place, &page); i++) {
		if (page)
			status = put(w, place, page, 1, e);
		else
			w->out.form.unreadable += l->page_size;
	}
	return status;
}

static enum status begin(struct form *f, struct error *e)
{
	struct core_writer *w = of(f);
	enum status status = dump_output_begin(&w->out, 0, e);

	/* A file is as long as it will be, with a hole in the place of the pages; a device has something there. */
	if (!status && !w->out.is_flat) {
		w->tracks = !sink_extend(f->sink, w->out.layout->pages * w->out.layout->page_size);
		sink_rewind(f->sink, w->out.layout->head + w->out.layout->pages * w->out.layout->page_size);
	}
	return status ? status : write_ragged(w, e);
}

/* --- end ------------------------------------------------------------------- */

static enum status confirm(struct form *f, struct error *e)
{
	return sink_sync(f->sink, e);
}

/* Readers of the flattened form refuse what no piece has, and a device has something else there. */
static enum status fill_gaps(struct core_writer *w, struct error *e)
{
	const uint64_t most = DUMP_BUFFER / w->out.layout->page_size;
	enum status status = STATUS_OK;
	uint64_t place = 0, count;

	range_list_merge(&w->places);
	w->out.form.unfilled = 0;
	for (; range_list_gap(&w->places, &place, w->out.layout->pages, &count); place += count)
		w->out.form.unfilled += count * w->out.layout->page_size;
	for (place = 0; !status && range_list_gap(&w->places, &place, w->out.layout->pages, &count); place += count) {
		uint64_t offset = w->out.layout->head + place * w->out.layout->page_size;

		count = min_u64(count, most);
		status = dump_output_put(&w->out, offset, zeros, count * w->out.layout->page_size, e);
		w->out.form.unfilled -= status ? 0 : count * w->out.layout->page_size;
	}
	return status;
}

static enum status seal(struct form *f, const struct sink_stats *held, const struct form_end *end,
			struct error *e)
{
	struct core_writer *w = of(f);
	enum status status = w->tracks ? fill_gaps(w, e) : STATUS_OK;

	(void)held;
	(void)end;
	return status ? status : dump_output_end(&w->out, e);
}

static uint64_t stored(const struct form *f)
{
	const struct core_writer *w = (const struct core_writer *)f;

	return w->out.is_flat ? f->sink->length : w->written + (w->written ? w->out.layout->head : 0);
}

/* A flattened core has all places in any case. */
static uint64_t closing(const struct form *f)
{
	const struct core_writer *w = (const struct core_writer *)f;
	const struct dump_layout *l = w->out.layout;

	if (!w->out.is_flat)
		return f->sink->length ? 0 : l->head;
	return dump_output_closing(&w->out, w->places.count + 1) + l->pages * l->page_size - w->written;
}

/* A device has something else in the places that were not written. */
static bool leave(struct form *f)
{
	struct core_writer *w = of(f);
	struct error e;

	if (!w->shown || !dump_output_is_there(&w->out))
		return false;
	return f->sink->kind != SINK_BLOCK_DEVICE ? f->readable : !fill_gaps(w, &e) && !sink_sync(f->sink, &e);
}

/* --- making ---------------------------------------------------------------- */

static void free_writer(struct form *f)
{
	struct core_writer *w = of(f);

	dump_output_free(&w->out);
	range_list_free(&w->places);
	free(w);
}

static const struct form_ops ops = {
	.begin = begin,
	.append = append,
	.confirm = confirm,
	.seal = seal,
	.stored = stored,
	.closing = closing,
	.leave = leave,
	.free = free_writer,
};

size_t core_writer_memory(const struct sink *sink, uint64_t source_size)
{
	return sizeof(struct core_writer) + dump_output_memory(sink, source_size);
}

enum status core_writer_new(struct form **form, struct sink *sink, const struct dump_layout *layout,
			    uint64_t source_size, struct error *e)
{
	struct core_writer *w = calloc(1, sizeof(*w));
	enum status status;

	if (!w)
		return error_system(e, ENOMEM, "%s", sink->name);
	status = dump_output_init(&w->out, &ops, sink, layout, source_size, e);
	w->tracks = w->out.is_flat;
	if (status)
		free_writer(&w->out.form);
	else
		*form = &w->out.form;
	return status;
}
