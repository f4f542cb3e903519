// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/bytes.h"
#include "bench/matrix.h"
#include "format/format.h"

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
