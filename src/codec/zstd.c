// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zstd: one frame for each block, with the content size and without a checksum, since the record
 * has one.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include <zstd.h>

#include "codec/codec.h"

static size_t zstd_bound(size_t len)
{
	return ZSTD_compressBound(len);
}

/* The packer is the library's context, whose level is set once. */
static void zstd_packer_free(void *packer)
{
	ZSTD_freeCCtx(packer);
}

static size_t zstd_pack(void *packer, const void *src, size_t len, void *dst)
{
	size_t packed = ZSTD_compress2(packer, dst, zstd_bound(len), src, len);

	return ZSTD_isError(packed) ? 0 : packed;
}

/*
 * The context grows at its first use to what level and block size need: for blocks of 4 KiB, tables
 * and a window for 4 KiB.  So one block is packed here, and later blocks of that size need no more
 * memory.  After 128 blocks in a row that need less than a third of it (a range with bad pages and
 * a large --blocksize), zstd allocates the context again, from memory that the heap has kept
 * (memory_keep()).  If that fails, blocks are stored.
 */
static bool warm_up(ZSTD_CCtx *context, size_t block_size)
{
	unsigned char *src = calloc(1, block_size);
	unsigned char *dst = malloc(zstd_bound(block_size));
	bool ok = src && dst && zstd_pack(context, src, block_size, dst) > 0;

	free(src);
	free(dst);
	return ok;
}

static void *zstd_packer_new(int level, size_t block_size)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();

	if (context && (ZSTD_isError(ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level)) ||
			!warm_up(context, block_size))) {
		ZSTD_freeCCtx(context);
		context = NULL;
	}
	return context;
}

static size_t zstd_packer_memory(const void *packer)
{
	return ZSTD_sizeof_CCtx(packer);
}

/* Discards the current frame and keeps the level. */
static void zstd_packer_reset(void *packer)
{
	ZSTD_CCtx_reset(packer, ZSTD_reset_session_only);
}

static void *zstd_unpacker_new(void)
{
	return ZSTD_createDCtx();
}

static void zstd_unpacker_free(void *unpacker)
{
	ZSTD_freeDCtx(unpacker);
}

/*
 * The library accepts more than one plain frame: several frames, skippable frames, and frames of
 * its early versions, whose decoders have been reviewed less.  This accepts one plain frame only.
 */
static bool zstd_claims(const void *src, size_t len, size_t dst_len)
{
	static const unsigned char magic[4] = { 0x28, 0xb5, 0x2f, 0xfd };

	return len > sizeof(magic) && !memcmp(src, magic, sizeof(magic)) &&
	       ZSTD_getFrameContentSize(src, len) == dst_len &&
	       ZSTD_findFrameCompressedSize(src, len) == len;
}

static bool zstd_unpack(void *unpacker, const void *src, size_t len,
			void *dst, size_t dst_len)
{
	return zstd_claims(src, len, dst_len) &&
	       ZSTD_decompressDCtx(unpacker, dst, dst_len, src, len) == dst_len;
}

const struct codec codec_zstd = {
	.name = "zstd",
	.id = CODEC_ZSTD,
	.has_levels = true,
	.level_min = 1,
	.level_max = 22,
	.level_default = 1,	/* the fastest: a machine is waiting to reboot */
	.bound = zstd_bound,
	.packer_new = zstd_packer_new,
	.packer_free = zstd_packer_free,
	.packer_memory = zstd_packer_memory,
	.packer_reset = zstd_packer_reset,
	.pack = zstd_pack,
	.unpacker_new = zstd_unpacker_new,
	.unpacker_free = zstd_unpacker_free,
	.unpack = zstd_unpack,
	.claims = zstd_claims,
};
