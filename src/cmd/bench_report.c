// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "cmd/bench_report.h"

const char *threads_format(unsigned threads, char text[THREADS_TEXT_LENGTH])
{
	if (threads)
		snprintf(text, THREADS_TEXT_LENGTH, "%u", threads);
	else
		snprintf(text, THREADS_TEXT_LENGTH, "serial");
	return text;
}

const struct samples *bench_ceiling(const struct cell *cell, enum measure what)
{
	return &cell->rate[what == MEASURE_CAPTURE ? MEASURE_PACK : MEASURE_UNPACK];
}

bool bench_share(const struct cell *cell, enum measure what, struct summary *share)
{
	return samples_share(&cell->rate[what], bench_ceiling(cell, what), share);
}

double bench_best(const struct cell *cell, enum measure what)
{
	struct summary rate, ceiling;

	if (!samples_summary(&cell->rate[what], &rate) ||
	    !samples_summary(bench_ceiling(cell, what), &ceiling))
		return 0;
	return rate.most / ceiling.most;
}

double bench_ratio(const struct bench_report *report, const struct cell *cell)
{
	return cell->member_bytes ? (double)report->source->size / (double)cell->member_bytes : 0;
}

const char *caches_name(enum caches caches)
{
	switch (caches) {
	case CACHES_NONE:
		return "not used";
	case CACHES_KEPT:
		return "kept";
	case CACHES_DROPPED:
		return "dropped before each measurement";
	default:
		return "source and members dropped before each measurement, where permitted";
	}
}
