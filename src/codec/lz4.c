// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lz4: the LZ4 block format, without the LZ4 frame.
 *
 * LZ4_compress_fast_extState() clears a table of 16 KiB for each block.  The stream calls
 * (LZ4_resetStream_fast(), LZ4_compress_fast_continue()) do not, but with blocks of 4 KiB from a
 * core they were measured to be a quarter slower.  They are faster only with blocks of one value or
 * of noise.
 */
#include "config.h"

#include <limits.h>
#include <stdlib.h>

#include <lz4.h>

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

/* The library initializes the state at the start of each block. */
static void lz4_packer_reset(void *packer)
{
	(void)packer;
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
	.packer_reset = lz4_packer_reset,
	.pack = lz4_pack,
	.unpack = lz4_unpack,
};
