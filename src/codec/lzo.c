// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * lzo, lzohc: LZO1X, which kdump-compressed files call "lzo"; lzohc is packed by the library.
 *
 * lzo has an encoder of its own, made for the memory of a kernel: code and pointers, with a match of 4
 * or 5 bytes every few bytes.  Such a match costs branches that no CPU predicts, and saves a byte or
 * two.  So positions are looked up by 6 bytes, or 5 in a page of a dump, and a match is extended backwards.
 * Two to three fifths of the matches are found without a lookup: after up to 3 literals, at the offset of the match
 * before or at 8.
 *
 * The blocks of three cores of 0.6 GB (Linux 5.10, 6.12 and 7.3, -d 31) and of one of 5 GB take 0.7 to 0.8 of the
 * library's time; those of 16 KiB are 5 to 8 % larger and unpack 1.7 times as fast, pages of 4 KiB are up to 1 % smaller
 * (5 GB: 6 %) and unpack 1.3 to 1.8 times as fast (AMD EPYC, the best of 4 loops over them, 2026-11-29).
 * Rejected, of pages of 4 KiB with 6.12: a key of 4 bytes with 16 lookups (9 % more time, 1.2 % smaller); twice or half
 * the lookups (2 % more or less, 0.2 % smaller or 0.6 % larger); tables of 2^11 entries (1 % less, 0.2 % larger); the end
 * of a match in the table (6 % more, 0.2 % smaller); keys by the alignment of a position (a fifth more, for nothing); the
 * offset before the last one (no gain); matches written without branches (2 % more).  Of blocks of 16 KiB with 5 GB: no
 * lookup at the end of a match (3 % less, 4 % larger).
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
	TABLE_BITS = 12,
	/* A match is extended backwards by a word at most, and so begins that much behind the beginning of a part. */
	FIRST = 8,
	/* A part of a block has its own table, so that no offset exceeds 0xbfff, the largest of the format. */
	PART = 0xc000,
	/* So near to the end of a part, no position is looked up, so that whole words can be read. */
	MARGIN = 16,
	/* A match of more bytes is cut if it overlaps itself within a word. */
	OVERLAPS = 32,
	/* The pages of a dump. */
	SHORT = 4096,
};

/* How a block is searched for matches. */
struct search {
	/* Bytes of a position that are looked up: the least of a match. */
	unsigned key;
	/* After so many lookups without a match, every second position is looked up; after as many more, every third; ... */
	unsigned lookups;
	/* Is the end of a match looked up, or is the offset of the match tried first? */
	bool looks_up_end;
};

static const struct search long_search = { .key = 6, .lookups = 16, .looks_up_end = true };
static const struct search short_search = { .key = 5, .lookups = 64 };

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

