// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * snappy, through its C interface.
 *
 * That interface takes no work memory: snappy_compress() allocates and frees
 * some on each call (about 20 KiB for a block of 4 KiB, and at most about
 * 170 KiB, because it works in pieces of 64 KiB).  malloc() hands the same
 * bytes out again each time, so it costs little, but two things follow.  A
 * pack() that is left by siglongjmp() leaks that memory once; and when there
 * is none left, the C++ behind the interface ends the program.  Its C++
 * interface is no better in this, and would bring a C++ compiler to the build.
 */
#include "config.h"

#include <snappy-c.h>

#include "codec/codec.h"

static size_t snappy_bound(size_t len)
{
	return snappy_max_compressed_length(len);
}

static size_t snappy_pack(void *packer, const void *src, size_t len, void *dst)
{
	size_t packed = snappy_max_compressed_length(len);

	(void)packer;
	if (snappy_compress(src, len, dst, &packed) != SNAPPY_OK)
		return 0;
	return packed;
}

static bool snappy_unpack(void *unpacker, const void *src, size_t len,
			  void *dst, size_t dst_len)
{
	size_t unpacked;

	(void)unpacker;
	if (snappy_uncompressed_length(src, len, &unpacked) != SNAPPY_OK ||
	    unpacked != dst_len)
		return false;
	return snappy_uncompress(src, len, dst, &unpacked) == SNAPPY_OK;
}

const struct codec codec_snappy = {
	.name = "snappy",
	.id = CODEC_SNAPPY,
	.bound = snappy_bound,
	.call_memory = 172 * 1024,
	.pack = snappy_pack,
	.unpack = snappy_unpack,
};
