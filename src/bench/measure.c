// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "bench/measure.h"
#include "bench/sleep_codec.h"

bool codec_reads_back(const struct bench_codec *codec)
{
	return codec->presets.list[0].codec != &codec_sleep;
}

const struct samples *cell_ceiling(const struct cell *cell, enum measure what)
{
	return &cell->rate[what == MEASURE_CAPTURE ? MEASURE_PACK : MEASURE_UNPACK];
}

bool cell_share(const struct cell *cell, enum measure what, struct summary *share)
{
	return samples_share(&cell->rate[what], cell_ceiling(cell, what), share);
}

double cell_best(const struct cell *cell, enum measure what)
{
	struct summary rate, ceiling;

	if (!samples_summary(&cell->rate[what], &rate) ||
	    !samples_summary(cell_ceiling(cell, what), &ceiling))
		return 0;
	return rate.most / ceiling.most;
}

size_t cells_keeping_up(const struct cell *cells, size_t count, double least)
{
	struct summary share;
	size_t kept = 0;

	while (kept < count && cell_share(&cells[kept], MEASURE_CAPTURE, &share) && share.median >= least)
		kept++;
	return kept;
}

static bool is_result(const struct cell *cell, struct summary *rate)
{
	return codec_reads_back(cell->codec) && samples_summary(&cell->rate[MEASURE_CAPTURE], rate);
}

const struct cell *cells_fastest(const struct cell *cells, size_t count)
{
	const struct cell *fastest = NULL;
	double most = 0;

	for (const struct cell *cell = cells; cell < cells + count; cell++) {
		struct summary rate;

		if (!is_result(cell, &rate) || rate.median <= most)
			continue;
		most = rate.median;
		fastest = cell;
	}
	return fastest;
}

enum fastest_trust cells_fastest_trust(const struct cell *cells, size_t count, const struct cell *fastest)
{
	struct summary most, rate;

	if (!is_result(fastest, &most) || summary_is_wide(&most))
		return FASTEST_UNRELIABLE;
	for (const struct cell *cell = cells; cell < cells + count; cell++)
		if (is_result(cell, &rate) && summary_is_wide(&rate) && rate.most > most.median)
			return FASTEST_DOUBTFUL;
	return FASTEST_RELIABLE;
}

const struct cell *cells_smallest(const struct cell *cells, size_t count)
{
	const struct cell *smallest = NULL;

	for (const struct cell *cell = cells; cell < cells + count; cell++) {
		struct summary rate;

		if (!is_result(cell, &rate))
			continue;
		if (!smallest || (double)cell->member_bytes <= 1.001 * (double)smallest->member_bytes)
			smallest = cell;
	}
	return smallest;
}
