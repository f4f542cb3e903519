// SPDX-License-Identifier: GPL-2.0-or-later
/* Every combination of what was asked for. */
#ifndef NSPLIT_BENCH_MATRIX_H
#define NSPLIT_BENCH_MATRIX_H

#include "bench/measure.h"
#include "bench/settings.h"

struct matrix {
	struct cell *cells;	/* outputs, then block sizes, codecs, threads: the last one fastest */
	size_t count;
};

/* STATUS_USAGE: a combination that no capture can have. */
enum status matrix_check(const struct bench_settings *s, struct error *e);

/* Outputs that some cell needs. */
unsigned matrix_most_outputs(const struct bench_settings *s);

/* For settings that were checked; so many outputs, the first ones, can be read. */
enum status matrix_init(struct matrix *m, const struct bench_settings *s, unsigned readable,
			struct error *e);
void matrix_free(struct matrix *m);

#endif
