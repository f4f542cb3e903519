// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/text.h"
#include "core/memory.h"
#include "export/kdump_export.h"
#include "io/source.h"
#include "set/dump.h"

/* --- workers ------------------------------------------------------------- */

static enum status worker_init(struct kdump_export *x, struct kdump_worker *worker, struct error *e)
{
	const struct codec *codec = x->settings.codec;
	uint32_t size = x->pages.page_size;
	enum status status = range_reader_init(&worker->rest, x->set, e);

	/* At most this many pages begin in a record; what is in a second place may be longer. */
	worker->capacity = x->set->chunk_size / size + 1;
	worker->page_size = size;
	worker->same_at = UINT32_MAX;
	worker->page = malloc(size);
	/* A compressed page may be longer than a page, before it is discarded. */
	worker->data = malloc((size_t)worker->capacity * size + codec->bound(size));
	worker->descriptors = calloc(worker->capacity, sizeof(*worker->descriptors));
	if (!status && (!worker->page || !worker->data || !worker->descriptors))
		return error_system(e, ENOMEM, "buffers of pages");
	if (status || !codec->packer_new)
		return status;
	worker->packer = codec->packer_new(x->settings.level, size);
	return worker->packer ? STATUS_OK : error_system(e, ENOMEM, "codec %s", codec->name);
}

static enum status init_workers(struct kdump_export *x, struct error *e)
{
	unsigned threads = x->settings.threads;
	enum status status = STATUS_OK;

	x->workers = calloc(threads, sizeof(*x->workers));
	if (!x->workers)
		return error_system(e, ENOMEM, "%u threads", threads);
	while (x->workers_count < threads && !status)
		status = worker_init(x, &x->workers[x->workers_count++], e);
	return status;
}

static void free_workers(struct kdump_export *x)
{
	for (unsigned i = 0; i < x->workers_count; i++) {
		struct kdump_worker *worker = &x->workers[i];

		range_reader_free(&worker->rest);
		if (worker->packer)
			x->settings.codec->packer_free(worker->packer);
		free(worker->page);
		free(worker->data);
		free(worker->descriptors);
	}
	free(x->workers);
}

/* Stands in a descriptor for the offset of the file's page of zeros. */
#define ZERO_PAGE UINT64_MAX

/* Until they are written, offsets count from the beginning of worker->data. */
static void add_descriptor(struct kdump_worker *worker, uint64_t offset, uint32_t length, uint32_t flags)
{
	worker->descriptors[worker->count++] = (struct kdump_descriptor){ offset, length, flags };
}

static void add_zeros(const struct kdump_export *x, struct kdump_worker *worker)
{
	add_descriptor(worker, ZERO_PAGE, x->pages.page_size, 0);
}

/* Bytes as they are, compressed as flags says, or with flags 0 not at all. */
static void add_copy(struct kdump_worker *worker, const uint8_t *bytes, uint32_t length, uint32_t flags)
{
	memcpy(worker->data + worker->filled, bytes, length);
	add_descriptor(worker, worker->filled, length, flags);
	worker->filled += length;
}

/* A page to be compressed here. */
static void add_page(const struct kdump_export *x, struct kdump_worker *worker, const uint8_t *page)
{
	const struct codec *codec = x->settings.codec;
	uint32_t size = x->pages.page_size;
	size_t packed;

	if (bytes_are_zero(page, size)) {
		add_zeros(x, worker);
		return;
	}
	packed = codec->pack(worker->packer, page, size, worker->data + worker->filled);
	if (!packed || packed >= size) {
		add_copy(worker, page, size, 0);
		return;
	}
	add_descriptor(worker, worker->filled, (uint32_t)packed, kdump_flag(codec->id));
	worker->filled += packed;
}

static void add_absence(struct kdump_worker *worker)
{
	worker->descriptors[worker->count++] = kdump_absence;
	worker->absent++;
}

/* Writes to the file, or into the buffer of a stream. */
static enum status put(struct kdump_file *f, uint64_t offset, const uint8_t *bytes, size_t len, struct error *e)
{
	return f->stream ? flattened_write(&f->stream->flat, offset, bytes, len, e) :
			   output_file_write(f->output, offset, bytes, len, e);
}

