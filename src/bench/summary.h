// SPDX-License-Identifier: GPL-2.0-or-later
/* What many measurements of one thing come to. */
#ifndef NSPLIT_BENCH_SUMMARY_H
#define NSPLIT_BENCH_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

/* Values in the order in which they were measured. */
struct samples {
	double *values;			/* owned */
	double *scratch;		/* room for as many, to sort them in; part of values */
	size_t count;
	size_t room;
};

enum status samples_init(struct samples *s, size_t room, struct error *e);
void samples_free(struct samples *s);
/* There must be room. */
void samples_add(struct samples *s, double value);

struct summary {
	double median, least, most;
	double spread;			/* from least to most, as a share of the median */
	size_t count;
};

/* Of a wider spread, or of fewer values, nothing should be concluded. */
#define SPREAD_WIDE 0.20
enum { COUNT_FEW = 3 };

bool summary_is_wide(const struct summary *summary);

/* False: there are no values. */
bool samples_summary(const struct samples *s, struct summary *summary);

/* The value that a share of all values (0 to 1) does not exceed; there must be one. */
double samples_percentile(const struct samples *s, double share);

/*
 * Of a's values, each divided by b's of the same number: what was measured one after the
 * other is compared, so that a machine that changes its speed meanwhile does it to both.
 * False: there is no pair.
 */
bool samples_share(const struct samples *a, const struct samples *b, struct summary *summary);

#endif
