/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contents of a fake vmcore.  The contents of a block depend only on the settings and the
 * number of the block.  The kernel module and mkfakevmcore share this file and elfhead.h, and so
 * produce the same bytes, on hosts of any byte order.
 *
 * The file is divided into blocks from its first byte; the ELF headers (elfhead.h) replace the
 * first two pages.  The contents of a block come from one slot of a pool.  In the first pass
 * through the pool, block n uses slot n; in each later pass, the slots are rotated by another
 * amount.  The pool exists for the module, which fills every slot once and uses its pages again in
 * each pass, so that it can serve far more bytes than it has memory for.
 *
 * The code uses integers only and no memory but dst; nothing here sleeps or fails.
 */
#ifndef FAKEVMCORE_PATTERN_H
#define FAKEVMCORE_PATTERN_H

#ifdef __KERNEL__
#include <linux/string.h>
#include <linux/types.h>
#else
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#endif

#include "le.h"
#include "text.h"

#define PATTERN_BLOCK_MIN 4096u
#define PATTERN_BLOCK_MAX (1u << 20)
#define PATTERN_BLOCK_DEFAULT 4096u
#define PATTERN_POOL_MAX (1ULL << 40)
#define PATTERN_POOL_DEFAULT (64ULL << 20)

enum pattern_kind {
	PATTERN_RANDOM,		/* the first part of each block random, the rest zero */
	PATTERN_ZERO,
	PATTERN_SAME,		/* one 8-byte value, repeated; another value in each block */
	PATTERN_TEXT,
	PATTERN_MIXED,		/* sections of all of these, as in the memory of a machine */
	PATTERN_KINDS
};

struct pattern {
	enum pattern_kind kind;
	uint32_t block_size;	/* bytes; a power of two */
	uint32_t compressible;	/* percent of each random block that is zero */
	uint64_t pool_size;	/* bytes; a power of two, at least block_size */
	uint64_t seed;
};

/* The name of a kind in options and messages; NULL after the last. */
static inline const char *pattern_name(unsigned int kind)
{
	static const char *const names[PATTERN_KINDS] = {
		"random", "zero", "same", "text", "mixed",
	};

	return kind < PATTERN_KINDS ? names[kind] : NULL;
}

/* Returns why these settings are invalid, as one sentence; NULL if they are valid. */
static inline const char *pattern_problem(const struct pattern *p)
{
	if ((unsigned int)p->kind >= PATTERN_KINDS)
		return "the pattern must be random, zero, same, text or mixed";
	if (p->block_size < PATTERN_BLOCK_MIN || p->block_size > PATTERN_BLOCK_MAX ||
	    p->block_size & (p->block_size - 1))
		return "the block size must be a power of two from 4096 to 1048576";
	if (p->pool_size < p->block_size || p->pool_size > PATTERN_POOL_MAX ||
	    p->pool_size & (p->pool_size - 1))
		return "the pool must be a power of two, from one block to 1 TiB";
	if (p->compressible > 100)
		return "the compressible share must be from 0 to 100 percent";
	if (p->compressible && p->kind != PATTERN_RANDOM && p->kind != PATTERN_MIXED)
		return "a compressible share requires the pattern random or mixed";
	return NULL;
}

/* --- numbers ------------------------------------------------------------- */

/* An odd step, which visits all 64-bit numbers: 2^64 divided by the golden ratio. */
#define PATTERN_STEP 0x9e3779b97f4a7c15ULL

