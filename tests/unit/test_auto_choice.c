// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The choice of a preset on simulated machines: their figures are reported as a capture would
 * report them, and the choice is compared with every fixed preset.
 */
#include "config.h"

#include <math.h>

#include "capture/auto/auto_codec.h"
#include "helper.h"

enum { PRESETS = 6, CHUNK = 1 << 20, BLOCKS = 4 * 4096 };

/* Seconds for a byte, and what is left of it: raw, lz4, lzo, zstd at three levels, say. */
struct machine {
	double reading, other;
	double turn;			/* a stream: of reading */
	double packable;
	double cost[PRESETS], left[PRESETS];
	unsigned workers, cpus;
	double cpu_share;		/* that each worker gets of a CPU; 0: all of it */
	double rate, writing;		/* bytes a second; seconds of the CPU for a byte */
};

static const struct machine usual = {
	.reading = 0.1e-9,
	.other = 0.05e-9,
	.packable = 0.5,
	.cost = { 0.1e-9, 1.1e-9, 1.2e-9, 2.9e-9, 4.5e-9, 30e-9 },
	.left = { 1, 0.60, 0.58, 0.47, 0.46, 0.43 },
	.workers = 2,
	.cpus = 2,
};

/* Bytes of the source a second with one preset. */
static double throughput(const struct machine *m, unsigned preset)
{
	double work = m->reading + m->other + m->packable * m->cost[preset];
	double left = m->packable * m->left[preset];
	double packing = (work - m->reading) / (m->cpu_share > 0 ? m->cpu_share : 1);
	double most = fmin(m->workers / (m->reading + packing), m->cpus / (work + left * m->writing));

	most = left > 0 ? fmin(most, m->rate / left) : most;
	return m->turn > 0 ? fmin(most, 1 / m->turn) : most;
}

static unsigned best(const struct machine *m)
{
	unsigned best = 0;

	for (unsigned i = 1; i < PRESETS; i++)
		if (throughput(m, i) > throughput(m, best))
			best = i;
	return best;
}

/* A pseudo-random number from 1 / most to most. */
static double disturbance(unsigned number, double most)
{
	double random = (number * 2654435761u >> 8) / (double)(1 << 24);

	return pow(most, 2 * random - 1);
}

/* Fills a chunk with the chosen preset and estimates another; disturb: factor at most. */
static void fill_one(struct choice *c, const struct machine *m, unsigned number, double disturb)
{
	struct sink_figures sinks = { .rate = m->rate, .cpu = m->writing };
	double part = m->cpu_share > 0 ? m->cpu_share : 1;
	unsigned preset = choice_make(c, &sinks), estimated = number % PRESETS;
	double late = disturbance(number, disturb), content = disturbance(number + 7, sqrt(disturb));
	struct fill_figures fill = {
		.preset = preset,
		.bytes = CHUNK,
		.packable = CHUNK * m->packable,
		.packed = CHUNK * m->packable * m->left[preset],
		.turn = CHUNK * m->turn,
		.reading = CHUNK * m->reading,
		.reading_cpu = CHUNK * m->reading,
		.packing_cpu = CHUNK * (m->other + m->packable * m->cost[preset]),
		.packing = CHUNK * (m->other + m->packable * m->cost[preset]) / part,
		.estimates_count = m->packable > 0,
		.estimates = { {
			.preset = estimated,
			.bytes = BLOCKS,
			.seconds = BLOCKS * m->cost[estimated] * late,
			.standard_seconds = BLOCKS * m->cost[1],
			.packed = BLOCKS * m->left[estimated] * content,
			.standard_packed = BLOCKS * m->left[1] * content,
		} },
	};

	choice_learn(c, &fill);
}

static void fill_many(struct choice *c, const struct machine *m, unsigned count, double disturb)
{
	for (unsigned i = 0; i < count; i++)
		fill_one(c, m, i, disturb);
}

static unsigned choose(struct choice *c, const struct machine *m)
{
	struct sink_figures sinks = { .rate = m->rate, .cpu = m->writing };

	return choice_make(c, &sinks);
}

/* At least this part of the best fixed preset's throughput, and no more bytes stored. */
static void check_choice(const struct machine *m, unsigned preset, double least)
{
	unsigned fixed = best(m);

	ck_assert_msg(throughput(m, preset) >= least * throughput(m, fixed),
		      "%u workers, %g B/s: preset %u does %g, preset %u %g", m->workers, m->rate, preset,
		      throughput(m, preset), fixed, throughput(m, fixed));
	ck_assert_msg(m->left[preset] <= m->left[fixed] + 0.003,
		      "%u workers, %g B/s: preset %u leaves %g, preset %u %g", m->workers, m->rate, preset,
		      m->left[preset], fixed, m->left[fixed]);
}

static const double rates[] = { 1e6, 20e6, 100e6, 200e6, 400e6, 1e9, 2e9, 5e9, 1e12 };
static const unsigned counts[] = { 1, 2, 4, 16, 64 };