static enum status put_descriptors(void *arg, uint64_t offset, const uint8_t *bytes, size_t len, struct error *e)
{
	struct kdump_file *f = arg;

	return put(f, f->descriptors + offset, bytes, len, e);
}

static enum status put_gathered(struct kdump_file *f, struct error *e)
{
	const struct descriptors_writer writer = { .put = put_descriptors, .arg = f };

	return descriptors_put(&f->stream->pending, &writer, e);
}

/* Descriptors of a stream are gathered, so that they are few pieces.  Under its lock. */
static enum status gather(const struct kdump_worker *worker, struct kdump_file *f, uint64_t rank, struct error *e)
{
	struct descriptors *pending = &f->stream->pending;

	if (pending->capacity - pending->count < worker->count && put_gathered(f, e))
		return e->status;
	descriptors_begin_run(pending, rank);
	for (uint32_t i = 0; i < worker->count; i++)
		descriptors_add(pending, &worker->descriptors[i], 0);
	return STATUS_OK;
}

/* Those of a file, after its pages, whose buffer is free then. */
static enum status put_in_place(const struct kdump_worker *worker, struct kdump_file *f, uint64_t rank, struct error *e)
{
	for (uint32_t i = 0; i < worker->count; i++)
		kdump_descriptor_encode(&worker->descriptors[i], worker->data + (size_t)i * KDUMP_DESCRIPTOR_LENGTH);
	return put_descriptors(f, rank * KDUMP_DESCRIPTOR_LENGTH, worker->data,
			       (size_t)worker->count * KDUMP_DESCRIPTOR_LENGTH, e);
}

/* Writes the pages that were gathered, which are of one file and consecutive; rank is that of the first. */
static enum status put_pages(struct kdump_export *x, struct kdump_worker *worker, struct kdump_file *f, uint64_t rank,
			     struct error *e)
{
	enum status status = STATUS_OK;
	uint64_t base;

