// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lz4hc: the same format as lz4, made with a longer search.
 *
 * The stream calls are used for their fast reset.  LZ4_compress_HC_extStateHC() clears tables of
 * 256 KiB for each block.  The fast reset advances the position of the stream instead, which puts
 * everything in the tables out of reach, including the previous block.
 *
 * At levels 10 to 12 the library may allocate and free 64 KiB on each call, and does not accept
 * memory of the caller instead.
 */
#include "config.h"

#include <stdlib.h>

#include <lz4hc.h>

#include "codec/codec.h"

struct lz4hc_packer {
	int level;
	LZ4_streamHC_t stream;
};

/* The lowest level with an optimal parser; the library's LZ4HC_CLEVEL_OPT_MIN. */
enum { LEVEL_OPTIMAL = 10 };

static size_t lz4hc_bound(size_t len)
{
	return codec_lz4.bound(len);
}

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
					  (int)lz4hc_bound(len));
	return packed > 0 ? (size_t)packed : 0;
}

static bool lz4hc_unpack(void *unpacker, const void *src, size_t len,
			 void *dst, size_t dst_len)
{
	return codec_lz4.unpack(unpacker, src, len, dst, dst_len);
}

const struct codec codec_lz4hc = {
	.name = "lz4hc",
	.id = CODEC_LZ4,
	.has_levels = true,
	.level_min = 1,
	.level_max = LZ4HC_CLEVEL_MAX,
	.level_default = LZ4HC_CLEVEL_DEFAULT,
	.bound = lz4hc_bound,
	.packer_new = lz4hc_packer_new,
	.packer_free = free,
	.packer_memory = lz4hc_packer_memory,
	.call_memory = lz4hc_call_memory,
	.packer_reset = lz4hc_packer_reset,
	.pack = lz4hc_pack,
	.unpack = lz4hc_unpack,
};
