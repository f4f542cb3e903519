// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "mount/view.h"

/* --- the source, as a file ------------------------------------------------------- */

/* One read. */
struct reading {
	const struct source_view *v;
	struct buffers *buffers;
};

/* What may be temporary is not: the kernel would cache the zeros. */
static bool is_final(enum status status)
{
	return status && status != STATUS_NO_MEMORY && !loaded_may_recover(status);
}

/* Reads through the cache. */
static enum status read_stored(const struct reading *r, const struct extent *x, uint8_t *dst,
			       struct error *e)
{
	struct cached *cached;
	enum status status = cache_take(r->v->cache, r->buffers, x->location, CACHED_PACKED, &cached, e);

	if (!status) {
		uint64_t end = x->offset + x->length;

		status = cached_read(cached, r->buffers, x->at, x->length, dst, e);
		cache_release(r->v->cache, cached, end == location_end(r->v->set->map[x->location]));
		if (is_final(status))
			cache_report(r->v->cache, x->location, e);
	}
	if (is_final(status))
		set_lose(r->v->set, x->location);
	return status;
}

/* After a record could not be read: does another one have the bytes?  It may have fewer, which shortens x. */
static enum status read_elsewhere(const struct reading *r, struct extent *x, uint8_t *dst,
				  struct error *e)
{
	struct error other;
	struct extent y;
	enum status status;

	r->buffers->resolver.avoid = x->location;
	status = resolve(&r->buffers->resolver, x->offset, x->length, &y, &other);
	r->buffers->resolver.avoid = SIZE_MAX;
	if (status || y.kind != EXTENT_STORED || read_stored(r, &y, dst, &other))
		return e->status;
	x->length = y.length;
	return STATUS_OK;
}

static enum status is_not_there(const struct extent *x, struct error *e)
{
	if (x->kind == EXTENT_LEFT_OUT)
		return error_set(e, STATUS_MISSING, "byte %" PRIu64 " was left out by the capture",
				 x->offset);
	if (x->unsure)
		return error_set(e, STATUS_SYSTEM, "byte %" PRIu64 " may be in a record that cannot be "
				 "read now", x->offset);
	return extent_error(x, e);
}

/* Sets what begins at offset, and reads it. */
static enum status read_extent(const struct reading *r, uint64_t offset, size_t len, uint8_t *dst,
			       struct extent *x, struct error *e)
{
	enum status status;

	do {
		status = resolve(&r->buffers->resolver, offset, len, x, e);
		if (status)
			return status;
		if (x->kind == EXTENT_ZERO)
			memset(dst, 0, x->length);
		else
			status = x->kind == EXTENT_STORED ? read_stored(r, x, dst, e) : is_not_there(x, e);
		/* A record that turned out to be damaged changes the answer. */
	} while (x->kind == EXTENT_STORED && is_final(status));
	if (x->kind == EXTENT_STORED && loaded_may_recover(status))
		return read_elsewhere(r, x, dst, e);
	return status;
}

static enum status source_read(const struct view *view, struct buffers *buffers, uint64_t offset, size_t len,
			       uint8_t *dst, struct error *e)
{
	const struct source_view *v = (const struct source_view *)view;
	const struct reading r = { .v = v, .buffers = buffers };
	enum status status = STATUS_OK;

	cache_note_read(v->cache, offset, len);
	resolver_forget_unsure(&buffers->resolver);
	while (len && !status) {
		struct extent x;

		status = read_extent(&r, offset, len, dst, &x, e);
		if (is_final(status) && (v->zero_holes || (v->zero_left_out && x.kind == EXTENT_LEFT_OUT))) {
			memset(dst, 0, x.length);
			status = STATUS_OK;
		}
		dst += x.length;
		offset += x.length;
		len -= x.length;
	}
	return status;
}

void source_view_init(struct source_view *v)
{
	v->view = (struct view){
		.name = "vmcore",
		.size = v->set->source_size,
		.read = source_read,
	};
}

/* --- the kdump-compressed form of the core in the source, as a file --------------- */

/* One read of the view, which reads pages through the view of the source. */
struct page_reader {
	const struct kdump_view *v;
	struct buffers *buffers;
};

static enum status read_source(void *arg, uint64_t offset, size_t len, uint8_t *dst,
			       struct error *e)
{
	const struct page_reader *p = arg;
	const struct view *source = &p->v->source->view;

	return source->read(source, p->buffers, offset, len, dst, e);
}

/*
 * Reads a part of a page that belongs to several segments.  The core combines them, but reads
 * through the view, because its own reader can be used by one thread only.
 */
static enum status read_ragged(struct page_reader *p, uint64_t pfn, size_t within, size_t len,
			       uint8_t *dst, struct error *e)
{
	uint32_t size = p->v->pages.page_size;
	struct core core = p->v->core.core;
	enum status status;

	core.bytes.read = read_source;
	core.bytes.arg = p;
	status = memory_read_page(&core, pfn * size, size, p->buffers->page, e);
	if (!status)
		memcpy(dst, p->buffers->page + within, len);
	return status;
}

