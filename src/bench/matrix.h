// SPDX-License-Identifier: GPL-2.0-or-later
/* Every combination of the settings of a benchmark. */
#ifndef NSPLIT_BENCH_MATRIX_H
#define NSPLIT_BENCH_MATRIX_H

#include "bench/measure.h"
#include "bench/settings.h"

struct matrix {
	struct cell *cells;	/* by outputs, block sizes, codecs, threads; owned */
	size_t count;
};

/* STATUS_USAGE: a combination is impossible. */
enum status matrix_check(const struct bench_settings *s, struct error *e);

/* The largest number of outputs of a cell. */
unsigned matrix_most_outputs(const struct bench_settings *s);

/*
 * The settings have been checked.  readable: the number of outputs, from the first, that can be
 * read.
 */
enum status matrix_init(struct matrix *m, const struct bench_settings *s, unsigned readable,
			struct error *e);
void matrix_free(struct matrix *m);

#endif
