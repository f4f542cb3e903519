// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "base/size.h"
#include "core/memory.h"
#include "export/output_file.h"
#include "export/kdump_export.h"
#include "export/kdump_split.h"
#include "io/source.h"
#include "set/dump.h"

/* --- writing pages ------------------------------------------------------- */

static enum status worker_init(struct kdump_writer *w, struct kdump_worker *worker,
			       const struct codec *codec, int level, struct error *e)
{
	uint32_t size = w->pages->page_size;
	enum status status;

	worker->page = malloc(size);
	if (!worker->page)
		return error_system(e, ENOMEM, "buffers of pages");
	status = range_reader_init(&worker->rest, w->set, e);
	if (status)
		return status;
	/* At most this many pages begin in a record; what is in a second place may be longer. */
	return kdump_batch_init(&worker->batch, codec, level, size,
				w->set->chunk_size / size + 1, e);
}

/*
 * Allocates the workers.  Before, the set, the core and the pages are set, and all else is zero.
 * codec and level are for pages that cannot be copied.  Call kdump_writer_free() in any case.
 */
static enum status kdump_writer_init(struct kdump_writer *w, unsigned threads,
				     const struct codec *codec, int level, struct error *e)
{
	enum status status = STATUS_OK;

	w->workers = calloc(threads, sizeof(*w->workers));
	if (!w->workers)
		return error_system(e, ENOMEM, "%u threads", threads);
	while (w->workers_count < threads && !status)
		status = worker_init(w, &w->workers[w->workers_count++], codec, level, e);
	return status;
}

static void kdump_writer_free(struct kdump_writer *w)
{
	for (unsigned i = 0; i < w->workers_count; i++) {
		range_reader_free(&w->workers[i].rest);
		kdump_batch_free(&w->workers[i].batch);
		free(w->workers[i].page);
	}
	free(w->workers);
	free(w->files);
}

/* A linear search: there are few files. */
static struct kdump_file *file_of_rank(const struct kdump_writer *w, uint64_t rank)
{
	struct kdump_file *f = w->files;

	while (rank - f->first_rank >= f->count)
		f++;
	return f;
}

/* Writes the batch: pages of one file, the first of which has this rank. */
static enum status put_batch(struct kdump_writer *w, struct kdump_worker *worker,
			     struct kdump_file *f, uint64_t rank, struct error *e)
{
	w->written += worker->batch.count;
	return kdump_batch_put(&worker->batch, f, rank - f->first_rank, e);
}

static enum status write_page(struct kdump_writer *w, const struct page_range *run, struct error *e)
{
	uint32_t size = w->pages->page_size;
	struct kdump_worker *worker = &w->workers[0];
	enum status status = memory_read_page(w->core, run->pfn * size, size, worker->page, e);

	if (status)
		return status;
	kdump_batch_add(&worker->batch, worker->page);
	return put_batch(w, worker, file_of_rank(w, run->rank), run->rank, e);
}

/*
 * Writes the pages of which no segment has all bytes, before the walk: at most two of each segment.
 * Goes through the ranges, since there may be millions of runs.
 */
static enum status kdump_write_ragged(struct kdump_writer *w, struct error *e)
{
	const struct pages *p = w->pages;
	enum status status = STATUS_OK;

	for (size_t i = 0; i < p->ranges_count && !status; i++) {
		uint64_t pfn = p->ranges[i].pfn;
		struct page_range run;

		if (p->ranges[i].ragged && pages_next_run(p, pfn, pfn + 1, &run))
			status = write_page(w, &run, e);
	}
	return status;
}

/* --- the pages of a record -------------------------------------------------------- */

/* An extent of a record that is being written. */
struct written {
	const struct record_reader *reader;	/* NULL: its bytes have to be read elsewhere */
	const struct extent *x;
	const uint8_t *blocks;			/* unpacked; NULL: pages are blocks, or read elsewhere */
	struct block_cursor cursor;
};

/* The next run of pages that begin in an extent, at or after offset. */
static bool next_run(const struct kdump_writer *w, const struct extent *x, uint64_t offset,
		     struct page_range *run)
{
	return pages_next_run_in_source(w->pages, offset, x->offset + x->length, run);
}

