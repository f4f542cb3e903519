// SPDX-License-Identifier: GPL-2.0-or-later
/* Statistics of repeated measurements. */
#ifndef NSPLIT_BENCH_SUMMARY_H
#define NSPLIT_BENCH_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Values in the order of measurement. */
struct samples {
	double *values;			/* owned */
	double *scratch;		/* second half of that memory, for sorting */
	size_t count;
	size_t capacity;
};

enum status samples_init(struct samples *s, size_t capacity, struct error *e);
void samples_free(struct samples *s);
/* At most capacity values. */
void samples_add(struct samples *s, double value);

struct summary {
	double median, least, most;
	double spread;			/* (most - least) / median */
	size_t count;
};

/* A wider spread, or fewer values, allow no conclusions. */
#define SPREAD_WIDE 0.20
enum { COUNT_FEW = 3 };

bool summary_is_wide(const struct summary *summary);

/* False if there are no values. */
bool samples_summary(const struct samples *s, struct summary *summary);

/* The value that this share of the values (0 to 1) does not exceed.  Needs at least one value. */
double samples_percentile(const struct samples *s, double share);

/*
 * Statistics of each value of a divided by the value of b with the same index.  These two were
 * measured one after the other, so a machine that changes its speed affects both.  False if there
 * is no pair.
 */
bool samples_share(const struct samples *a, const struct samples *b, struct summary *summary);

#endif
