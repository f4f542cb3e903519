// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The input is a packed block (doc/format.md, section 6): a byte that selects the codec, the length
 * of the block minus one in two bytes, and the packed bytes.
 */
#include "config.h"

#include <stdlib.h>
#include <string.h>

#include "codec/codec.h"
#include "fuzz.h"

enum { HEAD = 3 };

const size_t fuzz_prefix = HEAD;

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
	if (unpacker)
		codec->unpacker_free(unpacker);
	free(packed);
	free(first);
	free(second);
	return 0;
}
