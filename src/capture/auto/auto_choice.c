// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "capture/auto/auto_choice.h"

/*
 * Measured with nsplit-bench --codecs=auto --threads=2 --write-only fake:2G,compressible=100 null:, with
 * --disk-rate=60M, with --disk-rate=400M, and with a disk that falls from 400M to 40M after 0.7 s; 2026-11-23,
 * 2 CPUs, two or more runs each.
 */

/*
 * Times that differ by no more than this part count as equal, and the preset that leaves less is
 * chosen.  So this bounds the throughput that is lost for a smaller dump.
 */
static const double TIME_NEAR = 0.02;

/*
 * A slower preset must leave less by this part of the source to be chosen.  With 0, slow presets
 * are chosen for next to nothing: to the disk of 60 MB/s a fifth slower, for 1 % less.
 */
static const double LEFT_NEAR = 0.002;

/*
 * Where the standard preset leaves more than this part, other presets are assumed to leave all.  It
 * keeps the ratios of data that can be packed from being applied to data that cannot;
 * test_nothing_packs in tests/unit/test_auto_choice.c fails without it.
 */
static const double NOTHING_PACKS = 0.98;

/*
 * A chunk with a smaller packable part than this shows the cost of other work, and not of packing.
 * With 0 the cost of other work is never learnt: to the disk of 400 MB/s the choice remained
 * zstd:1, a third slower.
 */
static const double FEW = 1.0 / 16;

static void note(struct latest *l, double value)
{
	double sorted[LATEST] = { 0 };

	l->values[l->next] = value;
	l->next = (l->next + 1) % LATEST;
	l->count += l->count < LATEST;
	for (unsigned i = 0; i < l->count; i++) {
		unsigned at = i;

		for (; at && sorted[at - 1] > l->values[i]; at--)
			sorted[at] = sorted[at - 1];
		sorted[at] = l->values[i];
	}
	l->median = sorted[(l->count - 1) / 2];
	l->shortest = sorted[0];
}

void choice_init(struct choice *c, unsigned presets, unsigned workers, unsigned cpus, bool serial)
{
	*c = (struct choice){
		.presets = presets,
		.workers = workers,
		.cpus = cpus,
		.serial = serial,
		/*
		 * Until throughput and costs are known, for some milliseconds: with all codecs in the build the
		 * first level of zstd, which is neither far too slow for an output in memory nor leaves far too
		 * much for a slow one.  With raw (0) and zstd:12 (6), 1.5 % more of 2 GiB was stored.
		 */
		.preset = presets > PRESET_FIRST ? PRESET_FIRST : presets - 1,
	};
}

/* CPU seconds to pack these bytes, none of them in same-filled blocks. */
static double packing(const struct choice *c, unsigned preset, double packable)
{
	return packable * c->figures[preset].cost.median * c->standard_cost.median;
}

static void learn_estimate(struct choice *c, const struct estimate *a)
{
	struct preset_figures *f = &c->figures[a->preset];

	c->estimated += a->bytes;
	c->standard_packed += a->standard_packed;
	/* Chunks show it better, but for those that are not packed. */
	if (!c->preset || c->standard_cost.count < LATEST)
		note(&c->standard_cost, a->standard_seconds / a->bytes);
	note(&f->cost, a->seconds / a->standard_seconds);
	f->packed += a->packed;
	f->standard_packed += a->standard_packed;
}

/* The packed size with this preset, relative to the standard preset. */
static double relative_packed(const struct choice *c, unsigned preset)
{
	return c->figures[preset].packed / c->figures[preset].standard_packed;
}

/* Bytes that the preset leaves. */
static double left_by(const struct choice *c, unsigned preset, const struct period *s)
{
	if (!preset || s->standard_packed > NOTHING_PACKS * s->packable)
		return s->packable;
	return min_double(s->packable, s->standard_packed * relative_packed(c, preset));
}

