// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "estimate/known.h"

/* Of a codec: the kernel, its map, and all else; by page, and by block (the map in columns). */
struct shares {
	double kernel[PACKINGS], map[PACKINGS], other;
	/* By block, of the kernel's pages: slabs, reserved ones, and the rest. */
	double slab, reserved, rest;
};

/*
 * Medians of all machines for the kernel; of busy ones for the map, which is packed to a quarter of that
 * right after the start.  Snappy and zlib were not measured there: they take the place of the codec that is
 * most like them.  The shares of slabs and so on are those of the machines 5.10 and 6.12 of make check-kernels
 * (2026-11-26), where the rest took 0.04 and 0.29 with LZO: it depends most on what the machine does.
 */
static const struct shares fast = { { 1 / 3.2, 1 / 3.4 }, { 1 / 4.2, 1 / 13.8 }, 0.40,
				    0.235, 0.32, 0.12 };
static const struct shares lzo = { { 1 / 3.4, 1 / 3.6 }, { 1 / 4.9, 1 / 15.8 }, 0.38,
				   0.20, 0.30, 0.11 };
static const struct shares strong = { { 1 / 4.4, 1 / 4.8 }, { 1 / 17.0, 1 / 30.0 }, 0.32,
				      0.13, 0.22, 0.08 };

/* NULL: what raw stores is as long as it was. */
static const struct shares *shares_of(enum codec_id codec)
{
	switch (codec) {
	case CODEC_RAW:
		return NULL;
	case CODEC_LZO:
		return &lzo;
	case CODEC_ZSTD:
	case CODEC_ZLIB:
		return &strong;
	default:
		return &fast;
	}
}

double known_share(enum content content, enum packing packing, enum codec_id codec)
{
	const struct shares *shares = shares_of(codec);

	if (!shares)
		return 1;
	if (content == CONTENT_KERNEL)
		return shares->kernel[packing];
	return content == CONTENT_MAP ? shares->map[packing] : shares->other;
}

/* Of pages in the lists of CPUs: zeros more often than not, as in the machine 6.12-busy. */
static const double cpu_free_share = 0.05;

double known_kernel_share(const uint64_t words[WORDS], uint64_t map, uint64_t cpu_free, enum packing packing,
			  enum codec_id codec)
{
	const struct shares *shares = shares_of(codec);
	uint64_t reserved = words[WORD_RESERVED] > map ? words[WORD_RESERVED] - map : 0, rest = 0;
	double by_block;

	for (enum page_word w = 0; w < WORDS; w++)
		if (page_word_class(w) == CLASS_KERNEL && w != WORD_RESERVED && w != WORD_SLAB)
			rest += words[w];
	if (!shares || !(reserved + words[WORD_SLAB] + rest))
		return known_share(CONTENT_KERNEL, packing, codec);
	cpu_free = min_u64(cpu_free, rest);
	by_block = ((double)reserved * shares->reserved + (double)words[WORD_SLAB] * shares->slab +
		    (double)(rest - cpu_free) * shares->rest + (double)cpu_free * cpu_free_share) / (double)(reserved + words[WORD_SLAB] + rest);
	return by_block * shares->kernel[packing] / shares->kernel[PACKED_BY_BLOCK];
}
