// SPDX-License-Identifier: GPL-2.0-or-later
/* Sequences of small numbers that are mostly repeated, such as the classes of granules, as lists of runs. */
#ifndef NSPLIT_BASE_RUNS_H
#define NSPLIT_BASE_RUNS_H

#include <stdint.h>
#include <string.h>

struct value_run {
	uint32_t value : 8;
	uint32_t count : 24;		/* how often it is repeated, at least 1 */
};

/* Runs next to each other may have the same value. */
struct runs {
	struct value_run *list;		/* borrowed: space for as many runs as there are numbers */
	uint32_t count;			/* runs */
};

/* Appends a value that is repeated count times; count may be 0. */
static inline void runs_add(struct runs *r, unsigned value, uint32_t count)
{
	struct value_run *last = r->list + r->count;

	if (r->count && last[-1].value == value)
		last[-1].count += count;
	else if (count)
		r->list[r->count++] = (struct value_run){ .value = value & 0xff, .count = count };
}

/* A position, which only moves forward.  All zero at the beginning. */
struct runs_position {
	uint32_t run;			/* index */
	uint32_t at;			/* the number with which this run begins */
};

/*
 * Moves to the run that begins with number at, and splits one for it if necessary.  Returns the index of the run; at the
 * end, the number of runs.
 */
static inline uint32_t runs_split(struct runs *r, struct runs_position *p, uint32_t at)
{
	while (p->run < r->count && p->at + r->list[p->run].count <= at)
		p->at += r->list[p->run++].count;
	if (p->at < at && p->run < r->count) {
		struct value_run *run = r->list + p->run++;

		memmove(run + 1, run, (r->count++ - (p->run - 1)) * sizeof(*run));
		run[0].count = at - p->at;
		run[1].count -= at - p->at;
		p->at = at;
	}
	return p->run;
}

#endif
