// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * raw: no block is packed, so a raw record has only stored and same-filled blocks.  raw_pack()
 * accesses neither src nor dst, so src may already be in the record (capture/fill/fill.c).
 */
#include "config.h"

#include "codec/codec.h"

static size_t raw_bound(size_t len)
{
	return len;
}

static size_t raw_pack(void *packer, const void *src, size_t len, void *dst)
{
	(void)packer;
	(void)src;
	(void)len;
	(void)dst;
	return 0;
}

static bool raw_unpack(void *unpacker, const void *src, size_t len,
		       void *dst, size_t dst_len)
{
	(void)unpacker;
	(void)src;
	(void)len;
	(void)dst;
	(void)dst_len;
	return false;
}

const struct codec codec_raw = {
	.name = "raw",
	.id = CODEC_RAW,
	.bound = raw_bound,
	.pack = raw_pack,
	.unpack = raw_unpack,
};
