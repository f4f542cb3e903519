// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/size.h"
#include "export/kdump_split.h"
#include "export/kdump_write.h"

/*
 * Memory has bits in bitmap 1 whether the core has it or not, in each file: a broken header must not
 * fill the disks with them.  2 TiB of pages of 4096 bytes are always few enough; the bits of more may take up
 * to four times as many bytes as the records that there are, so that these are refused only where
 * less than a hundred-thousandth of the memory is there.
 */
static const uint64_t BITS_MIN = 64 << 20;
enum { BITS_TO_RECORDS_MAX = 4 };

static uint64_t bytes_of_records(const struct set *set)
{
	uint64_t bytes = 0;

	for (size_t i = 0; i < set->locations; i++)
		bytes += set->map[i]->entry.record_length;
	return bytes;
}

static enum status check_memory(const struct kdump_export *x, struct error *e)
{
	char memory[SIZE_TEXT_LENGTH], held[SIZE_TEXT_LENGTH];
	uint64_t pages = 0, records = bytes_of_records(x->set);

	for (size_t i = 0; i < x->pages.ram_count; i++)
		pages += x->pages.ram[i].count;
	if (pages / 8 <= BITS_MIN + BITS_TO_RECORDS_MAX * records)
		return STATUS_OK;
	return error_set(e, STATUS_DAMAGED, "the source's ELF header: tells of %s of memory, of which "
			 "the members hold %s; nothing was written, since --format=kdump needs a bit "
			 "for each page; use --format=elf",
			 size_format(pages * x->pages.page_size, memory), size_format(records, held));
}

enum status kdump_export_find_pages(struct kdump_export *x, const struct range *missing,
				    size_t missing_count, struct error *e)
{
	uint32_t page_size;
	enum status status = vmcoreinfo_page_size(&x->info, &page_size, e);

	if (status)
		return status;
	pages_free(&x->pages);
	status = pages_find(&x->pages, &x->source.core, page_size, missing, missing_count, e);
	if (!status)
		status = check_memory(x, e);
	if (!status)
		kdump_init(&x->form, &x->source.core, &x->info, &x->pages);
	return status;
}

enum status kdump_export_open(struct kdump_export *x, const struct set *set,
			      const struct range *missing, size_t missing_count, struct error *e)
{
	enum status status;

	*x = (struct kdump_export){ .set = set };
	status = set_core_open(&x->source, set, e);
	if (!status)
		status = vmcoreinfo_find(&x->source.core, &x->info, e);
	return status ? status : kdump_export_find_pages(x, missing, missing_count, e);
}

void kdump_export_free(struct kdump_export *x)
{
	for (unsigned i = 0; i < x->workers_count; i++) {
		range_reader_free(&x->workers[i].rest);
		kdump_batch_free(&x->workers[i].batch);
		free(x->workers[i].page);
	}
	free(x->workers);
	free(x->files);
	pages_free(&x->pages);
	set_core_close(&x->source);
}

static enum status make_workers(struct kdump_export *x, const struct kdump_settings *s,
				struct error *e)
{
	uint32_t size = x->pages.page_size;
	enum status status = STATUS_OK;

	x->workers = calloc(s->threads, sizeof(*x->workers));
	if (!x->workers)
		return error_system(e, ENOMEM, "%u threads", s->threads);
	for (unsigned i = 0; i < s->threads && !status; i++) {
		struct kdump_worker *w = &x->workers[i];

		x->workers_count++;
		w->page = malloc(size);
		status = w->page ? range_reader_init(&w->rest, x->set, e)
				 : error_system(e, ENOMEM, "buffers of pages");
		/* As many pages as can begin in a record. */
		if (!status)
			status = kdump_batch_init(&w->batch, s->codec, s->level, size,
						  x->set->chunk_size / size + 1, e);
	}
	return status;
}

/* How pages of the set are packed mostly: readers do not ask, people do. */
static uint32_t usual_flag(const struct kdump_export *x, const struct codec *repacked)
{
	const struct codec *codec;
	struct error ignored;
	int level;
	uint32_t flag = 0;

	if (x->set->block_size == x->pages.page_size &&
	    !codec_find(x->set->members[0].superblock.codec, &codec, &level, &ignored))
		flag = kdump_flag(codec->id);
	return flag ? flag : kdump_flag(repacked->id);
}

static enum status begin_files(struct kdump_export *x, const struct kdump_settings *s,
			       struct error *e)
{
	uint32_t flags = usual_flag(x, s->codec) | (x->pages.lost ? KDUMP_INCOMPLETE : 0);
	struct kdump_part *parts = calloc(s->outputs_count, sizeof(*parts));
	enum status status;

	x->files = calloc(s->outputs_count, sizeof(*x->files));
	if (!parts || !x->files) {
		free(parts);
		return error_system(e, ENOMEM, "%zu outputs", s->outputs_count);
	}
	status = kdump_split(&x->pages, x->set, parts, s->outputs_count, e);
	for (; x->files_count < s->outputs_count && !status; x->files_count++)
		status = kdump_file_begin(&x->files[x->files_count], &x->form,
					  &s->outputs[x->files_count], &parts[x->files_count],
					  flags, e);
	free(parts);
	return status;
}

