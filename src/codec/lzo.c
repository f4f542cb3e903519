// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lzo, lzohc: LZO1X, which kdump-compressed files call "lzo"; lzohc is packed by the library.
 *
 * lzo has an encoder of its own, made for the memory of a kernel: code and pointers, with a match of 4
 * or 5 bytes every few bytes.  Such a match costs branches that no CPU predicts, and saves a byte or
 * two.  So positions are looked up by KEY bytes instead of 4, and a match is extended backwards.
 *
 * The blocks of four cores (Linux 5.10, 6.1, 6.12 and 7.3, -d 31) take 0.68 to 0.74 of the library's
 * time, and are 7 to 11 % larger; they unpack 1.4 to 1.7 times as fast (AMD EPYC, the best of 7 loops
 * over them, 2026-11-29).  Rejected, with 6.12: a key of 5 bytes (17 % more time, 4 % smaller) or of 7
 * (8 % less, 5 % larger); tables of 2^11 or 2^13 entries; a second table for keys of 8 bytes (6 % more time,
 * 1 % smaller); steps that grow with the literals instead of the lookups (10 % more time for the same
 * size); the end of a match in the table (2 % more time, 0.4 % smaller, and up to half the speed of the
 * decoder, because matches overlap).
 */
#include "config.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

#include <lzo/lzo1x.h>

#include "codec/codec.h"

/* As the library's documentation gives it for blocks that do not compress. */
static size_t lzo_bound(size_t len)
{
	return len + len / 16 + 64 + 3;
}

/* --- lzo ------------------------------------------------------------------- */

/* Of the encoder. */
enum {
	KEY = 6,
	TABLE_BITS = 12,
	/* After so many lookups without a match, every second position is looked up; after as many more, every third; ... */
	LOOKUPS = 8,
	MATCH_LEAST = 4,
	/* Literals at the beginning of a part: a block begins with a run of more than LITERALS_IN_MATCH. */
	FIRST = 4,
	/* A part of a block has its own table, so that no offset exceeds 0xbfff, the largest of the format. */
	PART = 0xc000,
	/* So near to the end of a part, no position is looked up, and match_length() stops. */
	MARGIN = 40,
};

/* Of the format: the three kinds of matches, and their largest lengths (without further bytes) and offsets. */
enum {
	M2 = 64, M2_LENGTH = 8, M2_OFFSET = 0x800,
	M3 = 32, M3_LENGTH = 33, M3_OFFSET = 0x4000,
	M4 = 16, M4_LENGTH = 9,
	/* The most literals whose number is in the match before, and in a byte of its own. */
	LITERALS_IN_MATCH = 3, LITERALS_SHORT = 18,
};

static inline uint64_t load64(const uint8_t *p)
{
	uint64_t word;

	memcpy(&word, p, sizeof(word));
	return le64toh(word);
}

/* A word times this has a hash of its first KEY bytes at its upper end. */
static const uint64_t HASH = (uint64_t)0x9e3779b97f4a7c15 << (64 - 8 * KEY);

/* The first KEY bytes of a word, without the others. */
static inline uint64_t key_of(uint64_t word)
{
	return word << (64 - 8 * KEY);
}

static inline uint8_t *put_rest(uint8_t *out, size_t rest)
{
	for (; __builtin_expect(rest > 255, 0); rest -= 255)
		*out++ = 0;
	*out++ = (uint8_t)rest;
	return out;
}

/* Begins a run of len literals, which the caller copies. */
static inline uint8_t *put_run(uint8_t *out, size_t len)
{
	if (len <= LITERALS_IN_MATCH) {
		out[-2] |= (uint8_t)len;
	} else if (len <= LITERALS_SHORT) {
		*out++ = (uint8_t)(len - 3);
	} else {
		*out++ = 0;
		out = put_rest(out, len - LITERALS_SHORT);
	}
	return out;
}

static inline uint8_t *put_match(uint8_t *out, size_t len, size_t offset)
{
	if (len <= M2_LENGTH && offset <= M2_OFFSET) {
		offset--;
		*out++ = (uint8_t)((len - 1) << 5 | (offset & 7) << 2);
		*out++ = (uint8_t)(offset >> 3);
		return out;
	}
	if (__builtin_expect(offset <= M3_OFFSET, 1)) {
		offset--;
		*out = M3;
		if (len <= M3_LENGTH)
			*out++ |= (uint8_t)(len - 2);
		else
			out = put_rest(out + 1, len - M3_LENGTH);
	} else {
		offset -= M3_OFFSET;
		*out = (uint8_t)(M4 | (offset >> 11 & 8));
		if (len <= M4_LENGTH)
			*out++ |= (uint8_t)(len - 2);
		else
			out = put_rest(out + 1, len - M4_LENGTH);
	}
	*out++ = (uint8_t)(offset << 2);
	*out++ = (uint8_t)(offset >> 6);
	return out;
}

/* MATCH_LEAST bytes are equal, or were. */
static inline size_t match_length(const uint8_t *at, const uint8_t *match, const uint8_t *limit)
{
	const uint8_t *from = at;
	uint64_t differences;

	at += MATCH_LEAST;
	match += MATCH_LEAST;
	while (!(differences = load64(at) ^ load64(match))) {
		at += sizeof(differences);
		match += sizeof(differences);
		if (__builtin_expect(at >= limit, 0))
			return (size_t)(at - from);
	}
	return (size_t)(at - from) + ((size_t)__builtin_ctzll(differences) >> 3);
}

