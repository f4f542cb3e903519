// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "codec/codec.h"
#include "helper.h"
#include "kdump_opened.h"

/*
 * All page frames in the file are memory, and there is none after the last one.  Each ck_assert
 * makes two system calls, which is too slow for half a million bits.
 */
static void check_bitmaps(const struct kdump_opened *v, uint64_t bits)
{
	for (uint64_t pfn = 0; pfn < bits; pfn++) {
		bool ram = kdump_opened_is_ram(v, pfn);

		if (kdump_opened_has(v, pfn) && !ram)
			ck_abort_msg("page frame %lu is there and no memory", (unsigned long)pfn);
		if (ram && pfn >= v->max_mapnr)
			ck_abort_msg("page frame %lu is after the last one", (unsigned long)pfn);
	}
}

/* 64-bit struct disk_dump_header at 0, struct kdump_sub_header one block later. */
void kdump_opened_open(struct kdump_opened *v, const char *name)
{
	const uint8_t *sub;
	uint64_t bitmap, at;

	*v = (struct kdump_opened){ 0 };
	v->bytes = helper_read_file(name, &v->size);
	ck_assert_uint_ge(v->size, 8192);
	ck_assert_mem_eq(v->bytes, "KDUMP   ", 8);
	ck_assert_uint_eq(get_le32(v->bytes + 8), 6);
	ck_assert_uint_eq(get_le64(v->bytes + 416), 0);
	v->status = get_le32(v->bytes + 424);
	v->block_size = get_le32(v->bytes + 428);
	sub = v->bytes + v->block_size;
	v->max_mapnr = get_le64(sub + 96);
	v->split = get_le32(sub + 12);
	v->start = v->split ? get_le64(sub + 80) : 0;
	v->end = v->split ? get_le64(sub + 88) : v->max_mapnr;
	v->dump_level = get_le32(sub + 8);
	/* Otherwise makedumpfile takes the first data for a page of zeros. */
	ck_assert_uint_eq(v->dump_level % 2, 0);
	ck_assert_uint_lt(v->dump_level, 32);
	at = (1 + (uint64_t)get_le32(v->bytes + 432)) * v->block_size;
	/* crash maps the bitmaps: on a machine that is not x86, pages may have 64 KiB. */
	ck_assert_uint_eq(at % (strcmp((const char *)v->bytes + 272, "x86_64") ? 65536 : v->block_size), 0);
	bitmap = (uint64_t)get_le32(v->bytes + 436) / 2 * v->block_size;
	ck_assert_uint_eq(bitmap, round_up(divide_up(v->max_mapnr, 8), v->block_size));
	v->bitmap1 = v->bytes + at;
	v->bitmap2 = v->bitmap1 + bitmap;
	v->descriptors = at + 2 * bitmap;
	ck_assert_uint_le(v->descriptors, v->size);
	check_bitmaps(v, bitmap * 8);
}

void kdump_opened_close(struct kdump_opened *v)
{
	free(v->bytes);
}

bool kdump_opened_is_ram(const struct kdump_opened *v, uint64_t pfn)
{
	return v->bitmap1[pfn / 8] >> pfn % 8 & 1;
}

bool kdump_opened_has(const struct kdump_opened *v, uint64_t pfn)
{
	return v->bitmap2[pfn / 8] >> pfn % 8 & 1;
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
		ck_abort_msg("flags %#x of a page", flags);
	}
}

static void unpack(const struct codec *codec, const uint8_t *src, uint32_t size, uint8_t *dst,
		   uint32_t length)
{
	void *unpacker = codec->unpacker_new ? codec->unpacker_new() : NULL;

	ck_assert(codec->unpack(unpacker, src, size, dst, length));
	if (unpacker)
		codec->unpacker_free(unpacker);
}

/* The descriptor of a page of the file. */
static struct kdump_opened_page find(const struct kdump_opened *v, uint64_t pfn)
{
	const uint8_t *descriptor;
	uint64_t rank = 0;

	ck_assert(kdump_opened_has(v, pfn));
	ck_assert_uint_ge(pfn, v->start);
	ck_assert_uint_lt(pfn, v->end);
	for (uint64_t i = v->start; i < pfn; i++)
		rank += kdump_opened_has(v, i);
	descriptor = v->bytes + v->descriptors + rank * 24;
	ck_assert_uint_eq(get_le64(descriptor + 16), 0);
	return (struct kdump_opened_page){
		.offset = get_le64(descriptor), .size = get_le32(descriptor + 8), .flags = get_le32(descriptor + 12),
	};
}

bool kdump_opened_is_absent(const struct kdump_opened *v, uint64_t pfn)
{
	struct kdump_opened_page p = find(v, pfn);

	/* One of zeros is a page of zeros for some readers. */
	return !p.size && p.flags == 0x1 && p.offset == 4096;
}

struct kdump_opened_page kdump_opened_read(const struct kdump_opened *v, uint64_t pfn, uint8_t *dst)
{
	struct kdump_opened_page p = find(v, pfn);

	ck_assert_uint_le(p.offset, v->size);
	ck_assert_uint_le(p.size, v->size - p.offset);
	ck_assert_uint_ge(p.size, 1);
	if (p.flags) {
		ck_assert_uint_lt(p.size, v->block_size);
		unpack(codec_of(p.flags), v->bytes + p.offset, p.size, dst, v->block_size);
	} else {
		ck_assert_uint_eq(p.size, v->block_size);
		memcpy(dst, v->bytes + p.offset, p.size);
	}
	return p;
}
