// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "bench/measure.h"
#include "bench/settings.h"
#include "bench/sleep_codec.h"
#include "format/format.h"

/* --- statistics ---------------------------------------------------------- */

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

/* --- measures ------------------------------------------------------------ */

bool codec_reads_back(const struct bench_codec *codec)
{
	return codec->presets.list[0].codec != &codec_sleep;
}

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

static bool is_result(const struct cell *cell, struct summary *rate)
{
	return codec_reads_back(cell->codec) && samples_summary(&cell->rate[MEASURE_CAPTURE], rate);
}

const struct cell *cells_fastest(const struct cell *cells, size_t count)
{
	const struct cell *fastest = NULL;
	double most = 0;

	for (const struct cell *cell = cells; cell < cells + count; cell++) {
		struct summary rate;

		if (!is_result(cell, &rate) || rate.median <= most)
			continue;
		most = rate.median;
		fastest = cell;
	}
	return fastest;
}

enum fastest_trust cells_fastest_trust(const struct cell *cells, size_t count, const struct cell *fastest)
{
	struct summary most, rate;

	if (!is_result(fastest, &most) || summary_is_wide(&most))
		return FASTEST_UNRELIABLE;
	for (const struct cell *cell = cells; cell < cells + count; cell++)
		if (is_result(cell, &rate) && summary_is_wide(&rate) && rate.most > most.median)
			return FASTEST_DOUBTFUL;
	return FASTEST_RELIABLE;
}

const struct cell *cells_smallest(const struct cell *cells, size_t count)
{
	const struct cell *smallest = NULL;

	for (const struct cell *cell = cells; cell < cells + count; cell++) {
		struct summary rate;

		if (!is_result(cell, &rate))
			continue;
		if (!smallest || (double)cell->member_bytes <= 1.001 * (double)smallest->member_bytes)
			smallest = cell;
	}
	return smallest;
}

/* --- every combination of the settings ----------------------------------- */

enum { CELLS_MAX = 4096 };		/* more are probably a typing error, or take too long */

static unsigned outputs_of(const struct bench_settings *s, size_t which, size_t threads)
{
	unsigned count = (unsigned)s->output_counts.values[which];

	return count ? count : (unsigned)max_u64(s->threads.values[threads], 1);
}

unsigned matrix_most_outputs(const struct bench_settings *s)
{
	unsigned most = 0;

	for (size_t o = 0; o < s->output_counts.count; o++)
		for (size_t t = 0; t < s->threads.count; t++)
			most = (unsigned)max_u64(most, outputs_of(s, o, t));
	return most;
}

static uint32_t block_size_of(const struct bench_settings *s, size_t which, size_t codec)
{
	uint64_t size = s->block_sizes.values[which];

	/* The option has limited it to 32 bits. */
	return size ? (uint32_t)size : s->codecs[codec].block_size;
}

static uint64_t cell_count(const struct bench_settings *s)
{
	/* This cannot overflow: cmd/nsplit-bench/options.c limits each list to some thousand values. */
	return (uint64_t)s->output_counts.count * s->block_sizes.count * s->codecs_count *
	       s->threads.count;
}

enum status matrix_check(const struct bench_settings *s, struct error *e)
{
	for (size_t i = 0; i < s->block_sizes.count * s->codecs_count; i++) {
		uint32_t size = block_size_of(s, i / s->codecs_count, i % s->codecs_count);

		if (!block_size_valid(size))
			return error_set(e, STATUS_USAGE, "a block size must be a power of two "
					 "from 4K to 1M");
		if (!chunk_size_valid(s->chunk_size, size))
			return error_set(e, STATUS_USAGE, "the chunk size must be a multiple of "
					 "every block size, and at most 64M");
	}
	if (matrix_most_outputs(s) > MEMBERS_MAX)
		return error_set(e, STATUS_USAGE, "a capture has at most %u outputs", MEMBERS_MAX);
	if (cell_count(s) > CELLS_MAX)
		return error_set(e, STATUS_USAGE, "%" PRIu64 " combinations; at most %d can be "
				 "measured", cell_count(s), CELLS_MAX);
	return STATUS_OK;
}

static enum status cell_init(struct cell *cell, const struct bench_settings *s, struct error *e)
{
	enum status status = STATUS_OK;

