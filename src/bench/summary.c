// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bench/summary.h"

enum status samples_init(struct samples *s, size_t capacity, struct error *e)
{
	*s = (struct samples){ .capacity = capacity };
	s->values = calloc(capacity, 2 * sizeof(*s->values));
	if (!s->values)
		return error_system(e, ENOMEM, "benchmark");
	s->scratch = s->values + capacity;
	return STATUS_OK;
}

void samples_free(struct samples *s)
{
	free(s->values);
	*s = (struct samples){ 0 };
}

void samples_add(struct samples *s, double value)
{
	s->values[s->count++] = value;
}

bool summary_is_wide(const struct summary *s)
{
	return s->spread > SPREAD_WIDE || s->count < COUNT_FEW;
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static const double *sort(double *values, size_t count)
{
	qsort(values, count, sizeof(*values), by_value);
	return values;
}

static const double *sorted(const struct samples *s)
{
	memcpy(s->scratch, s->values, s->count * sizeof(*s->values));
	return sort(s->scratch, s->count);
}

static bool summarize(const double *values, size_t count, struct summary *summary)
{
	double median = count % 2 ? values[count / 2]
				  : (values[count / 2 - 1] + values[count / 2]) / 2;

	*summary = (struct summary){
		.median = median,
		.least = values[0],
		.most = values[count - 1],
		.spread = (values[count - 1] - values[0]) / median,
		.count = count,
	};
	return true;
}

bool samples_summary(const struct samples *s, struct summary *summary)
{
	return s->count && summarize(sorted(s), s->count, summary);
}

double samples_percentile(const struct samples *s, double share)
{
	size_t rank = (size_t)(share * (double)s->count);

	/* The nearest rank. */
	if ((double)rank < share * (double)s->count)
		rank++;
	return sorted(s)[rank ? rank - 1 : 0];
}

bool samples_share(const struct samples *a, const struct samples *b, struct summary *summary)
{
	size_t pairs = a->count < b->count ? a->count : b->count;

	for (size_t i = 0; i < pairs; i++)
		a->scratch[i] = a->values[i] / b->values[i];
	return pairs && summarize(sort(a->scratch, pairs), pairs, summary);
}