/* The first key bytes of a word, without the others. */
static inline uint64_t key_of(uint64_t word, unsigned key)
{
	return word << (64 - 8 * key);
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

static inline uint64_t differences(const uint8_t *at, size_t offset)
{
	return load64(at) ^ load64(at - offset);
}

/* Returns the differences to the last place with this hash: if the first key bytes are 0, there is a match. */
static inline uint64_t look_up(const uint8_t *base, size_t at, unsigned key, uint16_t *table, size_t *offset)
{
	uint64_t word = load64(base + at);
	/* An index of the table: the upper bits of a product with the first bytes. */
	uint64_t place = word * ((uint64_t)0x9e3779b97f4a7c15 << (64 - 8 * key)) >> (64 - TABLE_BITS);

	*offset = at - table[place];
	table[place] = (uint16_t)at;
	return word ^ load64(base + at - *offset);
}

/*
 * In arrays of pointers or structures, often only the first bytes of a word differ from those at the offset of the
 * match before.  These are then literals, and the others the next match, without a lookup.
 */
static inline bool goes_on(uint64_t differs)
{
	return !(differs >> 8 * LITERALS_IN_MATCH);
}

/* The last bytes of a word that do not differ. */
static inline size_t equal_before(uint64_t differs)
{
	return differs ? (size_t)__builtin_clzll(differs) >> 3 : sizeof(differs);
}

/* The end of a match that is equal up to end, a word before the end of the part at most. */
static inline size_t last_end(const uint8_t *base, size_t end, size_t len, size_t offset)
{
	size_t rest = len - end;
	uint64_t differs = rest ? differences(base + len - sizeof(differs), offset) >> (64 - 8 * rest) : 0;

	return differs ? end + ((size_t)__builtin_ctzll(differs) >> 3) : len;
}

/*
 * *literals: what is not packed yet; it begins before the part if a match is yet to come.  base is FIRST bytes behind
 * the beginning of the part.  The search is constant where this is called: each has its own code.
 */
static inline __attribute__((always_inline)) uint8_t *
pack_part(const uint8_t *base, size_t len, struct search search, const uint8_t **literals, uint8_t *out,
	  uint16_t *table)
{
	/* A block begins with more than LITERALS_IN_MATCH literals. */
	ptrdiff_t from = *literals - base, least = LITERALS_IN_MATCH + 1 - FIRST;
	size_t at = 1, limit = len - MARGIN;
	unsigned lookups = search.lookups;

	memset(table, 0, sizeof(*table) << TABLE_BITS);
	while (__builtin_expect(at < limit, 1)) {
		size_t offset, end = at, back, most;
		uint64_t differs = look_up(base, at, search.key, table, &offset);

		if (__builtin_expect(key_of(differs, search.key) != 0, 1)) {
			at += lookups++ / search.lookups;
			continue;
		}
		back = equal_before(differences(base + at - FIRST, offset));
		most = (size_t)((ptrdiff_t)at - least);
		at -= back < most ? back : most;
		/* Up to end, all bytes are equal, or were; differs: those of the word there. */
		for (;;) {
			size_t run = (size_t)((ptrdiff_t)at - from);

			if (run) {
				/* Up to 15 bytes too many: the bound has space, since MARGIN bytes follow in the source. */
				out = put_run(out, run);
				for (size_t i = 0; i < run; i += 16)
					memcpy(out + i, base + from + i, 16);
				out += run;
			}
			for (; !differs && __builtin_expect(end < limit, 1); differs = differences(base + end, offset))
				end += sizeof(differs);
			if (differs)
				end += (size_t)__builtin_ctzll(differs) >> 3;
			else
				end = last_end(base, end + sizeof(differs), len, offset);
			if (offset < sizeof(differs) && end - at > OVERLAPS) {
				/* Decoders copy bytes one by one if the offset is less than a word. */
				size_t first = (sizeof(differs) - 1) / offset * offset;

				out = put_match(out, first, offset);
				at += first;
				offset += first;
			}
			out = put_match(out, end - at, offset);
			at = end;
			from = least = (ptrdiff_t)at;
			if (__builtin_expect(at >= limit, 0))
				break;
			if (search.looks_up_end) {
				size_t found;

				differs = look_up(base, at, search.key, table, &found);
				if (!key_of(differs, search.key)) {
					offset = found;
					continue;
				}
			}
			differs = differences(base + at, offset);
			if (!goes_on(differs)) {
				offset = sizeof(differs);
				differs = differences(base + at, offset);
				if (!goes_on(differs))
					break;
			}
			at += sizeof(differs) - equal_before(differs);
			end += sizeof(differs);
			differs = differences(base + end, offset);
		}
		lookups = search.lookups;
		at += search.looks_up_end;
	}
	*literals = base + from;
	return out;
}

/*
 * A source that changes meanwhile makes wrong matches, but each byte is in one run of literals or one match.
 * The worst that these can be is a match of 4 bytes in 3 bytes and 19 literals in 21, 1/23 more than the source.
 */
static size_t lzo_pack(void *packer, const void *src, size_t len, void *dst)
{
	const uint8_t *literals = src, *end = literals + len;
	uint8_t *out = dst;
	size_t part, rest;

	for (const uint8_t *base = src; end - base > FIRST + MARGIN; base += part) {
		part = (size_t)(end - base) < PART ? (size_t)(end - base) : PART;
		if (len <= SHORT)
			out = pack_part(base + FIRST, part - FIRST, short_search, &literals, out, packer);
		else
			out = pack_part(base + FIRST, part - FIRST, long_search, &literals, out, packer);
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
