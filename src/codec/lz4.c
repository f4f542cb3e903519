// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lz4, lz4hc: the LZ4 block format, without the LZ4 frame; lz4hc searches longer.
 *
 * LZ4_compress_fast_extState() clears a table of 16 KiB for each block.  The stream calls
 * (LZ4_resetStream_fast(), LZ4_compress_fast_continue()) do not, but with blocks of 4 KiB from a
 * core they were measured to be a quarter slower.  They are faster only with blocks of one value or
 * of noise.
 *
 * Of lz4hc they are used, for their fast reset: LZ4_compress_HC_extStateHC() clears tables of 256 KiB for each block,
 * and the fast reset advances the position of the stream instead, which puts everything in the tables out of reach,
 * including the previous block.
 */
#include "config.h"

#include <limits.h>
#include <stdlib.h>

#include <lz4.h>
#include <lz4hc.h>

#include "codec/codec.h"

static size_t lz4_bound(size_t len)
{
	return (size_t)LZ4_compressBound((int)len);
}

/* The packer is the library's state; nothing in it is carried over between blocks. */
static void *lz4_packer_new(int level, size_t block_size)
{
	(void)level;
	(void)block_size;
	return malloc((size_t)LZ4_sizeofState());
}

static size_t lz4_packer_memory(const void *packer)
{
	(void)packer;
	return (size_t)LZ4_sizeofState();
}

static size_t lz4_pack(void *packer, const void *src, size_t len, void *dst)
{
	int packed = LZ4_compress_fast_extState(packer, src, dst, (int)len,
						(int)lz4_bound(len), 1);

	return packed > 0 ? (size_t)packed : 0;
}

static bool lz4_unpack(void *unpacker, const void *src, size_t len,
		       void *dst, size_t dst_len)
{
	(void)unpacker;
	if (len > INT_MAX || dst_len > INT_MAX)
		return false;
	return LZ4_decompress_safe(src, dst, (int)len, (int)dst_len) == (int)dst_len;
}

const struct codec codec_lz4 = {
	.name = "lz4",
	.id = CODEC_LZ4,
	.bound = lz4_bound,
	.packer_new = lz4_packer_new,
	.packer_free = free,
	.packer_memory = lz4_packer_memory,
	.pack = lz4_pack,
	.unpack = lz4_unpack,
};

/* --- lz4hc --------------------------------------------------------------------- */

struct lz4hc_packer {
	int level;
	LZ4_streamHC_t stream;
};

/* The lowest level with an optimal parser; the library's LZ4HC_CLEVEL_OPT_MIN. */
enum { LEVEL_OPTIMAL = 10 };

/* Initializes the stream, whatever it holds. */
static void lz4hc_packer_reset(void *packer)
{
	struct lz4hc_packer *p = packer;

	LZ4_initStreamHC(&p->stream, sizeof(p->stream));
}

static void *lz4hc_packer_new(int level, size_t block_size)
{
	struct lz4hc_packer *p = malloc(sizeof(*p));

	(void)block_size;
	if (!p)
		return NULL;
	p->level = level;
	lz4hc_packer_reset(p);
	return p;
}

static size_t lz4hc_packer_memory(const void *packer)
{
	(void)packer;
	return sizeof(struct lz4hc_packer);
}

/* At these levels the library may allocate and free 64 KiB on each call, and does not accept memory of the caller. */
static size_t lz4hc_call_memory(int level, size_t block_size)
{
	(void)block_size;
	return level < LEVEL_OPTIMAL ? 0 : 65 * 1024;
}

static size_t lz4hc_pack(void *packer, const void *src, size_t len, void *dst)
{
	struct lz4hc_packer *p = packer;
	int packed;

	LZ4_resetStreamHC_fast(&p->stream, p->level);
	packed = LZ4_compress_HC_continue(&p->stream, src, dst, (int)len,
					  (int)lz4_bound(len));
	return packed > 0 ? (size_t)packed : 0;
}

const struct codec codec_lz4hc = {
	.name = "lz4hc",
	.id = CODEC_LZ4,
	.has_levels = true,
	.level_min = 1,
	.level_max = LZ4HC_CLEVEL_MAX,
	.level_default = LZ4HC_CLEVEL_DEFAULT,
	.bound = lz4_bound,
	.packer_new = lz4hc_packer_new,
	.packer_free = free,
	.packer_memory = lz4hc_packer_memory,
	.call_memory = lz4hc_call_memory,
	.packer_reset = lz4hc_packer_reset,
	.pack = lz4hc_pack,
	.unpack = lz4_unpack,
};