/*
 * Gets the block that is exactly the page at offset.  Returns false if there is none, or if it must
 * be decompressed.  A packed block that claims another length than a page would overflow the
 * buffers of readers; decompressing it shows the damage.
 */
static bool get_page_block(const struct kdump_writer *w, struct block_cursor *c,
			   const struct extent *x, uint64_t offset, struct raw_block *block)
{
	const struct record *record = &c->reader->record;
	uint64_t within = x->at + (offset - x->offset);
	uint32_t size = w->pages->page_size, i = (uint32_t)(within / record->block_size);
	const struct codec *codec;

	/* The bytes behind the extent belong to another place. */
	if (size > x->offset + x->length - offset)
		return false;
	/* A hole of the source may have larger blocks than a page. */
	if (record_reader_kind(c->reader, i) == BLOCK_ZERO &&
	    within % record->block_size + size <= record_block_length(record, i)) {
		*block = (struct raw_block){ .kind = BLOCK_ZERO };
		return true;
	}
	if (record->block_size != size || within % size || record_block_length(record, i) != size)
		return false;
	*block = block_cursor_get(c, i);
	if (block->kind == BLOCK_COLUMNS || (w->repack && (block->kind == BLOCK_PACKED || block->kind == BLOCK_STORED)))
		return false;
	if (block->kind != BLOCK_PACKED)
		return true;
	codec = codec_by_id(record->codec);
	return codec && kdump_flag(codec->id) && block->length < size &&
	       (!codec->claims || codec->claims(block->bytes, block->length, size));
}

/* Is each page in a stored run of the record a block that can be copied? */
static bool are_all_blocks(const struct kdump_writer *w, struct block_cursor *cursor,
			   const struct run_place *place)
{
	const struct extent x = { .offset = place->offset, .length = place->length, .at = place->stored_at };
	uint64_t size = w->pages->page_size;
	struct page_range run;
	struct raw_block block;

	for (uint64_t at = x.offset; next_run(w, &x, at, &run); at = run.offset + run.count * size)
		for (uint64_t i = 0; i < run.count; i++)
			if (!get_page_block(w, cursor, &x, run.offset + i * size, &block))
				return false;
	return true;
}

bool kdump_needs_blocks(void *arg, const struct record_reader *r)
{
	struct block_cursor cursor = block_cursor_begin(r);
	struct run_cursor runs = run_cursor_begin(&r->record, r->raw);
	struct run_place place;

	while (run_cursor_next(&runs, &place))
		if (place.run.kind == RUN_STORED && !are_all_blocks(arg, &cursor, &place))
			return true;
	return false;
}

bool kdump_wants_record(void *arg, uint64_t offset, uint64_t length)
{
	const struct kdump_writer *w = arg;
	struct page_range run;

	return pages_next_run_in_source(w->pages, offset, offset + length, &run);
}

static void add_block(const struct kdump_writer *w, struct kdump_worker *worker,
		      const struct record_reader *r, const struct raw_block *block)
{
	struct kdump_batch *batch = &worker->batch;

	switch (block->kind) {
	case BLOCK_PACKED:
		kdump_batch_copy(batch, block->bytes, block->length, kdump_flag(r->record.codec));
		break;
	case BLOCK_STORED:
		/* With raw, nobody has tried to compress it. */
		if (r->record.codec == CODEC_RAW)
			kdump_batch_add(batch, block->bytes);
		else
			kdump_batch_copy(batch, block->bytes, block->length, 0);
		break;
	case BLOCK_SAME:
		block_fill_same(worker->page, w->pages->page_size, block->bytes);
		kdump_batch_add(batch, worker->page);
		break;
	default:
		kdump_batch_add_zeros(batch);
	}
}

/* Copies len bytes, which lie within the extent, from the decompressed blocks. */
static void copy_blocks(const struct written *written, uint64_t offset, size_t len, uint8_t *dst)
{
	const struct record_reader *r = written->reader;
	uint64_t within = written->x->at + (offset - written->x->offset);

	while (len) {
		uint32_t i = (uint32_t)(within / r->record.block_size);
		size_t some = min_u64(len, (uint64_t)(i + 1) * r->record.block_size - within);

		if (record_reader_kind(r, i) == BLOCK_ZERO)
			memset(dst, 0, some);
		else
			memcpy(dst, written->blocks + within, some);
		dst += some;
		within += some;
		len -= some;
	}
}