/* Parts are few. */
static struct kdump_file *file_of_rank(struct kdump_export *x, uint64_t rank)
{
	struct kdump_file *f = x->files;

	while (rank - f->first_rank >= f->count)
		f++;
	return f;
}

/* What the batch holds are pages of these ranks, all of one file. */
static enum status put_batch(struct kdump_export *x, struct kdump_worker *w, struct kdump_file *f,
			     uint64_t rank, struct error *e)
{
	x->written += w->batch.count;
	return kdump_batch_put(&w->batch, f, rank - f->first_rank, e);
}

/* Pages of which no segment has all: two a segment at most. */
static enum status write_ragged(struct kdump_export *x, struct error *e)
{
	uint32_t size = x->pages.page_size;
	struct kdump_worker *w = &x->workers[0];
	enum status status = STATUS_OK;

	for (size_t i = 0; i < x->pages.ranges_count && !status; i++) {
		const struct page_range *range = &x->pages.ranges[i];

		if (!range->ragged)
			continue;
		status = memory_read_page(&x->source.core, range->pfn * size, size, w->page, e);
		if (status)
			return status;
		kdump_batch_add(&w->batch, w->page);
		status = put_batch(x, w, file_of_rank(x, range->rank), range->rank, e);
	}
	return status;
}

enum status kdump_export_begin(struct kdump_export *x, const struct kdump_settings *settings,
			       struct error *e)
{
	enum status status = make_workers(x, settings, e);

	if (!status)
		status = begin_files(x, settings, e);
	return status ? status : write_ragged(x, e);
}

/* --- the pages of a record -------------------------------------------------------- */

/* Pages that begin in a record, one behind the other in the source and in rank. */
struct record_pages {
	uint64_t offset, rank, count;
};

/* at: the next run to look at, of by_offset. */
static bool next_pages(const struct pages *p, const struct record *record, size_t *at,
			 struct record_pages *s)
{
	uint64_t from = record->source_offset, to = from + record->source_length;

	for (; *at < p->by_offset_count && p->by_offset[*at]->offset < to; (*at)++) {
		const struct page_range *range = p->by_offset[*at];
		uint64_t before = range->offset < from ? from - range->offset : 0;
		uint64_t first = divide_up(before, p->page_size);
		uint64_t end = min_u64(range->count, divide_up(to - range->offset, p->page_size));

		if (first >= end)
			continue;
		*s = (struct record_pages){
			.offset = range->offset + first * p->page_size,
			.rank = range->rank + first,
			.count = end - first,
		};
		(*at)++;
		return true;
	}
	return false;
}

/*
 * Is the page at offset just a block that needs no unpacking?  A packed one that says something
 * else of itself than a page would overflow the buffers of readers; unpacked, it shows as damage.
 */
static bool is_block(const struct kdump_export *x, struct block_cursor *c, uint64_t offset,
		     struct raw_block *block)
{
	const struct record *record = &c->reader->record;
	uint64_t within = offset - record->source_offset;
	uint32_t size = x->pages.page_size, i = (uint32_t)(within / record->block_size);
	const struct codec *codec;

	/* A hole of the source, which may have larger blocks. */
	if (record_reader_kind(c->reader, i) == BLOCK_ZERO &&
	    within % record->block_size + size <= record_block_length(record, i)) {
		*block = (struct raw_block){ .kind = BLOCK_ZERO };
		return true;
	}
	if (record->block_size != size || within % size || record_block_length(record, i) != size)
		return false;
	*block = block_cursor_get(c, i);
	if (block->kind != BLOCK_PACKED)
		return true;
	codec = codec_by_id(record->codec);
	return codec && kdump_flag(codec->id) && block->length < size &&
	       (!codec->claims || codec->claims(block->bytes, block->length, size));
}

bool kdump_needs_blocks(void *arg, const struct record_reader *r)
{
	const struct kdump_export *x = arg;
	size_t at = pages_from_offset(&x->pages, r->record.source_offset);
	struct block_cursor cursor = block_cursor_begin(r);
	struct raw_block block;
	struct record_pages s;

	while (next_pages(&x->pages, &r->record, &at, &s))
		for (uint64_t i = 0; i < s.count; i++)
			if (!is_block(x, &cursor, s.offset + i * x->pages.page_size, &block))
				return true;
	return false;
}

static enum status not_there(const struct kdump_export *x, const struct record_reader *r,
			     uint64_t offset, struct error *e)
{
	return error_set(e, STATUS_DAMAGED, "%s: bytes %" PRIu64 " to %" PRIu64 " of the source "
			 "were to be read from another copy", r->member->name, offset,
			 offset + x->pages.page_size - 1);
}

