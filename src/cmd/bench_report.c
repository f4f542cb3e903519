// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/text.h"
#include "cmd/bench_report.h"

const char *threads_format(unsigned threads, char text[THREADS_TEXT_LENGTH])
{
	if (threads)
		snprintf(text, THREADS_TEXT_LENGTH, "%u", threads);
	else
		snprintf(text, THREADS_TEXT_LENGTH, "serial");
	return text;
}

const char *threads_describe(unsigned threads, char text[THREADS_TEXT_LENGTH])
{
	if (threads)
		snprintf(text, THREADS_TEXT_LENGTH, "%u thread%s", threads, plural(threads));
	else
		snprintf(text, THREADS_TEXT_LENGTH, "serial");
	return text;
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
