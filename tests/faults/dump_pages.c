// SPDX-License-Identifier: GPL-2.0-or-later
/*
 *	dump_pages DUMP
 *
 * Prints what is in a dump in the kdump-compressed form that is not flattened, for dumps.py, with the offsets in
 * makedumpfile's diskdump_mod.h and without any code of the writer.  A line "status NUMBER"; then for each page that
 * bitmap 2 has a line with its page frame number and one of
 *	the first 32 bytes and a checksum of all bytes, in hexadecimal
 *	none		a descriptor of zeros
 *	absent		a descriptor without bytes, which readers refuse
 *	wrong WHY	anything else
 * Exit status 1: it is no such dump, or its bitmaps are beyond its end.
 */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/bytes.h"
#include "codec/codec.h"

enum { DESCRIPTOR = 24, SHOWN = 32, PAGE_MAX = 65536 };

struct dump {
	uint8_t *bytes;
	size_t size;
	uint32_t page_size;
	uint64_t frames, bitmap, descriptors;
};

static bool read_all(struct dump *d, const char *name)
{
	FILE *file = fopen(name, "rb");
	long size = -1;

	if (!file || fseek(file, 0, SEEK_END) || (size = ftell(file)) < 0 || fseek(file, 0, SEEK_SET))
		return false;
	d->size = (size_t)size;
	d->bytes = malloc(d->size + 1);
	return d->bytes && fread(d->bytes, 1, d->size, file) == d->size && !fclose(file);
}

static bool read_headers(struct dump *d)
{
	uint64_t bitmaps;

	if (d->size < 8192 || memcmp(d->bytes, "KDUMP   ", 8) != 0)
		return false;
	d->page_size = get_le32(d->bytes + 428);
	if (d->page_size < 4096 || d->page_size > PAGE_MAX || d->size < 2 * (size_t)d->page_size)
		return false;
	d->frames = get_le64(d->bytes + d->page_size + 96);
	bitmaps = (uint64_t)get_le32(d->bytes + 436) * d->page_size;
	d->bitmap = (1 + (uint64_t)get_le32(d->bytes + 432)) * d->page_size + bitmaps / 2;
	d->descriptors = d->bitmap + bitmaps / 2;
	return d->descriptors <= d->size && d->frames <= 8 * (bitmaps / 2);
}

static const struct codec *codec_of(uint32_t flags)
{
	switch (flags) {
	case 0x1:
		return codec_by_id(CODEC_ZLIB);
	case 0x2:
		return codec_by_id(CODEC_LZO);
	case 0x4:
		return codec_by_id(CODEC_SNAPPY);
	case 0x20:
		return codec_by_id(CODEC_ZSTD);
	default:
		return NULL;
	}
}

/* Returns what is wrong, or NULL. */
static const char *unpack(const struct dump *d, const uint8_t *src, uint32_t size, uint32_t flags, uint8_t *page)
{
	const struct codec *codec = codec_of(flags);
	void *unpacker;
	bool ok;

	if (!flags) {
		memcpy(page, src, size);
		return size == d->page_size ? NULL : "length of a page that is not compressed";
	}
	if (!codec || size >= d->page_size)
		return "codec or length";
	unpacker = codec->unpacker_new ? codec->unpacker_new() : NULL;
	ok = codec->unpack(unpacker, src, size, page, d->page_size);
	if (unpacker)
		codec->unpacker_free(unpacker);
	return ok ? NULL : "compressed bytes";
}

static void print_bytes(const struct dump *d, const uint8_t *page)
{
	for (unsigned i = 0; i < SHOWN; i++)
		printf("%02x", page[i]);
	printf(" %016" PRIx64 "\n", (uint64_t)XXH64(page, d->page_size, 0));
}

static void print_page(const struct dump *d, const uint8_t *descriptor)
{
	static uint8_t page[PAGE_MAX];
	uint64_t offset = get_le64(descriptor);
	uint32_t size = get_le32(descriptor + 8), flags = get_le32(descriptor + 12);
	const char *why;

	if (bytes_are_zero(descriptor, DESCRIPTOR)) {
		puts("none");
	} else if (!size && flags == 1) {
		puts("absent");
	} else if (!size || size > d->page_size || offset > d->size || size > d->size - offset) {
		puts("wrong place");
	} else if ((why = unpack(d, d->bytes + offset, size, flags, page))) {
		printf("wrong %s\n", why);
	} else {
		print_bytes(d, page);
	}
}

int main(int argc, char **argv)
{
	struct dump d = { 0 };
	uint64_t rank = 0;

	if (argc != 2 || !read_all(&d, argv[1]) || !read_headers(&d))
		return 1;
	printf("status %" PRIu32 "\n", get_le32(d.bytes + 424));
	for (uint64_t pfn = 0; pfn < d.frames; pfn++) {
		uint64_t at = d.descriptors + rank * DESCRIPTOR;

		if (!(d.bytes[d.bitmap + pfn / 8] >> pfn % 8 & 1))
			continue;
		printf("%" PRIu64 " ", pfn);
		if (at + DESCRIPTOR > d.size)
			puts("none");
		else
			print_page(&d, d.bytes + at);
		rank++;
	}
	free(d.bytes);
	return 0;
}