static enum status add_bytes(const struct kdump_writer *w, struct kdump_worker *worker,
			     const struct written *written, uint64_t offset, struct error *e)
{
	const struct extent *x = written->x;
	uint64_t size = w->pages->page_size, here = 0;
	enum status status = STATUS_OK;

	/* Another record may have a part of the page, although this one has all of it. */
	if (written->blocks) {
		here = min_u64(size, x->offset + x->length - offset);
		copy_blocks(written, offset, here, worker->page);
	}
	if (here < size)
		status = range_read(&worker->rest, offset + here, size - here, worker->page + here,
				    e);
	if (!status)
		kdump_batch_add(&worker->batch, worker->page);
	/* The page was not known to be unreadable. */
	if (status == STATUS_MISSING && set_is_made(w->set))
		return error_set(e, STATUS_MISSING, "%s: bytes %" PRIu64 " to %" PRIu64
				 " cannot be read", w->set->members->name, offset, offset + size - 1);
	return status;
}

/* Is the page at offset in a hole of the source? */
static bool is_zero(const struct kdump_writer *w, const struct extent *x, uint64_t offset)
{
	return x->kind == EXTENT_ZERO && w->pages->page_size <= x->offset + x->length - offset;
}

/* Writes a run of pages of one file. */
static enum status put_run(struct kdump_writer *w, struct kdump_worker *worker,
			   struct kdump_file *f, struct written *written,
			   const struct page_range *run, struct error *e)
{
	const struct record_reader *r = written->reader;
	enum status status = STATUS_OK;

	for (uint64_t i = 0; i < run->count && !status; i++) {
		uint64_t offset = run->offset + i * w->pages->page_size;
		struct raw_block block;

		if (is_zero(w, written->x, offset))
			kdump_batch_add_zeros(&worker->batch);
		else if (r && get_page_block(w, &written->cursor, written->x, offset, &block))
			add_block(w, worker, r, &block);
		else
			status = add_bytes(w, worker, written, offset, e);
	}
	return status ? status : put_batch(w, worker, f, run->rank, e);
}

/* A run may continue in the next file of a split set, and be longer than a batch. */
static enum status put_in_files(struct kdump_writer *w, struct kdump_worker *worker,
				struct written *written, struct page_range run, struct error *e)
{
	enum status status = STATUS_OK;

	while (run.count && !status) {
		struct kdump_file *f = file_of_rank(w, run.rank);
		struct page_range some = run;

		some.count = min_u64(run.count, f->first_rank + f->count - run.rank);
		some.count = min_u64(some.count, w->workers->batch.capacity);
		status = put_run(w, worker, f, written, &some, e);
		run.offset += some.count * w->pages->page_size;
		run.rank += some.count;
		run.count -= some.count;
	}
	return status;
}

enum status kdump_deliver_record(void *arg, unsigned worker, const struct record_reader *r,
				 const struct extent *x, const uint8_t *blocks,
				 struct error *e)
{
	struct kdump_writer *w = arg;
	struct written written = { .reader = r, .x = x, .blocks = blocks };
	uint64_t at = x->offset;
	enum status status = STATUS_OK;
	struct page_range run;

	if (r)
		written.cursor = block_cursor_begin(r);
	for (; !status && next_run(w, x, at, &run);
	     at = run.offset + run.count * w->pages->page_size)
		status = put_in_files(w, &w->workers[worker], &written, run, e);
	return status;
}

/* --- the export ---------------------------------------------------------- */

/*
 * Bitmap 1 has a bit for each page of memory, present or not, in each file, so a damaged ELF header
 * could fill the disks.  2 TiB of pages of 4096 bytes in a few segments are always accepted.  The
 * bits of more pages may take up to four times the size of all records: a core is refused only if
 * less than 1/100,000 of its memory is present.  Holes of a plain core do not count, because they
 * cost nothing to make.
 */
static const uint64_t BITMAP_SIZE_MIN = 65 << 20;
enum { BITMAP_TO_RECORDS_MAX = 4 };

