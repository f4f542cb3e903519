// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * zlib: deflate in zlib's own wrapper, as compress2() makes it and as
 * kdump-compressed files have it.  compress2() itself would allocate and free
 * 256 KiB for each block; here the streams are kept.
 */
#include "config.h"

#include <limits.h>
#include <stdlib.h>

#include <zlib.h>

#include "base/memory.h"
#include "codec/codec.h"

struct zlib_packer {
	z_stream stream;	/* its opaque points back to this struct */
	size_t memory;		/* bytes allocated by zlib, without this struct */
};

static size_t zlib_bound(size_t len)
{
	return compressBound(len);
}

static void *counted_alloc(void *opaque, unsigned items, unsigned size)
{
	struct zlib_packer *p = opaque;

	void *memory = calloc(items, size);

	/* From calloc() it may be pages that the kernel has still to find. */
	if (memory)
		memory_touch(memory, (size_t)items * size);
	p->memory += (size_t)items * size;
	return memory;
}

static void counted_free(void *opaque, void *address)
{
	(void)opaque;
	free(address);
}

static void *zlib_packer_new(int level, size_t block_size)
{
	struct zlib_packer *p = calloc(1, sizeof(*p));

	(void)block_size;
	if (!p)
		return NULL;
	p->stream.zalloc = counted_alloc;
	p->stream.zfree = counted_free;
	p->stream.opaque = p;
	if (deflateInit(&p->stream, level) != Z_OK) {
		free(p);
		return NULL;
	}
	return p;
}

static void zlib_packer_free(void *packer)
{
	struct zlib_packer *p = packer;

	deflateEnd(&p->stream);
	free(p);
}

static size_t zlib_packer_memory(const void *packer)
{
	const struct zlib_packer *p = packer;

	return sizeof(*p) + p->memory;
}

/* Nothing to do: each block begins with a reset, which takes any state. */
static void zlib_packer_reset(void *packer)
{
	(void)packer;
}

static size_t zlib_pack(void *packer, const void *src, size_t len, void *dst)
{
	struct zlib_packer *p = packer;
	size_t room = zlib_bound(len);

	if (deflateReset(&p->stream) != Z_OK)
		return 0;
	p->stream.next_in = (z_const Bytef *)src;
	p->stream.avail_in = (uInt)len;
	p->stream.next_out = dst;
	p->stream.avail_out = (uInt)room;
	if (deflate(&p->stream, Z_FINISH) != Z_STREAM_END)
		return 0;
	return room - p->stream.avail_out;
}

static void *zlib_unpacker_new(void)
{
	z_stream *stream = calloc(1, sizeof(*stream));

	if (stream && inflateInit(stream) != Z_OK) {
		free(stream);
		return NULL;
	}
	return stream;
}

static void zlib_unpacker_free(void *unpacker)
{
	inflateEnd(unpacker);
	free(unpacker);
}

static bool zlib_unpack(void *unpacker, const void *src, size_t len,
			void *dst, size_t dst_len)
{
	z_stream *stream = unpacker;

	if (len > UINT_MAX || dst_len > UINT_MAX || inflateReset(stream) != Z_OK)
		return false;
	stream->next_in = (z_const Bytef *)src;
	stream->avail_in = (uInt)len;
	stream->next_out = dst;
	stream->avail_out = (uInt)dst_len;
	return inflate(stream, Z_FINISH) == Z_STREAM_END &&
	       stream->avail_in == 0 && stream->avail_out == 0;
}

const struct codec codec_zlib = {
	.name = "zlib",
	.id = CODEC_ZLIB,
	.has_levels = true,
	.level_min = Z_BEST_SPEED,
	.level_max = Z_BEST_COMPRESSION,
	.level_default = Z_BEST_SPEED,	/* a machine is waiting to boot again */
	.bound = zlib_bound,
	.packer_new = zlib_packer_new,
	.packer_free = zlib_packer_free,
	.packer_memory = zlib_packer_memory,
	.packer_reset = zlib_packer_reset,
	.pack = zlib_pack,
	.unpacker_new = zlib_unpacker_new,
	.unpacker_free = zlib_unpacker_free,
	.unpack = zlib_unpack,
};
