// SPDX-License-Identifier: GPL-2.0-or-later
/* The source, as a file. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/bytes.h"
#include "mount/loaded.h"
#include "mount/view.h"

/* One read. */
struct reading {
	const struct source_view *v;
	struct buffers *buffers;
	struct resolver *resolver;
};

static void report(void *arg, size_t location, bool first, const struct error *e)
{
	(void)first;
	cache_report(arg, location, e);
}

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

	r->resolver->avoid = x->location;
	status = resolve(r->resolver, x->offset, x->length, &y, &other);
	r->resolver->avoid = SIZE_MAX;
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
		status = resolve(r->resolver, offset, len, x, e);
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

static enum status source_read(const struct view *view, struct buffers *buffers,
			       struct sequence *sequence, uint64_t offset, size_t len, uint8_t *dst,
			       struct error *e)
{
	const struct source_view *v = (const struct source_view *)view;
	struct reading r = { .v = v, .buffers = buffers, .resolver = buffers_resolver(buffers, v->set) };
	enum status status = r.resolver ? STATUS_OK : error_system(e, ENOMEM, "record buffer");

	if (v->readahead)
		readahead_note(v->readahead, sequence, offset, len);
	if (r.resolver) {
		r.resolver->damaged = report;
		r.resolver->arg = v->cache;
		resolver_forget_unsure(r.resolver);
	}
	while (len && !status) {
		struct extent x;

		status = read_extent(&r, offset, len, dst, &x, e);
		if (is_final(status) && v->zero_holes) {
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