	for (int i = 0; i < MEASURES && !status; i++)
		status = samples_init(&cell->rate[i], s->rounds, e);
	if (!status && cell->reads)
		status = samples_init(&cell->latency, (size_t)s->rounds * s->random_reads, e);
	return status;
}

enum status matrix_init(struct matrix *m, const struct bench_settings *s, unsigned readable,
			struct error *e)
{
	size_t each[] = { s->output_counts.count, s->block_sizes.count, s->codecs_count,
			  s->threads.count };
	enum status status = STATUS_OK;

	m->count = cell_count(s);
	m->cells = calloc(m->count, sizeof(*m->cells));
	if (!m->cells)
		return error_system(e, ENOMEM, "benchmark");
	for (size_t i = 0; i < m->count && !status; i++) {
		size_t threads = i % each[3], codec = i / each[3] % each[2];
		size_t block = i / each[3] / each[2] % each[1];
		size_t outputs = i / each[3] / each[2] / each[1];

		m->cells[i] = (struct cell){
			.threads = (unsigned)s->threads.values[threads],
			.outputs = outputs_of(s, outputs, threads),
			.block_size = block_size_of(s, block, codec),
			.codec = &s->codecs[codec],
		};
		m->cells[i].reads = s->reads && m->cells[i].outputs <= readable &&
				    codec_reads_back(m->cells[i].codec);
		status = cell_init(&m->cells[i], s, e);
	}
	return status;
}

void matrix_free(struct matrix *m)
{
	for (size_t i = 0; m->cells && i < m->count; i++) {
		for (int what = 0; what < MEASURES; what++)
			samples_free(&m->cells[i].rate[what]);
		samples_free(&m->cells[i].latency);
	}
	free(m->cells);
	*m = (struct matrix){ 0 };
}

/* --- how reliable the figures are ---------------------------------------- */

static void count(struct verdict *v, enum judged kind, bool there, const struct summary *s)
{
	if (!there)
		return;
	v->kinds[kind].figures++;
	v->kinds[kind].reliable += !summary_is_wide(s);
	v->kinds[kind].rounds = max_u64(v->kinds[kind].rounds, s->count);
	if (s->spread > v->kinds[kind].widest)
		v->kinds[kind].widest = s->spread;
	v->few &= s->count < COUNT_FEW;
}

static void count_rate(struct verdict *v, enum judged kind, const struct cell *cell,
		       enum measure what)
{
	struct summary s;

	count(v, kind, samples_summary(&cell->rate[what], &s), &s);
}

static void count_share(struct verdict *v, const struct cell *cell, enum measure what)
{
	struct summary s;

	count(v, JUDGED_SHARES, cell_share(cell, what, &s), &s);
}

struct verdict verdict_of(const struct cell *cells, size_t cells_count)
{
	struct verdict v = { .few = true };

	for (const struct cell *cell = cells; cell < cells + cells_count; cell++) {
		count_rate(&v, JUDGED_CAPTURES, cell, MEASURE_CAPTURE);
		count_rate(&v, JUDGED_VERIFIES, cell, MEASURE_VERIFY);
		count_rate(&v, JUDGED_JOINS, cell, MEASURE_JOIN);
		count_rate(&v, JUDGED_CEILINGS, cell, MEASURE_PACK);
		count_rate(&v, JUDGED_CEILINGS, cell, MEASURE_UNPACK);
		for (int what = MEASURE_CAPTURE; what < MEASURES; what++)
			count_share(&v, cell, what);
	}
	return v;
}

static bool is_reliable(const struct verdict *v, enum judged kind)
{
	return v->kinds[kind].reliable == v->kinds[kind].figures;
}

bool verdict_speeds_reliable(const struct verdict *v)
{
	return is_reliable(v, JUDGED_CAPTURES) && is_reliable(v, JUDGED_VERIFIES) &&
	       is_reliable(v, JUDGED_JOINS);
}

bool verdict_shares_reliable(const struct verdict *v)
{
	return is_reliable(v, JUDGED_SHARES);
}

bool verdict_all_reliable(const struct verdict *v)
{
	return verdict_speeds_reliable(v) && verdict_shares_reliable(v) &&
	       is_reliable(v, JUDGED_CEILINGS);
}