/* The bytes that the members or the plain file take on their disks. */
static uint64_t bytes_of_records(const struct set *set)
{
	uint64_t bytes = 0;

	if (set_is_plain(set)) {
		const struct source *file = set->members[0].plain;

		return file->sparse ? file->stored : file->size;
	}
	if (set_is_dump(set))
		return dump_stored(set->members[0].dump);
	for (size_t i = 0; i < set->locations; i++)
		bytes += set->map[i]->entry.record_length;
	return bytes;
}

static enum status check_memory(const struct kdump_export *x, struct error *e)
{
	const struct kdump *k = &x->form;
	uint64_t records = bytes_of_records(x->set);
	uint64_t bitmap = kdump_bitmaps_stored(k, k->bitmap2 - k->bitmap1);
	char needed[SIZE_TEXT_LENGTH], held[SIZE_TEXT_LENGTH];

	if (bitmap <= BITMAP_SIZE_MIN + BITMAP_TO_RECORDS_MAX * records)
		return STATUS_OK;
	size_format(bitmap, needed);
	size_format(records, held);
	if (set_is_made(x->set))
		return error_set(e, STATUS_DAMAGED, "ELF header of the source: --format=kdump needs "
				 "%s of bits for its memory, but the file stores only %s; nothing "
				 "was written", needed, held);
	return error_set(e, STATUS_DAMAGED, "ELF header of the source: --format=kdump needs %s of "
			 "bits for its memory, but the members hold only %s; nothing was written; "
			 "use --format=elf", needed, held);
}

static void make_form(struct kdump_export *x)
{
	unsigned classes = x->filter.classes | set_absent_classes(x->set);

	kdump_init(&x->form, &x->source.core, &x->info, &x->pages);
	set_core_uts(x->set, &x->form.uts);
	if (set_is_dump(x->set) && !x->info.size)
		x->form.phys_base = x->set->members[0].dump->phys_base;
	x->form.dump_level = dump_level_of_classes(classes);
}

enum status kdump_export_find_pages(struct kdump_export *x, const struct absent *absent,
				    struct error *e)
{
	uint32_t page_size;
	enum status status = set_core_page_size(x->set, &x->source.core, &x->info, &page_size, e);

	if (status)
		return status;
	pages_free(&x->pages);
	status = pages_find_but(&x->pages, &x->source.core, page_size, absent, e);
	if (status)
		return status;
	make_form(x);
	return check_memory(x, e);
}

enum status kdump_export_filter(struct kdump_export *x, unsigned threads, unsigned classes,
				struct error *e)
{
	struct vmcoreinfo info;
	enum status status = vmcoreinfo_find(&x->source.core, &info, e);

	if (!status)
		status = set_filter_apply(&x->filter, &x->pages, &x->source, &info, threads, classes, e);

	if (!status)
		make_form(x);
	return status;
}

enum status kdump_export_open(struct kdump_export *x, const struct set *set,
			      const struct absent *absent, struct error *e)
{
	enum status status;

	*x = (struct kdump_export){
		.set = set,
		.writer = { .set = set, .core = &x->source.core, .pages = &x->pages },
	};
	status = set_core_open(&x->source, set, e);
	/* Of a dump, its own headers say enough. */
	if (!status && vmcoreinfo_find(&x->source.core, &x->info, e) && !set_is_dump(set))
		status = e->status;
	return status ? status : kdump_export_find_pages(x, absent, e);
}

void kdump_export_free(struct kdump_export *x)
{
	kdump_writer_free(&x->writer);
	pages_free(&x->pages);
	set_core_close(&x->source);
}

const struct codec *kdump_codec_of_set(const struct set *set, int *level)
{
	const struct codec *codec;
	struct error ignored;

	if (codec_find(set->members[0].superblock.codec, &codec, level, &ignored) || !kdump_flag(codec->id))
		return NULL;
	return codec;
}

/*
 * The flag of the codec with which most pages are compressed.  Readers ignore it; people look at
 * it.
 */
static uint32_t usual_flag(const struct kdump_export *x, const struct codec *repacked)
{
	const struct codec *codec = NULL;
	int level;

	if (!x->writer.repack && x->set->block_size == x->pages.page_size)
		codec = kdump_codec_of_set(x->set, &level);
	return kdump_flag(codec ? codec->id : repacked->id);
}

/* Also if the dump that it is made of was. */
static bool is_incomplete(const struct kdump_export *x)
{
	return x->pages.lost || (set_is_dump(x->set) && !dump_is_complete(x->set->members[0].dump));
}

