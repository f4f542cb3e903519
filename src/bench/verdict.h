// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How reliable the figures of a benchmark are.  Speeds, ceilings and shares are judged apart: with
 * emulated disks, captures are often exact to 1 % while the ceiling varies, and when another
 * program slows down the whole machine, speeds vary while the shares do not.
 */
#ifndef NSPLIT_BENCH_VERDICT_H
#define NSPLIT_BENCH_VERDICT_H

#include "bench/measure.h"

enum judged {
	JUDGED_CAPTURES,
	JUDGED_VERIFIES,
	JUDGED_JOINS,
	JUDGED_CEILINGS,		/* of captures and of reading */
	JUDGED_SHARES,			/* likewise */
	JUDGED_KINDS
};

struct verdict {
	struct {
		size_t figures, reliable;
		size_t rounds;		/* the most of a figure; 1: there is no spread */
		double widest;		/* spread */
	} kinds[JUDGED_KINDS];
	bool few;			/* every figure has fewer than COUNT_FEW rounds */
};

struct verdict verdict_of(const struct cell *cells, size_t count);

/* True if all captures, verifies and joins are reliable. */
bool verdict_speeds_reliable(const struct verdict *verdict);
bool verdict_shares_reliable(const struct verdict *verdict);
/* The same of all kinds. */
bool verdict_all_reliable(const struct verdict *verdict);

#endif