	if (f->stream)
		pthread_mutex_lock(&f->stream->lock);
	base = atomic_fetch_add(&f->end, worker->filled);
	for (struct kdump_descriptor *d = worker->descriptors; d < worker->descriptors + worker->count; d++)
		if (d->size)
			d->offset = d->offset == ZERO_PAGE ? f->zero_page : base + d->offset;
	if (worker->filled)
		status = put(f, base, worker->data, worker->filled, e);
	if (!status)
		status = f->stream ? gather(worker, f, rank - f->first_rank, e) :
				     put_in_place(worker, f, rank - f->first_rank, e);
	if (f->stream)
		pthread_mutex_unlock(&f->stream->lock);
	x->written += worker->count;
	x->absent += worker->absent;
	worker->filled = 0;
	worker->count = worker->absent = 0;
	worker->same_at = UINT32_MAX;
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

/*
 * Gets the block that is exactly the page at offset.  Returns false if there is none, or if it must
 * be decompressed.  A packed block that claims another length than a page would overflow the
 * buffers of readers; decompressing it shows the damage.
 */
static bool get_page_block(const struct kdump_export *w, struct block_cursor *c,
			   const struct extent *x, uint64_t offset, struct raw_block *block)
{
	const struct record *record = &c->reader->record;
	uint64_t within = x->at + (offset - x->offset);
	uint32_t size = w->pages.page_size, i = (uint32_t)(within / record->block_size);
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
	if (block->kind == BLOCK_COLUMNS || (w->settings.repack && (block->kind == BLOCK_PACKED || block->kind == BLOCK_STORED)))
		return false;
	if (block->kind != BLOCK_PACKED)
		return true;
	codec = codec_by_id(record->codec);
	return codec && kdump_flag(codec->id) && block->length < size &&
	       (!codec->claims || codec->claims(block->bytes, block->length, size));
}

/* Is each page in a stored run of the record a block that can be copied? */
static bool are_all_blocks(const struct kdump_export *w, struct block_cursor *cursor, const struct run_place *place)
{
	const struct extent x = { .offset = place->offset, .length = place->length, .at = place->stored_at };
	uint64_t size = w->pages.page_size, end = place->offset + place->length;
	struct page_range run;
	struct raw_block block;

	for (uint64_t at = x.offset; pages_next_run_in_source(&w->pages, at, end, &run); at = run.offset + run.count * size)
		for (uint64_t i = 0; i < run.count; i++)
			if (!get_page_block(w, cursor, &x, run.offset + i * size, &block))
				return false;
	return true;
}

static bool needs_blocks(void *arg, const struct record_reader *r)
{
	struct block_cursor cursor = block_cursor_begin(r);
	struct run_cursor runs = run_cursor_begin(&r->record, r->raw);
	const struct kdump_export *x = arg;
	struct run_place place;

	/* A set for --salvage may not be what its checksums say, so all of it is unpacked. */
	if (x->settings.past_damage)
		return true;
	while (run_cursor_next(&runs, &place))
		if (place.run.kind == RUN_STORED && !are_all_blocks(x, &cursor, &place))
			return true;
	return false;
}

/* Does a page begin there that is kept? */
static bool wants_record(void *arg, uint64_t offset, uint64_t length)
{
	const struct kdump_export *w = arg;
	struct page_range run;

	return pages_next_run_in_source(&w->pages, offset, offset + length, &run);
}

/* Pages that repeat the same value share their bytes: much of the memory may be filled with a poison. */
static void add_same(const struct kdump_export *w, struct kdump_worker *worker, const uint8_t *value)
{
	size_t i = worker->same_at;

	if (i != UINT32_MAX && memcmp(worker->same, value, sizeof(worker->same)) == 0) {
		worker->descriptors[worker->count++] = worker->descriptors[i];
		return;
	}
	worker->same_at = worker->count;
	memcpy(worker->same, value, sizeof(worker->same));
	block_fill_same(worker->page, w->pages.page_size, value);
	add_page(w, worker, worker->page);
}

static void add_block(const struct kdump_export *w, struct kdump_worker *worker,
		      const struct record_reader *r, const struct raw_block *block)
{
	switch (block->kind) {
	case BLOCK_PACKED:
		add_copy(worker, block->bytes, block->length, kdump_flag(r->record.codec));
		break;
	case BLOCK_STORED:
		/* With raw, nobody has tried to compress it. */
		if (r->record.codec == CODEC_RAW)
			add_page(w, worker, block->bytes);
		else
			add_copy(worker, block->bytes, block->length, 0);
		break;
	case BLOCK_SAME:
		add_same(w, worker, block->bytes);
		break;
	default:
		add_zeros(w, worker);
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

/* Is the page absent, rather than the export at its end? */
static bool is_absent(const struct kdump_export *w, enum status status)
{
	return status == STATUS_MISSING || (status && status != STATUS_NO_MEMORY && w->settings.past_damage);
}

/* Reads a page in another place.  Fails, too, if a part of it was left out. */
static enum status read_elsewhere(void *arg, uint64_t offset, size_t len, uint8_t *dst, struct error *e)
{
	struct kdump_worker *worker = arg;
	const struct set *set = worker->rest.set;
	struct extent x;

	if (offset - worker->tried < worker->page_size)
		return STATUS_MISSING;
	if (set_is_made(set))
		return range_read(&worker->rest, offset, len, dst, e);
	for (; len; offset += x.length, dst += x.length, len -= x.length) {
		if (range_read_extent(&worker->rest, offset, len, dst, &x, e))
			return e->status;
		if (x.kind == EXTENT_ZERO)
			memset(dst, 0, x.length);
		else if (x.kind != EXTENT_STORED)
			return STATUS_MISSING;
	}
	return STATUS_OK;
}

static enum status add_bytes(const struct kdump_export *w, struct kdump_worker *worker, const struct written *written,
			     const struct page_range *page, struct error *e)
{
	const struct extent *x = written->x;
	uint64_t size = w->pages.page_size, here = 0;
	enum status status = STATUS_OK;

	/* Another record may have a part of the page, although this one has all of it. */
	if (written->blocks) {
		here = min_u64(size, x->offset + x->length - page->offset);
		copy_blocks(written, page->offset, here, worker->page);
	}
	if (here < size)
		status = range_read(&worker->rest, page->offset + here, size - here, worker->page + here, e);
	/* It may be in another segment, too, as the kernel image is. */
	if (is_absent(w, status)) {
		struct core core = w->source.core;

		core.bytes.read = read_elsewhere;
		core.bytes.arg = worker;
		worker->tried = page->offset;
		status = memory_read_page(&core, page->pfn * size, (uint32_t)size, worker->page, e);
	}
	if (!status)
		add_page(w, worker, worker->page);
	if (!is_absent(w, status))
		return status;
	add_absence(worker);
	return STATUS_OK;
}

static enum status add_run(const struct kdump_export *w, struct kdump_worker *worker, struct written *written,
			   const struct page_range *run, struct error *e)
{
	const struct record_reader *r = written->reader;
	const struct extent *x = written->x;
	enum status status = STATUS_OK;
	struct page_range page = *run;

	for (uint64_t i = 0; i < run->count && !status; i++) {
		struct raw_block block;

		/* In a hole of the source? */
		if (x->kind == EXTENT_ZERO && w->pages.page_size <= x->offset + x->length - page.offset)
			add_zeros(w, worker);
		else if (r && get_page_block(w, &written->cursor, written->x, page.offset, &block))
			add_block(w, worker, r, &block);
		else
			status = add_bytes(w, worker, written, &page, e);
		page.offset += w->pages.page_size;
		page.pfn++;
	}
	return status;
}

/* A linear search: there are few files. */
static struct kdump_file *file_of_rank(const struct kdump_export *x, uint64_t rank)
{
	struct kdump_file *f = x->files;

	while (rank - f->first_rank >= f->count)
		f++;
	return f;
}

/* A run may continue in the next file of a split set, and be longer than what a worker gathers. */
static enum status put_run(struct kdump_export *w, struct kdump_worker *worker,
			   struct written *written, struct page_range run, struct error *e)
{
	enum status status = STATUS_OK;

	while (run.count && !status) {
		struct kdump_file *f = file_of_rank(w, run.rank);
		struct page_range some = run;

		some.count = min_u64(min_u64(run.count, worker->capacity), f->first_rank + f->count - run.rank);
		status = add_run(w, worker, written, &some, e);
		if (!status)
			status = put_pages(w, worker, f, run.rank, e);
		run.pfn += some.count;
		run.offset += some.count * w->pages.page_size;
		run.rank += some.count;
		run.count -= some.count;
	}
	return status;
}

static enum status deliver_record(void *arg, unsigned worker, const struct record_reader *r,
				  const struct extent *x, const uint8_t *blocks, struct error *e)
{
	struct kdump_export *w = arg;
	struct written written = { .reader = r, .x = x, .blocks = blocks };
	uint64_t at = x->offset;
	enum status status = STATUS_OK;
	struct page_range run;

	if (r)
		written.cursor = block_cursor_begin(r);
	for (; !status && pages_next_run_in_source(&w->pages, at, x->offset + x->length, &run);
	     at = run.offset + run.count * w->pages.page_size)
		status = put_run(w, &w->workers[worker], &written, run, e);
	return status;
}

void kdump_export_walk(struct kdump_export *x, struct walk_settings *settings)
{
	settings->mode = WALK_RECORDS;
	settings->past_damage = x->settings.past_damage;
	settings->deliver_record = deliver_record;
	settings->needs_blocks = needs_blocks;
	settings->deliver_arg = x;
	/* Of a set without pages that are left out, all records are checked. */
	if (set_is_made(x->set) || (x->filter.classes && !x->settings.past_damage))
		settings->wants_record = wants_record;
}

/* --- the export ---------------------------------------------------------- */

/*
 * Bitmap 1 has a bit for each page of memory, present or not, in each file, so a damaged ELF header could fill the
 * disks.  2 TiB of pages of 4096 bytes in a few segments are always accepted.  The bits of more pages may take up to
 * four times the size of all records: a core is refused only if less than 1/100,000 of its memory is present.  Holes
 * of a plain core do not count, because they cost nothing to make.
 */
static const uint64_t BITMAP_SIZE_MIN = 65 << 20;
enum { BITMAP_TO_RECORDS_MAX = 4 };

static enum status check_memory(const struct kdump_export *x, struct error *e)
{
	const struct kdump *k = &x->form;
	uint64_t records = set_core_stored(x->set);
	uint64_t bitmap = kdump_bitmaps_stored(k, k->bitmap2 - k->bitmap1);
	char needed[SIZE_TEXT_LENGTH], held[SIZE_TEXT_LENGTH];

	if (bitmap <= BITMAP_SIZE_MIN + BITMAP_TO_RECORDS_MAX * records)
		return STATUS_OK;
	size_format(bitmap, needed);
	size_format(records, held);
	if (set_is_made(x->set))
		return error_set(e, STATUS_DAMAGED, "ELF header of the source: --format=kdump needs "
				 "%s for bitmaps of its memory, but the file stores only %s; nothing "
				 "was written", needed, held);
	return error_set(e, STATUS_DAMAGED, "ELF header of the source: --format=kdump needs %s for "
			 "bitmaps of its memory, but the members hold only %s; nothing was written; "
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

static enum status find_pages(struct kdump_export *x, const struct absent *absent, struct error *e)
{
	uint32_t page_size;
	enum status status = set_core_page_size(x->set, &x->source.core, &x->info, &page_size, e);

	if (status)
		return status;
	status = pages_find(&x->pages, &x->source.core, page_size, absent, e);
	if (status)
		return status;
	make_form(x);
	return check_memory(x, e);
}

enum status kdump_export_filter(struct kdump_export *x, unsigned threads, unsigned classes, struct error *e)
{
	struct page_filter last;
	struct vmcoreinfo info;
	enum status status = vmcoreinfo_find(&x->source.core, &info, e);

	if (kdump_export_is_guarded(x))
		classes |= ASK_MARKED;
	if (!status)
		status = set_filter_apply(&x->filter, &x->pages, &x->source, &info, threads, classes, e);
	if (!status && x->filter.doubted)
		status = pages_find(&x->first, &x->source.core, x->pages.page_size, NULL, e);
	if (!status && x->filter.doubted)
		status = set_filter_apply(&last, &x->first, &x->source, &info, threads, ASK_DOUBTED, e);
	if (!status)
		make_form(x);
	return status;
}

bool kdump_export_is_guarded(const struct kdump_export *x)
{
	return set_is_plain(x->set) && x->set->members[0].plain->made_by_kernel;
}

/* From an offset on: the kind of bytes that pages want, or of those up to the first ones that they do. */
static enum run_kind wish_of(const struct pages *pages, enum run_kind other, uint64_t offset, uint64_t end, uint64_t *length)
{
	uint64_t from = offset;
	bool wanted = pages_next_wanted(pages, &from, end, length);

	if (wanted && from == offset)
		return RUN_STORED;
	*length = (wanted ? from : end) - offset;
	return other;
}

static enum run_kind ask(const void *arg, uint64_t offset, uint64_t end, uint64_t *length)
{
	const struct kdump_export *x = arg;
	enum run_kind kind = wish_of(&x->pages, RUN_ZERO, offset, end, length);

	return kind == RUN_STORED && x->first.count ? wish_of(&x->first, RUN_NAMED, offset, offset + *length, length) : kind;
}

struct plain_wishes kdump_export_wishes(const struct kdump_export *x)
{
	return (struct plain_wishes){ .ask = ask, .arg = x };
}

enum status kdump_export_open(struct kdump_export *x, const struct set *set,
			      const struct absent *absent, struct error *e)
{
	enum status status;

	*x = (struct kdump_export){ .set = set };
	status = set_core_open(&x->source, set, e);
	/* Of a dump, its own headers say enough. */
	if (!status && vmcoreinfo_find(&x->source.core, &x->info, e) && !set_is_dump(set))
		status = e->status;
	return status ? status : find_pages(x, absent, e);
}

/* The codec with which the set was packed, and its level, if the form has it; otherwise NULL. */
static const struct codec *codec_of_set(const struct set *set, int *level)
{
	const struct codec *codec;
	struct error ignored;

	if (codec_find(set->members[0].superblock.codec, &codec, level, &ignored) || !kdump_flag(codec->id))
		return NULL;
	return codec;
}

/* The flag of the codec with which most pages are compressed.  Readers ignore it; people look at it. */
static uint32_t usual_flag(const struct kdump_export *x)
{
	const struct codec *codec = NULL;
	int level;

	if (!x->settings.repack && x->set->block_size == x->pages.page_size)
		codec = codec_of_set(x->set, &level);
	return kdump_flag(codec ? codec->id : x->settings.codec->id);
}

/* --- space --------------------------------------------------------------- */

/* Bytes that a file stores even without pages. */
static uint64_t least_of(const struct kdump_export *x, const struct kdump_file *f)
{
	const struct kdump *k = &x->form;
	uint64_t bitmaps = k->descriptors - k->bitmap1;

	if (f->output->kind != OUTPUT_FILE || !f->output->sparse)
		return f->end;
	return f->zero_page - bitmaps + kdump_bitmaps_stored(k, bitmaps);
}

static bool share_space(const struct output_file *a, const struct output_file *b)
{
	struct space x, y;

	return free_space_of(a, &x) && free_space_of(b, &y) && space_is_shared(&x, &y);
}

/* Outputs on one file system are checked together, since nothing has been written yet. */
static enum status check_space(const struct kdump_export *x, struct error *e)
{
	const struct kdump_settings *s = &x->settings;
	enum status status = STATUS_OK;

	for (size_t i = 0; i < x->files_count && !status; i++) {
		uint64_t least = least_of(x, &x->files[i]);
		bool counted = false;

		for (size_t n = 0; n < x->files_count; n++) {
			if (n == i || !share_space(&s->outputs[i], &s->outputs[n]))
				continue;
			counted |= n < i;
			least += least_of(x, &x->files[n]);
		}
		if (!counted)
			status = free_space_check(&s->outputs[i], least, s->warn, e);
	}
	return status;
}

/* --- files --------------------------------------------------------------- */

static enum status append(void *arg, const uint8_t *bytes, size_t len, struct error *e)
{
	struct output_file *output = arg;

	return output_file_write(output, output->position, bytes, len, e);
}

static enum status init_stream(const struct kdump_export *x, struct kdump_file *f, struct error *e)
{
	struct kdump_stream *s = f->stream = calloc(1, sizeof(*f->stream));
	enum status status;

	if (!s)
		return error_system(e, ENOMEM, "%s", f->output->name);
	pthread_mutex_init(&s->lock, NULL);
	status = descriptors_init(&s->pending, x->workers->capacity, false, e);
	return status ? status : flattened_init(&s->flat, append, f->output, f->output->name,
						flattened_buffer(f->count * x->pages.page_size), e);
}

static void free_files(struct kdump_export *x)
{
	for (size_t i = 0; i < x->files_count; i++) {
		struct kdump_stream *s = x->files[i].stream;

		if (!s)
			continue;
		pthread_mutex_destroy(&s->lock);
		descriptors_free(&s->pending);
		flattened_free(&s->flat);
		free(s);
	}
	free(x->files);
}

/* Writes nothing. */
static enum status init_files(struct kdump_export *x, struct error *e)
{
	size_t count = x->settings.outputs_count;
	struct kdump_part *parts = calloc(count, sizeof(*parts));
	enum status status;

	x->files = calloc(count, sizeof(*x->files));
	if (!parts || !x->files) {
		free(parts);
		return error_system(e, ENOMEM, "%zu outputs", count);
	}
	status = kdump_split(&x->pages, parts, count, e);
	while (x->files_count < count && !status) {
		struct kdump_file *f = &x->files[x->files_count];

		f->output = &x->settings.outputs[x->files_count];
		f->part = parts[x->files_count++];
		f->first_rank = pages_rank(&x->pages, f->part.first);
		f->count = pages_rank(&x->pages, f->part.end) - f->first_rank;
		f->descriptors = x->form.descriptors;
		f->zero_page = f->descriptors + f->count * KDUMP_DESCRIPTOR_LENGTH;
		f->end = f->zero_page + x->form.block_size;
		if (!output_file_seekable(f->output))
			status = init_stream(x, f, e);
	}
	free(parts);
	return status;
}

/* Long zeros are a hole of a sparse file, and no piece of a stream. */
static enum status write_bitmaps(const struct kdump_export *x, struct kdump_file *f, uint8_t *piece, struct error *e)
{
	const struct kdump *k = &x->form;
	uint64_t all = k->descriptors - k->bitmap1, next;
	enum status status = STATUS_OK;

	for (uint64_t at = 0; at < all && !status; at = next) {
		bool zeros;

		next = kdump_bitmaps_piece(k, at, &zeros);
		if (!zeros) {
			kdump_put_bitmaps(k, at, next - at, piece, NULL);
			status = put(f, k->bitmap1 + at, piece, next - at, e);
		} else if (!f->stream) {
			status = output_file_write_zeros(f->output, k->bitmap1 + at, next - at, e);
		}
	}
	return status;
}

/* Writes everything except pages and descriptors. */
static enum status begin_file(const struct kdump_export *x, struct kdump_file *f, struct error *e)
{
	const struct kdump *k = &x->form;
	uint8_t *buffer = malloc(max_u64(k->bitmap1, KDUMP_BITMAPS_PIECE));
	enum status status = STATUS_OK;

	if (!buffer)
		return error_system(e, ENOMEM, "%s", f->output->name);
	kdump_put_head(k, &f->part, x->flags | KDUMP_INCOMPLETE, buffer);
	if (!f->stream)
		status = output_file_write(f->output, 0, buffer, k->bitmap1, e);
	else if (!flattened_begin(&f->stream->flat, e))
		status = flattened_write_head(&f->stream->flat, buffer, k->bitmap1, KDUMP_HEADER_STATUS, e);
	else
		status = e->status;
	if (!status)
		status = write_bitmaps(x, f, buffer, e);
	/* Of a stream, readers find a page only in a piece. */
	memset(buffer, 0, KDUMP_BITMAPS_PIECE);
	if (!status)
		status = f->stream ? put(f, f->zero_page, buffer, k->block_size, e) :
				     output_file_write_zeros(f->output, f->zero_page, k->block_size, e);
	free(buffer);
	return status;
}

/*
 * Writes the pages of which no segment has all bytes, before the walk: at most two of each segment.
 * Goes through the ranges, since there may be millions of runs.
 */
static enum status write_ragged(struct kdump_export *x, struct error *e)
{
	const struct pages *p = &x->pages;
	struct kdump_worker *worker = &x->workers[0];

	for (size_t i = 0; i < p->ranges_count; i++) {
		uint64_t pfn = p->ranges[i].pfn;
		struct page_range run;
		enum status status;

		if (!p->ranges[i].ragged || !pages_next_run(p, pfn, pfn + 1, &run))
			continue;
		status = memory_read_page(&x->source.core, pfn * p->page_size, p->page_size, worker->page, e);
		if (!status)
			add_page(x, worker, worker->page);
		else if (is_absent(x, status))
			add_absence(worker);
		else
			return status;
		if (put_pages(x, worker, file_of_rank(x, run.rank), run.rank, e))
			return e->status;
	}
	return STATUS_OK;
}

enum status kdump_export_begin(struct kdump_export *x, const struct kdump_settings *settings, struct error *e)
{
	enum status status;

	x->settings = *settings;
	/* So the pages of the memory map are packed as the others are. */
	if (!settings->codec && !set_is_made(x->set))
		x->settings.codec = codec_of_set(x->set, &x->settings.level);
	if (!x->settings.codec)
		x->settings.codec = &codec_lzo;
	x->flags = usual_flag(x);
	/* What the header of a dump says besides. */
	if (set_is_dump(x->set))
		x->flags |= x->set->members[0].dump->flags & ~(KDUMP_CODECS | KDUMP_INCOMPLETE);
	status = init_workers(x, e);
	if (!status)
		status = init_files(x, e);
	if (!status)
		status = check_space(x, e);
	for (size_t i = 0; i < x->files_count && !status; i++)
		status = begin_file(x, &x->files[i], e);
	return status ? status : write_ragged(x, e);
}

/* What is read last may be the end: all else is written then, and files are in stable storage under their temporary names. */
static enum status save_first(const struct kdump_export *x, struct error *e)
{
	enum status status = STATUS_OK;
	struct error warning;

	for (size_t i = 0; i < x->files_count && !status; i++) {
		struct kdump_file *f = &x->files[i];

		if (f->stream && !put_gathered(f, e))
			status = flattened_flush(&f->stream->flat, e);
		else
			status = f->stream ? e->status : output_file_flush(f->output, e);
	}
	for (size_t i = 0; i < x->files_count && !status && x->settings.warn; i++) {
		const struct output_file *o = x->files[i].output;

		error_set(&warning, STATUS_OK, "%s: pages that may stop this machine are read now; the others are in %s",
			  o->name, o->temporary ? o->temporary : o->name);
		x->settings.warn(&warning);
	}
	return status;
}

/* Describes the pages that begin in what the walk has not found, or was not to read, and checks the others. */
static enum status complete_pages(struct kdump_export *x, const struct walk *walk, struct error *e)
{
	struct extent hole = { .kind = EXTENT_MISSING };
	uint64_t lacking;

	if (x->first.count && save_first(x, e))
		return e->status;
	for (; walk && walk_hole(walk, &hole.offset, &hole.length); hole.offset += hole.length)
		if (deliver_record(x, 0, NULL, &hole, NULL, e))
			return e->status;
	lacking = x->pages.count - x->written;
	if (lacking)
		return error_set(e, STATUS_DAMAGED, "%" PRIu64 " of %" PRIu64 " pages were not "
				 "delivered: the members changed during the export", lacking, x->pages.count);
	if (x->absent == x->pages.count)
		return error_set(e, STATUS_MISSING, "none of the core's memory is present");
	return STATUS_OK;
}

uint64_t kdump_export_missing(const struct kdump_export *x)
{
	return x->pages.lost + x->absent;
}

static enum status end_file(const struct kdump_export *x, struct kdump_file *f, struct error *e)
{
	/* Also if the dump that it is made of was. */
	bool incomplete = kdump_export_missing(x) ||
			  (set_is_dump(x->set) && !dump_is_complete(x->set->members[0].dump));
	enum status status = STATUS_OK;
	uint8_t raw[4];

	if (f->stream)
		status = put_gathered(f, e);
	put_le32(raw, x->flags | (incomplete ? KDUMP_INCOMPLETE : 0));
	/* The headers of all parts are the same. */
	if (!status && (!incomplete || f->stream))
		status = put(f, KDUMP_HEADER_STATUS, raw, sizeof(raw), e);
	if (!status && f->stream)
		status = flattened_end(&f->stream->flat, e);
	return status ? status : output_file_sync(f->output, f->stream ? f->output->position : f->end, e);
}

enum status kdump_export_end(struct kdump_export *x, const struct walk *walk, struct error *e)
{
	enum status status = complete_pages(x, walk, e);

	if (status)
		return status;
	/* No file gets its name before all are synced. */
	for (size_t i = 0; i < x->files_count && !status; i++)
		status = end_file(x, &x->files[i], e);
	for (size_t i = 0; i < x->files_count && !status; i++)
		status = output_file_finish(x->files[i].output, x->files[i].end, e);
	/* A single part looks like a complete dump, so none is kept. */
	for (size_t i = 0; i < x->files_count && status; i++)
		if (!output_file_remove(x->files[i].output))
			error_suffix(e, "; %s has already been replaced", x->files[i].output->name);
	return status;
}

void kdump_export_free(struct kdump_export *x)
{
	free_files(x);
	free_workers(x);
	pages_free(&x->pages);
	pages_free(&x->first);
	set_core_close(&x->source);
}