/* *literals: what is not packed yet; it begins before the part if a match is yet to come. */
static inline uint8_t *pack_part(const uint8_t *base, size_t len, const uint8_t **literals, uint8_t *out,
				 uint16_t *table)
{
	ptrdiff_t from = *literals - base;
	size_t at = FIRST, limit = len - MARGIN;
	unsigned lookups = LOOKUPS;

	memset(table, 0, sizeof(*table) << TABLE_BITS);
	while (__builtin_expect(at < limit, 1)) {
		uint64_t word = load64(base + at), place = word * HASH >> (64 - TABLE_BITS);
		size_t match = table[place], length, least;

		table[place] = (uint16_t)at;
		if (__builtin_expect(key_of(word ^ load64(base + match)) != 0, 1)) {
			at += lookups++ / LOOKUPS;
			continue;
		}
		least = at + MATCH_LEAST;
		while ((ptrdiff_t)at > from && match > FIRST && base[at - 1] == base[match - 1]) {
			at--;
			match--;
		}
		if ((ptrdiff_t)at > from) {
			size_t run = (size_t)((ptrdiff_t)at - from);

			/* Up to 15 bytes too many: the bound has space, since MARGIN bytes follow in the source. */
			out = put_run(out, run);
			for (size_t i = 0; i < run; i += 16)
				memcpy(out + i, base + from + i, 16);
			out += run;
		}
		length = match_length(base + at, base + match, base + limit);
		/* If the source has changed: what is in the table must be behind what is looked up next. */
		if (__builtin_expect(at + length < least, 0))
			length = least - at;
		out = put_match(out, length, at - match);
		at += length;
		from = (ptrdiff_t)at;
		lookups = LOOKUPS;
	}
	*literals = base + from;
	return out;
}

/*
 * A source that changes meanwhile makes wrong matches, but each byte is in one run of literals or one match.
 * The worst that these can be is a match of MATCH_LEAST bytes in 3 bytes and 19 literals in 21, 1/23 more
 * than the source.
 */
static size_t lzo_pack(void *packer, const void *src, size_t len, void *dst)
{
	const uint8_t *literals = src, *end = literals + len;
	uint8_t *out = dst;
	size_t part, rest;

	for (const uint8_t *base = src; end - base > MARGIN; base += part) {
		part = (size_t)(end - base) < PART ? (size_t)(end - base) : PART;
		out = pack_part(base, part, &literals, out, packer);
	}
	/* Nothing is gained: without a copy that would be dropped.  So a run of literals follows a match. */
	rest = (size_t)(end - literals);
	if ((size_t)(out - (uint8_t *)dst) + rest >= len)
		return 0;
	if (rest)
		out = put_run(out, rest);
	memcpy(out, literals, rest);
	out += rest;
	*out++ = M4 | 1;
	*out++ = 0;
	*out++ = 0;
	return (size_t)(out - (uint8_t *)dst);
}

/* The packer is the table of a part: distances from its beginning.  Nothing is carried over between blocks. */
static void *lzo_packer_new(int level, size_t block_size)
{
	(void)level;
	(void)block_size;
	return malloc(sizeof(uint16_t) << TABLE_BITS);
}

static size_t lzo_packer_memory(const void *packer)
{
	(void)packer;
	return sizeof(uint16_t) << TABLE_BITS;
}

static bool lzo_unpack(void *unpacker, const void *src, size_t len,
		       void *dst, size_t dst_len)
{
	lzo_uint unpacked = dst_len;

	(void)unpacker;
	/* With bytes after the end marker, it does not return LZO_E_OK. */
	return lzo1x_decompress_safe(src, len, dst, &unpacked, NULL) == LZO_E_OK &&
	       unpacked == dst_len;
}

const struct codec codec_lzo = {
	.name = "lzo",
	.id = CODEC_LZO,
	.bound = lzo_bound,
	.packer_new = lzo_packer_new,
	.packer_free = free,
	.packer_memory = lzo_packer_memory,
	.pack = lzo_pack,
	.unpack = lzo_unpack,
};

/* --- lzohc ----------------------------------------------------------------- */

/*
 * LZO1X-1, the variant with a table of 2^12 entries: the usual one clears 2^14 for each block.  The blocks of
 * a core of Linux 6.1 take 7 % less time with 4 KiB, and are 0.2 % larger; with 64 KiB 5 %, and 0.7 %.
 */
static void *lzohc_packer_new(int level, size_t block_size)
{
	(void)level;
	(void)block_size;
	/*
	 * lzo_init() only compares the library's type sizes with the header's.  It writes nothing,
	 * so several threads may call it at once.
	 */
	if (lzo_init() != LZO_E_OK)
		return NULL;
	return malloc(LZO1X_1_12_MEM_COMPRESS);
}

static size_t lzohc_packer_memory(const void *packer)
{
	(void)packer;
	return LZO1X_1_12_MEM_COMPRESS;
}

static size_t lzohc_pack(void *packer, const void *src, size_t len, void *dst)
{
	lzo_uint packed = lzo_bound(len);

	if (lzo1x_1_12_compress(src, len, dst, &packed, packer) != LZO_E_OK)
		return 0;
	return packed;
}

const struct codec codec_lzohc = {
	.name = "lzohc",
	.id = CODEC_LZO,
	.bound = lzo_bound,
	.packer_new = lzohc_packer_new,
	.packer_free = free,
	.packer_memory = lzohc_packer_memory,
	.pack = lzohc_pack,
	.unpack = lzo_unpack,
};