/* Reads pages, up to the end of one run, and updates *len; offset counts from the first page. */
static enum status read_pages(struct page_reader *p, uint64_t offset, size_t *len, uint8_t *dst,
			    struct error *e)
{
	uint32_t size = p->v->pages.page_size;
	struct page_range run = pages_run_of_rank(&p->v->pages, offset / size);
	uint64_t within = offset % size;

	*len = min_u64(*len, run.count * size - within);
	if (run.ragged)
		return read_ragged(p, run.pfn, within, *len, dst, e);
	return read_source(p, run.offset + within, *len, dst, e);
}

/* Stores a part of the descriptors; from counts bytes from the first one. */
static void put_descriptors(const struct kdump_view *v, uint64_t from, size_t len, uint8_t *dst)
{
	uint32_t size = v->pages.page_size;
	uint8_t descriptor[KDUMP_DESCRIPTOR_LENGTH];

	while (len) {
		uint64_t rank = from / sizeof(descriptor);
		const struct kdump_descriptor d = { .offset = v->data + rank * size, .size = size };
		size_t within = from % sizeof(descriptor);
		size_t some = min_u64(len, sizeof(descriptor) - within);

		kdump_descriptor_encode(&d, descriptor);
		memcpy(dst, descriptor + within, some);
		dst += some;
		from += some;
		len -= some;
	}
}

/* Reads bytes of one kind, and updates *len. */
static enum status read_some(struct page_reader *p, uint64_t offset, size_t *len, uint8_t *dst,
			     struct error *e)
{
	const struct kdump_view *v = p->v;
	const struct kdump *form = &v->form;

	if (offset >= v->data)
		return read_pages(p, offset - v->data, len, dst, e);
	if (offset < form->bitmap1) {
		*len = min_u64(*len, form->bitmap1 - offset);
		memcpy(dst, v->head + offset, *len);
	} else if (offset < form->descriptors) {
		*len = min_u64(*len, form->descriptors - offset);
		kdump_put_bitmaps(form, offset - form->bitmap1, *len, dst, NULL);
	} else if (offset < form->data) {
		*len = min_u64(*len, form->data - offset);
		put_descriptors(v, offset - form->descriptors, *len, dst);
	} else {
		*len = min_u64(*len, v->data - offset);
		memset(dst, 0, *len);
	}
	return STATUS_OK;
}

static enum status kdump_read(const struct view *view, struct buffers *buffers, uint64_t offset, size_t len,
			      uint8_t *dst, struct error *e)
{
	struct page_reader p = { .v = (const struct kdump_view *)view, .buffers = buffers };
	enum status status = STATUS_OK;

	while (len && !status) {
		size_t some = len;

		status = read_some(&p, offset, &some, dst, e);
		dst += some;
		offset += some;
		len -= some;
	}
	return status;
}

/* --- opening --------------------------------------------------------------------- */

static enum status make_head(struct kdump_view *v, struct error *e)
{
	struct kdump_part whole = kdump_whole(&v->pages);

	kdump_init(&v->form, &v->core.core, &v->info, &v->pages);
	v->form.dump_level = dump_level_of_classes(v->filter.classes |
						   set_absent_classes(v->source->set));
	v->head = calloc(1, v->form.bitmap1);
	if (!v->head)
		return error_system(e, ENOMEM, "headers of the kdump-compressed form");
	kdump_put_head(&v->form, &whole, v->pages.lost ? KDUMP_INCOMPLETE : 0, v->head);
	v->data = round_up(v->form.data, v->pages.page_size);
	v->view = (struct view){
		.name = "vmcore.kdump",
		.size = v->data + v->pages.count * v->pages.page_size,
		.read = kdump_read,
	};
	return STATUS_OK;
}

enum status kdump_view_open(struct kdump_view *v, const struct source_view *source, const struct set_absent *absent,
			    unsigned left_out, unsigned threads, struct error *e)
{
	const struct absent gone = set_absent_view(absent);
	uint32_t page_size = 0;
	enum status status;

	*v = (struct kdump_view){ .source = source };
	status = set_core_open(&v->core, source->set, e);
	if (!status)
		status = vmcoreinfo_find(&v->core.core, &v->info, e);
	if (!status)
		status = vmcoreinfo_page_size(&v->info, &page_size, e);
	if (!status)
		status = pages_find(&v->pages, &v->core.core, page_size, &gone, e);
	if (!status && left_out)
		status = set_filter_apply(&v->filter, &v->pages, &v->core, &v->info, threads, left_out, e);
	if (!status)
		status = make_head(v, e);
	/* From now on everything is read through the view of the source. */
	set_core_free_reader(&v->core);
	return status;
}

void kdump_view_close(struct kdump_view *v)
{
	free(v->head);
	pages_free(&v->pages);
	set_core_close(&v->core);
	*v = (struct kdump_view){ 0 };
}
