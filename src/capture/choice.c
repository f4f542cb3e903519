// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "base/bytes.h"
#include "capture/choice.h"

/* Assays, and bytes of them, that what is usual counts for. */
enum { USUAL_ASSAYS = 3 };
static const double USUAL_BYTES = 256 << 10;

/* What seems to have taken so many times as long as usual was disturbed. */
static const double DISTURBED = 3;

/* Bytes of assays after which older ones count half. */
static const double ASSAYED_MAX = 64 << 20;

/* Times that are as good as the same, and parts left that are. */
static const double TIME_NEAR = 0.02;
static const double LEFT_NEAR = 0.002;

/* Rates that are: to choose anew takes some microseconds. */
static const double RATE_NEAR = 0.1;

/* Bytes of which the costs count, those of older ones fading. */
static const double PACKED_MAX = 64 << 20;

/* Where the standard leaves such a part, the others leave no less. */
static const double NOTHING_PACKS = 0.98;

/* A part of a chunk that does not tell what packing costs. */
static const double FEW = 1.0 / 16;

/*
 * Until something is known: of auto with all codecs, the first level of zstd, which is neither far
 * too slow for a sink in memory, nor leaves much too much for a slow one.
 */
enum { FIRST_RUNG = 3 };

static unsigned first_preset(unsigned presets)
{
	return presets > FIRST_RUNG ? FIRST_RUNG : presets - 1;
}

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
	l->middle = sorted[(l->count - 1) / 2];
	l->shortest = sorted[0];
}

/* What is usual counts until there are some figures of this machine and of these data. */
static void expect_usual(struct preset_figures *f, const struct preset *preset)
{
	for (int i = 0; i < USUAL_ASSAYS && preset->usual_cost > 0; i++)
		note(&f->cost, preset->usual_cost);
	if (preset->usual_left > 0) {
		f->packed = USUAL_BYTES * preset->usual_left;
		f->standard_packed = USUAL_BYTES;
	}
}

void choice_init(struct choice *c, const struct presets *presets, unsigned workers, unsigned cpus,
		 bool serial)
{
	*c = (struct choice){
		.presets = presets->count,
		.workers = workers,
		.cpus = cpus,
		.serial = serial,
		.preset = first_preset(presets->count),
	};
	for (unsigned i = 0; i < c->presets; i++)
		expect_usual(&c->figures[i], &presets->list[i]);
}

static void add(struct mean *m, double value)
{
	m->count += m->count < MEAN_OF;
	m->value += (value - m->value) / m->count;
}

/* Seconds of the CPU for so many bytes that are not same-filled. */
static double packing(const struct choice *c, unsigned preset, double packable)
{
	return packable * c->figures[preset].cost.middle * c->packing_cpu / c->packed_by_standard;
}

/* So many seconds went by, in which the standard would have packed so many bytes. */
static void learn_packing(struct choice *c, double seconds, double bytes)
{
	if (c->packed_by_standard > PACKED_MAX)
		seconds = min_double(seconds, DISTURBED * bytes * c->packing_cpu /
				     c->packed_by_standard);
	c->packing_cpu += seconds;
	c->packed_by_standard += bytes;
	while (c->packed_by_standard > 2 * PACKED_MAX) {
		c->packing_cpu /= 2;
		c->packed_by_standard /= 2;
	}
}

static void learn_estimate(struct choice *c, const struct estimate *a)
{
	struct preset_figures *f = &c->figures[a->preset];

	add(&c->standard_packed, a->standard_packed / a->bytes);
	if (!c->preset || c->packed_by_standard < FEW * PACKED_MAX)
		learn_packing(c, a->standard_seconds, a->bytes);
	c->learnt |= f->cost.count < LATEST;
	note(&f->cost, a->seconds / a->standard_seconds);
	f->packed += a->packed;
	f->standard_packed += a->standard_packed;
	if (f->standard_packed > ASSAYED_MAX) {
		f->packed /= 2;
		f->standard_packed /= 2;
	}
}