static enum status add_block(const struct kdump_export *x, struct kdump_worker *w,
			     const struct record_reader *r, uint64_t offset,
			     const struct raw_block *block, struct error *e)
{
	switch (block->kind) {
	case BLOCK_PACKED:
		kdump_batch_move(&w->batch, block->bytes, block->length,
				 kdump_flag(r->record.codec));
		return STATUS_OK;
	case BLOCK_STORED:
		kdump_batch_move(&w->batch, block->bytes, block->length, 0);
		return STATUS_OK;
	case BLOCK_SAME:
		block_fill_same(w->page, x->pages.page_size, block->bytes);
		kdump_batch_add(&w->batch, w->page);
		return STATUS_OK;
	case BLOCK_ZERO:
		kdump_batch_add_zeros(&w->batch);
		return STATUS_OK;
	default:
		return not_there(x, r, offset, e);
	}
}

/* What a record that is unpacked to blocks has of a page, into dst. */
static enum status copy_blocks(const struct kdump_export *x, const struct record_reader *r,
			       const uint8_t *blocks, uint64_t offset, size_t len, uint8_t *dst,
			       struct error *e)
{
	uint64_t within = offset - r->record.source_offset;

	while (len) {
		uint32_t i = (uint32_t)(within / r->record.block_size);
		size_t some = min_u64(len, (uint64_t)(i + 1) * r->record.block_size - within);
		enum block_kind kind = record_reader_kind(r, i);

		if (kind == BLOCK_UNREADABLE)
			return not_there(x, r, offset, e);
		if (kind == BLOCK_ZERO)
			memset(dst, 0, some);
		else
			memcpy(dst, blocks + within, some);
		dst += some;
		within += some;
		len -= some;
	}
	return STATUS_OK;
}

static enum status add_bytes(const struct kdump_export *x, struct kdump_worker *w,
			     const struct record_reader *r, const uint8_t *blocks,
			     uint64_t offset, struct error *e)
{
	uint64_t size = x->pages.page_size;
	uint64_t here = min_u64(size, r->record.source_offset + r->record.source_length - offset);
	enum status status = copy_blocks(x, r, blocks, offset, here, w->page, e);

	if (!status && here < size)
		status = range_read(&w->rest, offset + here, size - here, w->page + here, e);
	if (!status)
		kdump_batch_add(&w->batch, w->page);
	return status;
}

/* Pages of one file. */
static enum status put_pages(struct kdump_export *x, struct kdump_worker *w, struct kdump_file *f,
			     struct block_cursor *cursor, const uint8_t *blocks,
			     const struct record_pages *s, struct error *e)
{
	const struct record_reader *r = cursor->reader;
	enum status status = STATUS_OK;

	for (uint64_t i = 0; i < s->count && !status; i++) {
		uint64_t offset = s->offset + i * x->pages.page_size;
		struct raw_block block;

		if (is_block(x, cursor, offset, &block))
			status = add_block(x, w, r, offset, &block, e);
		else
			status = add_bytes(x, w, r, blocks, offset, e);
	}
	return status ? status : put_batch(x, w, f, s->rank, e);
}

enum status kdump_deliver_record(void *arg, unsigned worker, const struct record_reader *r,
				 const uint8_t *blocks, struct error *e)
{
	struct kdump_export *x = arg;
	size_t at = pages_from_offset(&x->pages, r->record.source_offset);
	struct block_cursor cursor = block_cursor_begin(r);
	enum status status = STATUS_OK;
	struct record_pages s;

	while (!status && next_pages(&x->pages, &r->record, &at, &s)) {
		while (s.count && !status) {
			struct kdump_file *f = file_of_rank(x, s.rank);
			struct record_pages some = s;

			some.count = min_u64(s.count, f->first_rank + f->count - s.rank);
			status = put_pages(x, &x->workers[worker], f, &cursor, blocks, &some, e);
			s.offset += some.count * x->pages.page_size;
			s.rank += some.count;
			s.count -= some.count;
		}
	}
	return status;
}

/* ---------------------------------------------------------------------------------- */

/* A part alone looks like a dump, and is none. */
static void take_names_back(const struct kdump_export *x, struct error *e)
{
	for (size_t i = 0; i < x->files_count; i++)
		if (!output_file_remove(x->files[i].output))
			error_suffix(e, "; %s is replaced already", x->files[i].output->name);
}

enum status kdump_export_end(struct kdump_export *x, struct error *e)
{
	uint64_t lacking = x->pages.count - x->written;
	enum status status = STATUS_OK;

	if (lacking)
		return error_set(e, STATUS_DAMAGED, "%" PRIu64 " of %" PRIu64 " pages did not "
				 "come: the members were changed, or read differently twice",
				 lacking, x->pages.count);
	/* No file gets its name before all are safe. */
	for (size_t i = 0; i < x->files_count && !status; i++)
		status = output_file_sync(x->files[i].output, x->files[i].end, e);
	for (size_t i = 0; i < x->files_count && !status; i++)
		status = output_file_finish(x->files[i].output, x->files[i].end, e);
	if (status)
		take_names_back(x, e);
	return status;
}
