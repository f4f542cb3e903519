// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "export/kdump_file.h"

/* Bytes of the bitmaps that are written at a time. */
enum { PIECE = 256 * 1024 };

/* Stands in a batch for the offset of the file's zero page. */
#define ZERO_PAGE UINT64_MAX

static enum status no_memory(const struct output_file *o, struct error *e)
{
	return error_system(e, ENOMEM, "%s", o->name);
}

static enum status write_head(const struct kdump_file *f, uint32_t flags, struct error *e)
{
	const struct kdump *k = f->form;
	uint8_t *head = malloc(k->bitmap1);
	enum status status;

	if (!head)
		return no_memory(f->output, e);
	kdump_put_head(k, &f->part, flags, head);
	status = output_file_write(f->output, 0, head, k->bitmap1, e);
	free(head);
	return status;
}

/*
 * The end of the piece of the bitmaps that begins at an offset, and whether it is zeros.  One
 * without a bit, where memory has large gaps, is as long as the gap.
 */
static uint64_t piece_end(const struct kdump *k, uint64_t at, bool *zeros)
{
	uint64_t set = round_down(kdump_bitmaps_next(k, at, NULL), PIECE);

	*zeros = set > at;
	return min_u64(k->descriptors - k->bitmap1, *zeros ? set : at + PIECE);
}

uint64_t kdump_bitmaps_stored(const struct kdump *k, uint64_t end)
{
	uint64_t stored = 0, next;

	for (uint64_t at = 0; at < end; at = next) {
		bool zeros;

		next = piece_end(k, at, &zeros);
		if (!zeros)
			stored += min_u64(next, end) - at;
	}
	return stored;
}

static enum status write_bitmaps(const struct kdump_file *f, struct error *e)
{
	const struct kdump *k = f->form;
	uint64_t all = k->descriptors - k->bitmap1, next;
	uint8_t *piece = malloc(PIECE);
	enum status status = piece ? STATUS_OK : no_memory(f->output, e);

	for (uint64_t at = 0; at < all && !status; at = next) {
		bool zeros;

		next = piece_end(k, at, &zeros);
		if (zeros) {
			status = output_file_write_zeros(f->output, k->bitmap1 + at, next - at, e);
			continue;
		}
		kdump_put_bitmaps(k, at, next - at, piece, NULL);
		status = output_file_write(f->output, k->bitmap1 + at, piece, next - at, e);
	}
	free(piece);
	return status;
}

static uint64_t least_of(const struct kdump_file *f)
{
	uint64_t bitmaps = f->form->descriptors - f->form->bitmap1;

	if (f->output->kind != OUTPUT_FILE || !f->output->sparse)
		return f->end;
	return f->zero_page - bitmaps + kdump_bitmaps_stored(f->form, bitmaps);
}

void kdump_file_init(struct kdump_file *f, const struct kdump *k, struct output_file *output,
		     const struct kdump_part *part)
{
	*f = (struct kdump_file){
		.output = output,
		.form = k,
		.part = *part,
		.first_rank = pages_rank(k->pages, part->first),
		.descriptors = k->descriptors,
	};
	f->count = pages_rank(k->pages, part->end) - f->first_rank;
	f->zero_page = f->descriptors + f->count * KDUMP_DESCRIPTOR_LENGTH;
	f->end = f->zero_page + k->block_size;
	f->least = least_of(f);
}

enum status kdump_file_begin(const struct kdump_file *f, uint32_t flags, struct error *e)
{
	enum status status = write_head(f, flags, e);

	if (!status)
		status = write_bitmaps(f, e);
	return status ? status
		      : output_file_write_zeros(f->output, f->zero_page, f->form->block_size, e);
}

enum status kdump_batch_init(struct kdump_batch *b, const struct codec *codec, int level,
			     uint32_t page_size, uint32_t capacity, struct error *e)
{
	*b = (struct kdump_batch){ .page_size = page_size, .codec = codec, .capacity = capacity };
	/* A compressed page may be longer than a page, before it is discarded. */
	b->data = malloc((size_t)capacity * page_size + codec->bound(page_size));
	b->descriptors = malloc((size_t)capacity * KDUMP_DESCRIPTOR_LENGTH);
	if (!b->data || !b->descriptors)
		return error_system(e, ENOMEM, "buffers of pages");
	if (!codec->packer_new)
		return STATUS_OK;
	b->packer = codec->packer_new(level, page_size);
	return b->packer ? STATUS_OK : error_system(e, ENOMEM, "codec %s", codec->name);
}

void kdump_batch_free(struct kdump_batch *b)
{
	if (b->packer)
		b->codec->packer_free(b->packer);
	free(b->data);
	free(b->descriptors);
	*b = (struct kdump_batch){ 0 };
}

/* Adds a descriptor; until the batch is written, offset counts from the beginning of the batch. */
static void add_descriptor(struct kdump_batch *b, uint64_t offset, uint32_t length, uint32_t flags)
{
	const struct kdump_descriptor d = { .offset = offset, .size = length, .flags = flags };

	kdump_descriptor_encode(&d, b->descriptors + (size_t)b->count++ * KDUMP_DESCRIPTOR_LENGTH);
}

void kdump_batch_add_zeros(struct kdump_batch *b)
{
	add_descriptor(b, ZERO_PAGE, b->page_size, 0);
}

void kdump_batch_copy(struct kdump_batch *b, const uint8_t *bytes, uint32_t length, uint32_t flags)
{
	memcpy(b->data + b->filled, bytes, length);
	add_descriptor(b, b->filled, length, flags);
	b->filled += length;
}

void kdump_batch_add(struct kdump_batch *b, const uint8_t *page)
{
	size_t packed;

	if (bytes_are_zero(page, b->page_size)) {
		kdump_batch_add_zeros(b);
		return;
	}
	packed = b->codec->pack(b->packer, page, b->page_size, b->data + b->filled);
	if (!packed || packed >= b->page_size) {
		kdump_batch_copy(b, page, b->page_size, 0);
		return;
	}
	add_descriptor(b, b->filled, (uint32_t)packed, kdump_flag(b->codec->id));
	b->filled += packed;
}

/* Converts the offsets in the descriptors to offsets in the file; the batch begins at base. */
static void relocate_descriptors(struct kdump_batch *b, const struct kdump_file *f, uint64_t base)
{
	for (uint32_t i = 0; i < b->count; i++) {
		uint8_t *descriptor = b->descriptors + (size_t)i * KDUMP_DESCRIPTOR_LENGTH;
		uint64_t offset = get_le64(descriptor);

		put_le64(descriptor, offset == ZERO_PAGE ? f->zero_page : base + offset);
	}
}

enum status kdump_batch_put(struct kdump_batch *b, struct kdump_file *f, uint64_t first,
			    struct error *e)
{
	uint64_t descriptors = f->descriptors + first * KDUMP_DESCRIPTOR_LENGTH;
	uint64_t base = atomic_fetch_add(&f->end, b->filled);
	enum status status = STATUS_OK;

	relocate_descriptors(b, f, base);
	if (b->filled)
		status = output_file_write(f->output, base, b->data, b->filled, e);
	if (!status)
		status = output_file_write(f->output, descriptors, b->descriptors,
					   (uint64_t)b->count * KDUMP_DESCRIPTOR_LENGTH, e);
	b->filled = 0;
	b->count = 0;
	return status;
}