/* In parts of what the standard leaves. */
static double relative_packed(const struct choice *c, unsigned preset)
{
	return c->figures[preset].packed / c->figures[preset].standard_packed;
}

/* Bytes that the rung leaves. */
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
	c->learnt |= !s->chunks;
	s->chunks++;
	s->bytes += fill->bytes;
	s->packable += fill->packable;
	/* The first rung leaves all, and so says nothing of the data. */
	s->standard_packed += fill->preset ? fill->packed / relative_packed(c, fill->preset)
					 : fill->packable * c->standard_packed.value;
}

/*
 * Next to packing, other work is little: it is learnt where little or nothing is packed, and
 * elsewhere taken off.  How long packing takes depends on the data, and must not be taken for it.
 */
static void learn_work(struct choice *c, const struct fill_figures *fill)
{
	double all = fill->packing_cpu, other, bytes;

	if (!fill->preset || fill->packable < FEW * fill->bytes) {
		other = all - packing(c, fill->preset, fill->packable);
		note(&c->other_cpu, max_double(other, 0) / fill->bytes);
	} else {
		other = fill->bytes * c->other_cpu.middle;
		bytes = fill->packable * c->figures[fill->preset].cost.middle;
		learn_packing(c, max_double(all - other, all / 2), bytes);
	}
}

void choice_learn(struct choice *c, const struct fill_figures *fill)
{
	for (unsigned i = 0; i < fill->estimates_count; i++)
		learn_estimate(c, &fill->estimates[i]);
	if (!fill->bytes || !c->figures[fill->preset].cost.count || !c->packed_by_standard)
		return;
	note(&c->turn, fill->turn / fill->bytes);
	note(&c->reading, fill->reading / fill->bytes);
	note(&c->reading_cpu, fill->reading_cpu / fill->bytes);
	note(&c->cpu_part, fill->packing > fill->packing_cpu ? fill->packing_cpu / fill->packing : 1);
	learn_work(c, fill);
	learn_data(c, fill);
}

/* Seconds that the rung, which leaves so much, would take for the stretch. */
static double time_of(const struct choice *c, unsigned preset, const struct period *s, double left,
		      const struct sink_figures *sinks)
{
	double work = s->bytes * c->other_cpu.middle + packing(c, preset, s->packable);
	double workers = (s->bytes * c->reading.middle + work / c->cpu_part.middle) / c->workers;
	double cpus = (s->bytes * c->reading_cpu.middle + work + left * sinks->cpu) / c->cpus;
	double writing = left / sinks->rate;
	/* The shortest turn, since a sender on this machine is slow while it waits for a CPU. */
	double turns = s->bytes * c->turn.shortest;

	if (c->serial)
		return workers + writing;
	return max_double(max_double(workers, cpus), max_double(writing, turns));
}

static bool all_known(const struct choice *c)
{
	for (unsigned i = 0; i < c->presets; i++)
		if (!c->figures[i].cost.count)
			return false;
	return c->periods[0].chunks && c->packed_by_standard > 0;
}

static void choose(struct choice *c, const struct sink_figures *sinks)
{
	double times[PRESETS_MAX] = { 0 }, left[PRESETS_MAX] = { 0 }, bytes = 0, shortest, leaves;

	for (const struct period *s = c->periods; s < c->periods + PERIODS; s++) {
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
	/* The fastest first: a slower one must leave less to be taken instead. */
	leaves = 2 * bytes;
	for (unsigned i = 0; i < c->presets; i++) {
		if (times[i] > (1 + TIME_NEAR) * shortest || left[i] > leaves - LEFT_NEAR * bytes)
			continue;
		leaves = left[i];
		c->preset = i;
	}
}

unsigned choice_make(struct choice *c, const struct sink_figures *sinks)
{
	bool other_rate = sinks->rate < (1 - RATE_NEAR) * c->rate ||
			  sinks->rate > (1 + RATE_NEAR) * c->rate;

	if (!sinks->rate || !all_known(c) || (!c->learnt && !other_rate))
		return c->preset;
	choose(c, sinks);
	c->learnt = false;
	c->rate = sinks->rate;
	return c->preset;
}