static void learn_data(struct choice *c, const struct fill_figures *fill)
{
	struct period *s = &c->periods[c->period];

	if (s->chunks == PERIOD_CHUNKS) {
		c->period = (c->period + 1) % PERIODS;
		s = &c->periods[c->period];
		*s = (struct period){ 0 };
	}
	s->chunks++;
	s->bytes += fill->bytes;
	s->packable += fill->packable;
	/* The first preset, raw, packs nothing and so shows nothing of the data. */
	s->standard_packed += fill->preset ? fill->packed / relative_packed(c, fill->preset)
					 : fill->packable * c->standard_packed / c->estimated;
}

/*
 * Other work (same-filled blocks, checksums) is small beside packing.  So it is learnt from chunks
 * in which little or nothing is packed, and subtracted in the others.  The time to pack depends on
 * the data and must not be counted as other work.
 */
static void learn_work(struct choice *c, const struct fill_figures *fill)
{
	double all = fill->packing_cpu, other;

	if (!fill->preset || fill->packable < FEW * fill->bytes) {
		other = all - packing(c, fill->preset, fill->packable);
		note(&c->other_cpu, max_double(other, 0) / fill->bytes);
	} else {
		other = fill->bytes * c->other_cpu.median;
		note(&c->standard_cost, max_double(all - other, all / 2) /
					(fill->packable * c->figures[fill->preset].cost.median));
	}
}

void choice_learn(struct choice *c, const struct fill_figures *fill)
{
	for (unsigned i = 0; i < fill->estimates_count; i++)
		learn_estimate(c, &fill->estimates[i]);
	if (!fill->bytes || !c->figures[fill->preset].cost.count)
		return;
	note(&c->turn, fill->turn / fill->bytes);
	note(&c->reading, fill->reading / fill->bytes);
	note(&c->reading_cpu, fill->reading_cpu / fill->bytes);
	note(&c->cpu_share, fill->packing > fill->packing_cpu ? fill->packing_cpu / fill->packing : 1);
	learn_work(c, fill);
	learn_data(c, fill);
}

/* Seconds that the preset, which leaves these bytes, would take for the period. */
static double time_of(const struct choice *c, unsigned preset, const struct period *s, double left,
		      const struct sink_figures *sinks)
{
	double work = s->bytes * c->other_cpu.median + packing(c, preset, s->packable);
	double workers = (s->bytes * c->reading.median + work / c->cpu_share.median) / c->workers;
	double cpus = (s->bytes * c->reading_cpu.median + work + left * sinks->cpu) / c->cpus;
	double writing = left / sinks->rate;
	/* The shortest turn: a sender on this machine is slow while it waits for a CPU. */
	double turns = s->bytes * c->turn.shortest;

	if (c->serial)
		return workers + writing;
	return max_double(max_double(workers, cpus), max_double(writing, turns));
}

unsigned choice_make(struct choice *c, const struct sink_figures *sinks)
{
	double times[PRESETS_MAX] = { 0 }, left[PRESETS_MAX] = { 0 }, bytes = 0, shortest, leaves;

	if (!sinks->rate || !c->periods[0].chunks)
		return c->preset;
	for (unsigned i = 0; i < c->presets; i++)
		if (!c->figures[i].cost.count)
			return c->preset;
	/* The periods before the first wrap are in front, and the others have no bytes. */
	for (const struct period *s = c->periods; s < c->periods + PERIODS && s->chunks; s++) {
		for (unsigned i = 0; i < c->presets; i++) {
			double leaves_here = left_by(c, i, s);

			times[i] += time_of(c, i, s, leaves_here, sinks);
			left[i] += leaves_here;
		}
		bytes += s->bytes;
	}
	shortest = times[0];
	for (unsigned i = 1; i < c->presets; i++)
		shortest = min_double(shortest, times[i]);
	/* In order of speed: a slower preset is taken only if it leaves less. */
	leaves = 2 * bytes;
	for (unsigned i = 0; i < c->presets; i++) {
		if (times[i] > (1 + TIME_NEAR) * shortest || left[i] > leaves - LEFT_NEAR * bytes)
			continue;
		leaves = left[i];
		c->preset = i;
	}
	return c->preset;
}
