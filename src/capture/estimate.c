// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/clock.h"
#include "base/memory.h"
#include "capture/estimate.h"

/* Of one assay: enough that the clock does not count; of the slowest rungs, one block is enough. */
enum { BLOCKS = 4, ENOUGH_BYTES = 16 * 1024 };
static const double ENOUGH_SECONDS = 1e-4;

/* Of an assay: some clocks stand still for as long. */
static const double SHORTEST = 1e-7;

size_t estimator_memory(const struct packers *packers, uint32_t block_size)
{
	return packers_bound(packers, block_size);
}

enum status estimator_init(struct estimator *a, struct packers *packers, uint32_t block_size,
			 struct error *e)
{
	size_t size = estimator_memory(packers, block_size);

	*a = (struct estimator){ .packers = packers, .block_size = block_size };
	a->scratch = malloc(size);
	if (!a->scratch)
		return error_system(e, ENOMEM, "codec auto");
	memory_touch(a->scratch, size);
	return STATUS_OK;
}

void estimator_free(struct estimator *a)
{
	free(a->scratch);
	a->scratch = NULL;
}

/* The time that a rung has had, but for what others took from it; 0 before its first assay. */
static double spent_by(const struct estimator *a, unsigned preset)
{
	return a->counts[preset] * a->shortest[preset];
}

/* The rung that has had the least time; those that had none come first, the fastest of them. */
static unsigned next_preset(const struct estimator *a)
{
	unsigned least = 0;

	for (unsigned i = 1; i < a->packers->count; i++)
		if (spent_by(a, i) < spent_by(a, least))
			least = i;
	return least;
}

static bool is_due(const struct estimator *a, double worked)
{
	bool is_first = !a->counts[next_preset(a)] && !a->found_none;

	return is_first || a->spent < ESTIMATE_SHARE * worked;
}

/* Finds blocks that are not same-filled, from another place of the piece on each time. */
static unsigned choose_blocks(struct estimator *a, const uint8_t *data, size_t len,
			      const uint8_t **blocks)
{
	size_t there = len / a->block_size, first = there ? a->turn++ % there : 0;
	unsigned count = 0;

	for (size_t i = 0; i < there && count < BLOCKS && count * a->block_size < ENOUGH_BYTES;
	     i++) {
		const uint8_t *block = data + (first + i) % there * a->block_size;

		if (!pack_same_filled(block, a->block_size))
			blocks[count++] = block;
	}
	return count;
}

/* Bytes that the block would take in a record; those of raw are copied, as they would be. */
static size_t pack_one(struct estimator *a, unsigned preset, const uint8_t *block)
{
	size_t packed = packer_try(&a->packers->of[preset], block, a->block_size, a->scratch);

	if (packed && packed < a->block_size)
		return packed;
	memcpy(a->scratch, block, a->block_size);
	return a->block_size;
}

/*
 * Returns how many were packed until that took long enough.  The first block is packed twice, so
 * that the rung's tables and code are at hand when it counts.
 */
static unsigned pack_some(struct estimator *a, unsigned preset, const uint8_t **blocks, unsigned count,
			  double enough, double *seconds, double *packed)
{
	unsigned done = 0;
	double start;

	pack_one(a, preset, blocks[0]);
	start = clock_thread_seconds();
	do {
		*packed += (double)pack_one(a, preset, blocks[done++]);
		*seconds = clock_thread_seconds() - start + SHORTEST;
	} while (done < count && *seconds < enough);
	return done;
}

static void compare(struct estimator *a, const uint8_t **blocks, unsigned count, struct estimate *estimate)
{
	count = pack_some(a, estimate->preset, blocks, count, ENOUGH_SECONDS, &estimate->seconds,
			  &estimate->packed);
	pack_some(a, ASSAY_STANDARD, blocks, count, HUGE_VAL,
		  &estimate->standard_seconds, &estimate->standard_packed);
	estimate->bytes = (double)count * (double)a->block_size;
	if (!a->counts[estimate->preset]++ || estimate->seconds < a->shortest[estimate->preset])
		a->shortest[estimate->preset] = estimate->seconds;
}

bool estimate_if_due(struct estimator *a, double worked, const uint8_t *data, size_t len,
		  struct estimate *estimate)
{
	const uint8_t *blocks[BLOCKS];
	unsigned count;
	double start;

	if (!is_due(a, worked))
		return false;
	start = clock_thread_seconds();
	*estimate = (struct estimate){ .preset = next_preset(a) };
	count = choose_blocks(a, data, len, blocks);
	a->found_none = !count;
	if (count)
		compare(a, blocks, count, estimate);
	a->spent += clock_thread_seconds() - start;
	return count;
}
