// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * snappy, through its C interface.
 *
 * snappy_compress() cannot be given work memory, so it allocates and frees some on each call: see
 * snappy_call_memory().  This takes little time, since malloc() returns the same memory each time.
 * But without memory the C++ code behind the interface ends the program, so that must never happen.
 * The C++ interface is no better in this, and would require a C++ compiler.
 */
#include "config.h"

#include <snappy-c.h>

#include "base/bytes.h"
#include "codec/codec.h"

/* The library divides its input into pieces of this size. */
enum { PIECE = 64 * 1024 };

static size_t snappy_bound(size_t len)
{
	return snappy_max_compressed_length(len);
}

/*
 * A hash table of at most 64 KiB (2 bytes for each byte of the piece, rounded up to a power of
 * two), a copy of the piece, and the packed piece.
 */
static size_t snappy_call_memory(int level, size_t block_size)
{
	size_t piece = min_u64(block_size, PIECE);

	(void)level;
	return min_u64(4 * piece, PIECE) + piece + snappy_max_compressed_length(piece) + 1024;
}

static size_t snappy_pack(void *packer, const void *src, size_t len, void *dst)
{
	size_t packed = snappy_max_compressed_length(len);

	(void)packer;
	if (snappy_compress(src, len, dst, &packed) != SNAPPY_OK)
		return 0;
	return packed;
}

static bool snappy_claims(const void *src, size_t len, size_t dst_len)
{
	size_t unpacked;

	return snappy_uncompressed_length(src, len, &unpacked) == SNAPPY_OK &&
	       unpacked == dst_len;
}

static bool snappy_unpack(void *unpacker, const void *src, size_t len,
			  void *dst, size_t dst_len)
{
	size_t unpacked = dst_len;

	(void)unpacker;
	return snappy_claims(src, len, dst_len) &&
	       snappy_uncompress(src, len, dst, &unpacked) == SNAPPY_OK;
}

const struct codec codec_snappy = {
	.name = "snappy",
	.id = CODEC_SNAPPY,
	.bound = snappy_bound,
	.call_memory = snappy_call_memory,
	.pack = snappy_pack,
	.unpack = snappy_unpack,
	.claims = snappy_claims,
};
