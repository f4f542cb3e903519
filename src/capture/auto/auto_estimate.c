// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/memory.h"
#include "capture/auto/auto_estimate.h"

/*
 * Blocks of an estimate, and the bytes after which fewer blocks are enough.  With 1 and 16 blocks
 * of 4 KiB, no difference was seen (measured as auto_choice.c says).
 */
enum { BLOCKS = 4, ENOUGH_BYTES = 16 * 1024 };

/*
 * Seconds after which an estimate needs no further block: so the slowest presets pack only one, and
 * do not use up the share of all.  With 1e-6 and 1e-2, no difference was seen.
 */
static const double ENOUGH_SECONDS = 1e-4;

/* Seconds added to each estimate, which may take none on a clock that advances in steps. */
static const double SHORTEST = 1e-7;

size_t estimator_memory(const struct packers *packers, uint32_t block_size)
{
	return packers_bound(packers, block_size);
}

enum status estimator_init(struct estimator *t, struct packers *packers, uint32_t block_size,
			 struct error *e)
{
	size_t size = estimator_memory(packers, block_size);

	*t = (struct estimator){ .packers = packers, .block_size = block_size };
	t->scratch = malloc(size);
	if (!t->scratch)
		return error_system(e, ENOMEM, "codec auto");
	memory_touch(t->scratch, size);
	return STATUS_OK;
}

void estimator_free(struct estimator *t)
{
	free(t->scratch);
	t->scratch = NULL;
}

/* Seconds that the estimates of a preset took, undisturbed; 0 before the first. */
static double spent_by(const struct estimator *t, unsigned preset)
{
	return t->counts[preset] * t->shortest[preset];
}

/* The preset that has taken the least time; at first, the fastest of those without an estimate. */
static unsigned next_preset(const struct estimator *t)
{
	unsigned least = 0;

	for (unsigned i = 1; i < t->packers->count; i++)
		if (spent_by(t, i) < spent_by(t, least))
			least = i;
	return least;
}

static bool is_due(const struct estimator *t, double worked)
{
	bool is_first = !t->counts[next_preset(t)] && !t->found_none;

	return is_first || t->spent < ESTIMATE_SHARE * worked;
}

/* Finds blocks that are not same-filled, beginning at a different block each time. */
static unsigned choose_blocks(struct estimator *t, const uint8_t *data, size_t len,
			      const uint8_t **blocks)
{
	size_t there = len / t->block_size, first = there ? t->first++ % there : 0;
	unsigned count = 0;

	for (size_t i = 0; i < there && count < BLOCKS && count * t->block_size < ENOUGH_BYTES;
	     i++) {
		const uint8_t *block = data + (first + i) % there * t->block_size;

		if (!pack_same_filled(block, t->block_size))
			blocks[count++] = block;
	}
	return count;
}

/* Bytes that the block would take in a record.  Raw blocks are copied, as they would be. */
static size_t pack_one(struct estimator *t, unsigned preset, const uint8_t *block)
{
	size_t packed = packer_try(&t->packers->of[preset], block, t->block_size, t->scratch);

	if (packed && packed < t->block_size)
		return packed;
	memcpy(t->scratch, block, t->block_size);
	return t->block_size;
}

/*
 * Packs blocks until that has taken long enough, and returns their number.  The first one is packed
 * twice, so that the preset's tables and code are in the CPU's caches when time is measured.
 */
static unsigned pack_some(struct estimator *t, unsigned preset, const uint8_t **blocks,
			  unsigned count, double enough, double *seconds, double *packed)
{
	unsigned done = 0;
	double start;

	pack_one(t, preset, blocks[0]);
	start = clock_thread_seconds();
	do {
		*packed += (double)pack_one(t, preset, blocks[done++]);
		*seconds = clock_thread_seconds() - start + SHORTEST;
	} while (done < count && *seconds < enough);
	return done;
}

static void compare(struct estimator *t, const uint8_t **blocks, unsigned count,
		    struct estimate *estimate)
{
	count = pack_some(t, estimate->preset, blocks, count, ENOUGH_SECONDS, &estimate->seconds,
			  &estimate->packed);
	pack_some(t, PRESET_STANDARD, blocks, count, HUGE_VAL,
		  &estimate->standard_seconds, &estimate->standard_packed);
	estimate->bytes = (double)count * (double)t->block_size;
	if (!t->counts[estimate->preset]++ || estimate->seconds < t->shortest[estimate->preset])
		t->shortest[estimate->preset] = estimate->seconds;
}

bool estimate_if_due(struct estimator *t, double worked, const uint8_t *data, size_t len,
		  struct estimate *estimate)
{
	const uint8_t *blocks[BLOCKS];
	unsigned count;
	double start;

	if (!is_due(t, worked))
		return false;
	start = clock_thread_seconds();
	*estimate = (struct estimate){ .preset = next_preset(t) };
	count = choose_blocks(t, data, len, blocks);
	t->found_none = !count;
	if (count)
		compare(t, blocks, count, estimate);
	t->spent += clock_thread_seconds() - start;
	return count;
}