/* Each input bit changes about half of the output bits (the finalizer of splitmix64). */
static inline uint64_t pattern_mix(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/* The purpose of a random number: the numbers that one slot draws must be independent. */
enum pattern_draw { DRAW_FILL = 1, DRAW_ROTATION, DRAW_CUTS, DRAW_SECTION, DRAW_BLOCK };

static inline uint64_t pattern_draw(const struct pattern *p, enum pattern_draw what,
				    uint64_t number)
{
	uint64_t x = pattern_mix(p->seed + (uint64_t)what * PATTERN_STEP);

	return pattern_mix(x ^ pattern_mix(number + PATTERN_STEP));
}

/* 0 to 99; from 32 bits, because a 32-bit kernel has no 64-bit division. */
static inline unsigned int pattern_percent(uint64_t drawn)
{
	return (uint32_t)(drawn >> 32) % 100;
}

/* --- one block of each kind ---------------------------------------------- */

/* Like fio's buffer_compress_percentage: random bytes first, then zeros. */
static inline void pattern_random(uint64_t key, unsigned int zero_percent,
				  uint8_t *dst, uint32_t len)
{
	uint32_t random = (len / 8 * (100 - zero_percent) / 100) * 8;
	uint32_t i;

	for (i = 0; i < random; i += 8) {
		key += PATTERN_STEP;
		le_put64(dst + i, pattern_mix(key));
	}
	memset(dst + random, 0, len - random);
}

static inline void pattern_same(uint64_t value, uint8_t *dst, uint32_t len)
{
	uint32_t i;

	for (i = 0; i < len; i += 8)
		le_put64(dst + i, value);
}

static inline void pattern_text(uint64_t key, uint8_t *dst, uint32_t len)
{
	unsigned int dialect = (unsigned int)(key >> 40);
	uint8_t *end = dst + len;
	uint64_t drawn;

	while (dst < end) {
		key += PATTERN_STEP;
		drawn = pattern_mix(key);
		/* Seven lines in eight are of eight kinds chosen for this block. */
		dst = text_put(text_line(drawn & 7 ? dialect + (drawn >> 3 & 7) :
						     drawn >> 3 & 31),
			       drawn >> 8, dialect, dst, end);
	}
}

/*
 * Adjacent objects of one kind, as in a slab.  A field is a pointer into the heap, to itself (an
 * empty list) or to a table of functions, a small number, or zero.  A field has the same type in
 * every object of the block.
 */
static inline void pattern_objects(uint64_t key, uint8_t *dst, uint32_t len)
{
	uint32_t object = 64u << (key & 3);
	uint64_t heap = 0xff11000000000000ULL | (key >> 20 & 0xffff) << 20;
	uint64_t field, drawn, value;
	uint32_t i;

	for (i = 0; i < len; i += 8) {
		field = pattern_mix(key ^ (i & (object - 1)));
		drawn = pattern_mix(field + i);
		switch (field & 7) {
		case 0:
			value = heap + (drawn & 0xfffc0);
			break;
		case 1:
			value = heap + i;
			break;
		case 2:
			value = 0xffffffff81000000ULL + (field >> 20 & 0xfffff0);
			break;
		case 3:
		case 4:
			value = drawn & 0xff;
			break;
		default:
			value = 0;
		}
		le_put64(dst + i, value);
	}
}

/* Values repeated in memory: all ones, two poison values of freed memory, or a random value. */
static inline uint64_t pattern_filler(uint64_t drawn)
{
	switch (drawn & 3) {
	case 0:
		return ~0ULL;
	case 1:
		return 0x6b6b6b6b6b6b6b6bULL;
	case 2:
		return 0xccccccccccccccccULL;
	default:
		return drawn;
	}
}

/* --- mixed --------------------------------------------------------------- */

/*
 * Returns the random number of the section that contains a slot.  A section has 16, 32, 48 or 64
 * blocks: in a group of 64 blocks, a random number says at which of the three inner multiples of
 * 16 a new section begins.  A section can therefore be found from any of its blocks.
 */
static inline uint64_t pattern_section(const struct pattern *p, uint64_t slot)
{
	uint64_t cuts = pattern_draw(p, DRAW_CUTS, slot / 64);
	unsigned int quarter = slot / 16 % 4;

	while (quarter && !(cuts >> quarter & 1))
		quarter--;
	return pattern_draw(p, DRAW_SECTION, slot / 64 * 4 + quarter);
}

/*
 * Three blocks in four are same-filled, nearly all of them zero.  Most sections contain little
 * else, and all sections contain some.
 */
static inline void pattern_mixed(const struct pattern *p, uint64_t slot, uint8_t *dst)
{
	uint64_t section = pattern_section(p, slot);
	uint64_t block = pattern_draw(p, DRAW_BLOCK, slot);
	uint64_t key = pattern_draw(p, DRAW_FILL, slot);
	unsigned int kind = pattern_percent(section);
	unsigned int odd = pattern_percent(block);
	uint32_t len = p->block_size;

	if (kind < 76 && odd >= 96)	/* another block in a same-filled section */
		kind = 76 + (odd - 96) * 8;
	else if (kind < 76)
		kind = odd < 84 ? 0 : 75;
	else if (odd < 8)		/* a zero block in any other section */
		kind = 0;

	if (kind < 75)
		memset(dst, 0, len);
	else if (kind < 76)
		pattern_same(pattern_filler(block), dst, len);
	else if (kind < 84)
		pattern_text(key, dst, len);
	else if (kind < 92)
		pattern_objects(key, dst, len);
	else if (kind < 97)
		pattern_random(key, 10 + (unsigned int)(section & 7) * 10, dst, len);
	else
		pattern_random(key, p->compressible, dst, len);
}

/* --- interface ----------------------------------------------------------- */

/* The slot of the pool that holds this block: below pool_size / block_size. */
static inline uint64_t pattern_slot(const struct pattern *p, uint64_t block)
{
	int shift = __builtin_ctzll(p->pool_size) - __builtin_ctz(p->block_size);
	uint64_t pass = block >> shift;

	if (pass)
		block += pattern_draw(p, DRAW_ROTATION, pass);
	return block & ((1ULL << shift) - 1);
}

/* Fills dst, block_size bytes, with the contents of the slot. */
static inline void pattern_fill_slot(const struct pattern *p, uint64_t slot, void *dst)
{
	uint64_t key = pattern_draw(p, DRAW_FILL, slot);

	switch (p->kind) {
	case PATTERN_RANDOM:
		pattern_random(key, p->compressible, dst, p->block_size);
		break;
	case PATTERN_SAME:
		pattern_same(key, dst, p->block_size);
		break;
	case PATTERN_TEXT:
		pattern_text(key, dst, p->block_size);
		break;
	case PATTERN_MIXED:
		pattern_mixed(p, slot, dst);
		break;
	case PATTERN_ZERO:
	case PATTERN_KINDS:
		memset(dst, 0, p->block_size);
	}
}

/* Fills dst with block number `block` of the file, without the ELF headers. */
static inline void pattern_fill(const struct pattern *p, uint64_t block, void *dst)
{
	pattern_fill_slot(p, pattern_slot(p, block), dst);
}

#endif
