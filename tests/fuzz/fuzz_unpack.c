// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The input is a packed block (doc/format.md, section 6): a byte that selects the codec, the length
 * of the block minus one in two bytes, and the packed bytes.  These bytes are also packed themselves, for the encoder
 * of lzo, which the library's decoder must read.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "codec/codec.h"
#include "fuzz.h"

enum { HEAD = 3 };

const size_t fuzz_prefix = HEAD;

/* fuzz_require() of what a codec makes of these bytes. */
static void try_pack(const struct codec *codec, void *unpacker, const uint8_t *bytes, size_t size)
{
	size_t bound = codec->bound(size), length;
	uint8_t *packed = fuzz_memory(bound), *back = fuzz_memory(size);
	void *packer = codec->packer_new ? codec->packer_new(codec->level_default, size) : NULL;

	fuzz_require(packer || !codec->packer_new, "there is a packer");
	length = codec->pack(packer, bytes, size, packed);
	fuzz_require(length <= bound, "a packed block is within its bound");
	fuzz_require(!length || (codec->unpack(unpacker, packed, length, back, size) && !memcmp(back, bytes, size)),
		     "and unpacks to the same bytes");
	if (packer)
		codec->packer_free(packer);
	free(packed);
	free(back);
}

int LLVMFuzzerTestOneInput(const uint8_t *input, size_t size)
{
	const struct codec *codec = size > HEAD ? codec_by_id(input[0] % 6) : NULL;
	size_t length = size > HEAD ? 1 + (input[1] | (size_t)input[2] << 8) : 0;
	uint8_t *packed, *first, *second;
	void *unpacker = NULL;
	bool good;

	if (!codec)
		return 0;
	packed = fuzz_copy(input + HEAD, size - HEAD);
	first = fuzz_memory(length);
	second = fuzz_memory(length);
	if (codec->unpacker_new)
		unpacker = codec->unpacker_new();
	fuzz_require(unpacker || !codec->unpacker_new, "there is an unpacker");
	memset(second, 0xa5, length);
	good = codec->unpack(unpacker, packed, size - HEAD, first, length);
	fuzz_require(codec->unpack(unpacker, packed, size - HEAD, second, length) == good,
		     "an unpacker says the same twice");
	fuzz_require(!good || !memcmp(first, second, length), "and writes every byte");
	try_pack(codec, unpacker, packed, size - HEAD);
	if (unpacker)
		codec->unpacker_free(unpacker);
	free(packed);
	free(first);
	free(second);
	return 0;
}
