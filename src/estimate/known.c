// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <stdio.h>

#include "base/bytes.h"
#include "base/file_below.h"
#include "estimate/known.h"

/* Of a codec: the kernel, its map, and all else; by page, and by block (the map in columns). */
struct shares {
	double kernel[PACKINGS], map[PACKINGS], other;
	/* By block, of the kernel's pages: slabs; reserved ones and the rest, before Linux 6.2 and since then. */
	double slab, reserved[2], rest[2];
};

/*
 * Medians of all machines for the kernel; of busy ones for the map, which is packed to a quarter of that
 * right after the start.  Snappy and zlib were not measured there: they take the place of the codec that is
 * most like them.  The shares of slabs and so on are those of the machines 5.10, 6.1, 6.12, 7.2 and 7.3 of make
 * check-kernels (2026-11-26).  With LZO, reserved pages took 0.27, 0.29, 0.39, 0.43 and 0.41, and the rest 0.03, 0.13, 0.28,
 * 0.27 and 0.26: later kernels have larger images and modules, and more in them that is hard to pack.  The rest depends
 * most on what the machine does; on 6.12-busy, it took 0.03.
 */
static const struct shares fast = { { 1 / 3.2, 1 / 3.4 }, { 1 / 4.2, 1 / 13.8 }, 0.40,
				    0.23, { 0.30, 0.43 }, { 0.09, 0.33 } };
static const struct shares lzo = { { 1 / 3.4, 1 / 3.6 }, { 1 / 4.9, 1 / 15.8 }, 0.38,
				   0.20, { 0.28, 0.40 }, { 0.08, 0.30 } };
static const struct shares strong = { { 1 / 4.4, 1 / 4.8 }, { 1 / 17.0, 1 / 30.0 }, 0.32,
				      0.13, { 0.20, 0.29 }, { 0.06, 0.22 } };

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

double known_kernel_share(const struct known_kernel *k, enum packing packing, enum codec_id codec)
{
	const struct shares *shares = shares_of(codec);
	uint64_t slab = k->words[WORD_SLAB], reserved = k->words[WORD_RESERVED], rest = 0, cpu_free;
	double stored;

	reserved -= min_u64(reserved, k->map);
	for (enum page_word w = 0; w < WORDS; w++)
		if (page_word_class(w) == CLASS_KERNEL && w != WORD_RESERVED && w != WORD_SLAB)
			rest += k->words[w];
	if (!shares || !(reserved + slab + rest))
		return known_share(CONTENT_KERNEL, packing, codec);
	cpu_free = min_u64(k->cpu_free, rest);
	stored = (double)slab * shares->slab + (double)reserved * shares->reserved[k->later] +
		 (double)(rest - cpu_free) * shares->rest[k->later] + (double)cpu_free * cpu_free_share;
	return stored / (double)(reserved + slab + rest) * shares->kernel[packing] / shares->kernel[PACKED_BY_BLOCK];
}

bool known_kernel_is_later(const char *root)
{
	FILE *file = file_below(root, "proc/sys/kernel/osrelease");
	unsigned major = 0, minor = 0;
	bool known = file && fscanf(file, "%u.%u", &major, &minor) == 2;

	if (file)
		fclose(file);
	return !known || major > 6 || (major == 6 && minor >= 2);
}