/* What the header of a dump says besides. */
static uint32_t other_flags(const struct set *set)
{
	return set_is_dump(set) ? set->members[0].dump->flags & ~(KDUMP_CODECS | KDUMP_INCOMPLETE) : 0;
}

static bool share_space(const struct output_file *a, const struct output_file *b)
{
	struct space x, y;

	return free_space_of(a, &x) && free_space_of(b, &y) && space_is_shared(&x, &y);
}

/* Outputs on one file system are checked together, since nothing has been written yet. */
static enum status check_space(const struct kdump_writer *w, const struct kdump_settings *s,
			       struct error *e)
{
	enum status status = STATUS_OK;

	for (size_t i = 0; i < w->files_count && !status; i++) {
		const struct output_file *output = w->files[i].output;
		uint64_t least = w->files[i].least;
		bool counted = false;

		for (size_t n = 0; n < w->files_count; n++) {
			if (n == i || !share_space(output, w->files[n].output))
				continue;
			counted |= n < i;
			least += w->files[n].least;
		}
		if (!counted)
			status = free_space_check(output, least, s->warn, s->arg, e);
	}
	return status;
}

static enum status begin_files(struct kdump_export *x, const struct kdump_settings *s,
			       struct error *e)
{
	uint32_t flags = usual_flag(x, s->codec) | (is_incomplete(x) ? KDUMP_INCOMPLETE : 0) | other_flags(x->set);
	struct kdump_part *parts = calloc(s->outputs_count, sizeof(*parts));
	struct kdump_writer *w = &x->writer;
	enum status status;

	w->files = calloc(s->outputs_count, sizeof(*w->files));
	if (!parts || !w->files) {
		free(parts);
		return error_system(e, ENOMEM, "%zu outputs", s->outputs_count);
	}
	status = kdump_split(&x->pages, x->set, parts, s->outputs_count, e);
	for (; w->files_count < s->outputs_count && !status; w->files_count++)
		kdump_file_init(&w->files[w->files_count], &x->form,
				&s->outputs[w->files_count], &parts[w->files_count]);
	free(parts);
	if (!status)
		status = check_space(w, s, e);
	for (size_t i = 0; i < w->files_count && !status; i++)
		status = kdump_file_begin(&w->files[i], flags, e);
	return status;
}

enum status kdump_export_begin(struct kdump_export *x, const struct kdump_settings *s,
			       struct error *e)
{
	enum status status = kdump_writer_init(&x->writer, s->threads, s->codec, s->level, e);

	x->writer.repack = s->repack;
	if (!status)
		status = begin_files(x, s, e);
	return status ? status : kdump_write_ragged(&x->writer, e);
}

enum status kdump_export_restart(struct kdump_export *x, struct error *e)
{
	struct kdump_writer *w = &x->writer;
	enum status status = STATUS_OK;

	for (size_t i = 0; i < w->files_count && !status; i++)
		status = output_file_clear(w->files[i].output, e);
	kdump_writer_free(w);
	*w = (struct kdump_writer){ .set = w->set, .core = w->core, .pages = w->pages };
	return status;
}

/* A single part looks like a complete dump, so none is kept. */
static void remove_files(const struct kdump_writer *w, struct error *e)
{
	for (size_t i = 0; i < w->files_count; i++)
		if (!output_file_remove(w->files[i].output))
			error_suffix(e, "; %s has already been replaced", w->files[i].output->name);
}

enum status kdump_export_end(struct kdump_export *x, struct error *e)
{
	const struct kdump_writer *w = &x->writer;
	uint64_t lacking = x->pages.count - w->written;
	enum status status = STATUS_OK;

	if (lacking)
		return error_set(e, STATUS_DAMAGED, "%" PRIu64 " of %" PRIu64 " pages were not "
				 "delivered: the members changed during the export", lacking,
				 x->pages.count);
	/* No file gets its name before all are synced. */
	for (size_t i = 0; i < w->files_count && !status; i++)
		status = output_file_sync(w->files[i].output, w->files[i].end, e);
	for (size_t i = 0; i < w->files_count && !status; i++)
		status = output_file_finish(w->files[i].output, w->files[i].end, e);
	if (status)
		remove_files(w, e);
	return status;
}