START_TEST(test_every_machine)
{
	for (size_t i = 0; i < LENGTH(rates); i++) {
		for (size_t j = 0; j < LENGTH(counts); j++) {
			struct machine m = usual;
			struct choice c;

			m.rate = rates[i];
			m.workers = counts[j];
			m.cpus = m.workers > 2 ? m.workers / 2 : 2;
			m.writing = _i ? 0.4e-9 : 0;
			choice_init(&c, PRESETS, m.workers, m.cpus, false);
			fill_many(&c, &m, 100, 1);
			check_choice(&m, choose(&c, &m), 0.975);
		}
	}
}
END_TEST

/* Threads that are interrupted, and blocks that pack better than others. */
START_TEST(test_disturbed)
{
	for (size_t i = 0; i < LENGTH(rates); i++) {
		struct machine m = usual;
		struct choice c;

		m.rate = rates[i];
		choice_init(&c, PRESETS, m.workers, m.cpus, false);
		fill_many(&c, &m, 600, 1.3);
		ck_assert_double_ge(throughput(&m, choose(&c, &m)), 0.95 * throughput(&m, best(&m)));
	}
}
END_TEST

/* Sixteen CPUs, with a quota of two. */
START_TEST(test_quota)
{
	for (size_t i = 0; i < LENGTH(rates); i++) {
		struct machine m = usual;
		struct choice c;

		m.rate = rates[i];
		m.workers = m.cpus = 16;
		m.cpu_share = 1.0 / 8;
		choice_init(&c, PRESETS, m.workers, m.cpus, false);
		fill_many(&c, &m, 100, 1);
		check_choice(&m, choose(&c, &m), 0.975);
	}
}
END_TEST

/* The same presets with other data: what was learnt before fades. */
START_TEST(test_data_changes)
{
	struct machine m = usual;
	struct choice c;

	m.rate = 200e6;
	choice_init(&c, PRESETS, m.workers, m.cpus, false);
	fill_many(&c, &m, 200, 1);
	for (unsigned i = 0; i < PRESETS; i++)
		m.left[i] = i ? m.left[i] / 4 : 1;
	m.packable = 1;
	fill_many(&c, &m, 600, 1);
	check_choice(&m, choose(&c, &m), 0.97);
}
END_TEST

START_TEST(test_nothing_packs)
{
	struct machine m = usual;
	struct choice c;

	for (unsigned i = 0; i < PRESETS; i++)
		m.left[i] = 1;
	m.rate = 20e6;
	choice_init(&c, PRESETS, m.workers, m.cpus, false);
	fill_many(&c, &m, 100, 1);
	ck_assert_uint_eq(choose(&c, &m), 0);
}
END_TEST

/* A stream that is slower than all presets but the slowest. */
START_TEST(test_slow_stream)
{
	struct machine m = usual;
	struct choice c;

	m.rate = 1e12;
	m.turn = m.reading = 1 / 100e6;
	choice_init(&c, PRESETS, m.workers, m.cpus, false);
	fill_many(&c, &m, 100, 1);
	check_choice(&m, choose(&c, &m), 0.975);
	ck_assert_uint_ge(choose(&c, &m), 4);
}
END_TEST

/* In serial mode the output waits while the thread packs. */
START_TEST(test_serial)
{
	for (size_t i = 0; i < LENGTH(rates); i++) {
		struct machine m = usual;
		double most = 0, chosen = 0;
		struct choice c;
		unsigned preset;

		m.rate = rates[i];
		m.workers = 1;
		choice_init(&c, PRESETS, 1, 2, true);
		fill_many(&c, &m, 100, 1);
		preset = choose(&c, &m);
		for (unsigned j = 0; j < PRESETS; j++) {
			double one = 1 / (m.reading + m.other + m.packable * m.cost[j] +
					  m.packable * m.left[j] / m.rate);

			most = fmax(most, one);
			chosen = j == preset ? one : chosen;
		}
		ck_assert_double_ge(chosen, 0.975 * most);
	}
}
END_TEST

/* Before outputs and presets are known, there is nothing to choose. */
START_TEST(test_nothing_known)
{
	struct machine m = usual;
	struct choice c;
	unsigned first;

	choice_init(&c, PRESETS, 2, 2, false);
	first = choose(&c, &m);
	ck_assert_uint_gt(first, 0);
	fill_many(&c, &m, 100, 1);		/* no output has taken anything */
	ck_assert_uint_eq(choose(&c, &m), first);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("choice");

	tcase_add_loop_test(tcase, test_every_machine, 0, 2);
	tcase_add_test(tcase, test_disturbed);
	tcase_add_test(tcase, test_quota);
	tcase_add_test(tcase, test_data_changes);
	tcase_add_test(tcase, test_nothing_packs);
	tcase_add_test(tcase, test_slow_stream);
	tcase_add_test(tcase, test_serial);
	tcase_add_test(tcase, test_nothing_known);
	return helper_run_case("choice", tcase);
}
