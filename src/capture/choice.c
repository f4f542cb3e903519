// SPDX-License-Identifier: GPL-2.0-or-later
#include "config.h"

#include "capture/choice.h"

/* Bytes of assays that what is usual counts for, until there are more. */
static const double USUAL_WEIGHT = 256 << 10;

/* What seems to have taken so many times as long as usual was disturbed. */
static const double DISTURBED = 3;

/* Bytes of assays after which older ones count half. */
static const double ASSAYED_MAX = 64 << 20;

/* Times that are as good as the same, and parts left that are. */
static const double TIME_NEAR = 0.02;
static const double LEFT_NEAR = 0.002;

/*
 * Until something is known: of auto, the first level of zstd, which is neither far too slow for a
 * sink in memory, nor leaves much too much for a slow one.
 */
enum { FIRST_RUNG = 3 };

static unsigned first_rung(unsigned rungs)
{
	return rungs > FIRST_RUNG ? FIRST_RUNG : rungs - 1;
}

void choice_init(struct choice *c, const struct ladder *ladder, unsigned workers, unsigned cpus,
		 bool serial)
{
	*c = (struct choice){
		.rungs = ladder->count,
		.workers = workers,
		.cpus = cpus,
		.serial = serial,
		.rung = first_rung(ladder->count),
	};
	for (unsigned i = 0; i < c->rungs; i++) {
		c->figures[i].packed = USUAL_WEIGHT * ladder->rungs[i].usual;
		c->figures[i].standard_packed = ladder->rungs[i].usual > 0 ? USUAL_WEIGHT : 0;
	}
}

static double least(double a, double b)
{
	return a < b ? a : b;
}

static double most(double a, double b)
{
	return a > b ? a : b;
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
}

static void add(struct mean *m, double value)
{
	m->count += m->count < MEAN_OF;
	m->value += (value - m->value) / m->count;
}

static void learn_standard(struct choice *c, double cost)
{
	if (c->standard_cost.count >= LATEST)
		cost = least(cost, DISTURBED * c->standard_cost.value);
	add(&c->standard_cost, cost);
}

static void learn_assay(struct choice *c, const struct assay *a)
{
	struct rung_figures *f = &c->figures[a->rung];

	if (a->standard_seconds <= 0)
		return;
	add(&c->standard_packed, a->standard_packed / a->bytes);
	if (!c->rung || !c->standard_cost.count)
		learn_standard(c, a->standard_seconds / a->bytes);
	note(&f->cost, a->seconds / a->standard_seconds);
	f->packed += a->packed;
	f->standard_packed += a->standard_packed;
	if (f->standard_packed > ASSAYED_MAX) {
		f->packed /= 2;
		f->standard_packed /= 2;
	}
}

/* Seconds of the CPU for so many bytes that are not same-filled. */
static double packing(const struct choice *c, unsigned rung, double packable)
{
	return packable * c->standard_cost.value * c->figures[rung].cost.middle;
}

/* In parts of what the standard leaves. */
static double relative_packed(const struct choice *c, unsigned rung)
{
	return c->figures[rung].packed / c->figures[rung].standard_packed;
}

/* Bytes that the rung leaves. */
static double left_by(const struct choice *c, unsigned rung, const struct stretch *s)
{
	if (!rung)
		return s->packable;
	return least(s->packable, s->standard_packed * relative_packed(c, rung));
}

static void learn_data(struct choice *c, const struct fill_figures *fill)
{
	struct stretch *s = &c->stretches[c->stretch];

	if (s->chunks == STRETCH_CHUNKS) {
		c->stretch = (c->stretch + 1) % STRETCHES;
		s = &c->stretches[c->stretch];
		*s = (struct stretch){ 0 };
	}
	s->chunks++;
	s->bytes += fill->bytes;
	s->packable += fill->packable;
	/* The first rung leaves all, and so says nothing of the data. */
	s->standard_packed += fill->rung ? fill->packed / relative_packed(c, fill->rung)
					 : fill->packable * c->standard_packed.value;
}

/*
 * Next to packing, all other work is little, and is known from chunks of the first rung only, which
 * does not pack: how long others pack depends on the data, and must not be taken for it.
 */
static void learn_work(struct choice *c, const struct fill_figures *fill)
{
	double packing_cpu = packing(c, fill->rung, fill->packable);

	if (!fill->rung)
		note(&c->other_cpu, most(0, fill->packing_cpu - packing_cpu) / fill->bytes);
	else if (packing_cpu > 0)
		learn_standard(c, c->standard_cost.value * fill->packing_cpu / packing_cpu);
}

void choice_learn(struct choice *c, const struct fill_figures *fill)
{
	if (c->rungs == 1)
		return;
	for (unsigned i = 0; i < fill->assays_count; i++)
		learn_assay(c, &fill->assays[i]);
	if (!c->figures[fill->rung].cost.count)
		return;
	note(&c->turn, fill->turn / fill->bytes);
	note(&c->reading, fill->reading / fill->bytes);
	note(&c->reading_cpu, fill->reading_cpu / fill->bytes);
	learn_work(c, fill);
	learn_data(c, fill);
}

/* Seconds that the rung would take for the stretch. */
static double time_of(const struct choice *c, unsigned rung, const struct stretch *s,
		      const struct sink_figures *sinks)
{
	double work = s->bytes * c->other_cpu.middle + packing(c, rung, s->packable);
	double left = left_by(c, rung, s);
	double workers = (s->bytes * c->reading.middle + work) / c->workers;
	double cpus = (s->bytes * c->reading_cpu.middle + work + left * sinks->cpu) / c->cpus;

	if (c->serial)
		return workers + left / sinks->rate;
	return most(most(workers, cpus), most(left / sinks->rate, s->bytes * c->turn.middle));
}

static bool all_known(const struct choice *c)
{
	for (unsigned i = 0; i < c->rungs; i++)
		if (!c->figures[i].cost.count)
			return false;
	return c->stretches[0].chunks;
}

unsigned choice_make(struct choice *c, const struct sink_figures *sinks)
{
	double times[RUNGS_MAX] = { 0 }, left[RUNGS_MAX] = { 0 }, bytes = 0, shortest, leaves;

	if (!all_known(c) || !sinks->rate)
		return c->rung;
	for (const struct stretch *s = c->stretches; s < c->stretches + STRETCHES; s++) {
		for (unsigned i = 0; i < c->rungs; i++) {
			times[i] += time_of(c, i, s, sinks);
			left[i] += left_by(c, i, s);
		}
		bytes += s->bytes;
	}
	shortest = times[0];
	for (unsigned i = 1; i < c->rungs; i++)
		shortest = least(shortest, times[i]);
	/* The fastest first: a slower one must leave less to be taken instead. */
	leaves = 2 * bytes;
	for (unsigned i = 0; i < c->rungs; i++) {
		if (times[i] > (1 + TIME_NEAR) * shortest || left[i] > leaves - LEFT_NEAR * bytes)
			continue;
		leaves = left[i];
		c->rung = i;
	}
	return c->rung;
}
