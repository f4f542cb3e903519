// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "bench/measure.h"

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
